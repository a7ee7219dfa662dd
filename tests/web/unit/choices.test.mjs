import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { pickChoice } = await page("choices.js");

const CHOICES = [{ label: "Run", prompt: "I run away" }, { label: "Hide" }, { label: "Offer £3,212" }];
const check = (line, expected) => assert.deepEqual(pickChoice(line, CHOICES), expected, line);

test("a number stands for the sentence of its choice", () => {
  check("1", { sentence: "I run away" });
  check(" 2 ", { sentence: "Hide" });
  check("3212", { sentence: "Offer £3,212" });
});

test("words for a number stand for it too", () => {
  check("the first one", { sentence: "I run away" });
  check("I'll take the second option, please.", { sentence: "Hide" });
  check("number two", { sentence: "Hide" });
  check("#1", { sentence: "I run away" });
  check("the last one", { sentence: "Offer £3,212" });
});

test("the words of a choice stand for its sentence", () => {
  check("run", { sentence: "I run away" });
});

test("a sentence is no choice", () => {
  for (const line of ["2 guards?", "the first door", "run home", "", "the seventh one"]) check(line, null);
  assert.equal(pickChoice("1", []), null);
});

test("a number that picks nothing says which there are", () => {
  check("9", { error: "There is no choice 9: they go from 1 to 3." });
  check("0", { error: "There is no choice 0: they go from 1 to 3." });
});
