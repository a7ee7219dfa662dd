// What is around the player, whom they have met, and what they carry. Each name can be put into the sentence.

import { assetAddress } from "./api.js";
import { button, fill, h } from "./dom.js";
import { assetId } from "./gallery.js";

/** `insert(text)` puts a word into the sentence; `propose(sentence)` replaces it. */
export function showHere(element, { scope, view, recap }, { insert, propose }) {
  if (!scope && !view) {
    fill(element, h("p", { class: "hint" }, "This story has no world of places and things; say what you like."));
    return;
  }
  const words = (names) => names.map((name) => h("li", {}, button(name, () => insert(name), { class: "chip" })));
  const group = (title, names, empty) => {
    const given = (names ?? []).filter((name) => typeof name === "string");
    if (!given.length && !empty) return null;
    return [
      h("h3", {}, title),
      given.length ? h("ul", { class: "chips" }, words(given)) : h("p", { class: "hint" }, empty),
    ];
  };
  const carried = scope?.carried ?? view?.carried ?? [];
  const things = (scope?.things ?? []).filter((name) => !carried.includes(name));
  const exits = (scope?.exits ?? []).map((to, at) => ({ to, direction: scope.directions?.[at] }));
  fill(
    element,
    h("p", { class: "lead" }, placeInWords(scope?.here ?? view?.place, recap?.time)),
    group("People here", scope?.people),
    group("Things here", things),
    group("You carry", carried, "Nothing."),
    group("To look at", scope?.scenery),
    exits.length > 0 && [
      h("h3", {}, "Ways from here"),
      h(
        "ul",
        { class: "chips" },
        exits.map(({ to, direction }) =>
          h(
            "li",
            {},
            button(direction && direction !== to ? `${direction} — ${to}` : to, () => propose(`go to the ${to}`), {
              class: "chip",
            }),
          ),
        ),
      ),
    ],
    group("To talk about", scope?.topics),
    h("p", { class: "hint" }, "A click puts the word into your sentence."),
  );
}

/** Where the player is, and when. */
export function placeInWords(place, time) {
  if (!place) return "";
  return time ? `You are in: ${place}. It is ${time}.` : `You are in: ${place}.`;
}

/**
 * Whom the player has met and where they have been, beside what the story's journal says. `portraits` has the asset of each
 * person who was drawn.
 */
export function showJournal(element, { story, journal, recap, view, portraits }, actions) {
  const list = (title, names) =>
    (names ?? []).length > 0 && [h("h3", {}, title), h("ul", {}, names.map((name) => h("li", {}, String(name))))];
  fill(
    element,
    recap?.scene && h("p", { class: "lead" }, recap.scene),
    recap?.ended && h("p", {}, h("strong", {}, `The end: ${recap.ended}`)),
    journal ? journalParts(journal) : [list("Still open", recap?.open), list("You have been to", view?.visited)],
    peopleParts(story, view?.met, portraits),
    h(
      "div",
      { class: "row" },
      button("Ask the journal", actions.askJournal),
      button("A hint", actions.hint),
    ),
  );
}

function peopleParts(story, names, portraits) {
  if (!names?.length) return null;
  const person = (name) => {
    const asset = portraits?.get(String(name).toLowerCase());
    const address = asset && assetAddress(story, assetId(asset));
    // What the picture shows is said by its name beside it.
    return h("li", {}, address && h("img", { src: address, alt: asset.metadata.alt ?? "", loading: "lazy" }), h("span", {}, String(name)));
  };
  return [h("h3", {}, "People you have met"), h("ul", { class: "people" }, names.map(person))];
}

/** The journal's text has headings that end with a colon, and lines that begin with a dash. */
function journalParts(text) {
  const parts = [];
  let list = null;
  for (const line of text.split("\n")) {
    const item = /^\s*[-•]\s+(.*)$/.exec(line);
    if (item) {
      if (!list) parts.push((list = h("ul", {})));
      list.append(h("li", {}, item[1]));
      continue;
    }
    list = null;
    const trimmed = line.trim();
    if (trimmed === "") continue;
    parts.push(trimmed.endsWith(":") ? h("h3", {}, trimmed.slice(0, -1)) : h("p", {}, trimmed));
  }
  return parts;
}
