// Reads server-sent events out of pieces of text, wherever the pieces are cut. Knows nothing of the network.

/** Collects text until an event is whole. `push` returns the events that became whole. */
export class EventParser {
  #line = "";
  #sawCarriageReturn = false;
  #id = "";
  #type = "";
  #data = [];

  push(text) {
    const events = [];
    for (const char of text) {
      const endsPair = this.#sawCarriageReturn && char === "\n";
      this.#sawCarriageReturn = char === "\r";
      if (endsPair) continue;
      if (char !== "\n" && char !== "\r") {
        this.#line += char;
        continue;
      }
      const event = this.#endLine(this.#line);
      this.#line = "";
      if (event) events.push(event);
    }
    return events;
  }

  #endLine(line) {
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#type = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #endEvent() {
    const event = { id: this.#id, type: this.#type || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#type = "";
    this.#data = [];
    return isEmpty ? null : event;
  }
}
