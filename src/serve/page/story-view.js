// A story in play: follows its events, shows it, and takes the player's lines to it.

import { about, decide, documentOf, endSession, eventsAddress, review, sendLine, setReviewing, skills, stop } from "./api.js";
import { announce } from "./announcer.js";
import { pickChoice, sentenceOf } from "./choices.js";
import { readLine } from "./commands.js";
import { Composer } from "./composer.js";
import { button, fill, h, onceAFrame } from "./dom.js";
import { openExport } from "./export.js";
import { openHelp } from "./help.js";
import { Outbox } from "./outbox.js";
import { PendingView } from "./pending.js";
import { ReviewView } from "./review.js";
import { placeLine, recapCard, recapInWords } from "./recap.js";
import { setSetting, setting } from "./settings.js";
import { SidePanel } from "./side-panel.js";
import { Speaker } from "./speech.js";
import { newStory, storyAfter, withNote, withOlder, withTold } from "./story.js";
import { buildFrame } from "./story-frame.js";
import { openStoryMenu } from "./story-menu.js";
import { StoryStream } from "./stream.js";
import { Transcript } from "./transcript.js";
import { askBranch, openTurnMenu } from "./turn-menu.js";
import { openWatchers } from "./watchers.js";

/** Turns that are fetched at once. */
const OLDER_TURNS = 30;

const CONNECTION = {
  connecting: "Connecting…",
  waiting: "The connection was cut. It is made again; nothing is lost.",
};

const GONE_ON = "The story has gone on meanwhile. Look whether your sentence was played; it is in the field below.";

export class StoryView {
  #name;
  #root;
  #home;
  #program;
  #state;
  #stream;
  #speaker = new Speaker();
  #outbox;
  #parts = {};
  #views = {};
  #connection = "connecting";
  /** What the server says against the connection. */
  #whyNot = null;
  /** The sentence that was sent last from this tab. */
  #lastSaid = null;
  #isOutdated = false;
  #isClosed = false;
  #recap = null;
  #scripts = [];
  #isReviewing = false;
  /** True for a reader, who has a link and may do nothing. */
  #watches;
  /** True until the story is shown, unless this tab has shown it before. */
  #isReturn;
  #draw = onceAFrame(() => this.#drawNow());
  #online = () => this.#stream.retryNow();

