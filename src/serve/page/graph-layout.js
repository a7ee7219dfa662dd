// Places the steps of a plan in rows: each below those that it waits for. Touches no document.

/** Takes away each dependency that follows from others, so that the drawing shows only what matters. */
export function reduced(nodes) {
  const needs = new Map(nodes.map((node) => [node.id, node.needs]));
  const reach = new Map();
  const reachOf = (id, path = new Set()) => {
    if (reach.has(id) || path.has(id)) return reach.get(id) ?? new Set();
    path.add(id);
    const found = new Set();
    for (const need of needs.get(id) ?? []) {
      found.add(need);
      for (const far of reachOf(need, path)) found.add(far);
    }
    path.delete(id);
    reach.set(id, found);
    return found;
  };
  return nodes.map((node) => {
    const follows = (need) => node.needs.some((other) => other !== need && reachOf(other).has(need));
    return { ...node, needs: node.needs.filter((need) => !follows(need)) };
  });
}

/**
 * Takes `[{id, needs}]` and returns `{nodes: [{id, x, y}], edges: [{from, to}], width, height}`. A cycle, which no plan
 * that runs has, ends at the step that closes it.
 */
export function layoutGraph(given, { width = 116, height = 44, gapX = 10, gapY = 28 } = {}) {
  const ids = new Set(given.map((node) => node.id));
  const nodes = reduced(given.map((node) => ({ id: node.id, needs: node.needs.filter((need) => ids.has(need)) })));
  const needs = new Map(nodes.map((node) => [node.id, node.needs]));
  const rowOf = new Map();
  const row = (id, path = new Set()) => {
    if (rowOf.has(id)) return rowOf.get(id);
    if (path.has(id)) return -1;
    path.add(id);
    const depth = 1 + Math.max(-1, ...needs.get(id).map((need) => row(need, path)));
    path.delete(id);
    rowOf.set(id, depth);
    return depth;
  };
  const rows = [];
  for (const { id } of nodes) (rows[row(id)] ??= []).push(id);
  const columns = Math.max(1, ...rows.map((ids) => ids.length));
  const full = columns * width + (columns - 1) * gapX;
  const centre = new Map();
  const placed = [];
  rows.forEach((ids, depth) => {
    const wanted = (id) => {
      const above = needs.get(id).map((need) => centre.get(need)).filter((x) => x !== undefined);
      return above.length ? above.reduce((sum, x) => sum + x, 0) / above.length : full / 2;
    };
    const ordered = ids.map((id, at) => ({ id, at, wanted: wanted(id) }));
    ordered.sort((one, other) => one.wanted - other.wanted || one.at - other.at);
    const wide = ids.length * width + (ids.length - 1) * gapX;
    ordered.forEach(({ id }, column) => {
      const x = (full - wide) / 2 + column * (width + gapX);
      centre.set(id, x + width / 2);
      placed.push({ id, x, y: depth * (height + gapY) });
    });
  });
  const edges = nodes.flatMap((node) => node.needs.map((from) => ({ from, to: node.id })));
  return { nodes: placed, edges, width: full, height: rows.length * (height + gapY) - gapY, nodeWidth: width, nodeHeight: height };
}
