// Places the rooms of a map on a grid: north is up. Touches no document.

const STEPS = {
  north: [0, -1],
  south: [0, 1],
  east: [1, 0],
  west: [-1, 0],
  northeast: [1, -1],
  northwest: [-1, -1],
  southeast: [1, 1],
  southwest: [-1, 1],
};

/** Directions without a place on paper are drawn aslant, where they collide least. */
const ASLANT = { up: [1, -1], down: [-1, 1], in: [-1, -1], out: [1, 1] };

const AROUND = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];

/**
 * Takes the `places` of a `story map` document. Returns `{places: [{name, here, x, y}], ways: [{from, to, direction,
 * door}], open: [{from, direction, dx, dy}], width, height}` in cells from 0; `open` are exits to places not seen yet.
 */
export function layoutMap(places) {
  const byName = new Map(places.map((place) => [place.name, place]));
  const at = new Map();
  const taken = new Set();
  const put = (name, x, y) => {
    at.set(name, [x, y]);
    taken.add(`${x},${y}`);
  };
  let base = 0;
  for (const place of places) {
    if (at.has(place.name)) continue;
    put(place.name, base, 0);
    const queue = [place.name];
    while (queue.length) {
      const name = queue.shift();
      const [x, y] = at.get(name);
      for (const { direction, to } of byName.get(name).exits) {
        if (!to || !byName.has(to) || at.has(to)) continue;
        const [nextX, nextY] = free(taken, x, y, direction);
        put(to, nextX, nextY);
        queue.push(to);
      }
    }
    base = Math.max(...[...at.values()].map(([x]) => x)) + 2;
  }
  return measured(places, byName, at, taken);
}

/** Finds a free cell in a direction, at most three steps away; otherwise the nearest one around. */
function free(taken, x, y, direction) {
  const [dx, dy] = STEPS[direction] ?? ASLANT[direction] ?? [1, 0];
  for (let step = 1; step <= 3; step += 1) {
    if (!taken.has(`${x + dx * step},${y + dy * step}`)) return [x + dx * step, y + dy * step];
  }
  for (let reach = 1; ; reach += 1) {
    for (const [aroundX, aroundY] of AROUND) {
      const cell = [x + dx + aroundX * reach, y + dy + aroundY * reach];
      if (!taken.has(cell.join(","))) return cell;
    }
  }
}

function measured(places, byName, at, taken) {
  const cells = [...at.values()];
  const left = Math.min(0, ...cells.map(([x]) => x));
  const top = Math.min(0, ...cells.map(([, y]) => y));
  const placed = places.map(({ name, here }) => {
    const [x, y] = at.get(name);
    return { name, here, x: x - left, y: y - top };
  });
  const ways = [];
  const open = [];
  const drawn = new Set();
  for (const place of places) {
    for (const { direction, to, door } of place.exits) {
      const known = to && byName.has(to);
      if (known) {
        const key = [place.name, to].sort().join("\n");
        if (!drawn.has(key)) ways.push({ from: place.name, to, direction, door: door ?? null });
        drawn.add(key);
        continue;
      }
      const [x, y] = at.get(place.name);
      const [dx, dy] = STEPS[direction] ?? ASLANT[direction] ?? [1, 0];
      open.push({ from: place.name, direction, dx, dy, isHidden: taken.has(`${x + dx},${y + dy}`) });
    }
  }
  const width = Math.max(0, ...placed.map(({ x }) => x)) + 1;
  const height = Math.max(0, ...placed.map(({ y }) => y)) + 1;
  return { places: placed, ways, open, width, height };
}
