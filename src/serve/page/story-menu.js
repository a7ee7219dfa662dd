// The menu of a story: what is needed now and then.

import { button, h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { openHelp } from "./help.js";
import { openSettings } from "./settings.js";

/** `actions`: `setReviewing(on)`, `recap()`, `retry()`, `turns()`, `takeAlong()`, `watchers()`. */
export function openStoryMenu(isReviewing, actions) {
  openDialog("The story", (close) => {
    const item = (label, does, act) =>
      h(
        "li",
        {},
        button([h("strong", {}, label), h("small", {}, does)], () => {
          close();
          act();
        }, { class: "menu-item" }),
      );
    return [
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: isReviewing,
          onchange: (event) => actions.setReviewing(event.target.checked),
        }),
        "Review each plan before it runs",
      ),
      h(
        "ul",
        { class: "menu" },
        item("What happened so far", "A recap", actions.recap),
        item("Try the last turn again", "The same sentence with other dice", actions.retry),
        item("Turns and branches", "The tree of this story, and ways back", actions.turns),
        item("Take it along", "As text, page or book, or on paper", actions.takeAlong),
        item("Let somebody watch", "A link that reads along and changes nothing", actions.watchers),
        item("Settings", "Colours, size and letters", openSettings),
        item("Help", "What you can say, commands and keys", openHelp),
      ),
    ];
  });
}
