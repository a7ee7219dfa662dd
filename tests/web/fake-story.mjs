// A story for development that replays a recorded evening: whatever is said, the next recorded turn is told. Knows
// branches, undo, questions, approvals and reviews well enough to see the page at work.
import { readRecording } from "./recording.mjs";

/** Reads the recording as turns: the updates of each, and the documents that were shown after it. */
function readTurns() {
  const turns = [];
  let skills = null;
  for (const update of readRecording()) {
    if (update.type === "turn.started") turns.push({ updates: [], documents: {} });
    const turn = turns.at(-1);
    if (update.type === "story.shown") turn.documents[update.about] = update.document;
    else if (update.type === "skills.listed") skills = update;
    else if (update.turn !== undefined) turn?.updates.push(update);
  }
  return { turns, skills };
}

const RECORDING = readTurns();

export class FakeStory {
  nodes = [];
  head = null;
  redo = [];
  branches = new Map([["main", null]]);
  branch = "main";
  memories = [];
  ready = true;
  reviewing = false;
  running = null;
  pending = [];
  review = null;
  seq = 0;
  events = [];
  followers = new Set();
  accepted = new Map();
  stopped = false;
  #decide = null;
  #verdict = null;

  constructor(name, { run, pace, title = "The Last Reading" }) {
    this.name = name;
    this.title = title;
    this.run = run;
    this.pace = pace;
  }

  /** Fills the story with turns that nobody waits for. */
  fillTo(count) {
    while (this.turns < count) {
      const { narration, choices } = this.recorded(this.turns + 1).updates.at(-1);
      this.append(this.turns === 0 ? this.title : `sentence number ${this.turns + 1}`, narration, choices);
    }
  }

  get turns() {
    return this.head === null ? 0 : this.nodes[this.head - 1].turn;
  }

  get node() {
    return this.head === null ? null : this.nodes[this.head - 1];
  }

  recorded(turn) {
    const { turns } = RECORDING;
    return turns[turn <= turns.length ? turn - 1 : 1 + ((turn - 2) % (turns.length - 1))];
  }

  append(prompt, narration, choices) {
    const parent = this.head;
    const take = 1 + this.nodes.filter((node) => node.parent === parent).length;
    const node = { id: this.nodes.length + 1, parent, turn: this.turns + 1, take, prompt, narration, choices };
    this.nodes.push(node);
    this.head = node.id;
    this.branches.set(this.branch, node.id);
    this.redo = [];
    return node;
  }

  line(ofHead = this.head) {
    const nodes = [];
    for (let id = ofHead; id !== null; id = this.nodes[id - 1].parent) nodes.unshift(this.nodes[id - 1]);
    return nodes;
  }

  told(before = Infinity, count = 30) {
    const all = this.line().filter((node) => node.turn < before);
    const told = all.slice(-count).map(({ turn, id, prompt, narration }) => ({ turn, id, prompt, narration }));
    return { told, toldBefore: all.length - told.length };
  }

  snapshot() {
    return {
      story: this.name,
      title: this.title,
      turns: this.turns,
      branch: this.branch,
      redoable: this.redo.length,
      ...this.told(),
      choices: this.node?.choices ?? [],
      at: `${this.run}.${this.turns}.${this.seq}`,
      ready: this.ready,
      running: this.running,
      pending: this.pending,
      review: this.review,
      mayPlay: true,
    };
  }

  emit(type, data) {
    this.seq += 1;
    const event = { id: `${this.run}.${this.turns}.${this.seq}`, seq: this.seq, type, data: JSON.stringify(data) };
    this.events.push(event);
    if (this.events.length > 2000) this.events.shift();
    for (const follower of this.followers) follower(event);
  }

  update(update) {
    this.emit("update", { v: 1, ...update });
  }

  becomeReady() {
    this.ready = true;
    this.emit("ready", { turns: this.turns });
  }

  async say(text) {
    this.ready = false;
    const [word, ...rest] = text.split(" ");
    const command = this.#commands()[word];
    if (command) await command(rest);
    else await this.#play(text);
    this.becomeReady();
  }

