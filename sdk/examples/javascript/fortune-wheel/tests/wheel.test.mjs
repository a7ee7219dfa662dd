// The skill without a sandbox: `npm test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as skill from "../src/wheel.mjs";
import { answer } from "../src/wire.mjs";

function events(bytes) {
  const lines = [];
  answer(bytes, skill, (line) => lines.push(line));
  return lines.map((line) => JSON.parse(line));
}

const bytes = (text) => new TextEncoder().encode(text);
const call = (request) => events(bytes(JSON.stringify(request)));

test("each slice comes as often as it is wide", () => {
  const counts = [0, 0, 0];
  const slices = [{ label: "a", weight: 1 }, { label: "b", weight: 5 }, { label: "c" }];
  for (let seed = 0; seed < 700; seed += 1) counts[call({ input: { slices }, seed }).at(-1).output.idx] += 1;
  assert.deepEqual(counts, [100, 500, 100]);
});

test("a bet is judged without its article", () => {
  const spin = (bet) => call({ input: { bet }, seed: 15 }).at(-1).output;
  assert.equal(spin("Golden Goose").won, true);
  assert.equal(spin("nothing").won, false);
  assert.equal(spin(" ").won, null);
});

test("whatever arrives, a proper failure leaves", () => {
  const bad = [
    Uint8Array.of(0xff),
    ...["[]", "{", "[".repeat(100_000), '{"input":7}', '{"input":{"bet":7}}', "NaN", '{"input":{"slices":[1]}}',
      '{"input":{"slices":[1,2]}}', '{"input":{"slices":[{"label":"a"},{"label":"b","weight":0}]}}',
      '{"input":{"bet":"\\ud800"}}', '{"operation":"dance"}', '{"input":{"bet":null}}', '{"seed":"y"}', '{"seed":-1}'].map(bytes),
  ];
  for (const data of bad) {
    const said = events(data);
    assert.deepEqual(said.map((event) => event.type), ["error", "done"]);
    assert.notEqual(said[0].errorCode, "SCRIPT_FAULT");
  }
});

test("the schema files are those of the skill", () => {
  for (const name of ["input", "output"]) {
    const file = new URL(`../schemas/spin.${name}.json`, import.meta.url);
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), skill[name]);
  }
});
