// What a page knows of the story that it shows, as a fold over the events of the server. Touches no document.

import { newPlan, planAfter } from "./plan.js";

/** Notes for people that are kept. */
const NOTES_MAX = 20;

export function newStory(name) {
  return {
    name,
    title: null,
    branch: "",
    turns: 0,
    redoable: 0,
    told: [],
    toldBefore: 0,
    choices: [],
    ended: null,
    here: null,
    ready: false,
    running: null,
    pending: [],
    review: null,
    mayPlay: true,
    reviewing: false,
    closed: null,
    notes: [],
    skills: {},
    plan: null,
    /** True if turns have to be fetched, because the story moved to some that are not here. */
    stale: false,
  };
}

/** Returns the story after an event. `event` is `{type, data}` as the stream hands it over. */
export function storyAfter(story, event) {
  const { type, data } = event;
  if (type === "update") return afterUpdate(story, data);
  if (type === "snapshot") return afterSnapshot(story, data);
  if (type === "notice") return withNote(story, data.text, "note");
  if (type === "review") return { ...story, review: data };
  if (type === "ready") return afterReady(story, data);
  if (type === "closed") {
    return { ...story, ready: false, running: null, pending: [], review: null, closed: { why: data?.why ?? null } };
  }
  return story;
}

function afterReady(story, { turns }) {
  const isEmpty = story.running && !story.running.text;
  const told = isEmpty ? story.told.filter((turn) => turn.turn <= turns) : story.told;
  // A changed memory is a turn of which no update tells.
  const stale = story.stale || lacks({ told }, turns);
  return { ...story, told, turns, stale, ready: true, running: null, pending: [], review: null, closed: null };
}

function afterSnapshot(story, snapshot) {
  const running = snapshot.running
    ? { ...snapshot.running, text: snapshot.running.text ?? "", dice: [] }
    : null;
  return {
    ...story,
    title: snapshot.title ?? story.title,
    branch: snapshot.branch ?? story.branch,
    turns: snapshot.turns,
    redoable: snapshot.redoable ?? 0,
    told: withDice(snapshot.told ?? [], story),
    toldBefore: snapshot.toldBefore ?? 0,
    choices: snapshot.choices ?? [],
    ended: snapshot.ended ?? null,
    here: snapshot.here ?? null,
    ready: snapshot.ready ?? false,
    running,
    pending: snapshot.pending ?? [],
    review: snapshot.review ?? null,
    mayPlay: snapshot.mayPlay ?? true,
    reviewing: snapshot.reviewing ?? false,
    closed: null,
    stale: false,
  };
}

export function withNote(story, text, tone) {
  if (!text) return story;
  const key = (story.notes.at(-1)?.key ?? 0) + 1;
  return { ...story, notes: [...story.notes, { key, text, tone }].slice(-NOTES_MAX) };
}

