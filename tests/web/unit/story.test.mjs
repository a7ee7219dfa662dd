import assert from "node:assert/strict";
import { test } from "node:test";
import { delta, discarded, finished, page, snapshot, started, update } from "./page.mjs";

const { newStory, paragraphsOf, storyAfter, withOlder, withTold } = await page("story.js");

const after = (...events) => events.reduce(storyAfter, newStory("s"));

test("the text of a turn is its deltas since the last discard", () => {
  const story = after(started(1, "look"), delta("Wro"), delta("ng"), discarded(), delta("You "), delta("look."));
  assert.equal(story.running.text, "You look.");
});

test("the narration of a finished turn wins over its deltas", () => {
  const story = after(started(1, "look"), delta("You lo"), finished(1, "You look."));
  assert.equal(story.running, null);
  assert.deepEqual(story.told.map(({ prompt, narration }) => [prompt, narration]), [["look", "You look."]]);
  assert.equal(story.turns, 1);
});

test("a stopped turn leaves the story as it was", () => {
  const choices = [{ label: "Go" }];
  const story = after(started(1, "a"), finished(1, "A.", { choices }), started(2, "b"), delta("half"), finished(2, "", { outcome: "cancelled" }));
  assert.deepEqual(story.told.map(({ turn }) => turn), [1]);
  assert.equal(story.turns, 1);
  assert.match(story.notes[0].text, /stopped/);
});

test("a failed turn says why and how to go on", () => {
  const story = after(started(1, "a"), update({ type: "turn.failed", turn: 1, kind: "io", message: "the disk is full", hints: ["free some space"] }));
  assert.equal(story.notes[0].text, "the disk is full — free some space");
  assert.equal(story.running, null);
});

const moved = (by, turns, more = {}) =>
  update({ type: "story.moved", by, branch: "main", turns, left: 1, entered: 0, redoable: 1, narration: "", choices: [], ...more });

test("undo takes the last turns away", () => {
  const story = after(started(1, "a"), finished(1, "A."), started(2, "b"), finished(2, "B."), moved("undo", 1));
  assert.deepEqual(story.told.map(({ narration }) => narration), ["A."]);
  assert.equal(story.redoable, 1);
  assert.equal(story.stale, false);
});

test("redo and another branch need turns that are not here", () => {
  const two = [started(1, "a"), finished(1, "A."), started(2, "b"), finished(2, "B.")];
  assert.equal(after(...two, moved("undo", 1), moved("redo", 2, { entered: 1 })).stale, true);
  const switched = after(...two, moved("switch", 5));
  assert.equal(switched.stale, true);
  assert.deepEqual(switched.told, []);
});

test("an undo beyond the turns that are here asks for them", () => {
  const late = snapshot({ turns: 50, told: [{ turn: 50, prompt: "x", narration: "X." }], toldBefore: 49 });
  assert.equal(after(late, moved("undo", 49)).stale, true);
});

test("a snapshot in the middle of a turn gives the text so far", () => {
  const data = { turns: 1, told: [{ turn: 1, prompt: "a", narration: "A." }], toldBefore: 0, ready: false, running: { turn: 2, prompt: "b", text: "Half a sen" } };
  const story = after(snapshot(data), delta("tence.", 2));
  assert.equal(story.running.text, "Half a sentence.");
});

test("questions and approvals wait until they are answered", () => {
  const asked = update({ type: "step.asked", turn: 1, toolId: "q", question: "Which?", choices: [] });
  const waiting = update({ type: "step.waiting", turn: 1, toolId: "w", toolPath: "a/b", input: {} });
  const both = after(started(1, "a"), asked, waiting);
  assert.deepEqual(both.pending.map(({ kind }) => kind), ["question", "approval"]);
  const one = storyAfter(both, update({ type: "step.answered", turn: 1, toolId: "q", answered: true }));
  assert.deepEqual(one.pending.map(({ toolId }) => toolId), ["w"]);
});

test("a roll of any skill is kept with its turn", () => {
  const output = { formula: "1d20", rolls: [7], kept: [7], total: 7 };
  const rolled = update({ type: "step.finished", turn: 1, toolId: "r", state: "success", output, executionTimeMs: 1 });
  const story = after(started(1, "a"), rolled, finished(1, "A."));
  assert.deepEqual(story.told[0].dice, [output]);
});

test("a change of which no update tells is asked for", () => {
  const story = after(started(1, "a"), finished(1, "A."), { type: "ready", data: { turns: 1 } });
  assert.equal(story.stale, false);
  const changed = storyAfter(story, { type: "ready", data: { turns: 2 } });
  assert.equal(changed.stale, true);
  const told = [{ turn: 1, prompt: "a", narration: "A." }, { turn: 2, prompt: "/memory pin M0", narration: "" }];
  assert.equal(withTold(changed, { told, toldBefore: 0 }).stale, false);
});

test("dice that were seen are kept when the turns are read again", () => {
  const output = { formula: "1d20", rolls: [7], kept: [7], total: 7 };
  const rolled = update({ type: "step.finished", turn: 1, toolId: "r", state: "success", output, executionTimeMs: 1 });
  const story = after(started(1, "a"), rolled, finished(1, "A."));
  const again = withTold(story, { told: [{ turn: 1, prompt: "a", narration: "A." }], toldBefore: 0 });
  assert.deepEqual(again.told[0].dice, [output]);
});

test("older turns come before those that are here, none twice", () => {
  const story = after(snapshot({ turns: 4, told: [{ turn: 3, prompt: "", narration: "" }], toldBefore: 2 }));
  const told = [1, 2, 3].map((turn) => ({ turn, prompt: "", narration: "" }));
  const older = withOlder(story, { told, toldBefore: 0 });
  assert.deepEqual(older.told.map(({ turn }) => turn), [1, 2, 3]);
  assert.equal(older.toldBefore, 0);
});

test("unknown updates and events change nothing", () => {
  const story = after(started(1, "a"));
  assert.equal(storyAfter(story, update({ type: "moon.risen", turn: 1 })), story);
  assert.equal(storyAfter(story, { type: "weather", data: {} }), story);
});

test("paragraphs are parted by empty lines", () => {
  assert.deepEqual(paragraphsOf("One.\n\n Two\nlines. \n \n\nThree."), ["One.", "Two\nlines.", "Three."]);
  assert.deepEqual(paragraphsOf(" \n\n"), []);
});
