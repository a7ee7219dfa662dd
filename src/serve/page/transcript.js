// The story as it is read. Of a long story only the turns around the reader stand in the page; older ones are fetched
// and put in as the reader comes to them.

import { button, fill, h } from "./dom.js";
import { diceElement } from "./dice-view.js";
import { paragraphsOf } from "./story.js";
import { windowAfter } from "./window.js";

/** How near to the end counts as the end. */
const NEAR_PX = 80;

export class Transcript {
  #list;
  #scroller;
  #callbacks;
  #turns = [];
  #elements = new Map();
  #window = [0, 0];
  #running = null;
  #runningElement = null;
  #loading = false;
  #toldBefore = 0;
  #follows = true;
  #jump;
  #older;

  /** `callbacks`: `older()` fetches turns and returns a promise; `menu(turn, button)` opens the menu of a turn. */
  constructor({ list, scroller, jump, callbacks }) {
    this.#list = list;
    this.#scroller = scroller;
    this.#callbacks = callbacks;
    this.#jump = jump;
    this.#older = button("Earlier turns", () => this.#goOlder(), { class: "quiet older" });
    jump.addEventListener("click", () => this.toEnd());
    // Choices, questions and the keyboard of a phone take room from below.
    new ResizeObserver(() => this.follow()).observe(scroller);
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
  }

