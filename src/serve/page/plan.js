// The plan of a turn as it grows and runs, as a fold over updates. Touches no document.

/** Lines of a step's log that are kept. */
const LOGS_MAX = 50;

export function newPlan(turn) {
  return { turn, id: null, planner: "", attempt: 1, state: "growing", steps: [], versions: [], considered: [], errors: [] };
}

/** A step that a tool of Plan JSON becomes. */
export function stepOf(tool) {
  return {
    id: tool.toolId,
    path: tool.toolPath,
    title: tool.description || tool.reason || tool.toolId,
    tool,
    state: tool.skip ? "skipped" : "waiting",
    attempt: 0,
    progress: null,
    message: "",
    summary: "",
    error: "",
    reason: "",
    ms: null,
    fuel: null,
    memory: null,
    retries: 0,
    logs: [],
  };
}

/** Returns the ids of the steps that a tool waits for: those it lists, and those that its input or condition names. */
export function needsOf(tool, ids) {
  const needs = new Set(tool.dependencies ?? []);
  const look = (value) => {
    if (typeof value === "string") {
      const named = /^\$([A-Za-z0-9_-]+)/.exec(value);
      if (named) needs.add(named[1]);
    } else if (value && typeof value === "object") {
      Object.values(value).forEach(look);
    }
  };
  look(tool.input);
  look(tool.forEach);
  for (const named of String(tool.when ?? "").matchAll(/\bsteps\.([A-Za-z0-9_-]+)/g)) needs.add(named[1]);
  return [...needs].filter((id) => id !== tool.toolId && ids.has(id));
}

function planOf(plan, json, planner) {
  const before = new Map(plan.steps.map((step) => [step.id, step]));
  const steps = (json.tools ?? []).map((tool) => {
    const old = before.get(tool.toolId);
    return old && old.path === tool.toolPath ? { ...old, tool } : stepOf(tool);
  });
  const considered = json.metadata?.considered ?? [];
  return { ...plan, id: json.requestId, planner: planner ?? plan.planner, considered, steps };
}

const UPDATES = {
  "plan.growing": (plan, update) => {
    const begun = plan.id === update.planId ? plan : { ...newPlan(plan.turn), id: update.planId };
    if (begun.steps.some((step) => step.id === update.tool.toolId)) return begun;
    const steps = [...begun.steps, stepOf(update.tool)];
    return { ...begun, planner: update.planner, attempt: update.attempt, steps };
  },
  "plan.proposed": (plan, update) => {
    const kept = plan.id === update.plan.requestId ? plan : { ...newPlan(plan.turn), versions: plan.versions };
    return { ...planOf(kept, update.plan, update.planner), attempt: update.attempt, state: "proposed" };
  },
  "plan.rejected": (plan, update) => ({ ...plan, state: "rejected", errors: update.errors }),
  "plan.revised": (plan, update) => {
    const versions = [...plan.versions, { version: update.version, changes: update.changes }];
    const revised = update.plan ? planOf(plan, update.plan) : { ...plan, id: update.planId };
    return { ...revised, versions, errors: [] };
  },
  "plan.started": (plan, update) => ({ ...plan, state: "running", estimate: update.estimatedDuration ?? null }),
  "plan.finished": (plan, update) => ({
    ...plan,
    state: update.success ? "success" : "failed",
    ms: update.executionTimeMs,
  }),
  "step.started": (plan, update) =>
    withStep(plan, update, () => ({ state: "running", attempt: update.attempt, path: update.toolPath, error: "" })),
  "step.progress": (plan, update) =>
    withStep(plan, update, () => ({ progress: update.progress, message: update.message })),
  "step.logged": (plan, update) =>
    withStep(plan, update, (step) => ({ logs: withLog(step, update.level, update.message) })),
  "step.warned": (plan, update) =>
    withStep(plan, update, (step) => ({
      logs: withLog(step, "warn", `${update.errorCode}: ${update.errorMessage}`),
    })),
  "step.retrying": (plan, update) =>
    withStep(plan, update, (step) => ({
      state: "retrying",
      error: update.error,
      logs: withLog(step, "warn", `attempt ${update.attempt} follows in ${update.delayMs} ms: ${update.error}`),
    })),
  "step.waiting": (plan, update) => withStep(plan, update, () => ({ state: "asking" })),
  "step.decided": (plan, update) => withStep(plan, update, () => ({ state: "waiting" })),
  "step.asked": (plan, update) => withStep(plan, update, () => ({ state: "asking" })),
  "step.answered": (plan, update) => withStep(plan, update, () => ({ state: "running" })),
  "step.taken_over": (plan, update) =>
    withStep(plan, update, (step) => ({
      path: update.to,
      logs: withLog(step, "warn", `${update.from} failed, ${update.to} follows: ${update.error}`),
    })),
  "step.kept": (plan, update) =>
    withStep(plan, update, () => ({ state: update.state, summary: "kept from the version before" })),
  "step.finished": (plan, update) =>
    withStep(plan, update, () => ({
      state: update.state,
      progress: null,
      message: "",
      summary: update.summary ?? "",
      error: update.error ?? "",
      reason: update.reason ?? "",
      ms: update.executionTimeMs,
      fuel: update.fuelConsumed,
      memory: update.peakMemoryBytes,
      retries: update.retryCount,
    })),
};

