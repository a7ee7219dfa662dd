// What can be done with one turn.

import { button, h } from "./dom.js";
import { askText, openDialog } from "./dialog.js";

/** `actions`: `send(...lines)`, `openView(name, turn)`. `isLast` says whether the turn is the newest. */
export function openTurnMenu(turn, isLast, { send, openView }) {
  const number = turn.turn;
  openDialog(`Turn ${number}`, (close) => {
    const item = (label, does, act) =>
      h(
        "li",
        {},
        button([h("strong", {}, label), h("small", {}, does)], () => {
          close();
          act();
        }, { class: "menu-item" }),
      );
    return h(
      "ul",
      { class: "menu" },
      item("Edit the sentence", "Say something else here; this way stays in the tree", () =>
        askText(
          "Another sentence",
          { label: `Instead of “${turn.prompt}”`, value: turn.prompt, action: "Play it", multiline: true },
          (text) => send(`/edit ${number} ${text.replace(/\s+/g, " ")}`),
        ),
      ),
      isLast && item("Try again", "The same sentence with other dice", () => send("/retry")),
      isLast && item("Take it back", "As if it had not been said; redo brings it back", () => send("/undo")),
      item("Name this moment", "So that you can come back to it", () => askBranch(number, send, false)),
      !isLast && item("Branch from here", "Go on from this turn; nothing of the other way is lost", () => askBranch(number, send, true)),
      item("Why did this happen?", "What was understood, rolled and changed", () => openView("why", number)),
      item("What changed?", "The state before and after", () => openView("changes", number)),
      item("Copy the text", "Sentence and story", () => copy(turn)),
    );
  });
}

/** Names a turn, and plays on from it where `goes`. */
export function askBranch(turn, send, goes) {
  askText(
    goes ? "Branch from here" : "Name this moment",
    {
      label: "Name of the branch",
      hint: "Letters, digits and dashes, such as before-the-meeting",
      value: `from-turn-${String(turn).replace("id:", "")}`,
      action: goes ? "Go there" : "Name it",
    },
    (text) => {
      const name = text.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
      if (!name) return;
      if (goes) send(`/branch ${name} ${turn}`, `/switch ${name}`);
      else send(`/branch ${name} ${turn}`);
    },
  );
}

function copy(turn) {
  const text = turn.prompt ? `> ${turn.prompt}\n\n${turn.narration}` : turn.narration;
  navigator.clipboard?.writeText(text).catch(() => {});
}
