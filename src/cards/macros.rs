//! Macros of chat programs in narrated texts: `{{char}}`, `{{user}}` and a few more.

use crate::{ImportNotes, card_text::printable};

/// Longest macro, in bytes. Braces without an end are text.
const MACRO_BYTES: usize = 2_000;

/// Openings without an end that a text may have. Each costs a search; after these, braces are text.
const MISSES_MAX: usize = 200;

/// Whom the macros stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MacroNames {
    /// The character.
    pub character: String,
    /// The player; empty for `you`.
    pub player: String,
}

impl MacroNames {
    /// The text with its macros replaced, without control characters. `what` names it in notes about macros that are not
    /// known.
    pub(crate) fn tell(&self, text: &str, what: &str, notes: &mut ImportNotes) -> String {
        let mut told = String::with_capacity(text.len());
        let (mut rest, mut misses) = (text, 0);
        while let Some(at) = rest.find(['{', '<']) {
            told += &rest[..at];
            rest = &rest[at..];
            let opens = rest.starts_with("{{");
            let found = if opens && misses >= MISSES_MAX { None } else { macro_at(rest) };
            match found {
                Some((name, length)) => {
                    rest = self.replace(name, &rest[length..], &mut told, what, notes);
                }
                None => {
                    misses += usize::from(opens);
                    told.push_str(&rest[..1]);
                    rest = &rest[1..];
                }
            }
        }
        printable(&(told + rest))
    }

    /// Appends the value of a macro, and returns the text behind it.
    fn replace<'t>(
        &self,
        name: &str,
        rest: &'t str,
        told: &mut String,
        what: &str,
        notes: &mut ImportNotes,
    ) -> &'t str {
        let lower = name.trim().to_lowercase();
        let (word, argument) = match lower.split_once(':') {
            Some((word, _)) => (word, name.split_once(':').map_or("", |(_, rest)| rest)),
            None => (lower.as_str(), ""),
        };
        match word.trim() {
            "char" | "bot" | "charname" => self.name(&self.character, told, what, notes),
            "user" | "username" if self.player.is_empty() => return player(rest, told),
            "user" | "username" => self.name(&self.player, told, what, notes),
            "original" | "trim" | "noop" | "" => {}
            "newline" => told.push('\n'),
            word if word.starts_with("//") => {}
            "random" | "pick" => {
                notes.changed(what, format!("`{{{{{name}}}}}` is the first of its texts"));
                let separator = if argument.contains("::") { "::" } else { "," };
                *told += argument
                    .trim_start_matches(':')
                    .split(separator)
                    .next()
                    .unwrap_or_default()
                    .trim();
            }
            _ => notes.not_mapped(
                format!("{what}: `{{{{{name}}}}}`"),
                "a macro that a campaign does not know",
            ),
        }
        rest
    }

    fn name(&self, name: &str, told: &mut String, what: &str, notes: &mut ImportNotes) {
        if notes.may_tell_macro(name.len()) {
            *told += name;
        } else {
            notes.not_mapped(what, "more names than a campaign has room for");
        }
    }
}

/// `you`, as the sentence needs it.
fn player<'t>(rest: &'t str, told: &mut String) -> &'t str {
    // `Hello, {{user}}!` names the player, and `Hello!` says the same to `you`.
    let ends = |char: char| ",.!?…*\"”’~".contains(char);
    let without_blanks = told.trim_end_matches(' ').len();
    if told[..without_blanks].ends_with(',') && rest.starts_with(ends) {
        told.truncate(without_blanks - 1);
        return rest;
    }
    let before = told.trim_end_matches([' ', '*', '"', '“', '\t', '(']);
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', '\n', '…', '"', '”']);
    let is_subject = begins || before.ends_with(',') || follows_conjunction(before);
    let possessive = ["'s", "’s"].iter().find_map(|ending| rest.strip_prefix(*ending));
    *told += match (begins, possessive.is_some()) {
        (true, true) => "Your",
        (true, false) => "You",
        (false, true) => "your",
        (false, false) => "you",
    };
    match possessive {
        Some(rest) => rest,
        None if is_subject => verb(rest, told),
        None => rest,
    }
}

/// Words after which a new clause begins.
const CONJUNCTIONS: &[&str] = &[
    "when", "as", "while", "if", "because", "and", "but", "that", "until", "before", "after",
    "once", "where",
];

/// Letters of the longest of them.
const CONJUNCTION_CHARS_MAX: usize = 7;

/// Words with `s` at their end that are no verbs.
const NO_VERBS: &[&str] = &[
    "always",
    "perhaps",
    "sometimes",
    "thus",
    "his",
    "hers",
    "its",
    "this",
    "us",
    "yes",
    "towards",
    "besides",
    "nevertheless",
    "afterwards",
    "these",
    "those",
    "is",
    "was",
    "has",
    "does",
];

