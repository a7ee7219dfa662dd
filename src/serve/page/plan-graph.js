// A plan as a drawing and as a list that says the same and more.

import { fill, fitted, h, svg } from "./dom.js";
import { layoutGraph } from "./graph-layout.js";
import { bytesInWords, countInWords, needsOf, stateInWords, timeInWords } from "./plan.js";

const MARKS = {
  waiting: "○",
  running: "◐",
  retrying: "↻",
  asking: "?",
  success: "✓",
  failed: "✕",
  timeout: "✕",
  skipped: "–",
};

const PLAN_STATES = {
  growing: "is being written",
  proposed: "is proposed",
  rejected: "was rejected",
  running: "runs",
  success: "succeeded",
  complete: "succeeded",
  failed: "failed",
};

export class PlanView {
  #drawing = h("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": "Drawing of the plan" });
  #head = h("p", { class: "lead" });
  #considered = h("div", {});
  #list = h("ol", { class: "steps" });
  #items = new Map();
  #shape = "";

  constructor(element) {
    fill(element, this.#head, this.#drawing, h("h3", {}, "Steps"), this.#list, this.#considered);
  }

  show(plan) {
    if (!plan || (!plan.steps.length && plan.state === "growing")) {
      fill(this.#head, "No plan yet: it appears here while it is made.");
      fill(this.#drawing);
      fill(this.#list);
      fill(this.#considered);
      this.#drawing.hidden = true;
      this.#shape = "";
      this.#items.clear();
      return;
    }
    this.#drawing.hidden = false;
    fill(this.#head, headOf(plan));
    this.#draw(plan);
    this.#showSteps(plan);
    fill(this.#considered, consideredParts(plan));
  }

  #draw(plan) {
    const ids = new Set(plan.steps.map((step) => step.id));
    const shape = JSON.stringify(plan.steps.map((step) => [step.id, needsOf(step.tool, ids)]));
    if (shape !== this.#shape) {
      this.#shape = shape;
      fill(this.#drawing, graphOf(plan.steps, ids));
    }
    for (const step of plan.steps) {
      const node = this.#drawing.querySelector(`[data-step="${CSS.escape(step.id)}"]`);
      if (!node) continue;
      node.setAttribute("class", `step ${step.state}`);
      node.lastElementChild.textContent = [MARKS[step.state] ?? "", timeInWords(step.state === "skipped" ? null : step.ms)]
        .filter(Boolean)
        .join(" ");
    }
  }

  #showSteps(plan) {
    const wanted = new Set(plan.steps.map((step) => step.id));
    for (const [id, item] of this.#items) {
      if (wanted.has(id)) continue;
      item.element.remove();
      this.#items.delete(id);
    }
    plan.steps.forEach((step, at) => {
      let item = this.#items.get(step.id);
      if (!item) {
        const body = h("div", { class: "step-body" });
        const summary = h("summary", {});
        const details = h("details", {}, summary, body);
        item = { element: h("li", {}, details), details, summary, body, step: null };
        details.addEventListener("toggle", () => {
          if (details.open) fill(body, stepBody(item.step));
        });
        this.#items.set(step.id, item);
      }
      if (this.#list.children[at] !== item.element) this.#list.insertBefore(item.element, this.#list.children[at] ?? null);
      if (item.step === step) return;
      item.step = step;
      fill(item.summary, stepSummary(step));
      if (item.details.open) fill(item.body, stepBody(step));
    });
  }
}

function headOf(plan) {
  const parts = [
    `The plan of turn ${plan.turn} ${PLAN_STATES[plan.state] ?? plan.state}`,
    plan.planner && `made by ${plan.planner}`,
    plan.attempt > 1 && `attempt ${plan.attempt}`,
    plan.ms !== null && plan.ms !== undefined && timeInWords(plan.ms),
  ];
  const text = `${parts.filter(Boolean).join(", ")}.`;
  const versions = plan.versions.map(({ version, changes }) => ` Version ${version}: ${changes}.`);
  const errors = plan.errors.map((error) => ` ${error}`);
  return text + versions.join("") + errors.join("");
}

function graphOf(steps, ids) {
  const layout = layoutGraph(steps.map((step) => ({ id: step.id, needs: needsOf(step.tool, ids) })));
  const at = new Map(layout.nodes.map((node) => [node.id, node]));
  const { nodeWidth: wide, nodeHeight: high } = layout;
  const edges = layout.edges.map(({ from, to }) => {
    const [x1, y1] = [at.get(from).x + wide / 2, at.get(from).y + high];
    const [x2, y2] = [at.get(to).x + wide / 2, at.get(to).y];
    const bend = Math.max(14, (y2 - y1) / 2);
    return svg("path", { class: "edge", d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` });
  });
  const nodes = steps.map((step) => {
    const { x, y } = at.get(step.id);
    const name = step.id.length > 15 ? `${step.id.slice(0, 14)}…` : step.id;
    return svg(
      "g",
      { class: `step ${step.state}`, "data-step": step.id },
      svg("title", {}, `${step.title} (${step.path})`),
      svg("rect", { x, y, width: wide, height: high, rx: 8 }),
      svg("text", { x: x + wide / 2, y: y + 18, "text-anchor": "middle" }, name),
      svg("text", { x: x + wide / 2, y: y + 35, "text-anchor": "middle", class: "mark" }, ""),
    );
  });
  const graph = svg(
    "svg",
    {
      viewBox: `-2 -2 ${layout.width + 4} ${layout.height + 4}`,
      width: layout.width + 4,
      height: layout.height + 4,
      role: "img",
      "aria-label": `Drawing of ${steps.length} steps; the list below says the same.`,
    },
    edges,
    nodes,
  );
  return fitted(graph, layout.width);
}

function stepSummary(step) {
  return [
    h("span", { class: `badge ${step.state}` }, h("span", { "aria-hidden": "true" }, `${MARKS[step.state] ?? ""} `), stateInWords(step)),
    " ",
    h("strong", {}, step.id),
    " ",
    h("span", { class: "path" }, step.path),
    step.state !== "skipped" && step.ms !== null && h("span", { class: "facts" }, ` ${timeInWords(step.ms)}`),
    step.progress !== null && [
      h("progress", { max: 100, value: step.progress, "aria-label": `Progress of ${step.id}` }),
      h("span", { class: "facts" }, step.message),
    ],
  ];
}

function stepBody(step) {
  const { tool } = step;
  const facts = [
    ["What it is for", tool.description],
    ["Why", tool.reason],
    ["Result", step.summary],
    ["Error", step.error],
    ["Only if", tool.when],
    ["For each of", tool.forEach && JSON.stringify(tool.forEach)],
    ["Waits for", (tool.dependencies ?? []).join(", ")],
    ["Attempts", step.attempt > 0 && String(step.attempt)],
    ["Repeated", step.retries > 0 && `${step.retries} times`],
    ["Time", step.ms > 0 && timeInWords(step.ms)],
    ["Fuel", step.fuel > 0 && countInWords(step.fuel)],
    ["Memory", step.memory > 0 && bytesInWords(step.memory)],
  ].filter(([, value]) => value);
  return [
    h("dl", { class: "facts-list" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))])),
    tool.input && Object.keys(tool.input).length > 0 && h("pre", { tabindex: 0 }, JSON.stringify(tool.input, null, 2)),
    step.logs.length > 0 &&
      h("ul", { class: "logs" }, step.logs.map(({ level, message }) => h("li", { class: level }, `${level}: ${message}`))),
  ];
}

function consideredParts(plan) {
  if (!plan.considered.length) return null;
  return [
    h("h3", {}, "What the planner considered"),
    h(
      "ul",
      { class: "considered" },
      plan.considered.map(({ tool, probability = 0, by, chosen }) =>
        h(
          "li",
          {},
          h("meter", { min: 0, max: 1, value: probability, "aria-label": `Certainty of ${tool}` }),
          ` ${Math.round(probability * 100)} % ${tool}, ${chosen ? "chosen" : "not chosen"}, by ${
            by === "model" ? "vectors and model" : by
          }`,
        ),
      ),
    ),
  ];
}
