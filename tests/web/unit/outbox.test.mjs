import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { Outbox } = await page("outbox.js");

class Storage {
  values = new Map();
  getItem(key) {
    return this.values.get(key) ?? null;
  }
  setItem(key, value) {
    this.values.set(key, value);
  }
  removeItem(key) {
    this.values.delete(key);
  }
}

const noAnswer = Object.assign(new Error("no answer"), { status: 0, kind: "no-answer" });
const refusal = (kind) => Object.assign(new Error(kind), { status: 409, kind });

/** An outbox whose server gives these answers: null accepts, an error refuses. */
function outbox(answers, storage = new Storage()) {
  const seen = { sent: [], refused: [] };
  const box = new Outbox("s", {
    storage,
    wait: async () => {},
    send: async (line) => {
      seen.sent.push(line);
      const answer = answers.shift();
      if (answer) throw answer;
    },
    handlers: { changed: () => {}, refused: (line, error) => seen.refused.push([line.text, error.kind]) },
  });
  return { box, seen, storage };
}

test("a line goes out with the number of turns and is gone when it is accepted", async () => {
  const { box, seen } = outbox([null]);
  box.add("look");
  await box.flush(() => 4);
  assert.deepEqual(seen.sent.map(({ text, after }) => [text, after]), [["look", 4]]);
  assert.deepEqual(box.lines, []);
});

test("without an answer the same line goes out again with the same id", async () => {
  const { box, seen } = outbox([noAnswer, noAnswer, null]);
  box.add("look");
  let turns = 4;
  await box.flush(() => turns++);
  assert.equal(new Set(seen.sent.map(({ requestId, after }) => `${requestId} ${after}`)).size, 1);
  assert.equal(seen.sent.length, 3);
});

test("a line survives a reload", async () => {
  const { box, storage } = outbox([]);
  box.add("look");
  const { box: next, seen } = outbox([null], storage);
  await next.flush(() => 4);
  assert.equal(seen.sent[0].text, "look");
});

test("a line that was sent before the reload keeps its number of turns", async () => {
  const { box, storage } = outbox([noAnswer]);
  box.add("look");
  await box.flush(() => 4, () => false);
  const { box: next, seen } = outbox([refusal("moved")], storage);
  await next.flush(() => 5);
  assert.equal(seen.sent[0].after, 4);
  assert.deepEqual(seen.refused, [["look", "moved"]]);
  assert.deepEqual(next.lines, []);
});

test("a busy story keeps the line for later", async () => {
  const { box, seen } = outbox([refusal("busy"), null]);
  box.add("look");
  await box.flush(() => 4);
  assert.equal(box.lines.length, 1);
  await box.flush(() => 4);
  assert.equal(seen.sent.length, 2);
  assert.deepEqual(box.lines, []);
});

test("two lines go out one after the other", async () => {
  const { box, seen } = outbox([null, null]);
  box.add("/branch here", "/switch here");
  await box.flush(() => 4);
  assert.equal(box.lines.length, 1);
  await box.flush(() => 4);
  assert.deepEqual(seen.sent.map(({ text }) => text), ["/branch here", "/switch here"]);
});

test("a story that is ready before the answer is here gets the next line", async () => {
  const { box, seen } = outbox([null, null]);
  box.add("/branch here", "/switch here");
  const first = box.flush(() => 4);
  box.flush(() => 4);
  await first;
  assert.equal(seen.sent.length, 2);
});

test("an unknown session keeps the line", async () => {
  const { box } = outbox([Object.assign(new Error(), { status: 401, kind: "no-session" })]);
  box.add("look");
  await box.flush(() => 4);
  assert.equal(box.lines.length, 1);
});

test("what lies broken in the browser's storage counts as nothing", () => {
  const storage = new Storage();
  storage.setItem("narratoria outbox s", "{");
  assert.deepEqual(outbox([], storage).box.lines, []);
});