  show(story) {
    const wasAtEnd = this.#window[1] >= this.#turns.length;
    const firstBefore = this.#turns[this.#window[0]];
    const isOther = story.told !== this.#turns;
    if (isOther) {
      this.#turns = story.told;
      this.#toldBefore = story.toldBefore;
      if (wasAtEnd && this.#follows) {
        this.#window = windowAfter(this.#turns, this.#window, "newest", 30);
      } else {
        const from = Math.max(0, this.#turns.findIndex((turn) => turn.turn === firstBefore?.turn));
        const to = wasAtEnd ? this.#turns.length : from + this.#window[1] - this.#window[0];
        this.#window = windowAfter(this.#turns, [from, to], "none");
      }
      this.#redraw();
    }
    this.#showRunning(story.running);
    this.follow();
  }

  /** Goes along with what is new, unless the reader has gone elsewhere. */
  follow() {
    if (this.#follows) this.#scrollToNew();
    this.#showJump();
  }

  /** Shows the newest turn. */
  toEnd() {
    this.#follows = true;
    this.#window = windowAfter(this.#turns, this.#window, "newest", 30);
    this.#redraw();
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#showJump();
  }

  /** Shows what stands below the last turn, such as a hint. */
  showEnd() {
    if (!this.#follows) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#showJump();
  }

  /** A new turn of this reader is followed wherever the reader was. */
  followNext() {
    if (this.#window[1] < this.#turns.length) this.toEnd();
    this.#follows = true;
  }

  #redraw() {
    const [from, to] = this.#window;
    const shown = this.#turns.slice(from, to);
    const wanted = new Map();
    for (const turn of shown) {
      const old = this.#elements.get(turn.turn);
      wanted.set(turn.turn, old?.turn === turn ? old : { turn, element: this.#turnElement(turn) });
    }
    this.#elements = wanted;
    const children = [...wanted.values()].map(({ element }) => element);
    if (from > 0 || this.#toldBefore > 0) children.unshift(this.#older);
    if (this.#runningElement) children.push(this.#runningElement);
    // Only what differs is touched, so that a selection and the reader's place stay.
    const now = [...this.#list.children];
    const isSame = now.length === children.length && now.every((child, at) => child === children[at]);
    if (!isSame) reconcile(this.#list, children);
  }

  #turnElement(turn) {
    if (!turn.narration && turn.prompt.startsWith("/")) return changeElement(turn);
    const isOpening = turn.turn === 1;
    const paragraphs = paragraphsOf(turn.narration).map((text) => h("p", {}, text));
    const menu = button("⋯", (event) => this.#callbacks.menu(turn, event.currentTarget), {
      class: "quiet icon turn-menu",
      "aria-label": `Turn ${turn.turn}: more`,
      "aria-haspopup": "dialog",
    });
    const prompt = turn.prompt
      ? h("h2", { class: isOpening ? "prompt opening" : "prompt" }, turn.prompt)
      : h("h2", { class: "visually-hidden" }, `Turn ${turn.turn}`);
    return h(
      "article",
      { class: "turn", "aria-label": `Turn ${turn.turn}` },
      h("div", { class: "turn-head" }, prompt, menu),
      (turn.dice ?? []).map(diceElement),
      paragraphs.length ? paragraphs : h("p", { class: "empty" }, "Nothing is told of this."),
    );
  }

  #showRunning(running) {
    if (!running) {
      this.#runningElement?.remove();
      this.#runningElement = null;
      this.#running = null;
      return;
    }
    if (!this.#runningElement || this.#running.turn !== running.turn || this.#running.prompt !== running.prompt) {
      this.#runningElement?.remove();
      this.#runningElement = h(
        "article",
        { class: "turn running", "aria-label": `Turn ${running.turn}` },
        h("div", { class: "turn-head" }, h("h2", { class: "prompt" }, running.prompt)),
        h("div", { class: "running-dice" }),
        h("div", { class: "running-text" }),
        h("p", { class: "writing", "aria-hidden": "true" }, h("span"), h("span"), h("span")),
      );
      this.#list.append(this.#runningElement);
    }
    this.#running = running;
    const [, dice, text, writing] = this.#runningElement.children;
    if (dice.childElementCount !== running.dice.length) fill(dice, running.dice.map(diceElement));
    updateParagraphs(text, paragraphsOf(running.text));
    writing.hidden = false;
  }

  #scrollToNew() {
    const last = this.#runningElement ?? this.#list.lastElementChild;
    if (!last) return;
    const end = this.#scroller.scrollHeight - this.#scroller.clientHeight;
    // A turn longer than the window is read from its beginning.
    const top = last.offsetTop - 24;
    this.#scroller.scrollTop = Math.min(end, top);
  }

  async #onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const toEnd = scrollHeight - scrollTop - clientHeight;
    const last = this.#runningElement ?? this.#list.lastElementChild;
    this.#follows = this.#window[1] >= this.#turns.length && (toEnd < NEAR_PX || scrollTop >= (last?.offsetTop ?? 0) - 48);
    this.#showJump();
    if (scrollTop < clientHeight / 2) await this.#goOlder();
    else if (toEnd < clientHeight / 2 && this.#window[1] < this.#turns.length) this.#goNewer();
  }

  async #goOlder() {
    if (this.#loading) return;
    if (this.#window[0] === 0 && this.#toldBefore === 0) return;
    this.#loading = true;
    try {
      if (this.#window[0] < 10 && this.#toldBefore > 0) await this.#callbacks.older();
      const held = this.#hold();
      this.#window = windowAfter(this.#turns, this.#window, "older");
      this.#redraw();
      held();
    } finally {
      this.#loading = false;
    }
  }

  #goNewer() {
    const held = this.#hold();
    this.#window = windowAfter(this.#turns, this.#window, "newer");
    this.#redraw();
    held();
  }

  /** Remembers a turn that is seen, and returns the function that puts it back where it was. */
  #hold() {
    const top = this.#scroller.getBoundingClientRect().top;
    const seen = [...this.#list.children].find(
      (child) => child !== this.#older && child.getBoundingClientRect().bottom > top,
    );
    const before = seen?.getBoundingClientRect().top;
    return () => {
      if (seen?.isConnected) this.#scroller.scrollTop += seen.getBoundingClientRect().top - before;
    };
  }

  #showJump() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isFar = scrollHeight - scrollTop - clientHeight > clientHeight || this.#window[1] < this.#turns.length;
    this.#jump.hidden = !isFar;
  }
}

/** A change of the story that tells nothing, such as a memory that was pinned. */
function changeElement({ turn, prompt }) {
  return h("article", { class: "turn", "aria-label": `Turn ${turn}` }, h("p", { class: "change" }, `Changed: ${prompt}`));
}

/** Makes the children of an element those of a list, with as few changes as it takes. */
function reconcile(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** Grows the text of a turn: paragraphs that are there are changed only where their text differs. */
export function updateParagraphs(parent, paragraphs) {
  paragraphs.forEach((text, at) => {
    const old = parent.children[at];
    if (!old) parent.append(h("p", {}, text));
    else if (old.textContent !== text) old.firstChild.nodeValue = text;
  });
  while (parent.childElementCount > paragraphs.length) parent.lastElementChild.remove();
}
