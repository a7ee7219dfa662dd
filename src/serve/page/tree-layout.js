// Places the turns of a story with all its branches in lanes, the played one first. Touches no document.

/**
 * Takes the turns of a `story log` document (`id`, `parent`, `turn`, `prompt`, `branches`) and the id of the turn that is
 * played. Returns `{nodes: [{id, lane, row, turn, …, isPlayed}], edges: [{from, to}], lanes: [[ids…]]}`: rows go by the
 * number of the turn, and each lane is one way from where it parts from another to its end.
 */
export function layoutTree(turns, playedId) {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const children = new Map();
  for (const turn of turns) {
    const list = children.get(turn.parent) ?? [];
    list.push(turn.id);
    children.set(turn.parent, list);
  }
  const played = new Set();
  for (let id = playedId; byId.has(id) && !played.has(id); id = byId.get(id).parent) played.add(id);

  const roots = turns.filter((turn) => !byId.has(turn.parent)).map((turn) => turn.id);
  const first = (ids) => [...ids].sort((one, other) => played.has(other) - played.has(one) || one - other);
  const lanes = [];
  const laneOf = new Map();
  const starts = first(roots).reverse();
  while (starts.length) {
    const lane = [];
    let id = starts.pop();
    const parting = [];
    while (id !== undefined && !laneOf.has(id)) {
      lane.push(id);
      laneOf.set(id, lanes.length);
      const [next, ...others] = first(children.get(id) ?? []);
      parting.push(...others);
      id = next;
    }
    if (lane.length) lanes.push(lane);
    starts.push(...parting);
  }
  const columnOf = columnsOf(lanes, byId);
  const nodes = turns.map((turn) => ({
    ...turn,
    lane: laneOf.get(turn.id),
    column: columnOf[laneOf.get(turn.id)],
    isPlayed: played.has(turn.id),
  }));
  const edges = turns.filter((turn) => byId.has(turn.parent)).map((turn) => ({ from: turn.parent, to: turn.id }));
  return { nodes, edges, lanes, columns: Math.max(0, ...columnOf) + 1 };
}

/** Lanes share a column where their turns do not overlap. */
function columnsOf(lanes, byId) {
  const columns = [];
  return lanes.map((lane) => {
    const parent = byId.get(byId.get(lane[0]).parent);
    const from = parent ? parent.turn : byId.get(lane[0]).turn;
    const to = byId.get(lane.at(-1)).turn;
    const isFree = (spans) => spans.every((span) => to < span.from || from > span.to);
    let column = columns.findIndex((spans) => isFree(spans));
    if (column < 0) column = columns.push([]) - 1;
    columns[column].push({ from, to });
    return column;
  });
}
