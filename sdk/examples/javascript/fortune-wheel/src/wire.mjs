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

// The script cannot do its work, and says so.
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// What a script says while it works. Each event is one line, written at once.
class Host {
  #emit;
  #readAnswer;
  constructor(emit, readAnswer) {
    this.#emit = emit;
    this.#readAnswer = readAnswer;
  }
  log(message, level = "info") {
    this.#say({ type: "log", level, message });
  }
  // Changes the story's state: objects are merged, null deletes, everything else replaces.
  patch(patch) {
    this.#say({ type: "state_patch", patch });
  }
  uiEvent(event, payload) {
    this.#say({ type: "ui_event", event, payload });
  }
  // Announces a file that the script has written into `/assets`; `path` is relative to that folder.
  asset(assetId, kind, mediaType, path) {
    this.#say({ type: "asset", assetId, kind, mediaType, path });
  }
  // Asks the player and waits for the answer, which may differ from the choices; null if there is none.
  ask(question, choices = []) {
    this.uiEvent("ask", { question, choices });
    const { answer } = parse(this.#readAnswer());
    return typeof answer === "string" ? answer : null;
  }
  error(errorCode, errorMessage) {
    this.#say({ type: "error", errorCode, errorMessage });
  }
  done(ok, more) {
    this.#say({ type: "done", ok, ...more });
  }
  #say(event) {
    this.#emit(`${JSON.stringify({ version: "0", ...event })}\n`);
  }
}

// Answers one request, given as bytes. `skill` has `run(host, request)`, which returns the output, and
// `input` and `output`, its schemas. `emit` takes each line as it comes. `readAnswer` returns the bytes of the line
// that answers a question, or none.
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
    if (!(error instanceof Refused)) console.error(`${error}\n${error?.stack ?? ""}`);
    host.error(code, message);
    host.done(false, { summary: message });
  }
}

// The request, an object whose text is all proper Unicode. Nothing at all is the empty request.
function parse(bytes) {
  const refuse = (why) => new Refused("INVALID_REQUEST", `the request is not usable: ${why}`);
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
    throw refuse(error.message);
  }
  if (!isObject(request)) throw refuse(`it is ${quote(request)}, it must be an object`);
  // Half a surrogate pair can be written as an escape, and then has no place in UTF-8.
  if (text.includes("\\u") && /[\ud800-\udfff]/u.test(unescaped(request))) throw refuse("it holds half a character");
  return request;
}

// Every string of a value, one after the other. (JSON.stringify would write half a character as an escape.)
function unescaped(value) {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return "";
  return Object.entries(value).map(([key, part]) => `${key} ${unescaped(part)}`).join(" ");
}

// Brackets in strings are not counted.
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

export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

// The input, which must be an object with no other fields than these.
export function inputOf(request, names) {
  const input = request.input ?? {};
  if (!isObject(input)) throw new Refused("INVALID_REQUEST", `\`input\` is ${quote(input)}, it must be an object`);
  for (const name of Object.keys(input)) {
    if (!names.includes(name)) throw new Refused("INVALID_INPUT", `\`input\` has no field ${quote(name)}`);
  }
  return input;
}

// A whole number from 0 on, always smaller than `below`. JavaScript's numbers hold 53 bits of the seed's 64; two seeds
// that differ only beyond them are the same here.
export function pick(request, below) {
  const seed = request.seed ?? 0;
  if (typeof seed !== "number" || !(seed >= 0)) {
    throw new Refused("INVALID_REQUEST", `\`seed\` is ${quote(seed)}, it must be a number from 0 on`);
  }
  return Number.isFinite(seed) ? Math.floor(seed) % below : 0;
}

export function quote(value) {
  const text = JSON.stringify(value) ?? "nothing";
  // By characters: half of one cannot be written.
  const chars = Array.from(text.slice(0, 2 * QUOTE_CHARS_MAX)).slice(0, QUOTE_CHARS_MAX);
  return text.length <= QUOTE_CHARS_MAX ? text : `${chars.join("")}…`;
}
