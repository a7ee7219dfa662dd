// Leaves out of recorded documents what the page does not show, so that the fixture stays small.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const update = JSON.parse(line);
  if (update.type === "story.shown" && update.about === "why") {
    for (const plan of update.document.plans) {
      for (const step of plan.steps) {
        delete step.output;
        for (const attempt of step.attempts ?? []) delete attempt.events;
        for (const event of step.events ?? []) delete event.output;
      }
    }
  }
  if (update.type === "step.finished" && !update.output?.formula) delete update.output;
  console.log(JSON.stringify(update));
}
