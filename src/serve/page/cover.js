// The picture of a campaign, or a drawing where it has none.

import { coverAddress } from "./api.js";
import { h, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [320, 180];
const HILLS = 3;

/** A file that is no picture gives way to the drawing. */
export function coverOf({ name, cover }) {
  if (!cover) return drawingOf(name);
  const picture = h("img", {
    class: "cover",
    src: coverAddress(name),
    alt: cover.alt,
    width: WIDTH,
    height: HEIGHT,
    decoding: "async",
    onerror: () => picture.replaceWith(drawingOf(name)),
  });
  return picture;
}

function drawingOf(name) {
  const { sun, hills } = landscapeOf(name);
  return svg(
    "svg",
    { class: "cover drawn", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    svg("circle", sun),
    hills.map((d) => svg("path", { d })),
  );
}

/** A sun and three hills, which differ from name to name. Touches no document. */
export function landscapeOf(name) {
  let seed = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) >>> 0, 7);
  const between = (from, to) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(from + (seed / 2 ** 32) * (to - from));
  };
  const sun = { cx: between(60, WIDTH - 60), cy: between(40, 80), r: between(16, 30) };
  const hills = [];
  for (let nth = 0; nth < HILLS; nth += 1) {
    const base = 90 + nth * 28;
    const [left, top, at, right] = [between(base, base + 24), between(base - 50, base), between(60, WIDTH - 60), between(base, base + 24)];
    hills.push(`M0 ${HEIGHT}V${left}Q${at} ${top} ${WIDTH} ${right}V${HEIGHT}Z`);
  }
  return { sun, hills };
}
