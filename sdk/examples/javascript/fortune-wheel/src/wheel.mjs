// A wheel of fortune: the seed decides where it stops, the weights how likely each slice is.

import { inputOf, isObject, pick, quote, Refused } from "./wire.mjs";

const SLICES_MAX = 24;
const LABEL_CHARS_MAX = 40;
const WEIGHT_MAX = 1000;

export const input = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Spin",
  description: "Which wheel to spin, and what the player bets on.",
  type: "object",
  additionalProperties: false,
  properties: {
    slices: {
      description: "The slices of the wheel; left out for the usual one.",
      type: "array",
      minItems: 2,
      maxItems: SLICES_MAX,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["label"],
        properties: {
          label: { description: "What is written on it.", type: "string", minLength: 1, maxLength: LABEL_CHARS_MAX },
          weight: {
            description: "How wide it is, compared with the others.",
            type: "integer",
            minimum: 1,
            maximum: WEIGHT_MAX,
            default: 1,
          },
        },
      },
    },
    bet: {
      description: "The label the player bets on; empty or left out for no bet.",
      type: "string",
      maxLength: LABEL_CHARS_MAX,
      default: "",
    },
  },
};

export const output = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Spun",
  description: "Where the wheel stopped.",
  type: "object",
  required: ["text", "label", "idx", "won"],
  properties: {
    text: { description: "What the player sees.", type: "string" },
    label: { description: "What is written on the slice.", type: "string" },
    idx: { description: "Which slice it is, from 0 on.", type: "integer" },
    won: { description: "Whether the bet came; null without a bet.", type: ["boolean", "null"] },
  },
};

/** @typedef { { label: string, weight: number } } Slice */

/** @type {Slice[]} */
const USUAL = [
  { label: "a sack of flour", weight: 4 },
  { label: "nothing", weight: 6 },
  { label: "a silver coin", weight: 3 },
  { label: "the booby prize", weight: 2 },
  { label: "the golden goose", weight: 1 },
];

/** @type {import("./wire.mjs").Skill["run"]} */
export function run(host, request) {
  const given = inputOf(request, ["slices", "bet"]);
  const slices = given.slices === undefined ? USUAL : checked(given.slices);
  const { bet = "" } = given;
  if (typeof bet !== "string" || chars(bet) > LABEL_CHARS_MAX) {
    throw wrong("bet", bet, `a string of at most ${LABEL_CHARS_MAX} characters`);
  }
  const idx = stop(slices, request);
  const { label } = slices[idx];
  const won = bet.trim() === "" ? null : plain(bet) === plain(label);
  host.log(`the wheel stops at slice ${idx + 1} of ${slices.length}`);
  host.uiEvent("wheel_spun", { labels: slices.map((slice) => slice.label), idx, won });
  host.patch({ wheel: { spins: spinsOf(request) + 1, last: label } });
  const ending = won === null ? "" : won ? " The bet is won!" : " The bet is lost.";
  return { text: `The wheel rattles, slows, and stops at ${label}.${ending}`, label, idx, won };
}

/**
 * @param {unknown} slices
 * @returns {Slice[]}
 */
function checked(slices) {
  if (!Array.isArray(slices) || slices.length < 2 || slices.length > SLICES_MAX) {
    throw wrong("slices", slices, `a list of 2 to ${SLICES_MAX} slices`);
  }
  return slices.map((slice, idx) => {
    const at = `slices[${idx}]`;
    if (!isObject(slice)) throw wrong(at, slice, "an object");
    const { label, weight = 1 } = slice;
    if (typeof label !== "string" || label === "" || chars(label) > LABEL_CHARS_MAX) {
      throw wrong(`${at}.label`, label, `a string of 1 to ${LABEL_CHARS_MAX} characters`);
    }
    if (typeof weight !== "number" || !Number.isInteger(weight) || weight < 1 || weight > WEIGHT_MAX) {
      throw wrong(`${at}.weight`, weight, `a whole number from 1 to ${WEIGHT_MAX}`);
    }
    return { label, weight };
  });
}

/**
 * Which slice the seed falls on.
 * @param {Slice[]} slices
 * @param {import("./wire.mjs").Request} request
 */
function stop(slices, request) {
  const total = slices.reduce((sum, slice) => sum + slice.weight, 0);
  let left = pick(request, total);
  return slices.findIndex((slice) => (left -= slice.weight) < 0);
}

/**
 * What an older version or another skill has put there may be anything.
 * @param {import("./wire.mjs").Request} request
 */
function spinsOf(request) {
  const wheel = request.state?.wheel;
  const spins = isObject(wheel) ? wheel.spins : undefined;
  return typeof spins === "number" && Number.isSafeInteger(spins) && spins >= 0 ? spins : 0;
}

/**
 * Characters, as the schema counts them; `length` counts those beyond the first 65,536 twice.
 * @param {string} text
 */
function chars(text) {
  return text.length > LABEL_CHARS_MAX ? [...text].length : text.length;
}

/**
 * "The Golden Goose" is "golden goose".
 * @param {string} text
 */
function plain(text) {
  return text.trim().toLowerCase().replace(/^(an?|the)\s+/, "");
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} rule
 */
function wrong(name, value, rule) {
  return new Refused("INVALID_INPUT", `\`input.${name}\` is ${quote(value)}, it must be ${rule}`);
}