/** Returns the plan after an update; the same one if the update does not concern it. */
export function planAfter(plan, update) {
  const change = UPDATES[update.type];
  if (!change) return plan;
  return change(plan ?? newPlan(update.turn), update);
}

function withLog(step, level, message) {
  return [...step.logs, { level, message }].slice(-LOGS_MAX);
}

function withStep(plan, { toolId, toolPath }, change) {
  const known = plan.steps.some((step) => step.id === toolId);
  const steps = known ? plan.steps : [...plan.steps, stepOf({ toolId, toolPath: toolPath ?? "" })];
  return { ...plan, steps: steps.map((step) => (step.id === toolId ? { ...step, ...change(step) } : step)) };
}

/** Returns a stored plan, as `/why` has it, in the form of one that runs. */
export function planOfRecord(turn, record) {
  const plan = planOf({ ...newPlan(turn), attempt: record.attempt }, record.plan ?? {}, record.planner);
  const results = new Map((record.steps ?? []).map((step) => [step.toolId, step]));
  const steps = plan.steps.map((step) => {
    const result = results.get(step.id);
    return result ? { ...step, ...stepOfResult(result) } : step;
  });
  return { ...plan, steps, state: record.status, errors: record.errors ?? [] };
}

function stepOfResult(result) {
  const attempts = result.attempts ?? [];
  const events = result.events ?? [];
  const logs = events.filter((event) => event.type === "log").map(({ level, message }) => ({ level, message }));
  const done = events.find((event) => event.type === "done");
  return {
    state: result.state,
    summary: done?.summary ?? "",
    error: typeof result.error === "string" ? result.error : (result.error?.message ?? ""),
    reason: result.reason ?? "",
    ms: result.executionTimeMs,
    fuel: result.fuelConsumed,
    memory: result.peakMemoryBytes,
    retries: result.retryCount,
    attempt: attempts.length,
    logs: logs.slice(-LOGS_MAX),
  };
}

const STATES = {
  waiting: "waits",
  running: "runs",
  retrying: "tries again",
  asking: "waits for you",
  success: "done",
  failed: "failed",
  timeout: "took too long",
  skipped: "left out",
};

const REASONS = {
  condition_false: "not needed this time",
  dependency_failed: "a step that it needs failed",
  denied: "you said no",
  dependency_denied: "a step that it needs was denied",
  skipped_by_player: "you took it out",
  skipped_by_planner: "the planner took it out",
};

/** The state of a step in words. */
export function stateInWords(step) {
  const state = STATES[step.state] ?? step.state;
  const reason = REASONS[step.reason] ?? step.reason?.replaceAll("_", " ");
  return reason ? `${state}: ${reason}` : state;
}

/** `1840` → `1.8 s`. */
export function timeInWords(ms) {
  if (ms === null || ms === undefined) return "";
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `6980315` → `7.0 M`. */
export function countInWords(count) {
  if (count === null || count === undefined) return "";
  const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const unit = units.find(([size]) => count >= size);
  return unit ? `${(count / unit[0]).toFixed(1)} ${unit[1]}` : String(count);
}

/** `1839888` → `1.8 MiB`. */
export function bytesInWords(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB"];
  const power = Math.min(units.length, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
