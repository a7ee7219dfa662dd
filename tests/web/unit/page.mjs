// Where the modules of the page lie, and what the stream of a story sends to them.
export const page = (name) => import(new URL(`../../../src/serve/page/${name}`, import.meta.url));

/** An update of the program, as an event of the stream. */
export const update = (data) => ({ type: "update", data: { v: 1, ...data } });

/** The updates of a turn. */
export const started = (turn, prompt) => update({ type: "turn.started", turn, prompt });
export const delta = (text, turn = 1) => update({ type: "narration.delta", turn, text });
export const discarded = (turn = 1) => update({ type: "narration.discarded", turn });
export const finished = (turn, narration, more = {}) =>
  update({ type: "turn.finished", turn, outcome: "told", narration, choices: [], attempts: 1, elapsedMs: 1, ...more });

/** A snapshot, as the first event of a stream. */
export const snapshot = (data) => ({ type: "snapshot", data });
