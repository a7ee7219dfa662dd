// The update stream of a real evening, as `narratoria run --format json` printed it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecording } from "../recording.mjs";
import { page } from "./page.mjs";

const { newStory, paragraphsOf, storyAfter } = await page("story.js");
const { planOfRecord } = await page("plan.js");
const { Speaker } = await page("speech.js");

const updates = readRecording();

test("each turn is told as the program said it, and said once for each paragraph", () => {
  const speaker = new Speaker();
  let story = newStory("evening");
  let messages = [];
  for (const data of updates) {
    const event = { type: "update", data };
    if (data.type === "turn.started") messages = [];
    messages.push(...speaker.hear(event));
    story = storyAfter(story, event);
    if (data.type !== "turn.finished") continue;
    assert.equal(story.told.at(-1).narration, data.narration);
    const paragraphs = messages.filter((message) => message !== "Writing…" && !message.startsWith("Dice "));
    assert.deepEqual(paragraphs, paragraphsOf(data.narration));
  }
  assert.equal(story.told.length, 14);
});

test("each step of each plan ends in a state, and dice are found", () => {
  let story = newStory("evening");
  let rolls = 0;
  for (const data of updates) {
    story = storyAfter(story, { type: "update", data });
    if (data.type !== "turn.finished") continue;
    rolls += story.told.at(-1).dice.length;
    assert.ok(story.plan.steps.every(({ state }) => ["success", "skipped", "failed"].includes(state)));
  }
  assert.equal(rolls, 3);
});

test("stored plans are shown as those that run", () => {
  const whys = updates.filter(({ type, about }) => type === "story.shown" && about === "why");
  for (const { document } of whys) {
    for (const record of document.plans) {
      const plan = planOfRecord(document.turn, record);
      assert.equal(plan.steps.length, record.plan.tools.length);
      assert.ok(plan.steps.every(({ state }) => state !== "waiting"));
    }
  }
  assert.ok(whys.length > 10);
});
