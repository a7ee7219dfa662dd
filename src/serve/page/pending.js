// Questions of scripts, and steps that wait for an approval.

import { button, fill, h, uniqueId } from "./dom.js";

export class PendingView {
  #region;
  #decide;
  #shown = "";

  /** `decide({toolId, decision, text?})` returns a promise. */
  constructor(region, decide) {
    this.#region = region;
    this.#decide = decide;
  }

  show(pending) {
    const key = JSON.stringify(pending);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#region.hidden = pending.length === 0;
    fill(this.#region, pending.map((request) => this.#card(request)));
  }

  /** True if the player can answer a question by typing: then a line is the answer. */
  static questionOf(pending) {
    return pending.find((request) => request.kind === "question") ?? null;
  }

  #card(request) {
    const headingId = uniqueId("request");
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const send = async (decision, text) => {
      for (const one of card.querySelectorAll("button")) one.disabled = true;
      try {
        await this.#decide({ toolId: request.toolId, decision, text });
      } catch (failure) {
        error.textContent = failure.text ?? String(failure);
        error.hidden = false;
        for (const one of card.querySelectorAll("button")) one.disabled = false;
      }
    };
    const card = h(
      "section",
      { class: "card request", "aria-labelledby": headingId },
      request.kind === "question"
        ? questionParts(request, headingId, send)
        : approvalParts(request, headingId, send),
      error,
    );
    return card;
  }
}

function questionParts(request, headingId, send) {
  const choices = request.choices ?? [];
  const id = uniqueId("answer");
  const field = h("input", { id, type: "text", autocomplete: "off" });
  return [
    h("h2", { id: headingId }, request.question),
    choices.length > 0 &&
      h(
        "div",
        { class: "row" },
        choices.map((choice) => button(choice, () => send("answer", choice))),
      ),
    choices.length === 0 &&
      h(
        "form",
        {
          class: "row",
          onsubmit: (event) => {
            event.preventDefault();
            if (field.value.trim()) send("answer", field.value.trim());
          },
        },
        h("label", { for: id, class: "visually-hidden" }, "Your answer"),
        field,
        h("button", { type: "submit", class: "primary" }, "Answer"),
      ),
    h("p", {}, button("Leave it unanswered", () => send("leave"), { class: "quiet" })),
  ];
}

function approvalParts(request, headingId, send) {
  return [
    h("h2", { id: headingId }, request.description || `May ${request.toolPath} run?`),
    h("p", {}, h("code", {}, request.toolPath ?? request.toolId), " waits for your approval."),
    request.input !== undefined &&
      h("details", {}, h("summary", {}, "What it would get"), h("pre", { tabindex: 0 }, JSON.stringify(request.input, null, 2))),
    h(
      "div",
      { class: "row" },
      button("Let it run", () => send("approve"), { class: "primary" }),
      button("Do not", () => send("deny")),
    ),
  ];
}
