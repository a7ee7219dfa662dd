// How a turn came about, and what it changed.

import { fill, h } from "./dom.js";
import { changeInWords } from "./changes.js";

/** Characters of a value that are shown before it is opened. */
const VALUE_CHARS_MAX = 240;

/** What the planner read, what was tried, and the whole document below. */
export function showWhy(element, why) {
  if (!why) {
    fill(element, h("p", { class: "hint" }, "No turn has been played yet."));
    return;
  }
  const plans = why.plans ?? [];
  fill(
    element,
    h("p", { class: "lead" }, `Turn ${why.turn}: “${why.prompt}”`),
    h(
      "dl",
      { class: "facts-list" },
      [
        ["Outcome", why.outcome],
        ["Seed of the dice", why.seed],
        ["Plans tried", String(plans.length)],
        ["Finished", why.finishedAt && new Date(why.finishedAt).toLocaleString()],
      ]
        .filter(([, value]) => value)
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    plans.map((plan) => planParts(plan)),
    h("details", {}, h("summary", {}, "The full trace"), h("pre", { tabindex: 0, class: "trace" }, JSON.stringify(why, null, 2))),
  );
}

function planParts(plan) {
  const seen = plan.seen ?? {};
  const lists = [
    ["Turns that were read", (seen.recentTurns ?? []).map((turn) => `turn ${turn}`)],
    ["Memories that were read", (seen.memories ?? []).map((memory) => memory.text ?? String(memory.id ?? memory))],
    ["Notes that were read", (seen.notes ?? []).map((note) => `${note.name}: ${note.why}`)],
    ["Left out for space", seen.cut ?? []],
    ["Errors", plan.errors ?? []],
  ].filter(([, items]) => items.length > 0);
  const said = understood(plan);
  return [
    h("h3", {}, `Attempt ${plan.attempt}, by ${plan.planner}: ${plan.status}`),
    said.length > 0 && h("ul", {}, said.map((text) => h("li", {}, text))),
    lists.map(([title, items]) =>
      h("details", {}, h("summary", {}, `${title} (${items.length})`), h("ul", {}, items.map((item) => h("li", {}, item)))),
    ),
  ];
}

/** One line for each step that ran: what it was and what came of it. */
function understood(plan) {
  const tools = new Map((plan.plan?.tools ?? []).map((tool) => [tool.toolId, tool]));
  return (plan.steps ?? [])
    .filter((step) => step.state !== "skipped")
    .map((step) => {
      const done = (step.events ?? []).find((event) => event.type === "done");
      const purpose = tools.get(step.toolId)?.description ?? tools.get(step.toolId)?.reason ?? step.toolPath;
      return `${step.toolId}: ${purpose}${done?.summary ? ` → ${done.summary}` : ` → ${step.state}`}`;
    });
}

/** The differences that the turn made to the state of the story and to the stores of skills. */
export function showChanges(element, why) {
  const changes = why?.state?.changes ?? [];
  const stores = why?.stores ?? [];
  if (!changes.length && !stores.length) {
    fill(element, h("p", { class: "hint" }, why ? `Turn ${why.turn} changed nothing.` : "No turn has been played yet."));
    return;
  }
  const leftOff = why.state?.changesLeftOff ?? 0;
  fill(
    element,
    h("p", { class: "lead" }, `What turn ${why.turn} changed`),
    h("ul", { class: "diff" }, changes.map((change) => changeItem(changeInWords(change)))),
    leftOff > 0 && h("p", { class: "hint" }, `and ${leftOff} more`),
    stores.length > 0 && h("h3", {}, "What skills keep"),
    stores.length > 0 &&
      h(
        "ul",
        { class: "diff" },
        stores.map(({ skill, key, before, after }) =>
          changeItem({ path: `${skill} › ${key}`, before, after }),
        ),
      ),
  );
}

function changeItem({ path, before, after, added, removed }) {
  const gone = removed ?? (before === null || before === undefined ? [] : [before]);
  const come = added ?? (after === null || after === undefined ? [] : [after]);
  return h(
    "li",
    {},
    h("span", { class: "diff-path" }, path),
    gone.map((value) => h("del", {}, h("span", { class: "visually-hidden" }, "before: "), shortened(value))),
    come.map((value) => h("ins", {}, h("span", { class: "visually-hidden" }, "after: "), shortened(value))),
    !gone.length && !come.length && h("span", { class: "hint" }, "another order"),
  );
}

function shortened(value) {
  if (value.length <= VALUE_CHARS_MAX) return value;
  return `${value.slice(0, VALUE_CHARS_MAX)}… (${value.length} characters)`;
}
