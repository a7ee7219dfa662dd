import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { changeInWords, pathInWords } = await page("changes.js");
const { agoInWords, playtimeInWords } = await page("when.js");
const commands = await page("review-commands.js");

test("a pointer is a path", () => {
  assert.equal(pathInWords("/world/view/here"), "world › view › here");
  assert.equal(pathInWords("/a~1b/c~0d"), "a/b › c~d");
  assert.equal(pathInWords(""), "everything");
});

test("of a list of words what came and went is shown", () => {
  const change = changeInWords({ pointer: "/here", before: ["a", "b"], after: ["b", "c"] });
  assert.deepEqual([change.removed, change.added], [["a"], ["c"]]);
});

test("a value that was not there is nothing", () => {
  assert.deepEqual(changeInWords({ pointer: "/x", after: 1 }), { path: "x", before: null, after: "1" });
});

test("times are words", () => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  assert.equal(agoInWords("2026-11-29T11:59:40Z", now), "just now");
  assert.equal(agoInWords("2026-11-29T11:58:00Z", now), "2 minutes ago");
  assert.equal(agoInWords("2026-11-28T10:00:00Z", now), "yesterday");
  assert.equal(agoInWords("no time", now), "");
  assert.equal(playtimeInWords(2.5), "about 2½ hours");
  assert.equal(playtimeInWords(1), "about an hour");
  assert.equal(playtimeInWords(0.5), "about 30 minutes");
});

test("a review speaks the words of the terminal", () => {
  const ids = ["light", "roll", "tell"];
  assert.equal(commands.moveTo(ids, "tell", 0), "move tell before light");
  assert.equal(commands.moveTo(ids, "light", 1), "move light after roll");
  assert.equal(commands.moveTo(ids, "light", 0), null);
  assert.equal(commands.moveTo(ids, "light", -1), null);
  assert.equal(commands.moveTo(ids, "nobody", 1), null);
  assert.equal(commands.again(" without\n the fire "), "again without the fire");
  assert.equal(commands.edit("roll", { sides: 6 }), 'edit roll {"sides":6}');
  assert.equal(commands.add({ toolId: "sing", toolPath: "a/b" }, "roll"), 'add after roll {"toolId":"sing","toolPath":"a/b"}');
});

test("an input that is no object is refused with the reason", () => {
  assert.deepEqual(commands.readObject('{"a":1}'), { value: { a: 1 } });
  assert.match(commands.readObject("[1]").error, /object/);
  assert.match(commands.readObject("{").error, /no JSON/);
});
