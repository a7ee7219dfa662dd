// The script `tell` without a sandbox: `npm test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as skill from "../src/omen.mjs";
import { answer } from "../src/wire.mjs";
import { call, script } from "./stubs.mjs";

const tell = await script("tell");

function events(bytes) {
  const lines = [];
  answer(bytes, skill, (line) => lines.push(line));
  return lines.map((line) => JSON.parse(line));
}

const bytes = (text) => new TextEncoder().encode(text);

test("every omen names what it is about", () => {
  for (let seed = 0; seed < skill.OMENS.length; seed += 1) {
    const said = call(tell, { about: " the mill " }).seed(seed).run();
    assert.match(said.output.text, / the mill: /);
    assert.equal(said.patches[0].omen.about, "the mill");
  }
});

test("whatever arrives, a proper failure leaves", () => {
  const bad = [
    Uint8Array.of(0xff),
    ...["[]", "{", "[".repeat(100_000), '{"input":7}', '{"input":{"about":7}}', "NaN", "", '{"input":{}}',
      '{"input":{"about":"\\ud800"}}', '{"operation":"dance"}', '{"input":{"about":"x"},"seed":"y"}'].map(bytes),
  ];
  for (const data of bad) {
    const said = events(data);
    assert.deepEqual(said.map((event) => event.type), ["error", "done"]);
    assert.equal(said.at(-1).ok, false);
  }
});

test("the schema files are those of the skill", () => {
  for (const name of ["input", "output"]) {
    const file = new URL(`../schemas/tell.${name}.json`, import.meta.url);
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), skill[name]);
  }
});
