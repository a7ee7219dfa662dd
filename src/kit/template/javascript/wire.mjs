// How a script speaks with Narratoria: one request on stdin, events on stdout, `done` last.
//
// Nothing here is about any skill. Whatever arrives, a proper answer leaves: a script that stops without
// `done`, or in the middle of a line, has failed without saying why.

// The host sends far less; this stops a runaway pipe before it takes the component's memory.
export const REQUEST_BYTES_MAX = 16 << 20;

// Levels of arrays and objects in a request. The host sends no more than this.
const DEPTH_MAX = 128;

// How much of a value a message quotes.
const QUOTE_CHARS_MAX = 80;

/**
 * The host's request. `seed` has lost its digits beyond 2^53.
 * @typedef { {
 *   requestId?: string, tool?: string, operation?: string, seed?: number, input?: Fields, config?: Fields,
 *   state?: Fields, inputs?: Record<string, unknown>,
 * } } Request
 *
 * @typedef {Record<string, unknown>} Fields
 *
 * What a skill consists of: `run` returns the output, and `input` and `output` are JSON Schemas.
 * @typedef { { input: Fields, output: Fields, run: (host: Host, request: Request) => Fields } } Skill
 *
 * @typedef {"debug" | "info" | "warn" | "error"} LogLevel
 */

// The script cannot do its work, and says so.
export class Refused extends Error {
  /**
   * @param {string} code what kind of fault, such as `INVALID_INPUT`
   * @param {string} message a sentence for people
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// What a script says while it works. Each event is one line, written at once.
export class Host {
  #emit;
  #readAnswer;
  /**
   * @param {(line: string) => void} emit
   * @param {() => Uint8Array} readAnswer
   */
  constructor(emit, readAnswer) {
    this.#emit = emit;
    this.#readAnswer = readAnswer;
  }
  /**
   * @param {string} message
   * @param {LogLevel} level
   */
  log(message, level = "info") {
    this.#say({ type: "log", level, message });
  }
  /**
   * Changes the story's state: objects are merged, null deletes, everything else replaces.
   * @param {Fields} patch
   */
  patch(patch) {
    this.#say({ type: "state_patch", patch });
  }
  /**
   * @param {string} event
   * @param {Fields} payload
   */
  uiEvent(event, payload) {
    this.#say({ type: "ui_event", event, payload });
  }
  /**
   * Announces a file that the script has written into `/assets`; `path` is relative to that folder.
   * @param {string} assetId
   * @param {string} kind
   * @param {string} mediaType
   * @param {string} path
   */
  asset(assetId, kind, mediaType, path) {
    this.#say({ type: "asset", assetId, kind, mediaType, path });
  }
  /**
   * Asks the player and waits for the answer, which may differ from the choices; null if there is none.
   * @param {string} question
   * @param {string[]} choices
   * @returns {string | null}
   */
  ask(question, choices = []) {
    this.uiEvent("ask", { question, choices });
    const { answer } = parse(this.#readAnswer());
    return typeof answer === "string" ? answer : null;
  }
  /**
   * @param {string} errorCode
   * @param {string} errorMessage
   */
  error(errorCode, errorMessage) {
    this.#say({ type: "error", errorCode, errorMessage });
  }
  /**
   * @param {boolean} ok
   * @param {Fields} more
   */
  done(ok, more) {
    this.#say({ type: "done", ok, ...more });
  }
  /** @param {Fields} event */
  #say(event) {
    this.#emit(`${JSON.stringify({ version: "0", ...event })}\n`);
  }
}

/**
 * Answers one request, given as bytes.
 * @param {Uint8Array} bytes
 * @param {Skill} skill
 * @param {(line: string) => void} emit takes each line as it comes
 * @param {() => Uint8Array} readAnswer returns the bytes of the line that answers a question, or none
 */
