// Links by which others watch a story.

import { addLink, linksOf, removeLink } from "./api.js";
import { announce } from "./announcer.js";
import { button, fill, h } from "./dom.js";
import { openDialog } from "./dialog.js";

const OWN_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** The address of a link, as its reader opens it. */
export function addressOf(link, origin) {
  return new URL(link.path, origin).href;
}

export function openWatchers(story) {
  const list = h("ul", { class: "links" });
  const error = h("p", { class: "error", role: "alert" });
  const make = button("Make a link", () => act(() => addLink(story)));
  const act = async (does) => {
    error.textContent = "";
    try {
      await does();
      const { links } = await linksOf(story);
      fill(list, links.map((link) => item(link, () => act(() => removeLink(story, link.id)))));
    } catch (failure) {
      error.textContent = failure.text ?? String(failure);
    }
  };
  openDialog("Let somebody watch", () => [
    h("p", {}, "Whoever has a link reads this story while it is played, and can neither say nor change anything. Plans and dice are shown to them too."),
    list,
    error,
    h("div", { class: "actions" }, make),
    h("p", { class: "hint" }, "A link holds for seven days, until you take it back, or until the program ends."),
    OWN_NAMES.includes(location.hostname) &&
      h("p", { class: "hint" }, "This page works on this machine alone, and so do its links. ", h("code", {}, "narratoria serve --listen"), " lets other machines in."),
  ]);
  act(async () => {});
}

function item(link, takeBack) {
  const address = addressOf(link, location.origin);
  const field = h("input", { type: "text", readonly: true, value: address, "aria-label": "Link", onfocus: () => field.select() });
  const copy = button("Copy", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(address);
      announce("The link is copied.");
    } catch {
      // Without a clipboard, the selected text is there to be copied.
    }
  });
  return h("li", { class: "row" }, field, copy, button("Take it back", takeBack, { class: "quiet", "data-key": `back ${link.id}` }));
}
