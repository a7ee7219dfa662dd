// Decides what a screen reader hears of the events of a story: one message for each finished paragraph, one when a turn
// begins, and one when the story waits for the player in the middle of a turn. Never one for each piece of text.

import { paragraphsOf, rollOf } from "./story.js";
import { diceInWords } from "./dice.js";

export class Speaker {
  #turn = null;

  /** Returns the messages that an event is worth, in order. */
  hear({ type, data }) {
    if (type === "notice") return data.text ? [data.text] : [];
    if (type === "review") return data ? ["A plan waits for your review."] : [];
    if (type === "snapshot") return this.#hearSnapshot(data);
    if (type === "closed") return ["The story was closed."];
    if (type !== "update") return [];
    return this.#hearUpdate(data);
  }

  /** A cut turn goes on, or it has ended meanwhile: then the rest of it is said. */
  #hearSnapshot({ running, told = [] }) {
    if (!running) {
      const rest = this.#turn && told.length ? this.#newlyFinished(paragraphsOf(told.at(-1).narration)) : [];
      this.#turn = null;
      return rest;
    }
    const text = running.text ?? "";
    const rest = this.#turn ? this.#newlyFinished(finished(text)) : [];
    this.#turn = { text, spoken: finished(text).length };
    return rest;
  }

  #hearUpdate(update) {
    switch (update.type) {
      case "turn.started":
        this.#turn = { text: "", spoken: 0 };
        return ["Writing…"];
      case "narration.delta":
        if (!this.#turn) return [];
        this.#turn.text += update.text;
        return this.#newlyFinished(finished(this.#turn.text));
      case "narration.discarded":
        if (this.#turn) this.#turn = { text: "", spoken: 0 };
        return [];
      case "turn.finished":
        return this.#endTurn(update);
      case "turn.failed":
        this.#turn = null;
        return [`The turn failed: ${update.message}`];
      case "step.asked":
        return [`A question: ${update.question}`];
      case "step.waiting":
        return ["A step waits for your approval."];
      case "step.finished": {
        const roll = rollOf(update.output);
        return roll ? [diceInWords(roll)] : [];
      }
      case "story.moved":
        return [movedInWords(update)];
      case "story.shown":
        return update.about === "hint" && update.document?.text ? [update.document.text] : [];
      default:
        return [];
    }
  }

  #endTurn(update) {
    const turn = this.#turn ?? { text: "", spoken: 0 };
    this.#turn = turn;
    const messages = update.outcome === "cancelled" ? ["The turn was stopped."] : [];
    messages.push(...this.#newlyFinished(paragraphsOf(update.narration)));
    this.#turn = null;
    return messages;
  }

  #newlyFinished(paragraphs) {
    const fresh = paragraphs.slice(this.#turn.spoken);
    this.#turn.spoken = Math.max(this.#turn.spoken, paragraphs.length);
    return fresh;
  }
}

/** The paragraphs of a text that goes on: all but the last, which may still grow. */
function finished(text) {
  const parts = text.split(/\n[ \t]*\n+/);
  parts.pop();
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function movedInWords({ by, turns, branch }) {
  const where = turns === 0 ? "the beginning" : `turn ${turns}`;
  if (by === "undo") return `Went back to ${where}.`;
  if (by === "redo") return `Went forward to ${where}.`;
  if (by === "switch") return `Now on the branch ${branch}, at ${where}.`;
  return `Playing again from ${where}.`;
}
