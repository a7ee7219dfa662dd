// Where the player is and how it came to that.

import { button, h } from "./dom.js";
import { placeInWords } from "./here.js";

/** The place, the time and the branch, for the line below the title. */
export function placeLine(state, recap) {
  const parts = [recap?.place, recap?.time, state.branch && state.branch !== "main" && `branch ${state.branch}`];
  return parts.filter(Boolean).join(" · ") || state.here || "";
}

/** A recap as sentences. */
export function recapInWords({ scene, open = [] }) {
  return `${scene}${open.length ? ` Still open: ${open.join("; ")}.` : ""}`;
}

/** What a returning player reads first. */
export function recapCard(recap, close) {
  return h(
    "section",
    { class: "card recap", "aria-label": "What happened so far" },
    h("h2", {}, "Where you are"),
    recap.place && h("p", {}, placeInWords(recap.place, recap.time)),
    recap.prompt && recap.turns > 1 && h("p", {}, `Last you said: “${recap.prompt}”`),
    recap.open?.length > 0 && [h("h3", {}, "Still open"), h("ul", {}, recap.open.map((text) => h("li", {}, text)))],
    button("Close", close, { class: "small" }),
  );
}