  #moved(by, left, entered) {
    this.update({
      type: "story.moved",
      by,
      branch: this.branch,
      turns: this.turns,
      left,
      entered,
      redoable: this.redo.length,
      narration: this.node?.narration ?? "",
      choices: this.node?.choices ?? [],
    });
  }

  #commands() {
    const shown = (about) => async () =>
      this.update({ type: "story.shown", about, document: this.recorded(this.turns || 1).documents[about] ?? { text: "" } });
    return {
      "/undo": async ([count = "1"]) => {
        const left = Math.min(Number(count), this.turns - 1);
        for (let at = 0; at < left; at += 1) {
          this.redo.push(this.head);
          this.head = this.node.parent;
        }
        this.branches.set(this.branch, this.head);
        if (left) this.#moved("undo", left, 0);
        else this.emit("notice", { text: "there is nothing to take back" });
      },
      "/redo": async () => {
        if (!this.redo.length) return this.emit("notice", { text: "there is nothing to bring back" });
        this.head = this.redo.pop();
        this.branches.set(this.branch, this.head);
        this.#moved("redo", 0, 1);
      },
      "/retry": async () => this.#replay("retry", this.turns, this.node.prompt),
      "/edit": async (words) => {
        const turn = /^[0-9]+$/.test(words[0]) ? Number(words.shift()) : this.turns;
        await this.#replay("edit", turn, words.join(" "));
      },
      "/branch": async ([name, turn]) => {
        if (this.branches.has(name)) return this.emit("notice", { text: `the branch ${name} is there already` });
        const byId = /^id:(\d+)$/.exec(turn ?? "");
        const node = byId ? this.nodes[Number(byId[1]) - 1] : this.line()[(turn ? Number(turn) : this.turns) - 1];
        this.branches.set(name, node.id);
        this.emit("notice", { text: `turn ${node.turn} is now called ${name}` });
        this.update({ type: "story.shown", about: "branch", document: this.branchDocument() });
      },
      "/switch": async ([name]) => {
        if (!this.branches.has(name)) return this.emit("notice", { text: `there is no branch ${name}` });
        const left = this.turns;
        this.branch = name;
        this.head = this.branches.get(name);
        this.redo = [];
        this.#moved("switch", left, this.turns);
      },
      "/memory": async ([verb, id, ...words]) => {
        const memory = this.memories.find((one) => one.id === id);
        if (!memory) return this.emit("notice", { text: `there is no memory ${id}` });
        if (verb === "pin" || verb === "unpin") memory.pinned = verb === "pin";
        if (verb === "edit") memory.text = words.join(" ");
        if (verb === "forget") this.memories = this.memories.filter((one) => one !== memory);
        this.append(`/memory ${verb} ${id}`, "", this.node?.choices ?? []);
        this.emit("notice", { text: `memory: ${id}; /undo takes it back` });
      },
      "/hint": shown("hint"),
      "/journal": shown("journal"),
      "/skills": async () => this.update(RECORDING.skills),
      "/enable": async () => this.update(RECORDING.skills),
    };
  }

  async #replay(by, turn, prompt) {
    const left = this.turns - turn + 1;
    this.head = this.line()[turn - 2]?.id ?? null;
    this.#moved(by, left, 0);
    await this.#play(prompt);
  }

  async #play(prompt) {
    this.stopped = false;
    const turn = this.turns + 1;
    const { updates } = this.recorded(turn);
    this.running = { turn, prompt, text: "" };
    for (const update of updates) {
      if (this.stopped) {
        this.running = null;
        this.update({ type: "turn.finished", turn, outcome: "cancelled", narration: "", choices: [], attempts: 1, elapsedMs: 1 });
        return;
      }
      const mine = { ...update, turn };
      if (update.type === "turn.started") mine.prompt = prompt;
      if (update.type === "plan.started") {
        if (this.reviewing && !(await this.#review(turn, updates))) this.stopped = true;
        if (this.stopped) continue;
      }
      if (update.type === "narration.delta") {
        await this.#tell(turn, update.text);
        continue;
      }
      if (update.type === "turn.finished") {
        const node = this.append(prompt, update.narration, update.choices);
        if (prompt.startsWith("remember that ")) {
          const text = prompt.slice("remember that ".length);
          this.memories.push({ id: `M${this.memories.length}`, text, turn: node.turn, tags: [], pinned: false });
        }
        this.running = null;
      }
      this.update(mine);
      if (update.type === "plan.started") await this.#ask(turn, update.planId, prompt);
      await this.#pause(update.type === "step.started" ? 6 : 1);
    }
  }

  async #tell(turn, text) {
    for (const piece of text.match(/\S+\s*/g) ?? []) {
      if (this.stopped) return;
      this.running.text += piece;
      this.update({ type: "narration.delta", turn, text: piece });
      await this.#pause(1);
    }
  }

  async #ask(turn, planId, prompt) {
    const base = { turn, planId, toolId: "narrate" };
    if (prompt.includes("a question")) {
      const asked = { question: "Which door do you take?", choices: ["The left one", "The right one"] };
      this.pending = [{ toolId: "narrate", kind: "question", ...asked }];
      this.update({ type: "step.asked", ...base, ...asked });
      const { decision } = await this.#decision();
      this.update({ type: "step.answered", ...base, answered: decision === "answer" });
    }
    if (prompt.includes("an approval")) {
      const asked = { toolPath: "storyteller/narrate", input: { style: "loud" }, description: "Tell it loudly" };
      this.pending = [{ toolId: "narrate", kind: "approval", ...asked }];
      this.update({ type: "step.waiting", ...base, ...asked });
      const { decision } = await this.#decision();
      this.update({ type: "step.decided", ...base, approved: decision === "approve", by: "player" });
    }
  }

  async #decision() {
    const decision = await new Promise((resolve) => {
      this.#decide = resolve;
    });
    this.pending = [];
    return decision;
  }

  decide(decision) {
    if (!this.#decide) return false;
    this.#decide(decision);
    this.#decide = null;
    return true;
  }

  async #review(turn, updates) {
    const { plan } = updates.find((update) => update.type === "plan.proposed");
    const commands = ["start", "cancel", "edit N JSON", "describe N TEXT", "skip N", "keep N", "move N before|after M", "need N M…", "free N M…", "add [before|after M] JSON", "remove N", "again REMARK"];
    const draft = { turn, planId: plan.requestId, version: 1, plan: structuredClone(plan), problems: [], commands };
    for (;;) {
      this.review = draft;
      this.emit("review", draft);
      const command = await new Promise((resolve) => {
        this.#verdict = resolve;
      });
      delete draft.refused;
      if (command === "start" || command === "cancel") {
        this.review = null;
        this.emit("review", null);
        this.update({ type: "plan.reviewed", turn, planId: plan.requestId, decision: command });
        return command === "start";
      }
      change(draft, command);
    }
  }

  command(command) {
    if (!this.#verdict) return false;
    this.#verdict(command);
    return true;
  }

  stop() {
    this.stopped = true;
    this.decide({ decision: "leave" });
    this.command("cancel");
  }

  #pause(weight) {
    return new Promise((resolve) => setTimeout(resolve, this.pace * weight));
  }

  branchDocument() {
    const branches = [...this.branches].map(([name, id]) => ({
      name,
      turns: id === null ? 0 : this.nodes[id - 1].turn,
      redoable: name === this.branch ? this.redo.length : 0,
      current: name === this.branch,
    }));
    return { story: this.name, branches };
  }

  document(about, query) {
    const recorded = (turn) => this.recorded(turn || 1).documents;
    const turn = Number(query.get("turn")) || this.turns;
    switch (about) {
      case "told":
        return this.told(Number(query.get("before")) || Infinity, Number(query.get("count")) || 30);
      case "log": {
        const named = (id) => [...this.branches].filter(([, head]) => head === id).map(([name]) => name);
        const turns = this.nodes.slice(-(Number(query.get("count")) || 100)).map((node) => ({
          id: node.id,
          parent: node.parent,
          turn: node.turn,
          take: node.take,
          prompt: node.prompt,
          outcome: "told",
          finishedAt: "2026-11-29T21:00:00Z",
          branches: named(node.id),
        }));
        return { story: this.name, turns: turns.reverse() };
      }
      case "branches":
        return this.branchDocument();
      case "memory":
        return { story: this.name, memories: this.memories, memoriesLeftOff: 0, texts: [] };
      case "state": {
        const pointer = query.get("pointer") ?? "";
        const { value: world } = recorded(this.turns).state ?? {};
        const value = pointer.startsWith("/world/") ? world?.[pointer.slice("/world/".length)] : { world };
        return value === undefined ? null : { pointer, value };
      }
      case "why": {
        const why = recorded(turn).why;
        return why && { ...why, turn };
      }
      default:
        return recorded(this.turns)[about] ?? null;
    }
  }
}

/** Does a command of the review to a draft, or writes why not. */
function change(draft, command) {
  const [verb, id, ...rest] = command.split(" ");
  const { tools } = draft.plan;
  const at = tools.findIndex((tool) => tool.toolId === id);
  const text = rest.join(" ");
  const needed = tools.find((tool) => (tool.dependencies ?? []).includes(id));
  if (verb === "skip" || verb === "keep") tools[at].skip = verb === "skip";
  else if (verb === "describe") tools[at].description = text;
  else if (verb === "edit") tools[at].input = JSON.parse(text);
  else if (verb === "remove" && needed) {
    draft.refused = `step \`${id}\` cannot be removed, \`${needed.toolId}\` needs it (skip it instead)`;
    return;
  } else if (verb === "remove") tools.splice(at, 1);
  else if (verb === "add" && id.startsWith("{")) tools.push(JSON.parse(command.slice(4)));
  else if (verb === "move") {
    const [tool] = tools.splice(at, 1);
    const target = tools.findIndex((other) => other.toolId === rest[1]);
    tools.splice(rest[0] === "before" ? target : target + 1, 0, tool);
  } else {
    draft.refused = `\`${verb}\` is not known here, \`help\` lists what is`;
    return;
  }
  draft.version += 1;
}
