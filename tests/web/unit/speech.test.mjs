import assert from "node:assert/strict";
import { test } from "node:test";
import { delta, discarded, finished, page, snapshot, started, update } from "./page.mjs";

const { Speaker } = await page("speech.js");

function heard(...events) {
  const speaker = new Speaker();
  return events.flatMap((event) => speaker.hear(event));
}

const look = started(1, "look");

test("each paragraph is said once, however its text is cut", () => {
  const text = "You go out.\n\nIt rains.\n\nA cat looks at you.";
  for (const size of [1, 2, 5, 11, 100]) {
    const deltas = [];
    for (let at = 0; at < text.length; at += size) deltas.push(delta(text.slice(at, at + size)));
    const messages = heard(look, ...deltas, finished(1, text));
    assert.deepEqual(messages, ["Writing…", "You go out.", "It rains.", "A cat looks at you."], `pieces of ${size}`);
  }
});

test("a paragraph is said when it is whole, not before", () => {
  assert.deepEqual(heard(look, delta("You go out."), delta(" It ra")), ["Writing…"]);
  assert.deepEqual(heard(look, delta("You go out.\n\nIt ra")), ["Writing…", "You go out."]);
});

test("what replaces discarded text is said", () => {
  const messages = heard(look, delta("Wrong.\n\n"), discarded(), delta("Right."), finished(1, "Right."));
  assert.deepEqual(messages, ["Writing…", "Wrong.", "Right."]);
});

test("paragraphs that came before a cut are not said again", () => {
  const first = snapshot({ running: { turn: 1, prompt: "look", text: "One.\n\nTwo" } });
  assert.deepEqual(heard(first, delta(".\n\nThree."), finished(1, "One.\n\nTwo.\n\nThree.")), ["Two.", "Three."]);
});

test("a turn that ended during a cut is said to its end", () => {
  const first = snapshot({ running: null, told: [{ turn: 1, prompt: "look", narration: "One.\n\nTwo." }] });
  assert.deepEqual(heard(look, delta("One.\n\nT"), first), ["Writing…", "One.", "Two."]);
  assert.deepEqual(heard(first), []);
});

test("a turn that went on during a cut is said from where it was", () => {
  const first = snapshot({ running: { turn: 1, prompt: "look", text: "One.\n\nTwo.\n\nTh" } });
  assert.deepEqual(heard(look, delta("One.\n\nT"), first), ["Writing…", "One.", "Two."]);
});

test("the steps of a plan are not said, but a question is", () => {
  const messages = heard(
    look,
    update({ type: "step.started", turn: 1, toolId: "a" }),
    update({ type: "step.progress", turn: 1, toolId: "a", progress: 5, message: "x" }),
    update({ type: "step.asked", turn: 1, toolId: "a", question: "Which door?", choices: [] }),
  );
  assert.deepEqual(messages, ["Writing…", "A question: Which door?"]);
});

test("dice are said in words", () => {
  const output = { formula: "1d20", rolls: [6], kept: [6], modifier: 0, total: 6 };
  assert.deepEqual(heard(update({ type: "step.finished", turn: 1, toolId: "r", output })), ["Dice 1d20: 6."]);
});

test("going back is said", () => {
  assert.deepEqual(heard(update({ type: "story.moved", by: "undo", turns: 3, branch: "main" })), ["Went back to turn 3."]);
});
