import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { completionsOf, nounsOf, readLine } = await page("commands.js");

test("sentences and commands that change the story are sent", () => {
  assert.deepEqual(readLine("  take the  key "), { line: "take the key" });
  assert.deepEqual(readLine("/undo 2"), { line: "/undo 2" });
  assert.deepEqual(readLine("undo."), { line: "/undo" });
  assert.deepEqual(readLine("/memory pin M0"), { line: "/memory pin M0" });
  assert.deepEqual(readLine("/branch here"), { line: "/branch here" });
  assert.equal(readLine("   "), null);
});

test("commands that only show something are shown by the page", () => {
  assert.deepEqual(readLine("/map"), { view: "map" });
  assert.deepEqual(readLine("Journal"), { view: "journal" });
  assert.deepEqual(readLine("/why 3"), { view: "why", turn: 3 });
  assert.deepEqual(readLine("/branch"), { view: "turns" });
  assert.deepEqual(readLine("quit"), { view: "home" });
});

test("words of other games and unknown commands are answered", () => {
  assert.match(readLine("save").say, /nothing to save/);
  assert.match(readLine("/udno").say, /no command \/udno/);
  assert.match(readLine("/hitn").say, /did you mean \/hint\?/);
});

test("a slash offers commands", () => {
  assert.deepEqual(completionsOf("/re", null).map(({ label }) => label), ["/redo [N]", "/retry [same]", "/recap"]);
  assert.ok(completionsOf("/", null).length > 15);
  assert.deepEqual(completionsOf("/undo ", null), []);
});

const SCOPE = {
  people: ["Agnes Thwaite"],
  things: ["kitchen table", "slip of paper"],
  carried: ["slip of paper"],
  exits: ["yard"],
  possible: [{ sentence: "search the kitchen table" }, { sentence: "wait" }],
};

test("nouns of the scene are offered for the word that is typed", () => {
  assert.deepEqual(
    completionsOf("ask thw", SCOPE).map(({ text, from }) => [text, from]),
    [["Agnes Thwaite", 4]],
  );
  assert.deepEqual(completionsOf("x", SCOPE), []);
  assert.deepEqual(completionsOf("go to the yard", SCOPE), []);
});

test("whole sentences that are possible are offered", () => {
  assert.deepEqual(completionsOf("sea", SCOPE).map(({ text }) => text), ["search the kitchen table"]);
});

test("no noun comes twice", () => {
  assert.deepEqual(nounsOf(SCOPE).map(({ name }) => name), ["Agnes Thwaite", "kitchen table", "slip of paper", "yard"]);
  assert.deepEqual(nounsOf(null), []);
});
