// The map of the places that the player has seen: a drawing, and the same as a list.

import { button, fill, fitted, h, svg } from "./dom.js";
import { layoutMap } from "./map-layout.js";

const CELL_X = 132;
const CELL_Y = 84;
const BOX_X = 104;
const BOX_Y = 46;
const EDGE = 34;

export function showMap(element, map, { propose }) {
  const places = map?.places ?? [];
  if (!places.length) {
    fill(element, h("p", { class: "hint" }, "No place has been seen yet."));
    return;
  }
  const holder = h("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": "Drawing of the map" }, drawing(places));
  fill(
    element,
    holder,
    h("h3", {}, "The places and their ways"),
    h(
      "ul",
      { class: "places" },
      places.map((place) =>
        h(
          "li",
          {},
          h("strong", {}, place.name),
          place.here ? " — you are here" : "",
          h(
            "ul",
            {},
            place.exits.map((exit) =>
              h(
                "li",
                {},
                `${exit.direction}: ${exit.to ?? "not seen yet"}${exit.door ? ` (through the ${exit.door})` : ""}`,
              ),
            ),
          ),
          !place.here && button(`Go to the ${place.name}`, () => propose(`go to the ${place.name}`), { class: "small" }),
        ),
      ),
    ),
  );
  showHere(holder);
}

/** Scrolls a large map to where the player is. */
function showHere(holder) {
  const here = holder.querySelector(".place.here rect")?.getBoundingClientRect();
  if (!here) return;
  const seen = holder.getBoundingClientRect();
  holder.scrollLeft += here.left + here.width / 2 - (seen.left + seen.width / 2);
  holder.scrollTop += here.top + here.height / 2 - (seen.top + seen.height / 2);
}

function drawing(places) {
  const layout = layoutMap(places);
  const centre = new Map(
    layout.places.map(({ name, x, y }) => [name, [EDGE + x * CELL_X + BOX_X / 2, EDGE + y * CELL_Y + BOX_Y / 2]]),
  );
  const width = layout.width * CELL_X - (CELL_X - BOX_X) + 2 * EDGE;
  const height = layout.height * CELL_Y - (CELL_Y - BOX_Y) + 2 * EDGE;
  const ways = layout.ways.map(({ from, to, door }) => {
    const [x1, y1] = centre.get(from);
    const [x2, y2] = centre.get(to);
    return svg("line", { x1, y1, x2, y2, class: door ? "way door" : "way" });
  });
  const open = layout.open
    .filter(({ isHidden }) => !isHidden)
    .map(({ from, dx, dy }) => {
      const [x, y] = centre.get(from);
      const x2 = x + dx * (BOX_X / 2 + 18);
      const y2 = y + dy * (BOX_Y / 2 + 18);
      return [svg("line", { x1: x, y1: y, x2, y2, class: "way open" }), svg("circle", { cx: x2, cy: y2, r: 4, class: "unseen" })];
    });
  const boxes = layout.places.map(({ name, here }) => {
    const [x, y] = centre.get(name);
    return svg(
      "g",
      { class: here ? "place here" : "place" },
      svg("rect", { x: x - BOX_X / 2, y: y - BOX_Y / 2, width: BOX_X, height: BOX_Y, rx: 8 }),
      linesOf(name).map((line, at, all) =>
        svg("text", { x, y: y + 4 + (at - (all.length - 1) / 2) * 14, "text-anchor": "middle" }, line),
      ),
    );
  });
  const map = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": `Map of ${places.length} places; the list below says the same.`,
    },
    ways,
    open,
    boxes,
  );
  return fitted(map, width);
}

/** Breaks a name into at most two lines that fit a box. */
export function linesOf(name, max = 14) {
  if (name.length <= max) return [name];
  const words = name.split(" ");
  let first = words.shift();
  while (words.length && (first + " " + words[0]).length <= max) first += ` ${words.shift()}`;
  const rest = words.join(" ");
  return [first, rest].filter(Boolean).map((line) => (line.length > max + 1 ? `${line.slice(0, max)}…` : line));
}
