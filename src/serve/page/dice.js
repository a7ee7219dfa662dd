// Rolls of dice in words. Touches no document.

/** The dice of a roll: each with its value, its sides where known, and whether it counts. */
export function diceOf(roll) {
  const sides = Number(/d(\d+)/i.exec(roll.formula)?.[1]) || null;
  const left = [...(roll.kept ?? roll.rolls)];
  return roll.rolls.map((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return { value, sides, counts: at >= 0 };
  });
}

/** `{formula: "2d6+1", rolls: [6, 3], total: 10, …}` → `Dice 2d6+1: 6 and 3, plus 1, make 10.` */
export function diceInWords(roll) {
  const dice = diceOf(roll);
  const values = listed(dice.map((die) => String(die.value)));
  const dropped = dice.some((die) => !die.counts);
  const isPlain = dice.length === 1 && !roll.modifier;
  const how = { advantage: ", with advantage", disadvantage: ", with disadvantage" }[roll.mode] ?? "";
  if (isPlain) return `Dice ${roll.formula}${how}: ${roll.total}.`;
  let text = `Dice ${roll.formula}${how}: ${values}`;
  if (dropped) {
    const kept = dice.filter((die) => die.counts).map((die) => String(die.value));
    text += kept.length === 1 ? `, of which ${kept[0]} counts` : `, of which ${listed(kept)} count`;
  }
  if (roll.modifier > 0) text += `, plus ${roll.modifier}`;
  if (roll.modifier < 0) text += `, minus ${-roll.modifier}`;
  if (!roll.modifier && dropped && dice.filter((die) => die.counts).length === 1) return `${text}.`;
  return `${text}, ${dice.length === 1 ? "makes" : "make"} ${roll.total}.`;
}

function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
