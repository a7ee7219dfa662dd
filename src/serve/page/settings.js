// How the page looks on this device, kept in the browser.

import { button, h } from "./dom.js";
import { openDialog } from "./dialog.js";

const KEY = "narratoria settings";

const DEFAULTS = { theme: "system", size: "normal", face: "serif", behind: false, review: false };

const CHOICES = {
  theme: [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]],
  size: [["small", "Small"], ["normal", "Normal"], ["large", "Large"], ["huge", "Very large"]],
  face: [["serif", "Serif"], ["sans", "Sans serif"]],
};

const LEGENDS = { theme: "Colours", size: "Size of the text", face: "Letters of the story" };

let settings = read();

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export function setting(name) {
  return settings[name];
}

export function setSetting(name, value) {
  settings = { ...settings, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing forgets the setting with the page.
  }
  applySettings();
}

export function applySettings() {
  const root = document.documentElement;
  for (const name of Object.keys(CHOICES)) root.dataset[name] = settings[name];
}

export function openSettings() {
  const group = (name) =>
    h(
      "fieldset",
      {},
      h("legend", {}, LEGENDS[name]),
      CHOICES[name].map(([value, label]) =>
        h(
          "label",
          { class: "radio" },
          h("input", {
            type: "radio",
            name,
            value,
            checked: settings[name] === value,
            onchange: () => setSetting(name, value),
          }),
          label,
        ),
      ),
    );
  openDialog("Settings", (close) => [
    Object.keys(CHOICES).map(group),
    h("p", { class: "hint" }, "Motion and contrast follow the settings of your system."),
    h("div", { class: "actions" }, button("Done", close, { class: "primary" })),
  ]);
}
