// Which turns of a long story stand in the page. Touches no document.

/** Nodes of the transcript at most. */
export const NODES_MAX = 2000;

/** The nodes that a turn needs, about: its frame, its sentence, its buttons, and two for each paragraph. */
export function nodesOf(turn) {
  const paragraphs = (turn.narration ?? turn.text ?? "").split(/\n[ \t]*\n/).length;
  return 12 + 2 * paragraphs + 8 * (turn.dice?.length ?? 0);
}

/**
 * Returns `[from, to)`: the turns to show of `turns`, at most `NODES_MAX` nodes around `[from, to)` as it was. `grow` is
 * "older" or "newer" for the side that the reader goes to, or "newest" to show the end.
 */
export function windowAfter(turns, [from, to], grow, step = 20, max = NODES_MAX) {
  if (grow === "newest") {
    to = turns.length;
    from = to;
    return trimmed(turns, [Math.max(0, to - step), to], "older", max);
  }
  if (grow === "older") from = Math.max(0, from - step);
  if (grow === "newer") to = Math.min(turns.length, to + step);
  return trimmed(turns, [from, Math.min(to, turns.length)], grow === "older" ? "newer" : "older", max);
}

/** Drops turns from the side `side` until what is left fits; one turn always stays. */
function trimmed(turns, [from, to], side, max) {
  let nodes = turns.slice(from, to).reduce((sum, turn) => sum + nodesOf(turn), 0);
  while (nodes > max && to - from > 1) {
    nodes -= nodesOf(side === "older" ? turns[from] : turns[to - 1]);
    if (side === "older") from += 1;
    else to -= 1;
  }
  return [from, to];
}
