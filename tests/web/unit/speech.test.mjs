import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { Speaker } = await page("speech.js");

function heard(...updates) {
  const speaker = new Speaker();
  return updates.flatMap((data) => speaker.hear(data.event ?? { type: "update", data }));
}

const started = { type: "turn.started", turn: 1, prompt: "look" };
const delta = (text) => ({ type: "narration.delta", turn: 1, text });
const finished = (narration) => ({ type: "turn.finished", turn: 1, outcome: "told", narration, choices: [] });

test("each paragraph is said once, however its text is cut", () => {
  const text = "You go out.\n\nIt rains.\n\nA cat looks at you.";
  for (const size of [1, 2, 5, 11, 100]) {
    const deltas = [];
    for (let at = 0; at < text.length; at += size) deltas.push(delta(text.slice(at, at + size)));
    const messages = heard(started, ...deltas, finished(text));
    assert.deepEqual(messages, ["Writing…", "You go out.", "It rains.", "A cat looks at you."], `pieces of ${size}`);
  }
});

test("a paragraph is said when it is whole, not before", () => {
  assert.deepEqual(heard(started, delta("You go out."), delta(" It ra")), ["Writing…"]);
  assert.deepEqual(heard(started, delta("You go out.\n\nIt ra")), ["Writing…", "You go out."]);
});

test("what replaces discarded text is said", () => {
  const messages = heard(started, delta("Wrong.\n\n"), { type: "narration.discarded", turn: 1 }, delta("Right."), finished("Right."));
  assert.deepEqual(messages, ["Writing…", "Wrong.", "Right."]);
});

test("paragraphs that came before a cut are not said again", () => {
  const snapshot = { event: { type: "snapshot", data: { running: { turn: 1, prompt: "look", text: "One.\n\nTwo" } } } };
  assert.deepEqual(heard(snapshot, delta(".\n\nThree."), finished("One.\n\nTwo.\n\nThree.")), ["Two.", "Three."]);
});

test("a turn that ended during a cut is said to its end", () => {
  const snapshot = { event: { type: "snapshot", data: { running: null, told: [{ turn: 1, prompt: "look", narration: "One.\n\nTwo." }] } } };
  assert.deepEqual(heard(started, delta("One.\n\nT"), snapshot), ["Writing…", "One.", "Two."]);
  assert.deepEqual(heard(snapshot), []);
});

test("a turn that went on during a cut is said from where it was", () => {
  const snapshot = { event: { type: "snapshot", data: { running: { turn: 1, prompt: "look", text: "One.\n\nTwo.\n\nTh" } } } };
  assert.deepEqual(heard(started, delta("One.\n\nT"), snapshot), ["Writing…", "One.", "Two."]);
});

test("the steps of a plan are not said, but a question is", () => {
  const messages = heard(
    started,
    { type: "step.started", turn: 1, toolId: "a" },
    { type: "step.progress", turn: 1, toolId: "a", progress: 5, message: "x" },
    { type: "step.asked", turn: 1, toolId: "a", question: "Which door?", choices: [] },
  );
  assert.deepEqual(messages, ["Writing…", "A question: Which door?"]);
});

test("dice are said in words", () => {
  const output = { formula: "1d20", rolls: [6], kept: [6], modifier: 0, total: 6 };
  assert.deepEqual(heard({ type: "step.finished", turn: 1, toolId: "r", output }), ["Dice 1d20: 6."]);
});

test("going back is said", () => {
  assert.deepEqual(heard({ type: "story.moved", by: "undo", turns: 3, branch: "main" }), ["Went back to turn 3."]);
});
