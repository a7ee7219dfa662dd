// The host in tests: a script runs in an ordinary Node, and the test says what the host answers.
//
//     const said = call(await script("greet"), {}).config({ greeting: "Hail" }).run();
//     assert.equal(said.output.text, "Hail, traveller.");
//
// `script` loads a module of `src` with this one in place of the interfaces that a component imports. Nothing here is
// about any skill. The host's limits and the grants of `skill.json` do not hold here: `narratoria skill test` runs the
// component itself.

import * as modules from "node:module";

const OF_THE_HOST = "^(wasi|narratoria):";

if (modules.registerHooks) {
  const resolve = (name, context, next) =>
    new RegExp(OF_THE_HOST).test(name) ? { url: import.meta.url, shortCircuit: true } : next(name, context);
  modules.registerHooks({ resolve });
} else {
  // Older versions run such hooks in a thread of their own.
  const hook = `export const resolve = (name, context, next) => new RegExp(${JSON.stringify(OF_THE_HOST)}).test(name)
    ? { url: ${JSON.stringify(import.meta.url)}, shortCircuit: true } : next(name, context);`;
  modules.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

// The script of this name.
export const script = (name) => import(new URL(`../src/${name}.mjs`, import.meta.url));

// A call of the script with this input; `run` makes it.
export const call = (script, input) => new Call(script, input);

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder().decode(bytes);

// What the host sends and answers. Each method adds to it and returns it.
class Call {
  #script;
  #request;
  #answers = [];
  #kept = {};
  #remembered = [];
  #pages = [];
  #texts = [];
  #cosine = null;

  constructor(script, input) {
    this.#script = script;
    this.#request = { requestId: "test", tool: "tested", operation: "run", input };
  }
  seed(seed) {
    return this.#with({ seed });
  }
  state(state) {
    return this.#with({ state });
  }
  config(config) {
    return this.#with({ config });
  }
  // Sets the outputs of earlier steps.
  inputs(inputs) {
    return this.#with({ inputs });
  }
  // Adds an answer to the script's questions, in order. A question without one stays without answer.
  answer(answer) {
    this.#answers.push(answer);
    return this;
  }
  // Adds an entry to the store of the skill. Values are text.
  kept(key, value) {
    this.#kept[key] = value;
    return this;
  }
  // Adds a text to the story's memory, the oldest first.
  remembered(text, tags = []) {
    this.#remembered.push({ text, tags });
    return this;
  }
  // Adds an answer to one request to this address. Requests without an answer are refused.
  webAnswers(url, body, status = 200) {
    this.#pages.push({ url, status, body: typeof body === "string" ? encode(body) : body });
    return this;
  }
  // Adds a text of the language model. Each text answers one call; without any, there is no model.
  modelWrites(text, complete = true) {
    this.#texts.push({ text, complete });
    return this;
  }
  // Adds a failure of the language model, such as `{ tag: "timed-out" }`.
  modelFails(error) {
    this.#texts.push(new HostError(error));
    return this;
  }
  // Compares texts by this function of two of them. Without it there is no model that compares.
  textsCompare(cosine) {
    this.#cosine = cosine;
    return this;
  }
  // Runs the script. It may be run again: what it keeps is in the result alone.
  run() {
    const before = now;
    now = {
      // An answer follows behind the end of the request.
      input: [encode(JSON.stringify(this.#request))],
      answers: [...this.#answers],
      kept: new Map(Object.entries(this.#kept)),
      remembered: [...this.#remembered],
      pages: [...this.#pages],
      texts: [...this.#texts],
      cosine: this.#cosine,
      requests: [],
      prose: [],
      files: {},
      lines: "",
    };
    try {
      this.#script.run.run();
      return result(now);
    } finally {
      now = before;
    }
  }
  #with(fields) {
    Object.assign(this.#request, fields);
    return this;
  }
}

// What came of a call. The host stores changes only if `ok` is true.
function result({ lines, kept, remembered, requests, prose, files }) {
  const events = lines.trimEnd().split("\n").map((line) => JSON.parse(line));
  const { ok, summary, output = {} } = events.pop();
  const of = (type) => events.filter((event) => event.type === type);
  return {
    ok,
    summary,
    output,
    events,
    patches: of("state_patch").map(({ patch }) => patch),
    // The code of the last error.
    errorCode: of("error").at(-1)?.errorCode,
    // The store and the memory afterwards, the requests to hosts and to the model, and the files in `/assets`.
    kept: Object.fromEntries(kept),
    remembered,
    requests,
    prose,
    files,
  };
}

// ---- the interfaces --------------------------------------------------------------------------------------

// The call that is running.
let now = null;

// An error of the host.
class HostError extends Error {
  constructor(payload) {
    super(JSON.stringify(payload));
    this.payload = payload;
  }
}

// narratoria:host/store
export const get = (key) => now.kept.get(key);
export const set = (key, value) => void now.kept.set(key, value);
const remove = (key) => void now.kept.delete(key);
export const list = (prefix) => [...now.kept.keys()].filter((key) => key.startsWith(prefix)).sort();
export { remove as delete };

// narratoria:host/memory
export const remember = (text, tags) => void now.remembered.push({ text, tags });

// Counts whole words, whatever their case; the host knows their stems as well.
export function recall(query, tags, max) {
  const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const wanted = words(query);
  const worth = ({ text, tags }) => {
    const own = words([text, ...tags].join(" "));
    return wanted.size === 0 ? 1 : [...wanted].filter((word) => own.has(word)).length;
  };
  const has = (one, tag) => one.tags.some((own) => own.toLowerCase() === tag.toLowerCase());
  return now.remembered
    .filter((one) => tags.every((tag) => has(one, tag)) && worth(one) > 0)
    .reverse()
    .sort((one, other) => worth(other) - worth(one))
    .slice(0, max);
}

// narratoria:host/llm
export function generate(request) {
  now.prose.push(request);
  const reply = now.texts.shift() ?? new HostError({ tag: "unavailable", val: "there is no language model" });
  if (reply instanceof HostError) throw reply;
  return reply;
}

// narratoria:host/meaning
export function compare(text, others) {
  if (now.cosine) return Float32Array.from(others, (other) => now.cosine(text, other));
  throw new HostError({ tag: "unavailable", val: "there is no model that compares texts" });
}

// wasi:cli
const CLOSED = new HostError({ tag: "closed" });

export const getStdin = () => ({
  blockingRead() {
    const part = now.input.shift();
    if (part) return part;
    if (now.answers.length > 0) now.input.push(encode(`${JSON.stringify({ answer: now.answers.shift() })}\n`));
    throw CLOSED;
  },
});

export const getStdout = () => ({
  blockingWriteAndFlush(bytes) {
    now.lines += decode(bytes);
  },
});

// wasi:filesystem, with the folder `/assets`
export const getDirectories = () => [[{ openAt }, "/assets"]];

function openAt(flags, path, { create = false, truncate = false }) {
  if (!create && !(path in now.files)) throw new HostError("no-entry");
  if (truncate || !(path in now.files)) now.files[path] = new Uint8Array();
  const { files } = now;
  return {
    read(most, from) {
      const end = Number(from) + Number(most);
      return [files[path].subarray(Number(from), end), end >= files[path].length];
    },
    write(bytes, from) {
      const before = files[path].subarray(0, Number(from));
      files[path] = Uint8Array.from([...before, ...bytes]);
      return BigInt(bytes.length);
    },
  };
}

// wasi:http
export class Fields {
  #entries = [];
  append(name, value) {
    this.#entries.push([name, value]);
  }
  entries() {
    return this.#entries;
  }
}

export class OutgoingBody {
  content = "";
  write() {
    const blockingWriteAndFlush = (bytes) => void (this.content += decode(bytes));
    return { blockingWriteAndFlush, [Symbol.dispose]() {} };
  }
  static finish() {}
}

export class OutgoingRequest {
  method = "GET";
  #scheme;
  #authority;
  #path;
  #body = new OutgoingBody();
  constructor(headers) {
    this.headers = headers.entries().map(([name, value]) => [name, decode(value)]);
  }
  setMethod({ tag }) {
    this.method = tag.toUpperCase();
  }
  setScheme({ tag }) {
    this.#scheme = tag.toLowerCase();
  }
  setAuthority(authority) {
    this.#authority = authority;
  }
  setPathWithQuery(path) {
    this.#path = path;
  }
  body() {
    return this.#body;
  }
  get url() {
    return `${this.#scheme}://${this.#authority}${this.#path}`;
  }
  get content() {
    return this.#body.content;
  }
}

export function handle(request) {
  now.requests.push(request);
  const idx = now.pages.findIndex(({ url }) => url === request.url);
  if (idx < 0) throw new HostError({ tag: "HTTP-request-denied" });
  const [{ status, body }] = now.pages.splice(idx, 1);
  const parts = body.length > 0 ? [body] : [];
  const stream = {
    blockingRead() {
      if (parts.length === 0) throw CLOSED;
      return parts.shift();
    },
  };
  const response = { status: () => status, headers: () => new Fields(), consume: () => ({ stream: () => stream }) };
  // A result in a result, which is there at once.
  const arrived = { tag: "ok", val: { tag: "ok", val: response } };
  return { subscribe: () => ({ block() {} }), get: () => arrived };
}
