// The start page: stories to continue, campaigns and premises to begin, files to import.

import { ApiError, campaigns, createStory, endSession, importFile, leaveSession, stories } from "./api.js";
import { coverOf } from "./cover.js";
import { button, fill, h, uniqueId } from "./dom.js";
import { openDialog } from "./dialog.js";
import { newId } from "./outbox.js";
import { openSettings } from "./settings.js";
import { agoInWords, playtimeInWords } from "./when.js";

const EXAMPLES = [
  "a lighthouse keeper who has not slept for nine days",
  "the last tram of the night, and a passenger who pays in buttons",
  "a village that has hidden its well from the map",
];

/** Where a premise is kept until its story has begun. */
const PREMISE_KEY = "narratoria premise";

/** Stories that are listed before one asks for all. */
const STORIES_SHOWN = 6;

/** The name with what it stands for, as index.html shows it before there is a page. */
const NAME = document.querySelector(".home-head").firstElementChild;

export class HomeView {
  #root;
  #open;
  #program;
  #stories = h("div", { class: "stories" });
  #campaigns = h("div", { class: "campaigns" });
  #status = h("p", { class: "error", role: "alert" });

  /** `open(story)` goes to a story. */
  constructor(root, program, open) {
    this.#root = root;
    this.#program = program;
    this.#open = open;
  }

  async show() {
    document.title = "Narratoria";
    fill(
      this.#root,
      h(
        "header",
        { class: "home-head" },
        NAME,
        h(
          "div",
          { class: "row" },
          this.#program.password && this.#program.mayPlay !== false && button("Sign out", () => this.#leave(), { class: "quiet" }),
          button("Settings", openSettings, { class: "quiet" }),
        ),
      ),
      h(
        "main",
        { id: "main", class: "home", tabindex: -1 },
        h("h1", { class: "visually-hidden" }, "Your stories"),
        this.#status,
        this.#stories,
        this.#program.mayPlay === false ? this.#watched() : this.#beginnings(),
      ),
      h("footer", { class: "home-foot" }, h("p", {}, `Narratoria ${this.#program.version ?? ""} — your stories stay where the program runs.`)),
    );
    if (this.#program.mayPlay !== false) await Promise.all([this.#showStories(), this.#showCampaigns()]);
  }

  /** The stories of a browser that has links alone. */
  #watched() {
    const { stories: list = [] } = this.#program;
    return h(
      "section",
      { "aria-labelledby": "watched-heading" },
      h("h2", { id: "watched-heading" }, "Stories that you may watch"),
      h("ul", { class: "story-list" }, list.map((name) => h("li", {}, h("a", { href: `#/story/${encodeURIComponent(name)}`, class: "story-link" }, h("span", { class: "story-title" }, name))))),
    );
  }

