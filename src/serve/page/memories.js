// What the story remembers: to see, to edit, to pin and to forget. Each change is a step that undo takes back.

import { button, fill, h, uniqueId } from "./dom.js";
import { askText, confirmFirst } from "./dialog.js";

export class MemoriesView {
  #element;
  #send;
  #filter = "";
  #document = null;
  #list = h("ul", { class: "memories" });
  #field;

  /** `send(line)` plays a command. */
  constructor(element, send) {
    this.#element = element;
    this.#send = send;
    const id = uniqueId("filter");
    this.#field = h("input", {
      id,
      type: "search",
      oninput: (event) => {
        this.#filter = event.target.value.toLowerCase();
        this.#draw();
      },
    });
    fill(
      element,
      h("label", { for: id }, "Search the memories"),
      this.#field,
      this.#list,
      button("Remember something", () => this.#remember()),
    );
  }

  show(document) {
    this.#document = document;
    this.#draw();
  }

  #draw() {
    const memories = (this.#document?.memories ?? []).filter((memory) =>
      memory.text.toLowerCase().includes(this.#filter),
    );
    const pinnedFirst = [...memories].sort((one, other) => Number(other.pinned) - Number(one.pinned));
    const leftOff = this.#document?.memoriesLeftOff ?? 0;
    fill(
      this.#list,
      pinnedFirst.map((memory) => this.#item(memory)),
      !memories.length && h("li", { class: "hint" }, this.#filter ? "None has these words." : "Nothing is remembered yet."),
      leftOff > 0 && h("li", { class: "hint" }, `and ${leftOff} more`),
    );
  }

  #item(memory) {
    const { id, text, turn, pinned, tags = [] } = memory;
    return h(
      "li",
      { class: pinned ? "card memory pinned" : "card memory" },
      h("p", {}, text),
      h("p", { class: "facts" }, [`turn ${turn}`, pinned && "pinned", ...tags].filter(Boolean).join(" · ")),
      h(
        "div",
        { class: "row" },
        button(pinned ? "Unpin" : "Pin", () => this.#send(`/memory ${pinned ? "unpin" : "pin"} ${id}`), {
          class: "small",
          "data-key": `pin ${id}`,
          "aria-label": `${pinned ? "Unpin" : "Pin"}: ${text}`,
        }),
        button(
          "Edit",
          () =>
            askText(
              "Edit a memory",
              { label: "What the story remembers", value: text, action: "Keep", multiline: true },
              (changed) => this.#send(`/memory edit ${id} ${changed.replace(/\s+/g, " ")}`),
            ),
          { class: "small", "aria-label": `Edit: ${text}` },
        ),
        button(
          "Forget",
          () =>
            confirmFirst("Forget this?", `“${text}” — undo brings it back.`, "Forget", () =>
              this.#send(`/memory forget ${id}`),
            ),
          { class: "small", "aria-label": `Forget: ${text}` },
        ),
      ),
    );
  }

  #remember() {
    askText(
      "Remember something",
      { label: "What the story is to remember", hint: "Such as: Tolk owes Mira a song", action: "Remember" },
      (text) => this.#send(`remember that ${text.replace(/\s+/g, " ")}`),
    );
  }
}
