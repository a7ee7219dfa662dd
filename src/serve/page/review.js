// The review of a plan before it runs (S2 "Plan Review UI"): edit, reorder, skip, add, remarks, start, cancel. Every
// change is a command to the host, which makes a new version or says why not.

import { button, fill, h, uniqueId } from "./dom.js";
import { openDialog } from "./dialog.js";
import * as commands from "./review-commands.js";
import { needsOf } from "./plan.js";

export class ReviewView {
  #region;
  #send;
  #scripts;
  #shown = null;
  #dragged = null;
  #error = h("p", { class: "error", role: "alert" });

  /** `send(command)` returns a promise; `scripts()` returns the tool paths that a step may have. */
  constructor(region, send, scripts) {
    this.#region = region;
    this.#send = send;
    this.#scripts = scripts;
  }

  show(draft) {
    const key = draft ? JSON.stringify(draft) : null;
    if (key === this.#shown) return;
    const isNew = draft && this.#shown === null;
    this.#shown = key;
    this.#region.hidden = !draft;
    if (!draft) {
      fill(this.#region);
      return;
    }
    fill(this.#region, this.#parts(draft));
    this.#error.textContent = draft.refused ? `Refused: ${draft.refused}` : "";
    if (isNew) this.#region.querySelector("h2").focus();
  }

  async #apply(command) {
    if (!command) return;
    this.#error.textContent = "";
    this.#setBusy(true);
    try {
      await this.#send(command);
    } catch (error) {
      this.#error.textContent = error.text ?? String(error);
    } finally {
      this.#setBusy(false);
    }
  }

  #setBusy(isBusy) {
    this.#region.setAttribute("aria-busy", String(isBusy));
  }

  #parts(draft) {
    const tools = draft.plan.tools ?? [];
    const ids = tools.map((tool) => tool.toolId);
    const remarkId = uniqueId("remark");
    const remark = h("input", { id: remarkId, type: "text", autocomplete: "off" });
    return [
      h("h2", { tabindex: -1, "data-key": "heading" }, "The plan, before it runs"),
      h(
        "p",
        { class: "hint" },
        `${tools.length} steps, version ${draft.version}. Change what you like; the story waits.`,
      ),
      draft.plan.narrative && h("p", {}, draft.plan.narrative),
      (draft.problems ?? []).length > 0 && h("ul", { class: "error" }, draft.problems.map((text) => h("li", {}, text))),
      this.#error,
      h("ol", { class: "review-steps" }, tools.map((tool, at) => this.#step(tool, at, ids))),
      h(
        "div",
        { class: "row review-actions" },
        button("Start", () => this.#apply(commands.start()), { class: "primary", "data-key": "start" }),
        button("Cancel the turn", () => this.#apply(commands.cancel()), { "data-key": "cancel" }),
        button("Add a step", () => this.#add(ids), { "data-key": "add" }),
      ),
      h(
        "form",
        {
          class: "row",
          onsubmit: (event) => {
            event.preventDefault();
            if (remark.value.trim()) this.#apply(commands.again(remark.value));
          },
        },
        h("label", { for: remarkId }, "A remark to the planner"),
        remark,
        h("button", { type: "submit" }, "Make another plan"),
      ),
      this.#commandLine(draft.commands ?? []),
    ];
  }

  #step(tool, at, ids) {
    const { toolId } = tool;
    const needs = needsOf(tool, new Set(ids));
    const badges = [
      tool.requiresApproval && "asks for approval",
      tool.required === false && "optional",
      tool.async && "may overlap",
      tool.when && "only if a condition holds",
      tool.forEach && "for each of a list",
    ].filter(Boolean);
    const about = [
      tool.reason && `Why: ${tool.reason}`,
      tool.when && `Only if: ${tool.when}`,
      tool.forEach && `For each of: ${JSON.stringify(tool.forEach)}`,
      needs.length > 0 && `Waits for: ${needs.join(", ")}`,
    ].filter(Boolean);
    const move = (to) => this.#apply(commands.moveTo(ids, toolId, to));
    const item = h(
      "li",
      { class: tool.skip ? "card review-step left-out" : "card review-step", draggable: "true", "data-step": toolId },
      h(
        "div",
        { class: "review-head" },
        h("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: !tool.skip,
            "data-key": `skip ${toolId}`,
            onchange: (event) => this.#apply(event.target.checked ? commands.keep(toolId) : commands.skip(toolId)),
          }),
          h("strong", {}, `${at + 1}. ${tool.description || toolId}`),
        ),
      ),
      h(
        "p",
        { class: "facts" },
        h("code", {}, `${toolId} · ${tool.toolPath}`),
        badges.map((badge) => [" ", h("span", { class: "badge" }, badge)]),
      ),
      h("p", { class: "facts args" }, JSON.stringify(tool.input ?? {})),
      about.length > 0 && h("details", { class: "facts" }, h("summary", {}, "More about it"), about.map((text) => h("p", {}, text))),
      h(
        "div",
        { class: "row" },
        button("Up", () => move(at - 1), {
          class: "small",
          disabled: at === 0,
          "aria-label": `Move ${toolId} up`,
          "data-key": `up ${toolId}`,
        }),
        button("Down", () => move(at + 1), {
          class: "small",
          disabled: at === ids.length - 1,
          "aria-label": `Move ${toolId} down`,
          "data-key": `down ${toolId}`,
        }),
        button("Edit", () => this.#edit(tool), {
          class: "small",
          "aria-label": `Edit ${toolId}`,
          "data-key": `edit ${toolId}`,
        }),
        button("Waits for…", () => this.#changeNeeds(tool, ids), {
          class: "small",
          "aria-label": `What ${toolId} waits for`,
          "data-key": `needs ${toolId}`,
        }),
        button("Remove", () => this.#apply(commands.remove(toolId)), {
          class: "small",
          "aria-label": `Remove ${toolId}`,
          "data-key": `remove ${toolId}`,
        }),
      ),
    );
    this.#makeDraggable(item, toolId, ids);
    return item;
  }

  #makeDraggable(item, toolId, ids) {
    item.addEventListener("dragstart", (event) => {
      this.#dragged = toolId;
      event.dataTransfer.setData("text/plain", toolId);
      event.dataTransfer.effectAllowed = "move";
      item.classList.add("dragged");
    });
    item.addEventListener("dragend", () => {
      this.#dragged = null;
      item.classList.remove("dragged");
    });
    item.addEventListener("dragover", (event) => {
      if (!this.#dragged || this.#dragged === toolId) return;
      event.preventDefault();
      item.classList.add("target");
    });
    item.addEventListener("dragleave", () => item.classList.remove("target"));
    item.addEventListener("drop", (event) => {
      event.preventDefault();
      item.classList.remove("target");
      if (this.#dragged) this.#apply(commands.moveTo(ids, this.#dragged, ids.indexOf(toolId)));
    });
    this.#makeTouchable(item.querySelector(".grip"), item, toolId, ids);
  }

  /** Fingers drag by the grip: the browser's own dragging knows only the mouse. */
  #makeTouchable(grip, item, toolId, ids) {
    let target = null;
    grip.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") return;
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      item.classList.add("dragged");
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      target?.classList.remove("target");
      target = document.elementFromPoint(event.clientX, event.clientY)?.closest(".review-step");
      target?.classList.add("target");
    });
    const end = (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      item.classList.remove("dragged");
      target?.classList.remove("target");
      const to = ids.indexOf(target?.dataset.step);
      target = null;
      if (event.type === "pointerup" && to >= 0) this.#apply(commands.moveTo(ids, toolId, to));
    };
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
  }

  #edit(tool) {
    openDialog(`Edit ${tool.toolId}`, (close) => {
      const [purposeId, inputId] = [uniqueId("field"), uniqueId("field")];
      const purpose = h("input", { id: purposeId, type: "text", value: tool.description ?? "", autocomplete: "off" });
      const before = JSON.stringify(tool.input ?? {}, null, 2);
      const input = h("textarea", { id: inputId, rows: 10, class: "code", spellcheck: "false", value: before });
      const error = h("p", { class: "error", role: "alert" });
      const submit = async (event) => {
        event.preventDefault();
        const { value, error: why } = commands.readObject(input.value);
        if (why) {
          error.textContent = why;
          input.focus();
          return;
        }
        close();
        const text = purpose.value.trim();
        if (text && text !== (tool.description ?? "")) await this.#apply(commands.describe(tool.toolId, text));
        if (input.value !== before) await this.#apply(commands.edit(tool.toolId, value));
      };
      return h(
        "form",
        { onsubmit: submit },
        h("label", { for: purposeId }, "What it is for"),
        purpose,
        h("label", { for: inputId }, "What it gets, as JSON"),
        input,
        error,
        h("div", { class: "actions" }, button("Cancel", close), h("button", { type: "submit", class: "primary" }, "Keep")),
      );
    });
  }

  #changeNeeds(tool, ids) {
    const needs = new Set(tool.dependencies ?? []);
    openDialog(`What ${tool.toolId} waits for`, (close) => [
      ids
        .filter((id) => id !== tool.toolId)
        .map((id) =>
          h(
            "label",
            { class: "check" },
            h("input", { type: "checkbox", value: id, checked: needs.has(id), name: "need" }),
            id,
          ),
        ),
      h("p", { class: "hint" }, "A step whose input names another one waits for it in any case."),
      h(
        "div",
        { class: "actions" },
        button("Cancel", close),
        button(
          "Keep",
          async (event) => {
            const boxes = [...event.target.closest("dialog").querySelectorAll("[name=need]")];
            const changed = boxes.filter((box) => box.checked !== needs.has(box.value));
            close();
            for (const box of changed) {
              const change = box.checked ? commands.need : commands.free;
              await this.#apply(change(tool.toolId, box.value));
            }
          },
          { class: "primary" },
        ),
      ),
    ]);
  }

  #add(ids) {
    openDialog("Add a step", (close) => {
      const [nameId, pathId, inputId, placeId, listId] = ["name", "path", "input", "place", "scripts"].map(uniqueId);
      const name = h("input", { id: nameId, type: "text", required: true, pattern: "[A-Za-z0-9_.\\-]{1,64}", value: newName(ids) });
      const path = h("input", { id: pathId, type: "text", required: true, list: listId, autocomplete: "off" });
      const input = h("textarea", { id: inputId, rows: 5, class: "code", spellcheck: "false", value: "{}" });
      const place = h(
        "select",
        { id: placeId },
        h("option", { value: "" }, "at the end"),
        ids.map((id) => h("option", { value: id }, `after ${id}`)),
      );
      const error = h("p", { class: "error", role: "alert" });
      const submit = (event) => {
        event.preventDefault();
        const { value, error: why } = commands.readObject(input.value);
        if (why) {
          error.textContent = why;
          return;
        }
        close();
        const tool = { toolId: name.value.trim(), toolPath: path.value.trim(), input: value };
        this.#apply(commands.add(tool, place.value));
      };
      return h(
        "form",
        { onsubmit: submit },
        h("label", { for: nameId }, "Name of the step"),
        name,
        h("label", { for: pathId }, "What runs, as skill/script"),
        path,
        h("datalist", { id: listId }, this.#scripts().map((script) => h("option", { value: script }))),
        h("label", { for: inputId }, "What it gets, as JSON"),
        input,
        h("label", { for: placeId }, "Where"),
        place,
        error,
        h("div", { class: "actions" }, button("Cancel", close), h("button", { type: "submit", class: "primary" }, "Add")),
      );
    });
  }

  #commandLine(known) {
    const id = uniqueId("command");
    const field = h("input", { id, type: "text", autocomplete: "off", class: "code", "data-key": "command" });
    return h(
      "details",
      {},
      h("summary", {}, "Commands in words"),
      h(
        "form",
        {
          class: "row",
          onsubmit: (event) => {
            event.preventDefault();
            if (field.value.trim()) this.#apply(field.value.trim());
          },
        },
        h("label", { for: id }, "Command"),
        field,
        h("button", { type: "submit" }, "Apply"),
      ),
      h("ul", {}, known.map((command) => h("li", {}, h("code", {}, commandText(command))))),
    );
  }
}

function commandText(command) {
  if (typeof command === "string") return command;
  return [command.form ?? command.name, command.does].filter(Boolean).join(" — ");
}

function newName(ids) {
  let number = ids.length + 1;
  while (ids.includes(`step-${number}`)) number += 1;
  return `step-${number}`;
}
