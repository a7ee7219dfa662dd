// An omen about whatever the player asks. This is where your skill begins.

import { inputOf, pick, quote, Refused } from "./wire.mjs";

const ABOUT_CHARS_MAX = 200;

export const input = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Tell",
  description: "What to tell an omen about.",
  type: "object",
  additionalProperties: false,
  required: ["about"],
  properties: {
    about: {
      description: "What the player asks about.",
      type: "string",
      minLength: 1,
      maxLength: ABOUT_CHARS_MAX,
    },
  },
};

export const output = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Omen",
  description: "The omen.",
  type: "object",
  required: ["text", "favourable"],
  properties: {
    text: {
      description: "The omen in one sentence; it becomes part of the narration.",
      type: "string",
    },
    favourable: { description: "Whether it speaks for going on.", type: "boolean" },
  },
};

// Before and after what it is about, and whether it is favourable.
/** @type {[string, string, boolean][]} */
export const OMENS = [
  ["The water lies still around", "nothing stands in the way.", true],
  ["Three crows sit above", "go on, and keep your eyes open.", true],
  ["The candle leans away from", "wait until the morning.", false],
];

/** @type {import("./wire.mjs").Skill["run"]} */
export function run(host, request) {
  const { about } = inputOf(request, ["about"]);
  if (typeof about !== "string") {
    throw new Refused("INVALID_INPUT", `\`input.about\` is ${quote(about)}, it must be a string`);
  }
  // Characters, as the schema counts them; `length` counts those beyond the first 65,536 twice.
  if (about.length > ABOUT_CHARS_MAX && [...about].length > ABOUT_CHARS_MAX) {
    throw new Refused("INVALID_INPUT", `\`input.about\` has more than ${ABOUT_CHARS_MAX} characters`);
  }
  const what = about.trim();
  if (what === "") throw new Refused("NOTHING_ASKED", "say what the omen is to be about");
  // All chance comes from the seed: the same request gives the same omen.
  const [before, after, favourable] = OMENS[pick(request, OMENS.length)];
  host.log("the signs were read");
  host.patch({ omen: { about: what, favourable } });
  return { text: `${before} ${what}: ${after}`, favourable };
}
