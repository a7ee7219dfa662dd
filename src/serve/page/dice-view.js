// Rolls of dice, seen and in words.

import { h } from "./dom.js";
import { diceInWords, diceOf } from "./dice.js";

export function diceElement(roll) {
  const dice = diceOf(roll).map((die) =>
    h(
      "span",
      { class: die.counts ? "die" : "die dropped", "data-sides": die.sides },
      String(die.value),
    ),
  );
  return h(
    "p",
    { class: "dice" },
    h("span", { "aria-hidden": "true", class: "dice-row" }, dice),
    h("span", { class: "dice-words" }, diceInWords(roll)),
  );
}