  constructor(root, name, program, home) {
    this.#root = root;
    this.#name = name;
    this.#program = program;
    this.#home = home;
    this.#watches = program.mayPlay === false;
    this.#state = newStory(name);
    const seenKey = `narratoria seen ${name}`;
    this.#isReturn = !sessionStorage.getItem(seenKey);
    sessionStorage.setItem(seenKey, "yes");
    this.#isReviewing = setting("review");
    this.#outbox = new Outbox(name, {
      storage: sessionStorage,
      send: (line) => sendLine(name, line),
      handlers: { changed: () => this.#draw(), refused: (line, error) => this.#onRefused(line, error) },
    });
  }

  show() {
    document.title = `${this.#name} — Narratoria`;
    this.#build();
    this.#connect();
    window.addEventListener("online", this.#online);
    document.addEventListener("visibilitychange", this.#online);
    if (setting("behind") && !this.#watches) this.#views.panel.open("behind", undefined, { focus: false });
    this.#views.composer.focus();
  }

  close() {
    this.#isClosed = true;
    this.#root.onkeydown = null;
    this.#stream.close();
    window.removeEventListener("online", this.#online);
    document.removeEventListener("visibilitychange", this.#online);
  }

  #connect() {
    this.#stream?.close();
    this.#stream = new StoryStream(eventsAddress(this.#name), {
      event: (event) => this.#onEvent(event),
      state: (state, why) => this.#onConnection(state, why),
      refused: (status) => this.#onNoStory(status),
    });
    this.#stream.run();
  }

  // ---- What comes from the server

  #onEvent(event) {
    const before = this.#state;
    this.#state = storyAfter(before, event);
    for (const message of this.#speaker.hear(event)) announce(message);
    const type = event.type === "update" ? event.data.type : event.type;
    this.#follow(type, event.data);
    const isUnplayed = type === "turn.failed" || (type === "turn.finished" && event.data.outcome === "cancelled");
    if (isUnplayed) this.#giveBack(before.running?.prompt);
    this.#draw();
  }

  /** A sentence that was not played stands in the field again. */
  #giveBack(prompt) {
    if (prompt && prompt === this.#lastSaid && !this.#views.composer.text) this.#views.composer.set(prompt);
  }

  #follow(type, data) {
    const { panel, transcript } = this.#views;
    if (type === "snapshot") this.#onSnapshot();
    if (type === "turn.started") {
      this.#recap = null;
      transcript.followNext();
    }
    if (type === "story.shown" && data.about === "journal") panel.takeJournal(data.document?.text ?? "");
    if (["turn.finished", "story.moved"].includes(type)) this.#refreshSoon();
    if (type === "ready") {
      if (this.#state.stale) this.#fetchTold();
      this.#flush();
      this.#refreshSoon();
    }
  }

  async #onSnapshot() {
    if (this.#watches) return;
    this.#isReviewing = setting("review") || this.#state.reviewing;
    if (this.#isReviewing && !this.#state.reviewing) setReviewing(this.#name, true).catch(() => {});
    if (this.#state.ready) this.#flush();
    await this.#views.panel.refresh();
    if (this.#isReturn && this.#state.turns > 1 && !this.#state.running) this.#recap = this.#views.panel.recap;
    this.#isReturn = false;
    this.#draw();
  }

  #refreshTimer = null;

  #refreshSoon() {
    // Documents are for the player.
    if (this.#watches) return;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(async () => {
      await this.#views.panel.refresh();
      const ended = this.#views.panel.recap?.ended ?? null;
      if (ended !== this.#state.ended) this.#state = { ...this.#state, ended };
      this.#draw();
    }, 120);
  }

  async #fetchTold() {
    const document = await documentOf(this.#name, "told", { count: OLDER_TURNS }).catch(() => null);
    if (!document) return;
    this.#state = withTold(this.#state, document);
    this.#draw();
  }

  async #fetchOlder() {
    const first = this.#state.told[0]?.turn;
    if (!first || !this.#state.toldBefore) return;
    const document = await documentOf(this.#name, "told", { before: first, count: OLDER_TURNS }).catch(() => null);
    if (!document) return;
    this.#state = withOlder(this.#state, document);
    this.#views.transcript.show(this.#state);
  }

  async #onConnection(state, why) {
    this.#connection = state;
    this.#whyNot = why ?? null;
    this.#draw();
    if (state !== "open") return;
    const program = await about().catch(() => null);
    if (program && program.page !== this.#program.page) {
      this.#isOutdated = true;
      this.#draw();
    }
  }

  #onNoStory(status) {
    if (status === 401) return endSession();
    const whys = { 403: "Your link does not show this story.", 404: `There is no story ${this.#name}.` };
    this.#state = { ...this.#state, closed: { why: whys[status] ?? "The story cannot be opened." } };
    this.#draw();
  }

  // ---- What the player does

  #onLine(text) {
    const question = PendingView.questionOf(this.#state.pending);
    if (question && text.trim()) {
      const answer = this.#answerTo(question, text.trim());
      this.#decide({ toolId: question.toolId, decision: "answer", text: answer }).catch((error) => this.#fail(error));
      return "taken";
    }
    const wish = readLine(text);
    if (!wish) return "keep";
    if (wish.view) return this.#showView(wish);
    if (wish.say) return this.#note(wish.say);
    if (this.#state.running || this.#outbox.lines.length) {
      this.#note("The story is still writing. Your sentence waits here; send it when the turn is over.");
      return "keep";
    }
    const pick = pickChoice(wish.line, this.#state.choices);
    if (pick?.error) return this.#note(pick.error);
    this.#send(pick?.sentence ?? wish.line);
    return "taken";
  }

  #answerTo(question, text) {
    const choices = (question.choices ?? []).map((label) => ({ label }));
    return pickChoice(text, choices)?.sentence ?? text;
  }

  #send(...lines) {
    this.#deliver(...lines);
    this.#views.composer.focus();
  }

  /** Sends without taking the focus, which may be in the panel. */
  #deliver(...lines) {
    this.#state = { ...this.#state, notes: [] };
    this.#lastSaid = lines[0];
    this.#outbox.add(...lines);
    this.#views.transcript.followNext();
    this.#flush();
  }

  #flush() {
    if (this.#state.ready || this.#outbox.lines[0]?.after !== null) {
      this.#outbox.flush(() => this.#state.turns, () => !this.#isClosed);
    }
  }

  #onRefused(line, error) {
    if (error.status === 401) return;
    const played = this.#state.told.at(-1)?.prompt === line.text;
    if (error.kind === "moved" && played) return;
    if (!this.#views.composer.text) this.#views.composer.set(line.text);
    const why = error.kind === "moved" ? GONE_ON : error.text;
    this.#note(why, "error");
  }

  #note(text, tone = "note") {
    this.#state = withNote(this.#state, text, tone);
    announce(text);
    this.#draw();
    return "taken";
  }

  #fail(error) {
    this.#note(error.text ?? String(error), "error");
  }

  async #decide(decision) {
    await decide(this.#name, decision);
    this.#views.composer.focus();
  }

  #showView({ view, turn }) {
    if (view === "recap") {
      this.#showRecap();
      return "taken";
    }
    if (view === "home") this.#home();
    else if (view === "help") openHelp();
    else if (view === "choices") this.#parts.choices.querySelector("button")?.focus();
    else this.#views.panel.openView(view, turn);
    return "leave";
  }

  async #showRecap() {
    this.#recap = await documentOf(this.#name, "recap").catch(() => null);
    if (this.#recap?.scene) announce(recapInWords(this.#recap));
    this.#draw();
  }

  #go(node) {
    askBranch(`id:${node.id}`, (...lines) => this.#send(...lines), true);
  }

  #openMenu(turn) {
    openTurnMenu(turn, turn.turn === this.#state.turns, {
      send: (...lines) => this.#send(...lines),
      openView: (name, number) => this.#views.panel.openView(name, number),
    });
  }

  async #setReviewing(on) {
    this.#isReviewing = on;
    setSetting("review", on);
    try {
      await setReviewing(this.#name, on);
    } catch (error) {
      this.#fail(error);
    }
    this.#draw();
  }

  #openMore() {
    openStoryMenu(this.#isReviewing, {
      setReviewing: (on) => this.#setReviewing(on),
      recap: () => this.#showRecap(),
      retry: () => this.#send("/retry"),
      turns: () => this.#views.panel.openView("turns"),
      watchers: () => openWatchers(this.#name),
      takeAlong: () => openExport(this.#name, this.#title()),
    });
  }

  // ---- How it is shown

  #build() {
    this.#parts = buildFrame(this.#root, {
      undo: () => this.#send("/undo"),
      redo: () => this.#send("/redo"),
      hint: () => this.#send("/hint"),
      notebook: () => this.#views.panel.toggle("notebook"),
      behind: () => this.#toggleBehind(),
      more: () => this.#openMore(),
    });
    this.#root.classList.toggle("watching", this.#watches);
    this.#root.onkeydown = (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.#views.panel.close();
    };
    this.#buildViews();
    this.#drawNow();
  }

  #buildViews() {
    const p = this.#parts;
    this.#views.transcript = new Transcript({
      list: p.list,
      scroller: p.scroller,
      jump: p.jump,
      callbacks: { older: () => this.#fetchOlder(), menu: (turn) => this.#openMenu(turn) },
    });
    this.#views.composer = new Composer(
      { form: p.form, field: p.field, list: p.offers, send: p.send, stop: p.stop },
      this.#name,
      { line: (text) => this.#onLine(text), stop: () => stop(this.#name).catch((error) => this.#fail(error)) },
    );
    this.#views.pending = new PendingView(p.requests, (decision) => this.#decide(decision));
    this.#views.review = new ReviewView(p.review, (command) => review(this.#name, command), () => this.#scripts);
    this.#views.panel = new SidePanel(p.panel, this.#name, {
      send: (...lines) => this.#sendOrSay(...lines),
      insert: (text) => this.#views.composer.insert(text),
      propose: (sentence) => this.#views.composer.set(sentence),
      go: (node) => this.#go(node),
      switchTo: (branch) => this.#sendOrSay(`/switch ${branch}`),
      changed: () => this.#onPanel(),
    });
  }

  #sendOrSay(...lines) {
    if (!this.#state.ready || this.#outbox.lines.length) this.#note("The story is still writing; try again when the turn is over.");
    else this.#deliver(...lines);
  }

  #toggleBehind() {
    this.#views.panel.toggle("behind");
    setSetting("behind", this.#views.panel.mode === "behind");
  }

  #onPanel() {
    const mode = this.#views.panel?.mode ?? null;
    const { notebook, behind } = this.#parts;
    const hadFocus = this.#parts.panel.contains(document.activeElement) || document.activeElement === document.body;
    notebook.setAttribute("aria-expanded", String(mode === "notebook"));
    behind.setAttribute("aria-expanded", String(mode === "behind"));
    this.#root.classList.toggle("with-panel", mode !== null);
    if (mode === null && setting("behind")) setSetting("behind", false);
    if (mode === null && hadFocus) this.#views.composer.focus();
  }

  #title() {
    return this.#state.title ?? this.#views.panel?.recap?.title ?? this.#name;
  }

  #drawNow() {
    const state = this.#state;
    const p = this.#parts;
    const waiting = this.#outbox.lines[0];
    const canAct = state.ready && state.mayPlay && !state.closed && !waiting;
    p.title.textContent = this.#title();
    document.title = `${this.#title()} — Narratoria`;
    fill(p.place, placeLine(state, this.#views.panel?.recap));
    p.undo.disabled = !canAct || state.turns < 2;
    p.redo.disabled = !canAct || state.redoable === 0;
    p.hint.disabled = !canAct;
    this.#drawBanner();
    this.#views.transcript.show({ ...state, running: state.running ?? waitingTurn(waiting, state) });
    this.#drawEnd();
    this.#views.pending.show(this.#watches ? [] : state.pending);
    this.#drawReview();
    this.#drawChoices(canAct);
    this.#views.composer.show({
      isRunning: Boolean(state.running),
      canPlay: state.mayPlay && !state.closed,
      scope: this.#views.panel.scope,
      prompts: state.told.filter((turn) => turn.turn > 1).map((turn) => turn.prompt),
    });
    this.#views.panel.show(state);
  }

  #drawReview() {
    const draft = this.#watches ? null : this.#state.review;
    if (draft && !this.#scripts.length) {
      skills()
        .then(({ skills: list }) => {
          this.#scripts = list.flatMap((skill) => (skill.scripts ?? []).map((script) => script.toolPath));
        })
        .catch(() => {});
    }
    const hadFocus = this.#parts.review.contains(document.activeElement);
    this.#views.review.show(draft);
    this.#parts.choices.hidden = Boolean(draft);
    this.#parts.form.hidden = Boolean(draft) || this.#watches;
    if (hadFocus && !draft) this.#views.composer.focus();
  }

  /** What has to be known before one goes on, and what to do about it. */
  #bannerParts() {
    const { closed, told, mayPlay } = this.#state;
    const isCut = this.#connection === "waiting";
    if (this.#isOutdated) {
      const reload = button("Reload", () => location.reload(), { class: "primary" });
      return ["The program is another version than this page.", reload];
    }
    if (closed && this.#watches) return [closed.why ?? "The story is not being played just now. What happens next is shown here.", null];
    if (closed) return [closed.why ?? "The story was closed.", button("Open it again", () => this.#connect())];
    if (isCut) return [this.#whyNot ?? CONNECTION.waiting, button("Now", () => this.#stream.retryNow())];
    if (this.#connection === "connecting" && !told.length) return [CONNECTION.connecting, null];
    if (this.#watches || !mayPlay) return ["You are watching: what happens next is up to the player.", null];
    if (this.#isReviewing) return ["Plans wait for your review.", button("Switch off", () => this.#setReviewing(false))];
    return [null, null];
  }

  #drawBanner() {
    const { banner } = this.#parts;
    const [text, action] = this.#bannerParts();
    if (banner.dataset.text === (text ?? "")) return;
    banner.dataset.text = text ?? "";
    banner.hidden = !text;
    fill(banner, text && [h("p", {}, text), action]);
    if (text && this.#connection === "waiting") announce(text);
  }

  #endShown = "";

  /** What stands below the last turn: a recap, notes, the ending. */
  #drawEnd() {
    const { notes, ended, running } = this.#state;
    const key = JSON.stringify([notes, ended, Boolean(running), this.#recap, this.#isOpening()]);
    if (key === this.#endShown) return;
    this.#endShown = key;
    fill(this.#parts.end, this.#endParts());
    if (notes.length || this.#recap || ended) this.#views.transcript.showEnd();
  }

  #isOpening() {
    const { told, running, ready, closed } = this.#state;
    return !this.#watches && this.#connection === "open" && !told.length && !running && !ready && !closed;
  }

  #endParts() {
    const { notes, ended, running } = this.#state;
    return [
      this.#isOpening() && h("p", { class: "hint" }, "The story is being opened…"),
      this.#recap?.scene && !running && recapCard(this.#recap, () => {
        this.#recap = null;
        this.#draw();
      }),
      notes.map(({ text, tone }) => h("p", { class: `note ${tone}` }, text)),
      ended && h("p", { class: "ended" }, `The end: ${ended}`),
      ended && h("p", { class: "hint" }, "Undo goes back and tries another way; the start page has other stories."),
    ];
  }

  #choicesShown = null;

  #drawChoices(canAct) {
    const { choices } = this.#state;
    const key = JSON.stringify([choices, canAct]);
    if (key === this.#choicesShown) return;
    this.#choicesShown = key;
    const hadFocus = this.#parts.choices.contains(document.activeElement);
    fill(
      this.#parts.choices,
      choices.length > 0 &&
        h(
          "ol",
          { "aria-label": "Choices" },
          choices.map((choice, at) =>
            h(
              "li",
              {},
              button(
                [h("span", { class: "number", "aria-hidden": "true" }, String(at + 1)), choice.label],
                () => this.#send(sentenceOf(choice)),
                { class: "choice", disabled: !canAct },
              ),
            ),
          ),
        ),
    );
    if (hadFocus) this.#views.composer.focus();
  }
}

function waitingTurn(line, state) {
  if (!line || line.text.startsWith("/")) return null;
  return { turn: state.turns + 1, prompt: line.text, text: "", dice: [] };
}
