// A row of tabs with a panel below, by the pattern that screen readers know.

import { button, h, uniqueId } from "./dom.js";

export class Tabs {
  #tabs = new Map();
  #current = null;
  #onChange;
  element;

  /** `views`: `[{name, label, element}]`; `onChange(name)` is called when a tab is chosen. */
  constructor(label, views, onChange) {
    this.#onChange = onChange;
    const list = h("div", { role: "tablist", "aria-label": label, class: "tabs" });
    const panels = views.map(({ name, label, element }) => {
      const panelId = uniqueId("panel");
      const tab = button(label, () => this.select(name), {
        role: "tab",
        id: uniqueId("tab"),
        "aria-controls": panelId,
        "aria-selected": "false",
        tabindex: -1,
      });
      const panel = h(
        "div",
        { role: "tabpanel", id: panelId, "aria-labelledby": tab.id, tabindex: 0, hidden: true, class: "panel" },
        element,
      );
      list.append(tab);
      this.#tabs.set(name, { tab, panel });
      return panel;
    });
    list.addEventListener("keydown", (event) => this.#onKey(event));
    this.element = h("div", { class: "tabbed" }, list, panels);
  }

  get current() {
    return this.#current;
  }

  has(name) {
    return this.#tabs.has(name);
  }

  select(name, { focus = false } = {}) {
    for (const [other, { tab, panel }] of this.#tabs) {
      const isChosen = other === name;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
      if (isChosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (isChosen && focus) tab.focus();
    }
    this.#current = name;
    this.#onChange(name);
  }

  #onKey(event) {
    const names = [...this.#tabs.keys()];
    const at = names.indexOf(this.#current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.select(names[(to + names.length) % names.length], { focus: true });
  }
}