fn follows_conjunction(before: &str) -> bool {
    // A text without blanks is one long word, and each macro in it asks for the last one: a few letters are enough.
    let letters = before.chars().rev().take_while(|char| char.is_alphabetic());
    let last: Vec<char> = letters.take(CONJUNCTION_CHARS_MAX + 1).collect();
    let last: String = last.into_iter().rev().collect();
    CONJUNCTIONS.contains(&last.to_lowercase().as_str())
}

/// Writes the verb that follows `you`: `{{user}} walks` becomes `you walk`. Returns the text behind it.
fn verb<'t>(rest: &'t str, told: &mut String) -> &'t str {
    let Some(word) = rest.strip_prefix(' ') else { return rest };
    let end =
        word.find(|char: char| !char.is_ascii_lowercase() && char != '\'').unwrap_or(word.len());
    let (word, after) = word.split_at(end);
    let plural = match word {
        "is" => "are".to_owned(),
        "was" => "were".to_owned(),
        "has" => "have".to_owned(),
        "does" => "do".to_owned(),
        "isn't" => "aren't".to_owned(),
        "wasn't" => "weren't".to_owned(),
        "hasn't" => "haven't".to_owned(),
        "doesn't" => "don't".to_owned(),
        word if NO_VERBS.contains(&word) || word.len() < 4 || word.ends_with("ss") => return rest,
        word if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        word if ["sses", "shes", "ches", "xes", "zzes", "oes"]
            .iter()
            .any(|end| word.ends_with(end)) =>
        {
            word[..word.len() - 2].to_owned()
        }
        word => match word.strip_suffix('s') {
            Some(stem) => stem.to_owned(),
            None => return rest,
        },
    };
    told.push(' ');
    told.push_str(&plural);
    after
}

/// The name of the macro at the beginning of a text, and the length of it all.
fn macro_at(text: &str) -> Option<(&str, usize)> {
    if let Some(inner) = text.strip_prefix("{{") {
        let mut limit = inner.len().min(MACRO_BYTES);
        while !inner.is_char_boundary(limit) {
            limit -= 1;
        }
        let end = inner[..limit].find("}}")?;
        return Some((&inner[..end], end + 4));
    }
    let old = ["<user>", "<char>", "<bot>"];
    let found = old
        .iter()
        .find(|tag| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))?;
    Some((&text[1..found.len() - 1], found.len()))
}

#[cfg(test)]
mod tests {
    use super::MacroNames;
    use crate::{ImportNotes, MACRO_TEXT_BYTES_MAX};

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let names = MacroNames { character: "Mina".to_owned(), player: String::new() };
        assert_eq!(names.tell(text, "text", &mut ImportNotes::default()), expect);
    }

    #[test]
    fn the_player_is_you_and_the_verb_fits() {
        check("{{user}} comes in.", "You come in.");
        check("Rain. {{user}} has wet boots.", "Rain. You have wet boots.");
        check("{{char}} waits as {{user}} tries the door.", "Mina waits as you try the door.");
        check("{{user}} always watches.", "You always watches.");
        check("She gives {{user}} snacks.", "She gives you snacks.");
        check("\"{{user}}!\" <BOT> takes <USER>'s hand.", "\"You!\" Mina takes your hand.");
        check("{{user}}’s boots", "Your boots");
        check("\"Mind the rope, {{user}},\" says {{char}}.", "\"Mind the rope,\" says Mina.");
        check("Hello, {{user}}! Well, {{user}} is late.", "Hello! Well, you are late.");
    }

    #[test]
    fn braces_without_an_end_are_text_however_many_there_are() {
        let braces = "{{".repeat(500_000);
        check(&braces, &braces);
    }

    #[test]
    fn a_text_of_nothing_but_macros_is_told_in_time() {
        let names = MacroNames::default();
        let told = names.tell(&"{{user}}".repeat(300_000), "text", &mut ImportNotes::default());
        assert_eq!(told.len(), "you".len() * 300_000);
    }

    #[test]
    fn the_names_of_an_import_have_a_sum() {
        let names = MacroNames { character: "\u{1d511}".repeat(60), player: String::new() };
        let mut notes = ImportNotes::default();
        let sizes = ["first", "second"].map(|what| {
            let told = names.tell(&"<BOT>".repeat(MACRO_TEXT_BYTES_MAX / 300), what, &mut notes);
            told.len()
        });
        assert!(sizes.iter().sum::<usize>() <= MACRO_TEXT_BYTES_MAX, "{sizes:?}");
        insta::assert_snapshot!(notes.list()[0], @"not mapped: second: more names than a campaign has room for");
    }

    #[test]
    fn other_macros_are_told_or_left_out() {
        check("{{random: a, b}}{{pick::c::d}} {{// note}}{{CHAR}}{{newline}}x", "ac Mina\nx");
        check("{{time}} { {{open", " { {{open");
        check("a < b > c <b>", "a < b > c <b>");
    }
}
