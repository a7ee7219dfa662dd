// Which sentence a typed number stands for, by the rules of the terminal (docs/playing.md), and which a typed label.

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];
const CARDINALS = ["one", "two", "three", "four", "five", "six"];
const TAKES = ["i'll take ", "i'd take ", "i take ", "i choose ", "i pick ", "let's take "];
const LEADS = ["number ", "option ", "choice ", "no. ", "#"];

/** What choosing says. */
export function sentenceOf(choice) {
  return choice.prompt ?? choice.label;
}

/**
 * Returns `{sentence}` for a line that picks a choice, `{error}` for a number that picks none, and null for any other
 * line.
 */
export function pickChoice(line, choices) {
  const text = line.trim();
  const byLabel = choices.find((choice) => choice.label.toLowerCase() === text.toLowerCase());
  if (byLabel) return { sentence: sentenceOf(byLabel) };
  const number = numberInWords(text, choices.length) ?? text;
  if (choices.length === 0 || !/^[0-9]+$/.test(number)) return null;
  const byNumber = choices[Number(number) - 1];
  const byDigits = () => choices.find((choice) => choice.label.replace(/[^0-9]/g, "") === number);
  const picked = byNumber ?? byDigits();
  if (picked) return { sentence: sentenceOf(picked) };
  return { error: `There is no choice ${number}: they go from 1 to ${choices.length}.` };
}

function numberInWords(line, count) {
  const plain = line.toLowerCase().replace(/[.!]+$/, "").replace(/ please$/, "").replace(/,+$/, "");
  const start = TAKES.find((words) => plain.startsWith(words)) ?? "";
  const named = plain.slice(start.length);
  const number = ordinal(named, count) ?? cardinal(named);
  return number >= 1 && number <= count ? String(number) : null;
}

function ordinal(named, count) {
  const match = /^the (\w+?)\s*(?:one|choice|option)$/.exec(named);
  if (!match) return null;
  if (match[1] === "last") return count;
  const at = ORDINALS.indexOf(match[1]);
  return at < 0 ? null : at + 1;
}

function cardinal(named) {
  const lead = LEADS.find((words) => named.startsWith(words));
  if (!lead) return null;
  const word = named.slice(lead.length).trim();
  const at = CARDINALS.indexOf(word);
  if (at >= 0) return at + 1;
  return /^[0-9]+$/.test(word) ? Number(word) : null;
}
