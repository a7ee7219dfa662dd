// What one can say, the commands and the keys.

import { COMMANDS } from "./commands.js";
import { h } from "./dom.js";
import { openDialog } from "./dialog.js";

const KEYS = [
  ["Enter", "sends the sentence"],
  ["↑ in an empty field", "brings back what you said before"],
  ["/", "goes to the field, and offers commands there"],
  ["↓ and Enter", "takes an offered word"],
  ["Escape", "closes offers, a dialog or the panel"],
];

export function openHelp() {
  openDialog(
    "Help",
    () => [
      h(
        "p",
        {},
        "Say what you do in your own words: “take the lantern and light it”, “ask Agnes about the mast”, “go north”. A number picks a choice.",
      ),
      h("h3", {}, "Commands"),
      h("dl", { class: "commands" }, COMMANDS.map(({ form, does }) => [h("dt", {}, h("code", {}, form)), h("dd", {}, does)])),
      h("h3", {}, "Keys"),
      h("dl", { class: "commands" }, KEYS.map(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])),
      h("p", { class: "hint" }, "Short: l (look), x door, n s e w, i (what you carry), z (wait), g (again)."),
    ],
    { wide: true },
  );
}
