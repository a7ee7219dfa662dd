import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { diceInWords, diceOf } = await page("dice.js");

test("rolls are sentences", () => {
  const check = (roll, expected) => assert.equal(diceInWords({ modifier: 0, mode: "normal", ...roll }), expected);
  check({ formula: "1d20", rolls: [6], kept: [6], total: 6 }, "Dice 1d20: 6.");
  check({ formula: "2d6+1", rolls: [6, 3], kept: [6, 3], modifier: 1, total: 10 }, "Dice 2d6+1: 6 and 3, plus 1, make 10.");
  check({ formula: "1d20-2", rolls: [9], kept: [9], modifier: -2, total: 7 }, "Dice 1d20-2: 9, minus 2, makes 7.");
  check(
    { formula: "1d20", rolls: [2, 4], kept: [4], total: 4, mode: "advantage" },
    "Dice 1d20, with advantage: 2 and 4, of which 4 counts.",
  );
  check(
    { formula: "4d6kh3", rolls: [1, 5, 5, 2], kept: [5, 5, 2], total: 12 },
    "Dice 4d6kh3: 1, 5, 5 and 2, of which 5, 5 and 2 count, make 12.",
  );
});

test("of two equal dice one may be dropped", () => {
  const dice = diceOf({ formula: "2d20kh1", rolls: [4, 4], kept: [4] });
  assert.deepEqual(dice.map(({ counts }) => counts), [true, false]);
});
