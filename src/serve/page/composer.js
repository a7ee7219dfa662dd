// Where the player types. Keeps what is typed over a reload, offers completions, and never loses the focus to a turn.

import { fill, h } from "./dom.js";
import { completionsOf } from "./commands.js";

/** Sentences that the arrow keys bring back. */
const HISTORY_MAX = 50;

export class Composer {
  #form;
  #field;
  #list;
  #send;
  #stop;
  #callbacks;
  #key;
  #scope = null;
  #offers = [];
  #active = -1;
  #history = [];
  #historyAt = 0;
  #draft = "";

  /** `callbacks`: `line(text)`, which returns "keep" for what was typed, "leave" if the focus went elsewhere; `stop()`. */
  constructor({ form, field, list, send, stop }, story, callbacks) {
    this.#form = form;
    this.#field = field;
    this.#list = list;
    this.#send = send;
    this.#stop = stop;
    this.#callbacks = callbacks;
    this.#key = `narratoria draft ${story}`;
    field.value = sessionStorage.getItem(this.#key) ?? "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    field.addEventListener("input", () => this.#onInput());
    field.addEventListener("keydown", (event) => this.#onKey(event));
    field.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    stop.addEventListener("click", () => {
      callbacks.stop();
      this.focus();
    });
    this.#grow();
  }

  focus() {
    this.#field.focus({ preventScroll: true });
  }

  /** `isRunning` shows the button that stops; `canPlay` lets the player type. */
  show({ isRunning, canPlay, scope, prompts }) {
    this.#scope = scope;
    if (prompts) this.#history = prompts.slice(-HISTORY_MAX);
    const hadFocus = this.#form.contains(document.activeElement);
    this.#stop.hidden = !isRunning;
    this.#send.hidden = isRunning;
    this.#field.disabled = !canPlay;
    this.#send.disabled = !canPlay;
    if (hadFocus && !this.#form.contains(document.activeElement) && canPlay) this.focus();
  }

  /** Puts text where the caret is, with blanks around it. */
  insert(text) {
    const { selectionStart: from, selectionEnd: to, value } = this.#field;
    const before = value.slice(0, from);
    const after = value.slice(to);
    const left = before && !before.endsWith(" ") ? " " : "";
    const right = after.startsWith(" ") || !after ? "" : " ";
    this.set(before + left + text + right + after, before.length + left.length + text.length);
  }

  set(text, caret = text.length) {
    this.#field.value = text;
    this.#keep();
    this.#grow();
    this.focus();
    this.#field.setSelectionRange(caret, caret);
  }

  get text() {
    return this.#field.value;
  }

  #submit() {
    const text = this.#field.value;
    this.#close();
    const outcome = this.#callbacks.line(text);
    if (outcome === "keep") return;
    this.#field.value = "";
    this.#historyAt = 0;
    this.#keep();
    this.#grow();
    if (outcome !== "leave") this.focus();
  }

  #onInput() {
    // A pasted line end would be two lines of the story.
    if (this.#field.value.includes("\n")) this.#field.value = this.#field.value.replace(/\s*\n\s*/g, " ");
    this.#keep();
    this.#grow();
    this.#offer();
  }

  #keep() {
    if (this.#field.value) sessionStorage.setItem(this.#key, this.#field.value);
    else sessionStorage.removeItem(this.#key);
  }

  #grow() {
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight + 2}px`;
  }

  #onKey(event) {
    if (event.isComposing) return;
    const isOpen = this.#offers.length > 0;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (this.#active >= 0) this.#take(this.#offers[this.#active]);
      else this.#form.requestSubmit();
    } else if (event.key === "Tab" && this.#active >= 0 && !event.shiftKey) {
      event.preventDefault();
      this.#take(this.#offers[this.#active]);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    } else if (event.key === "ArrowDown" && isOpen) {
      event.preventDefault();
      this.#activate((this.#active + 1) % this.#offers.length);
    } else if (event.key === "ArrowUp" && isOpen) {
      event.preventDefault();
      this.#activate(this.#active <= 0 ? this.#offers.length - 1 : this.#active - 1);
    } else if (event.key === "ArrowUp" && this.#mayRecall()) {
      event.preventDefault();
      this.#recall(1);
    } else if (event.key === "ArrowDown" && this.#historyAt > 0) {
      event.preventDefault();
      this.#recall(-1);
    }
  }

  #mayRecall() {
    return this.#history.length > 0 && (this.#field.value === "" || this.#historyAt > 0);
  }

  #recall(step) {
    if (this.#historyAt === 0) this.#draft = this.#field.value;
    this.#historyAt = Math.min(this.#history.length, Math.max(0, this.#historyAt + step));
    this.set(this.#historyAt === 0 ? this.#draft : this.#history.at(-this.#historyAt));
  }

  #offer() {
    const { value, selectionStart } = this.#field;
    const isAtEnd = selectionStart === value.length;
    this.#offers = isAtEnd ? completionsOf(value, this.#scope) : [];
    this.#active = -1;
    this.#field.removeAttribute("aria-activedescendant");
    this.#list.hidden = this.#offers.length === 0;
    fill(
      this.#list,
      this.#offers.map((offer, at) =>
        h(
          "li",
          {
            id: `offer-${at}`,
            role: "option",
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              this.#take(offer);
            },
          },
          h("span", {}, offer.label),
          h("small", {}, offer.hint),
        ),
      ),
    );
  }

  #activate(at) {
    this.#active = at;
    [...this.#list.children].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === at));
      if (index === at) item.scrollIntoView({ block: "nearest" });
    });
    this.#field.setAttribute("aria-activedescendant", `offer-${at}`);
  }

  #take(offer) {
    const { value } = this.#field;
    this.set(value.slice(0, offer.from) + offer.text);
    this.#close();
  }

  #close() {
    this.#offers = [];
    this.#active = -1;
    this.#field.removeAttribute("aria-activedescendant");
    this.#list.hidden = true;
  }
}
