import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { layoutGraph, reduced } = await page("graph-layout.js");
const { layoutTree } = await page("tree-layout.js");
const { layoutMap } = await page("map-layout.js");
const { NODES_MAX, nodesOf, windowAfter } = await page("window.js");

const node = (id, ...needs) => ({ id, needs });

test("a step lies below all that it waits for", () => {
  const { nodes } = layoutGraph([node("d", "b", "c"), node("a"), node("b", "a"), node("c", "b")]);
  const y = Object.fromEntries(nodes.map((one) => [one.id, one.y]));
  assert.ok(y.a < y.b && y.b < y.c && y.c < y.d);
});

test("steps of one row do not overlap", () => {
  const { nodes, width, nodeWidth } = layoutGraph([node("a"), node("b", "a"), node("c", "a"), node("d", "a")]);
  const row = nodes.filter(({ y }) => y > 0).sort((one, other) => one.x - other.x);
  for (let at = 1; at < row.length; at += 1) assert.ok(row[at].x >= row[at - 1].x + nodeWidth);
  assert.ok(row.at(-1).x + nodeWidth <= width);
});

test("a dependency that follows from others is not drawn", () => {
  const [, , last] = reduced([node("a"), node("b", "a"), node("c", "a", "b")]);
  assert.deepEqual(last.needs, ["b"]);
});

test("a cycle and an unknown step do not end the drawing", () => {
  const { nodes } = layoutGraph([node("a", "b"), node("b", "a"), node("c", "nobody")]);
  assert.equal(nodes.length, 3);
  assert.ok(nodes.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
});

const turn = (id, parent, number, branches = []) => ({ id, parent, turn: number, branches, prompt: `p${id}` });

test("the way that is played is the first lane, and others part from it", () => {
  const tree = layoutTree([turn(1, null, 1), turn(2, 1, 2), turn(3, 2, 3), turn(4, 1, 2), turn(5, 4, 3)], 5);
  assert.deepEqual(tree.lanes, [[1, 4, 5], [2, 3]]);
  assert.deepEqual(tree.nodes.filter(({ isPlayed }) => isPlayed).map(({ id }) => id), [1, 4, 5]);
  assert.equal(tree.columns, 2);
});

test("ways that do not overlap share a column", () => {
  const line = [1, 2, 3, 4, 5, 6].map((id) => turn(id, id === 1 ? null : id - 1, id));
  const tree = layoutTree([...line, turn(7, 1, 2), turn(8, 4, 5)], 6);
  assert.equal(tree.lanes.length, 3);
  assert.equal(tree.columns, 2);
});

test("a tree whose beginning was left off is drawn", () => {
  const tree = layoutTree([turn(9, 8, 9), turn(10, 9, 10)], 10);
  assert.deepEqual(tree.lanes, [[9, 10]]);
  assert.deepEqual(tree.edges, [{ from: 9, to: 10 }]);
});

test("10,000 turns are placed in a moment", () => {
  const turns = Array.from({ length: 10_000 }, (_, at) => turn(at + 1, at || null, at + 1));
  const begun = performance.now();
  layoutTree(turns, 10_000);
  assert.ok(performance.now() - begun < 2000);
});

const place = (name, here, exits) => ({
  name,
  here,
  exits: Object.entries(exits).map(([direction, to]) => ({ direction, to, door: null })),
});

test("north is up and east is right", () => {
  const { places, width, height } = layoutMap([
    place("kitchen", true, { north: "hall", east: "yard", south: null }),
    place("hall", false, { south: "kitchen" }),
    place("yard", false, { west: "kitchen" }),
  ]);
  const at = Object.fromEntries(places.map(({ name, x, y }) => [name, [x, y]]));
  assert.deepEqual(at, { kitchen: [0, 1], hall: [0, 0], yard: [1, 1] });
  assert.deepEqual([width, height], [2, 2]);
});

test("no two places lie on one cell, whatever the directions say", () => {
  const names = Array.from({ length: 12 }, (_, at) => `p${at}`);
  const places = names.map((name, at) => place(name, at === 0, { north: names[at + 1] ?? null, up: names[(at * 5) % 12], warp: names[(at * 7) % 12] }));
  const cells = layoutMap(places).places.map(({ x, y }) => `${x},${y}`);
  assert.equal(new Set(cells).size, names.length);
});

test("a way is drawn once, and a way to a place not seen is open", () => {
  const layout = layoutMap([place("a", true, { north: "b", west: null }), place("b", false, { south: "a" })]);
  assert.equal(layout.ways.length, 1);
  assert.deepEqual(layout.open.map(({ direction }) => direction), ["west"]);
  assert.deepEqual(layoutMap([]).places, []);
});

const long = Array.from({ length: 500 }, (_, at) => ({ turn: at + 1, narration: "One.\n\nTwo.\n\nThree." }));

test("a long story never stands in the page as a whole", () => {
  let [from, to] = windowAfter(long, [0, 0], "newest", 30);
  assert.deepEqual([from, to], [470, 500]);
  for (let at = 0; at < 40; at += 1) {
    [from, to] = windowAfter(long, [from, to], "older");
    const nodes = long.slice(from, to).reduce((sum, one) => sum + nodesOf(one), 0);
    assert.ok(nodes <= NODES_MAX);
    assert.ok(to > from);
  }
  assert.equal(from, 0);
  for (let at = 0; at < 40; at += 1) [from, to] = windowAfter(long, [from, to], "newer");
  assert.equal(to, 500);
});

test("a turn that is longer than the limit is shown alone", () => {
  const huge = [{ turn: 1, narration: "x\n\n".repeat(3000) }, { turn: 2, narration: "x" }];
  assert.deepEqual(windowAfter(huge, [0, 1], "none"), [0, 1]);
});
