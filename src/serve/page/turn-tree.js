// All turns of a story with their branches: a drawing, and the same as a list with the ways to go there.

import { button, fill, h, svg } from "./dom.js";
import { layoutTree } from "./tree-layout.js";

const ROW = 26;
const COLUMN = 26;
const EDGE = 16;
/** Turns of a lane that the list names; the drawing shows all that were read. */
const LANE_TURNS_MAX = 12;

/** `actions`: `go(turn)` plays on from a turn, `switchTo(branch)`, `why(turn)`. */
export function showTree(element, { log, branches }, actions) {
  const turns = log?.turns ?? [];
  if (!turns.length) {
    fill(element, h("p", { class: "hint" }, "No turn has been played yet."));
    return;
  }
  const current = branches?.branches?.find((branch) => branch.current);
  const played = turns.find((turn) => turn.branches.includes(current?.name)) ?? turns[0];
  const tree = layoutTree(turns, played.id);
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  fill(
    element,
    h("p", { class: "lead" }, `You play the branch “${current?.name ?? "main"}”, at turn ${played.turn}.`),
    h("div", { class: "drawing tall", tabindex: 0, role: "region", "aria-label": "Drawing of the turns" }, drawing(tree, byId, played, actions)),
    h("h3", {}, "Named moments"),
    branchList(branches?.branches ?? [], actions),
    h("h3", {}, "The ways of this story"),
    tree.lanes.map((ids, lane) => laneParts(ids.map((id) => byId.get(id)), lane, byId, actions)),
  );
}

function branchList(branches, { switchTo }) {
  return h(
    "ul",
    {},
    branches.map((branch) =>
      h(
        "li",
        {},
        h("strong", {}, branch.name),
        ` — ${branch.turns} turns${branch.redoable ? `, ${branch.redoable} to redo` : ""} `,
        branch.current ? "(you are here)" : button("Go there", () => switchTo(branch.name), {
          class: "small",
          "aria-label": `Go to the branch ${branch.name}`,
        }),
      ),
    ),
  );
}

function laneParts(nodes, lane, byId, actions) {
  const parent = byId.get(nodes[0].parent);
  const title = nodes.some((node) => node.isPlayed)
    ? "The way that you play"
    : `Another way, from turn ${parent?.turn ?? 0}`;
  const shown = nodes.slice(-LANE_TURNS_MAX);
  return h(
    "details",
    { open: lane === 0 ? true : null },
    h("summary", {}, `${title} (${nodes.length} ${nodes.length === 1 ? "turn" : "turns"})`),
    h(
      "ol",
      { class: "lane" },
      shown.map((node) =>
        h(
          "li",
          { value: node.turn },
          node.prompt || "(a change)",
          node.branches.length ? h("span", { class: "badge" }, node.branches.join(", ")) : "",
          " ",
          button("Play from here", () => actions.go(node), {
            class: "small",
            "aria-label": `Play on from turn ${node.turn}: ${node.prompt}`,
          }),
        ),
      ),
    ),
    nodes.length > shown.length && h("p", { class: "hint" }, `${nodes.length - shown.length} earlier turns are in the drawing.`),
  );
}

function drawing(tree, byId, played, actions) {
  const first = Math.min(...tree.nodes.map((node) => node.turn));
  const last = Math.max(...tree.nodes.map((node) => node.turn));
  const place = (node) => [EDGE + node.column * COLUMN, EDGE + (node.turn - first) * ROW];
  const width = Math.max(tree.columns * COLUMN + 2 * EDGE, 300);
  const labelX = tree.columns * COLUMN + EDGE;
  const edges = tree.edges.map(({ from, to }) => {
    const [x1, y1] = place(byId.get(from));
    const [x2, y2] = place(byId.get(to));
    const isPlayed = byId.get(from).isPlayed && byId.get(to).isPlayed;
    const d = x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${y2} ${x2} ${y1} ${x2} ${y2}`;
    return svg("path", { class: isPlayed ? "edge played" : "edge", d });
  });
  const dots = tree.nodes.map((node) => {
    const [cx, cy] = place(node);
    const classes = ["dot", node.isPlayed && "played", node.id === played.id && "current"].filter(Boolean);
    return svg(
      "g",
      { class: classes.join(" "), onclick: () => actions.go(node) },
      svg("title", {}, `Turn ${node.turn}: ${node.prompt}`),
      svg("circle", { cx, cy, r: node.id === played.id ? 8 : 6 }),
    );
  });
  const labels = tree.nodes
    .filter((node) => node.isPlayed)
    .map((node) => {
      const [, y] = place(node);
      const text = node.prompt.length > 34 ? `${node.prompt.slice(0, 33)}…` : node.prompt;
      return svg("text", { x: labelX, y: y + 4 }, `${node.turn}  ${text}`);
    });
  const height = (last - first) * ROW + 2 * EDGE;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": `Drawing of ${tree.nodes.length} turns on ${tree.lanes.length} ways; the list below says the same.`,
    },
    edges,
    dots,
    labels,
  );
}
