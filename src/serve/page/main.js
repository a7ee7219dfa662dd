// The page begins here: opens the session, then shows the start page or a story, as the address says.

import { about, openSession, whenSessionEnds } from "./api.js";
import { setAnnouncer } from "./announcer.js";
import { button, fill, h } from "./dom.js";
import { HomeView } from "./home.js";
import { passwordForm } from "./login.js";
import { applySettings } from "./settings.js";
import { StoryView } from "./story-view.js";

/** The key of the player, or of a reader of one story. */
const KEY = /^#([tr])=(.+)$/;

const root = document.getElementById("page");
let program = null;
let view = null;
/** Why the key in the address opened nothing. */
let refusal = null;

applySettings();
setAnnouncer(document.getElementById("announcer"));
followKeyboard();
whenSessionEnds(showNoSession);
window.addEventListener("hashchange", show);
document.addEventListener("keydown", focusField);
document.querySelector(".skip").addEventListener("click", (event) => {
  // The address says which story is shown, so it must not become `#main`.
  event.preventDefault();
  document.getElementById("main")?.focus();
});
start();

async function start() {
  const [, kind, key] = KEY.exec(location.hash) ?? [];
  refusal = null;
  if (key) {
    // The key must neither stay in the address nor in the history.
    history.replaceState(null, "", location.pathname);
    try {
      const opened = await openSession(kind === "t" ? { token: key } : { link: key });
      if (opened?.story) history.replaceState(null, "", storyAddress(opened.story));
    } catch (error) {
      refusal = error.text;
    }
  }
  try {
    program = await about();
  } catch (error) {
    if (error.status !== 401) showNoProgram(error);
    return;
  }
  show();
}

function show() {
  if (!program) return;
  if (KEY.test(location.hash)) {
    start();
    return;
  }
  view?.close?.();
  const story = /^#\/story\/(.+)$/.exec(location.hash)?.[1];
  root.className = story ? "story-page" : "home-page";
  if (story) view = new StoryView(root, decodeURIComponent(story), program, goHome);
  else view = new HomeView(root, program, goTo);
  view.show();
}

function storyAddress(story) {
  return `#/story/${encodeURIComponent(story)}`;
}

function goTo(story) {
  location.hash = storyAddress(story);
}

function goHome() {
  location.hash = "#/";
}

function showNoSession() {
  view?.close?.();
  view = null;
  root.className = "message-page";
  fill(
    root,
    h(
      "main",
      { id: "main", class: "message", tabindex: -1 },
      h("h1", {}, program?.password ? "Who are you?" : "Open the printed address"),
      refusal && h("p", { class: "error", role: "alert" }, refusal),
      program?.password && passwordForm(start),
      h("p", {}, "This browser is not known to the program, or the program was started anew."),
      h("p", {}, "When ", h("code", {}, "narratoria serve"), " starts, it prints an address that ends in ", h("code", {}, "#t=…"), ". Open that address once in this browser; afterwards this page works until the program ends."),
      h("p", { class: "hint" }, "The address is a key: whoever has it can read and play your stories."),
      h("p", { class: "hint" }, "A link to watch a story holds until its player takes it back or ends the program."),
      button("Try again", () => location.reload(), { class: "primary" }),
    ),
  );
}

function showNoProgram(error) {
  root.className = "message-page";
  fill(
    root,
    h(
      "main",
      { id: "main", class: "message", tabindex: -1 },
      h("h1", {}, "The program does not answer"),
      h("p", {}, error.text),
      h("p", {}, "Start it again with ", h("code", {}, "narratoria serve"), "."),
      button("Try again", () => location.reload(), { class: "primary" }),
    ),
  );
}

/** A slash goes to the field from everywhere but a field. */
function focusField(event) {
  const isTyping = event.target.closest?.("input, textarea, select, dialog");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.getElementById("say");
  if (!field || field.disabled) return;
  event.preventDefault();
  field.focus();
}

/** Keeps the field above the keyboard of a phone, where the browser does not. */
function followKeyboard() {
  const seen = window.visualViewport;
  if (!seen) return;
  const fit = () => {
    const isZoomed = seen.scale > 1.05;
    const { style } = document.documentElement;
    style.setProperty("--seen-height", isZoomed ? "100dvh" : `${seen.height}px`);
    style.setProperty("--seen-top", isZoomed ? "0px" : `${seen.offsetTop}px`);
  };
  seen.addEventListener("resize", fit);
  seen.addEventListener("scroll", fit);
  fit();
}