/** Updates that change what is read; all others concern the plan alone. */
const UPDATES = {
  "session.started": (story, update) => ({ ...story, closed: null, turns: update.turns }),

  "turn.started": (story, update) => ({
    ...story,
    ready: false,
    running: { turn: update.turn, prompt: update.prompt, text: "", dice: [] },
    told: story.told.filter((turn) => turn.turn < update.turn),
    choices: [],
    pending: [],
    notes: [],
    ended: null,
    plan: newPlan(update.turn),
  }),

  "narration.delta": (story, update) => withRunning(story, (turn) => ({ ...turn, text: turn.text + update.text })),

  "narration.discarded": (story) => withRunning(story, (turn) => ({ ...turn, text: "", discarded: true })),

  "step.waiting": (story, update) =>
    withPending(story, {
      toolId: update.toolId,
      kind: "approval",
      toolPath: update.toolPath,
      input: update.input,
      description: update.description,
    }),

  "step.decided": (story, update) => withoutPending(story, update.toolId),

  "step.asked": (story, update) =>
    withPending(story, {
      toolId: update.toolId,
      kind: "question",
      question: update.question,
      choices: update.choices,
    }),

  "step.answered": (story, update) => withoutPending(story, update.toolId),

  "step.finished": (story, update) => {
    const roll = rollOf(update.output);
    const next = withoutPending(story, update.toolId);
    return roll ? withRunning(next, (turn) => ({ ...turn, dice: [...turn.dice, roll] })) : next;
  },

  "turn.finished": (story, update) => {
    const running = story.running ?? { prompt: "", dice: [] };
    const ended = { ...story, running: null, pending: [], review: null, choices: update.choices };
    if (update.outcome === "cancelled") {
      return withNote({ ...ended, choices: story.choices }, "The turn was stopped. The story is as it was.", "note");
    }
    const turn = {
      turn: update.turn,
      prompt: running.prompt,
      narration: update.narration,
      dice: running.dice,
    };
    const told = [...story.told.filter((other) => other.turn < update.turn), turn];
    return { ...ended, told, turns: update.turn, redoable: 0 };
  },

  "turn.failed": (story, update) => {
    const text = [update.message, ...update.hints].join(" — ");
    return withNote({ ...story, running: null, pending: [], review: null }, text, "error");
  },

  "story.moved": (story, update) => ({
    ...story,
    branch: update.branch,
    turns: update.turns,
    redoable: update.redoable,
    choices: update.choices,
    ended: null,
    notes: [],
    plan: null,
    told: update.by === "switch" ? [] : story.told.filter((turn) => turn.turn <= update.turns),
    stale: update.by === "switch" || update.entered > 0 || lacks(story, update.turns),
  }),

  "story.shown": (story, update) => {
    const text = update.document?.text;
    return update.about === "hint" && text ? withNote(story, text, "hint") : story;
  },

  "skills.listed": (story, update) => {
    const skills = Object.fromEntries(update.skills.map((skill) => [skill.name, skill.health]));
    return { ...story, skills };
  },

  "health.changed": (story, update) => {
    const skills = { ...story.skills, [update.skill]: update.to };
    const next = { ...story, skills };
    if (update.to !== "permanentFailure") return next;
    return withNote(next, `The skill ${update.skill} has failed; the story goes on without it.`, "note");
  },

  "planner.replaced": (story, update) =>
    withNote(story, `${update.by} took over from ${update.planner}: ${update.reason}`, "note"),

  "narrator.changed": (story, update) => withNote(story, `From now on ${update.to} makes the plans.`, "note"),

  "skill.failed": (story, update) =>
    withNote(story, `The package ${update.skill} cannot be used: ${update.problems.join("; ")}`, "error"),
};

function afterUpdate(story, update) {
  const change = UPDATES[update.type];
  const next = change ? change(story, update) : story;
  const plan = planAfter(next.plan, update);
  return plan === next.plan ? next : { ...next, plan };
}

function lacks(story, turns) {
  return turns > 0 && !story.told.some((turn) => turn.turn === turns);
}

function withRunning(story, change) {
  return story.running ? { ...story, running: change(story.running) } : story;
}

function withPending(story, request) {
  return { ...story, pending: [...withoutPending(story, request.toolId).pending, request] };
}

function withoutPending(story, toolId) {
  if (!story.pending.some((request) => request.toolId === toolId)) return story;
  return { ...story, pending: story.pending.filter((request) => request.toolId !== toolId) };
}

/** Returns the roll that an output tells of, or null. Any skill may roll; the form says that it did. */
export function rollOf(output) {
  const isRoll =
    output && typeof output.formula === "string" && Array.isArray(output.rolls) && Number.isFinite(output.total);
  return isRoll ? output : null;
}

/** Puts older turns before those that are there. */
export function withOlder(story, { told, toldBefore }) {
  const first = story.told[0]?.turn ?? Infinity;
  const older = told.filter((turn) => turn.turn < first).map((turn) => ({ ...turn, dice: [] }));
  return { ...story, told: [...older, ...story.told], toldBefore: older.length ? toldBefore : 0 };
}

/** Replaces the turns after the story has moved. */
export function withTold(story, { told, toldBefore }) {
  return { ...story, told: withDice(told, story), toldBefore, stale: false };
}

/** Documents do not tell of dice; those that were seen roll are kept. */
function withDice(told, story) {
  const keyOf = ({ turn, prompt }) => `${turn} ${prompt}`;
  const seen = new Map(story.told.map((turn) => [keyOf(turn), turn.dice]));
  return told.map((turn) => ({ ...turn, dice: seen.get(keyOf(turn)) ?? [] }));
}

/** The paragraphs of a text. */
export function paragraphsOf(text) {
  return text.split(/\n[ \t]*\n+/).map((part) => part.trim()).filter((part) => part !== "");
}