export function answer(bytes, skill, emit, readAnswer = () => new Uint8Array()) {
  const host = new Host(emit, readAnswer);
  try {
    const request = parse(bytes);
    const operation = request.operation || "run";
    if (operation === "describe") {
      host.done(true, { output: { inputSchema: skill.input, outputSchema: skill.output } });
    } else if (operation === "run") {
      host.done(true, { output: skill.run(host, request) });
    } else {
      const known = "known are `run` and `describe`";
      throw new Refused("UNKNOWN_OPERATION", `the operation ${quote(operation)} is unknown; ${known}`);
    }
  } catch (error) {
    // What is not refused is a fault of the script itself; the other way out would be a trap.
    const [code, message] = error instanceof Refused ? [error.code, error.message] : ["SCRIPT_FAULT", `${error}`];
    // The host shows its author what is on stderr.
    if (!(error instanceof Refused)) console.error(`${error}\n${(error instanceof Error && error.stack) || ""}`);
    host.error(code, message);
    host.done(false, { summary: message });
  }
}

/**
 * The request, an object whose text is all proper Unicode. Nothing at all is the empty request.
 * @param {Uint8Array} bytes
 * @returns {Request & Fields}
 */
function parse(bytes) {
  const refuse = (/** @type {string} */ why) => new Refused("INVALID_REQUEST", `the request is not usable: ${why}`);
  if (bytes.length > REQUEST_BYTES_MAX) throw refuse(`it is longer than ${REQUEST_BYTES_MAX} bytes`);
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("it is not UTF-8");
  }
  if (text.trim() === "") return {};
  if (isTooDeep(text)) throw refuse(`it nests deeper than ${DEPTH_MAX} levels`);
  let request;
  try {
    request = JSON.parse(text);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : `${error}`);
  }
  if (!isObject(request)) throw refuse(`it is ${quote(request)}, it must be an object`);
  // Half a surrogate pair can be written as an escape, and then has no place in UTF-8.
  if (text.includes("\\u") && /[\ud800-\udfff]/u.test(unescaped(request))) throw refuse("it holds half a character");
  return request;
}

/**
 * Every string of a value, one after the other. (JSON.stringify would write half a character as an escape.)
 * @param {unknown} value
 * @returns {string}
 */
function unescaped(value) {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return "";
  return Object.entries(value).map(([key, part]) => `${key} ${unescaped(part)}`).join(" ");
}

/**
 * Brackets in strings are not counted.
 * @param {string} text
 */
function isTooDeep(text) {
  // Without its escapes, every second part between two quotes is a string.
  const parts = text.replaceAll("\\\\", "").replaceAll('\\"', "").split('"');
  let level = 0;
  for (let idx = 0; idx < parts.length; idx += 2) {
    for (const [bracket] of parts[idx].matchAll(/[[\]{}]/g)) {
      level += bracket === "[" || bracket === "{" ? 1 : -1;
      if (level > DEPTH_MAX) return true;
    }
  }
  return false;
}

/**
 * @param {unknown} value
 * @returns {value is Fields}
 */
export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * The input, which must be an object with no other fields than these.
 * @template {string} Name
 * @param {Request} request
 * @param {Name[]} names
 * @returns { { [name in Name]?: unknown } }
 */
export function inputOf(request, names) {
  /** @type {unknown} */
  const input = request.input ?? {};
  if (!isObject(input)) throw new Refused("INVALID_REQUEST", `\`input\` is ${quote(input)}, it must be an object`);
  for (const name of Object.keys(input)) {
    if (!names.some((known) => known === name)) throw new Refused("INVALID_INPUT", `\`input\` has no field ${quote(name)}`);
  }
  return /** @type { { [name in Name]?: unknown } } */ (input);
}

/**
 * A whole number from 0 on, always smaller than `below`. JavaScript's numbers hold 53 bits of the seed's 64; two seeds
 * that differ only beyond them are the same here.
 * @param {Request} request
 * @param {number} below
 */
export function pick(request, below) {
  const seed = request.seed ?? 0;
  if (typeof seed !== "number" || !(seed >= 0)) {
    throw new Refused("INVALID_REQUEST", `\`seed\` is ${quote(seed)}, it must be a number from 0 on`);
  }
  return Number.isFinite(seed) ? Math.floor(seed) % below : 0;
}

/** @param {unknown} value */
export function quote(value) {
  const text = JSON.stringify(value) ?? "nothing";
  // By characters: half of one cannot be written.
  const chars = Array.from(text.slice(0, 2 * QUOTE_CHARS_MAX)).slice(0, QUOTE_CHARS_MAX);
  return text.length <= QUOTE_CHARS_MAX ? text : `${chars.join("")}…`;
}
