import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { bytesInWords, countInWords, needsOf, newPlan, planAfter, planOfRecord, stateInWords, timeInWords } = await page("plan.js");

const tool = (toolId, more = {}) => ({ toolId, toolPath: "a/b", dependencies: [], ...more });

test("a step waits for what it lists, what its input names and what its condition names", () => {
  const ids = new Set(["a", "b", "c", "d", "e"]);
  const given = tool("e", { dependencies: ["a"], input: { x: ["$b.list[0]"], y: "costs $5" }, when: "steps.c != null && size(steps.d.x) > 0" });
  assert.deepEqual(needsOf(given, ids).sort(), ["a", "b", "c", "d"]);
});

test("a plan grows step by step and is the same one when it is whole", () => {
  const growing = { type: "plan.growing", turn: 1, attempt: 1, planId: "p", planner: "llama", tool: tool("a") };
  const begun = { type: "step.started", turn: 1, planId: "p", toolId: "a", toolPath: "a/b", attempt: 1 };
  const whole = { type: "plan.proposed", turn: 1, attempt: 1, planner: "llama", plan: { requestId: "p", tools: [tool("a"), tool("b")] } };
  const plan = [growing, begun, whole].reduce(planAfter, newPlan(1));
  assert.deepEqual(plan.steps.map(({ id, state }) => [id, state]), [["a", "running"], ["b", "waiting"]]);
});

test("a second attempt begins with none of the first one's steps", () => {
  const proposed = (id, name) => ({ type: "plan.proposed", turn: 1, attempt: 1, planner: "x", plan: { requestId: id, tools: [tool(name)] } });
  const plan = [proposed("p", "a"), proposed("q", "b")].reduce(planAfter, newPlan(1));
  assert.deepEqual(plan.steps.map(({ id }) => id), ["b"]);
});

test("a step knows its attempts, its logs and how it ended", () => {
  const base = { turn: 1, planId: "p", toolId: "a" };
  const plan = [
    { ...base, type: "step.started", toolPath: "a/b", attempt: 1 },
    { ...base, type: "step.retrying", attempt: 2, delayMs: 100, error: "no answer" },
    { ...base, type: "step.started", toolPath: "a/b", attempt: 2 },
    { ...base, type: "step.progress", progress: 40, message: "reads" },
    { ...base, type: "step.logged", level: "info", message: "well" },
    { ...base, type: "step.finished", state: "success", summary: "did it", executionTimeMs: 1500, retryCount: 1, fuelConsumed: 5, peakMemoryBytes: 9, stdoutBytes: 1 },
  ].reduce(planAfter, newPlan(1));
  const [step] = plan.steps;
  assert.equal(step.attempt, 2);
  assert.equal(step.state, "success");
  assert.equal(step.progress, null);
  assert.equal(step.logs.length, 2);
});

test("states are words", () => {
  assert.equal(stateInWords({ state: "skipped", reason: "condition_false" }), "left out: not needed this time");
  assert.equal(stateInWords({ state: "skipped", reason: "odd_new_word" }), "left out: odd new word");
  assert.equal(stateInWords({ state: "success", reason: "" }), "done");
});

test("numbers are short", () => {
  assert.equal(timeInWords(null), "");
  assert.equal(timeInWords(7), "7 ms");
  assert.equal(timeInWords(1840), "1.8 s");
  assert.equal(countInWords(6_980_315), "7.0 M");
  assert.equal(countInWords(12), "12");
  assert.equal(bytesInWords(1_839_888), "1.8 MiB");
  assert.equal(bytesInWords(20), "20 bytes");
});

test("a stored plan has the results of its steps", () => {
  const record = {
    attempt: 1,
    planner: "lexical",
    status: "complete",
    plan: { requestId: "p", tools: [tool("a")], metadata: { considered: [{ tool: "a/b", probability: 0.8 }] } },
    steps: [{ toolId: "a", state: "success", executionTimeMs: 3, attempts: [{}], events: [{ type: "log", level: "info", message: "m" }, { type: "done", ok: true, summary: "done it" }] }],
  };
  const plan = planOfRecord(4, record);
  assert.equal(plan.steps[0].summary, "done it");
  assert.equal(plan.steps[0].logs.length, 1);
  assert.equal(plan.considered.length, 1);
});
