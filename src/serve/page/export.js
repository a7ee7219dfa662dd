// Taking a story along: as a file, or on paper.

import { documentOf, exportAddress } from "./api.js";
import { announce } from "./announcer.js";
import { button, fill, h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { paragraphsOf } from "./story.js";

const FORMATS = [
  ["markdown", "Text", "Markdown, for any editor"],
  ["html", "Page", "one HTML file with its pictures"],
  ["epub", "Book", "EPUB, for a reader of books"],
  ["ndjson", "Everything", "lines without loss, to be imported again"],
];

/** Turns that are asked for at once. */
const PAGE_TURNS = 200;

export function openExport(story, title) {
  openDialog("Take the story along", (close) => {
    const status = h("p", { class: "hint", role: "status" });
    const print = button(
      "Print the whole story",
      async () => {
        print.disabled = true;
        try {
          await printStory(story, title, (count) => {
            status.textContent = `${count} turns read…`;
          }, close);
        } catch (error) {
          status.textContent = error.text ?? String(error);
        } finally {
          print.disabled = false;
        }
      },
    );
    return [
      h(
        "ul",
        { class: "menu" },
        FORMATS.map(([format, label, does]) =>
          h(
            "li",
            {},
            h(
              "a",
              { class: "menu-item", href: exportAddress(story, format), download: true },
              h("strong", {}, label),
              h("small", {}, does),
            ),
          ),
        ),
      ),
      h("div", { class: "actions" }, print),
      status,
    ];
  });
}

/** Reads all turns, puts them in a part of the page that only paper sees, and prints. */
async function printStory(story, title, onProgress, ready) {
  const turns = [];
  let before;
  do {
    const { told, toldBefore } = await documentOf(story, "told", { before, count: PAGE_TURNS });
    turns.unshift(...told);
    onProgress(turns.length);
    before = toldBefore > 0 ? told[0]?.turn : undefined;
  } while (before !== undefined);
  const paper = h("div", { class: "paper" });
  fill(
    paper,
    h("h1", {}, title),
    turns.map((turn) => [
      turn.prompt && turn.turn > 1 && h("p", { class: "prompt" }, turn.prompt),
      paragraphsOf(turn.narration).map((text) => h("p", {}, text)),
    ]),
  );
  ready();
  document.body.append(paper);
  document.documentElement.classList.add("prints-all");
  const end = () => {
    paper.remove();
    document.documentElement.classList.remove("prints-all");
  };
  window.addEventListener("afterprint", end, { once: true });
  announce("The story is ready to be printed.");
  window.print();
}
