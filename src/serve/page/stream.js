// Follows the events of a story. A cut connection is made again with the id of the last event, after a pause that grows.

import { EventParser } from "./sse.js";

/** Silence after which a page that is looked at again does not trust its connection. */
const SILENCE_MS_DOUBTED = 8_000;
/** Silence after which a connection counts as cut. The server sends a sign of life every 5 seconds. */
const SILENCE_MS_MAX = 20_000;
const PAUSE_MS_FIRST = 500;
const PAUSE_MS_MAX = 15_000;

/** The pause before the attempt number `attempt`, from 1: it doubles, and differs between pages. */
export function pauseBefore(attempt, random = Math.random()) {
  const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** (attempt - 1));
  return Math.round(pause * (0.75 + random / 2));
}

export class StoryStream {
  #handlers;
  #address;
  #fetch;
  #lastId = "";
  #attempt = 0;
  #controller = null;
  #timer = null;
  #isClosed = false;
  #wake = null;
  #why = null;
  #heardAt = 0;

  /**
   * `handlers`: `event(event)` with `type`, `id` and parsed `data`; `state("connecting" | "open" | "waiting", why)`, where
   * `why` is what the server said against it; `refused(status)` for an answer that no later attempt will change.
   */
  constructor(address, handlers, fetcher = (...args) => fetch(...args)) {
    this.#address = address;
    this.#handlers = handlers;
    this.#fetch = fetcher;
  }

  get lastId() {
    return this.#lastId;
  }

  async run() {
    while (!this.#isClosed) {
      this.#handlers.state("connecting");
      const outcome = await this.#connectOnce();
      if (this.#isClosed) return;
      if (outcome === "refused") return;
      this.#attempt += 1;
      this.#handlers.state("waiting", this.#why);
      await this.#pause(pauseBefore(this.#attempt));
    }
  }

  /** Tries at once, for instance because the device was asleep. A connection that is silent is made again. */
  retryNow(now = Date.now()) {
    this.#attempt = 0;
    this.#wake?.();
    if (now - this.#heardAt > SILENCE_MS_DOUBTED) this.#controller?.abort();
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#wake?.();
  }

  async #connectOnce() {
    this.#controller = new AbortController();
    this.#why = null;
    const headers = { Accept: "text/event-stream" };
    if (this.#lastId) headers["Last-Event-ID"] = this.#lastId;
    try {
      this.#watchSilence();
      const options = { headers, signal: this.#controller.signal, cache: "no-store" };
      const response = await this.#fetch(this.#address, options);
      if ([400, 401, 403, 404].includes(response.status)) {
        this.#handlers.refused(response.status);
        return "refused";
      }
      if (!response.ok || !response.body) {
        this.#why = (await response.json()).error?.message ?? null;
        return "cut";
      }
      this.#handlers.state("open");
      await this.#read(response.body.getReader());
    } catch {
      // A cut connection is made again.
    } finally {
      clearTimeout(this.#timer);
    }
    return "cut";
  }

  async #read(reader) {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || this.#isClosed) return;
      this.#attempt = 0;
      this.#watchSilence();
      for (const event of parser.push(decoder.decode(value, { stream: true }))) this.#take(event);
    }
  }

  #take({ id, type, data }) {
    if (id) this.#lastId = id;
    let parsed;
    try {
      parsed = JSON.parse(data);
    } catch {
      return;
    }
    this.#handlers.event({ type, id, data: parsed });
  }

  #watchSilence() {
    this.#heardAt = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller?.abort(), SILENCE_MS_MAX);
  }

  #pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
