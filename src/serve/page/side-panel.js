// The panel beside the story: the notebook of the player, and what is behind the page. It reads documents, which the
// server answers while a turn runs too.

import { documentOf, skills } from "./api.js";
import { button, fill, h } from "./dom.js";
import { portraitsOf, showGallery } from "./gallery.js";
import { showHere, showJournal } from "./here.js";
import { showMap } from "./map.js";
import { MemoriesView } from "./memories.js";
import { PlanView } from "./plan-graph.js";
import { planOfRecord } from "./plan.js";
import { showSkills } from "./skills.js";
import { Tabs } from "./tabs.js";
import { showTree } from "./turn-tree.js";
import { showChanges, showWhy } from "./why.js";

/** Turns that are asked for where all of them count: the tree, pictures, and who was drawn. */
const TREE_TURNS = 400;

export class SidePanel {
  #element;
  #story;
  #actions;
  #state = null;
  #mode = null;
  #title = h("h2", { tabindex: -1 });
  #holder = h("div", {});
  #books = {};
  #elements = {};
  #memories;
  #plan;
  #turn = null;
  #journal = null;
  #facts = {};
  #skills = null;

  /**
   * `actions`: `send(line)`, `insert(text)`, `propose(sentence)`, `go(turn)`, `switchTo(branch)`, `changed()` when the
   * panel opens or closes.
   */
  constructor(element, story, actions) {
    this.#element = element;
    this.#story = story;
    this.#actions = actions;
    const names = ["here", "map", "journal", "memories", "gallery", "plan", "why", "changes", "turns", "skills"];
    for (const name of names) this.#elements[name] = h("div", { class: `view-${name}` });
    this.#memories = new MemoriesView(this.#elements.memories, actions.send);
    this.#plan = new PlanView(this.#elements.plan);
    const view = (name, label) => ({ name, label, element: this.#elements[name] });
    const book = (label, views) => new Tabs(label, views, (name) => this.#load(name));
    this.#books.notebook = book("Notebook", [
      view("here", "Here"),
      view("map", "Map"),
      view("journal", "Journal"),
      view("memories", "Memories"),
      view("gallery", "Gallery"),
    ]);
    this.#books.behind = book("Behind the page", [
      view("plan", "Plan"),
      view("changes", "Changes"),
      view("why", "Why"),
      view("turns", "Turns"),
      view("skills", "Skills"),
    ]);
    fill(
      element,
      h("header", {}, this.#title, button("×", () => this.close(), { class: "quiet icon", "aria-label": "Close the panel" })),
      this.#holder,
    );
  }

  get mode() {
    return this.#mode;
  }

  /** What the composer may offer. */
  get scope() {
    return this.#facts.scope ?? null;
  }

  get recap() {
    return this.#facts.recap ?? null;
  }

  toggle(mode) {
    if (this.#mode === mode) this.close();
    else this.open(mode);
  }

  open(mode, name, { focus = true, turn = null } = {}) {
    this.#mode = mode;
    this.#turn = turn;
    this.#title.textContent = mode === "behind" ? "Behind the page" : "Notebook";
    const tabs = this.#books[mode];
    fill(this.#holder, tabs.element);
    this.#element.hidden = false;
    this.#actions.changed();
    tabs.select(name ?? tabs.current ?? (mode === "behind" ? "plan" : "here"));
    if (focus) this.#title.focus();
  }

  /** Opens the tab of this name in whichever book has it. */
  openView(name, turn) {
    const mode = this.#books.notebook.has(name) ? "notebook" : "behind";
    this.open(mode, name, { turn });
  }

  close() {
    if (!this.#mode) return;
    this.#mode = null;
    this.#element.hidden = true;
    this.#actions.changed();
  }

  /** Takes the story as it is now; the plan is drawn at once, documents are read when a turn has ended. */
  show(state) {
    const before = this.#state;
    this.#state = state;
    if (state.plan !== before?.plan && this.#mode === "behind" && this.#books.behind.current === "plan" && !this.#turn) {
      if (state.plan) this.#plan.show(state.plan);
    }
    if (state.skills !== before?.skills && this.#isSeen("skills")) this.#load("skills");
  }

  takeJournal(text) {
    this.#journal = text;
    if (this.#isSeen("journal")) this.#load("journal");
  }

  /** Reads what changes with every turn, and the view that is open. */
  async refresh() {
    this.#turn = null;
    const [scope, view, recap] = await Promise.all([
      this.#read("state", { pointer: "/world/scope" }),
      this.#read("state", { pointer: "/world/view" }),
      this.#read("recap"),
    ]);
    this.#facts = { scope: scope?.value ?? null, view: view?.value ?? null, recap };
    const seen = this.#mode && this.#books[this.#mode].current;
    if (seen) await this.#load(seen);
  }

  #isSeen(name) {
    return this.#mode !== null && this.#books[this.#mode].current === name;
  }

  async #read(about, query) {
    try {
      return await documentOf(this.#story, about, query);
    } catch {
      // A story without turns has no such document yet.
      return null;
    }
  }

  async #load(name) {
    const element = this.#elements[name];
    const { insert, propose, send } = this.#actions;
    switch (name) {
      case "here":
        return showHere(element, this.#facts, { insert, propose });
      case "map":
        return showMap(element, await this.#read("map"), { propose });
      case "journal": {
        const actions = { askJournal: () => send("/journal"), hint: () => send("/hint") };
        const portraits = portraitsOf(await this.#read("assets", { count: TREE_TURNS }));
        const facts = { story: this.#story, journal: this.#journal, portraits, ...this.#facts };
        return showJournal(element, facts, actions);
      }
      case "memories":
        return this.#memories.show(await this.#read("memory"));
      case "gallery":
        return showGallery(element, this.#story, await this.#read("assets", { count: TREE_TURNS }));
      case "plan":
        return this.#showPlan();
      case "why":
        return showWhy(element, await this.#why());
      case "changes":
        return showChanges(element, await this.#why());
      case "turns":
        return this.#showTurns(element);
      case "skills":
        this.#skills ??= await skills().catch(() => null);
        return showSkills(element, this.#skills, this.#state?.skills ?? {}, {
          enable: (skill) => send(`/enable ${skill}`),
          refresh: () => send("/skills"),
        });
      default:
        return undefined;
    }
  }

  #why() {
    return this.#read("why", this.#turn ? { turn: this.#turn } : undefined);
  }

  async #showPlan() {
    const live = this.#state?.plan;
    if (live && !this.#turn) return this.#plan.show(live);
    const why = await this.#why();
    const record = why?.plans?.at(-1);
    return this.#plan.show(record ? planOfRecord(why.turn, record) : null);
  }

  async #showTurns(element) {
    const [log, branches] = await Promise.all([
      this.#read("log", { count: TREE_TURNS }),
      this.#read("branches"),
    ]);
    const { go, switchTo } = this.#actions;
    showTree(element, { log, branches }, { go, switchTo });
  }
}
