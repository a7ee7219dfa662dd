// The lines of the player on their way to the story. A line is kept, over a reload too, until the server has accepted
// it; after a cut it goes out again with the same id, so that it is never played twice. Touches no document.

import { pauseBefore } from "./stream.js";

export class Outbox {
  #key;
  #storage;
  #send;
  #handlers;
  #isSending = false;
  #isAskedAgain = false;
  #wait;

  /**
   * `send({requestId, after, text})` resolves when the server has accepted, and rejects with an error that has `status`
   * (0 if there was no answer) and `kind`. `handlers`: `changed()`, `refused(line, error)`.
   */
  constructor(story, { storage, send, handlers, wait }) {
    this.#key = `narratoria outbox ${story}`;
    this.#storage = storage;
    this.#send = send;
    this.#handlers = handlers;
    this.#wait = wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /** The lines that wait, the oldest first. */
  get lines() {
    try {
      const lines = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      return Array.isArray(lines) ? lines : [];
    } catch {
      return [];
    }
  }

  #keep(lines) {
    if (lines.length) this.#storage.setItem(this.#key, JSON.stringify(lines));
    else this.#storage.removeItem(this.#key);
    this.#handlers.changed();
  }

  /** Adds lines. A line whose `after` is null gets it when it is sent. */
  add(...texts) {
    const lines = texts.map((text) => ({ requestId: newId(), after: null, text }));
    this.#keep([...this.lines, ...lines]);
  }

  drop() {
    this.#keep([]);
  }

  /**
   * Sends the oldest line. To be called when the story waits for a line; `turns()` is its number of turns then. Without an
   * answer it tries again, as long as `isWanted()`.
   */
  async flush(turns, isWanted = () => true) {
    if (this.#isSending) {
      // The story may be ready for the next line before the answer to this one is here.
      this.#isAskedAgain = true;
      return;
    }
    this.#isSending = true;
    try {
      do {
        this.#isAskedAgain = false;
        await this.#deliver(turns(), isWanted);
      } while (this.#isAskedAgain && this.lines.length > 0);
    } finally {
      this.#isSending = false;
    }
  }

  async #deliver(after, isWanted) {
    for (let attempt = 1; ; attempt += 1) {
      const [first, ...rest] = this.lines;
      if (!first) return;
      const line = { ...first, after: first.after ?? after };
      if (first.after === null) this.#keep([line, ...rest]);
      try {
        await this.#send(line);
        this.#keep(this.lines.filter((other) => other.requestId !== line.requestId));
        return;
      } catch (error) {
        if (error.kind === "busy") return;
        if (error.status > 0 && error.status < 500 && error.status !== 429) {
          if (error.status !== 401) this.#keep([]);
          this.#handlers.refused(line, error);
          return;
        }
        await this.#wait(pauseBefore(attempt));
        if (!isWanted()) return;
      }
    }
  }
}

/** An id that no other line has. `crypto.randomUUID` is missing where a page has come over plain HTTP. */
export function newId() {
  if (globalThis.crypto?.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
