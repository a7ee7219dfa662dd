// The elements of the page of a story: what is where. Knows nothing of what happens in them.

import { button, fill, h } from "./dom.js";

/** Fills `root` and returns its parts by name. `actions` are what the buttons at the top do. */
export function buildFrame(root, actions) {
  const p = {};
  p.title = h("h1", {});
  p.place = h("p", { class: "place-line" });
  p.undo = button("Undo", actions.undo, { class: "quiet" });
  p.redo = button("Redo", actions.redo, { class: "quiet redo" });
  p.hint = button("Hint", actions.hint, { class: "quiet" });
  p.notebook = button("Notebook", actions.notebook, { class: "quiet", "aria-expanded": "false", "aria-controls": "panel" });
  p.behind = button(["Behind", h("span", { class: "long" }, " the page")], actions.behind, { class: "quiet", "aria-expanded": "false", "aria-controls": "panel" });
  p.more = button("⋯", actions.more, { class: "quiet icon", "aria-label": "More", "aria-haspopup": "dialog" });
  p.banner = h("section", { class: "banner", "aria-label": "Notice", hidden: true });
  p.list = h("div", { class: "transcript", role: "log", "aria-live": "off", "aria-label": "The story" });
  p.end = h("div", { class: "story-end" });
  p.jump = button("↓", () => {}, { class: "jump icon", "aria-label": "To the newest", hidden: true });
  p.scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Story" }, h("div", { class: "column" }, p.list, p.end));
  p.requests = h("div", { class: "requests", hidden: true });
  p.review = h("section", { class: "review", "aria-label": "Review of the plan", hidden: true });
  p.choices = h("div", { class: "choices" });
  p.field = h("textarea", {
    id: "say",
    rows: 1,
    placeholder: "What do you do?",
    autocomplete: "off",
    enterkeyhint: "send",
    "aria-autocomplete": "list",
    "aria-controls": "offers",
    "aria-describedby": "say-hint",
  });
  p.offers = h("ul", { id: "offers", role: "listbox", "aria-label": "Offers", class: "offers", hidden: true });
  p.send = h("button", { type: "submit", class: "primary" }, "Say");
  p.stop = button("Stop", () => {}, { hidden: true });
  p.form = h(
    "form",
    { class: "composer", "aria-label": "Your sentence" },
    p.offers,
    h("label", { for: "say", class: "visually-hidden" }, "What do you do?"),
    h("span", { id: "say-hint", class: "visually-hidden" }, "A sentence, the number of a choice, or a command after a slash."),
    h("div", { class: "composer-row" }, p.field, p.send, p.stop),
  );
  p.panel = h("aside", { id: "panel", class: "side", "aria-label": "Panel", hidden: true });
  fill(
    root,
    h(
      "header",
      { class: "story-head" },
      h("a", { href: "#/", class: "quiet back", "aria-label": "All stories" }, "←"),
      h("div", { class: "titles" }, p.title, p.place),
      h("nav", { "aria-label": "Story", class: "tools" }, p.undo, p.redo, p.hint, p.notebook, p.behind, p.more),
    ),
    p.banner,
    h(
      "div",
      { class: "stage" },
      h("main", { id: "main", class: "play", tabindex: -1 }, p.scroller, h("div", { class: "foot" }, p.jump, p.requests, p.review, p.choices, p.form)),
      p.panel,
    ),
  );
  return p;
}
