// The commands that a player may type, and what the page does with them. Touches no document.

/** `name`, how it is written, what it does, and `view` where the page shows something instead of asking the story. */
export const COMMANDS = [
  { name: "/hint", form: "/hint", does: "a way on, if you are stuck; costs no turn" },
  { name: "/undo", form: "/undo [N]", does: "take back the last turn, or the last N" },
  { name: "/redo", form: "/redo [N]", does: "bring back what was taken back" },
  { name: "/retry", form: "/retry [same]", does: "play the last turn again, with other dice or the same" },
  { name: "/edit", form: "/edit [N] SENTENCE", does: "play the last turn, or turn N, with another sentence" },
  { name: "/choices", form: "/choices", does: "what you were offered last", view: "choices" },
  { name: "/recap", form: "/recap", does: "where you are and how it came to that", view: "recap" },
  { name: "/map", form: "/map", does: "the places that you have seen", view: "map" },
  { name: "/journal", form: "/journal", does: "what you know, what is open, whom you have met", view: "journal" },
  { name: "/memory", form: "/memory", does: "what the story remembers", view: "memories" },
  { name: "/assets", form: "/assets", does: "the pictures and files of the story", view: "gallery" },
  { name: "/branch", form: "/branch NAME [TURN]", does: "give this moment a name", view: "turns" },
  { name: "/switch", form: "/switch NAME", does: "play on from a named moment" },
  { name: "/history", form: "/history", does: "all turns and branches", view: "turns" },
  { name: "/why", form: "/why [N]", does: "how a turn came about", view: "why" },
  { name: "/plan", form: "/plan [N]", does: "the plan of a turn", view: "plan" },
  { name: "/state", form: "/state [POINTER]", does: "what the last turn changed", view: "changes" },
  { name: "/skills", form: "/skills", does: "the skills in play, and how they are", view: "skills" },
  { name: "/enable", form: "/enable NAME", does: "bring back a skill that has failed for good" },
  { name: "/help", form: "/help", does: "this list", view: "help" },
  { name: "/quit", form: "/quit", does: "leave; the story is kept", view: "home" },
];

const WORDS = {
  undo: "/undo",
  revert: "/undo",
  redo: "/redo",
  retry: "/retry",
  recap: "/recap",
  map: "/map",
  journal: "/journal",
  "my journal": "/journal",
  help: "/help",
  "?": "/help",
  commands: "/help",
  quit: "/quit",
  exit: "/quit",
  q: "/quit",
};

const ADVICE = {
  save: "The story is kept after every turn; there is nothing to save.",
  load: "Your stories are on the start page: the arrow at the top left leads there.",
  restore: "Your stories are on the start page: the arrow at the top left leads there.",
  restart: "Begin a new story on the start page: the arrow at the top left leads there.",
  score: "There is no score; the journal tells what you know and what is open.",
};

/** Commands whose arguments concern the page's own views. */
const VIEWS_WITH_TURN = ["/why", "/plan"];

/**
 * Returns what a typed line wants: `{view, turn?}` to show something, `{say}` for the player, `{line}` to be sent,
 * or null for an empty line.
 */
export function readLine(text) {
  const typed = text.trim().replace(/\s+/g, " ");
  if (typed === "") return null;
  const plain = typed.replace(/[.!]+$/, "").toLowerCase();
  if (Object.hasOwn(ADVICE, plain)) return { say: ADVICE[plain] };
  const line = Object.hasOwn(WORDS, plain) ? WORDS[plain] : typed;
  if (!line.startsWith("/")) return { line };
  const [word, argument] = line.split(" ", 2);
  const command = COMMANDS.find((one) => one.name === word.toLowerCase());
  if (!command) return { say: `There is no command ${word}${nearest(word)}.` };
  if (command.view && !argument) return { view: command.view };
  if (VIEWS_WITH_TURN.includes(command.name) && /^[0-9]+$/.test(argument ?? "")) {
    return { view: command.view, turn: Number(argument) };
  }
  return { line };
}

function nearest(word) {
  const near = COMMANDS.find((command) => command.name.startsWith(word.slice(0, 3).toLowerCase()));
  return near ? `; did you mean ${near.name}?` : "; /help lists them";
}

/**
 * Offers completions for what stands before the caret: commands after a slash, sentences and nouns of the scene
 * elsewhere. Each is `{text, hint, from}`; `text` replaces what stands from `from` to the caret.
 */
export function completionsOf(before, scope, limit = 8) {
  if (before.startsWith("/")) {
    const typed = before.toLowerCase();
    if (typed.includes(" ")) return [];
    return COMMANDS.filter((command) => command.name.startsWith(typed)).map((command) => ({
      text: command.name + (command.form.includes(" ") && !command.view ? " " : ""),
      label: command.form,
      hint: command.does,
      from: 0,
    }));
  }
  return completionsOfScene(before, scope, limit);
}

function completionsOfScene(before, scope, limit) {
  if (!scope || before.trim().length < 2) return [];
  const found = [];
  const typed = before.toLowerCase().trimStart();
  const start = before.length - before.trimStart().length;
  for (const { sentence } of scope.possible ?? []) {
    if (sentence.toLowerCase().startsWith(typed) && sentence.toLowerCase() !== typed) {
      found.push({ text: sentence, label: sentence, hint: "possible now", from: start });
    }
  }
  const word = /[\p{L}\p{N}'’-]+$/u.exec(before)?.[0] ?? "";
  if (word.length >= 2) {
    for (const { name, kind } of nounsOf(scope)) {
      const parts = name.toLowerCase().split(" ");
      const fits = parts.some((part) => part.startsWith(word.toLowerCase()));
      if (fits && !before.toLowerCase().endsWith(name.toLowerCase())) {
        found.push({ text: name, label: name, hint: kind, from: before.length - word.length });
      }
    }
  }
  const seen = new Set();
  return found.filter(({ text }) => !seen.has(text) && seen.add(text)).slice(0, limit);
}

/** The nouns of a scene: each with its kind, none twice. */
export function nounsOf(scope) {
  const kinds = [
    ["people", "person"],
    ["things", "thing"],
    ["carried", "carried"],
    ["exits", "place"],
    ["scenery", "to look at"],
    ["topics", "to ask about"],
  ];
  const seen = new Set();
  const nouns = [];
  for (const [field, kind] of kinds) {
    for (const name of scope?.[field] ?? []) {
      if (typeof name !== "string" || seen.has(name)) continue;
      seen.add(name);
      nouns.push({ name, kind });
    }
  }
  return nouns;
}