  async #leave() {
    try {
      await leaveSession();
      endSession();
    } catch (error) {
      this.#fail(error);
    }
  }

  #beginnings() {
    return [
      h("section", { "aria-labelledby": "campaigns-heading" }, h("h2", { id: "campaigns-heading" }, "Begin a story"), this.#campaigns),
      this.#premise(),
      this.#import(),
    ];
  }

  async #showStories() {
    try {
      const { stories: list = [], storiesLeftOff = 0 } = await stories();
      fill(this.#stories, list.length ? this.#storyParts(list, storiesLeftOff, STORIES_SHOWN) : null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #storyParts(list, leftOff, count) {
    const rest = list.length - count;
    return h(
      "section",
      { "aria-labelledby": "stories-heading" },
      h("h2", { id: "stories-heading" }, "Continue"),
      h(
        "ul",
        { class: "story-list" },
        list.slice(0, count).map((story, at) =>
          h(
            "li",
            {},
            h(
              "a",
              { href: `#/story/${encodeURIComponent(story.name)}`, class: at === 0 ? "story-link latest" : "story-link" },
              h("span", { class: "story-title" }, story.title ?? story.name),
              h(
                "span",
                { class: "facts" },
                [
                  story.title && story.title !== story.name && story.name,
                  `${story.turns} ${story.turns === 1 ? "turn" : "turns"}`,
                  story.lastPlayedAt && agoInWords(story.lastPlayedAt),
                ]
                  .filter(Boolean)
                  .join(" · "),
              ),
            ),
          ),
        ),
      ),
      rest > 0 &&
        button(`All ${list.length} stories`, () => fill(this.#stories, this.#storyParts(list, leftOff, list.length)), {
          class: "quiet",
        }),
      rest <= 0 && leftOff > 0 && h("p", { class: "hint" }, `and ${leftOff} older ones`),
    );
  }

  async #showCampaigns() {
    try {
      const { campaigns: list = [] } = await campaigns();
      fill(this.#campaigns, h("ul", { class: "cards" }, list.map((campaign) => this.#campaign(campaign))));
    } catch (error) {
      this.#fail(error);
    }
  }

  #campaign(campaign) {
    const { name, title, description, genre, playtimeHours, author } = campaign;
    const facts = [genre && genre[0].toUpperCase() + genre.slice(1), playtimeInWords(playtimeHours)].filter(Boolean);
    return h(
      "li",
      { class: "card campaign" },
      coverOf(campaign),
      h("h3", {}, title ?? name),
      facts.length > 0 && h("p", { class: "facts" }, facts.join(" · ")),
      description && h("p", {}, description),
      campaign.origin !== "program" && author && h("p", { class: "facts" }, `by ${author}`),
      button("Begin", (event) => this.#create({ campaign: name }, event.currentTarget), {
        class: "primary",
        "aria-label": `Begin ${title ?? name}`,
      }),
    );
  }

  #premise() {
    const id = uniqueId("premise");
    const field = h("textarea", {
      id,
      rows: 2,
      placeholder: EXAMPLES[0],
      maxlength: 2000,
      value: sessionStorage.getItem(PREMISE_KEY) ?? "",
      oninput: () => sessionStorage.setItem(PREMISE_KEY, field.value),
    });
    const submit = (event) => {
      event.preventDefault();
      const premise = field.value.trim().replace(/\s+/g, " ");
      if (!premise) return field.focus();
      this.#create({ premise }, event.submitter);
    };
    return h(
      "section",
      { "aria-labelledby": "premise-heading" },
      h("h2", { id: "premise-heading" }, "A premise of your own"),
      h(
        "form",
        { class: "card", onsubmit: submit },
        h("label", { for: id }, "One sentence, of which a small world is made"),
        field,
        h(
          "p",
          { class: "hint" },
          "For instance: ",
          EXAMPLES.slice(1).map((example, at) => [
            at > 0 ? " or " : "",
            button(example, () => {
              field.value = example;
              field.focus();
            }, { class: "link" }),
          ]),
        ),
        h("button", { type: "submit", class: "primary" }, "Begin"),
      ),
    );
  }

  #import() {
    const id = uniqueId("file");
    const field = h("input", {
      id,
      type: "file",
      onchange: () => field.files[0] && this.#importFile(field.files[0], field),
    });
    const zone = h(
      "div",
      { class: "card drop" },
      h("label", { for: id }, "A character card, a world book, a chat, a Twine or ink story, or a story that was exported"),
      field,
      h("p", { class: "hint" }, "PNG, JSON, CHARX, JSONL, Twee, ink or NDJSON. You can also drop the file here."),
    );
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("target");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("target"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("target");
      const [file] = event.dataTransfer.files;
      if (file) this.#importFile(file, field);
    });
    return h("section", { "aria-labelledby": "import-heading" }, h("h2", { id: "import-heading" }, "Bring your own"), zone);
  }

  async #importFile(file, field) {
    field.disabled = true;
    this.#status.textContent = "";
    try {
      this.#showImported(file.name, await importFile(file));
      await Promise.all([this.#showStories(), this.#showCampaigns()]);
    } catch (error) {
      this.#fail(error);
      if (error.notes?.length) openDialog("Not imported", () => [h("p", {}, error.text), notesList(error.notes)]);
    } finally {
      field.disabled = false;
      field.value = "";
    }
  }

  #showImported(fileName, { story, campaign, notes = [] }) {
    openDialog("Imported", (close) => [
      h("p", {}, `“${fileName}” is now ${story ? `the story ${nameOf(story)}` : `the campaign ${nameOf(campaign)}`}.`),
      notes.length > 0 && notesList(notes),
      h(
        "div",
        { class: "actions" },
        button("Later", close),
        button(
          story ? "Open it" : "Begin",
          (event) => {
            if (story) {
              close();
              this.#open(nameOf(story));
            } else {
              this.#create({ campaign: nameOf(campaign) }, event.currentTarget).then(close);
            }
          },
          { class: "primary" },
        ),
      ),
    ]);
  }

  async #create(wish, pressed) {
    if (pressed) pressed.disabled = true;
    this.#status.textContent = "";
    const body = { requestId: newId(), ...wish };
    try {
      const { story } = await createPatiently(body);
      if (wish.premise) sessionStorage.removeItem(PREMISE_KEY);
      this.#open(story);
    } catch (error) {
      this.#fail(error);
    } finally {
      if (pressed) pressed.disabled = false;
    }
  }

  #fail(error) {
    this.#status.textContent = error instanceof ApiError ? error.text : String(error);
    this.#status.scrollIntoView({ block: "nearest" });
  }
}

/** Asks again with the same id where no answer came, so that no story is made twice. */
async function createPatiently(body) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await createStory(body);
    } catch (error) {
      if (error.status !== 0 || attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, 700 * attempt));
    }
  }
}

/** What an importer has to say. */
function notesList(notes) {
  return [h("h3", {}, "Notes"), h("ul", {}, notes.map((note) => h("li", {}, note)))];
}

function nameOf(made) {
  return typeof made === "string" ? made : (made?.name ?? made?.title ?? "");
}
