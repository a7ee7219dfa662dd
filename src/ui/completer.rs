//! What Tab completes: commands with their arguments, and names in sentences. Knows no story; the caller says which names
//! can be used now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::visible_line;

/// Most words of a name.
const NAME_WORDS_MAX: usize = 8;

/// Characters other than blanks after which a word begins.
const QUOTES: [char; 5] = ['"', '“', '‘', '\'', '('];

/// A name with its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionName {
    /// Untrusted. A name with characters that a terminal obeys is not offered.
    pub name: String,
    pub what: String,
}

/// The names that can be completed now. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct CompletionNames(Arc<Mutex<NamesNow>>);

#[derive(Debug, Default)]
struct NamesNow {
    nouns: Vec<CompletionName>,
    /// The arguments of a command.
    arguments: Vec<(&'static str, Vec<CompletionName>)>,
}

impl CompletionNames {
    /// Replaces the names that sentences can use.
    pub fn set_nouns(&self, nouns: Vec<CompletionName>) {
        self.lock().nouns = harmless(nouns);
    }

    /// Replaces the arguments that a command can have.
    pub fn set_arguments(&self, command: &'static str, names: Vec<CompletionName>) {
        let mut now = self.lock();
        now.arguments.retain(|(known, _)| *known != command);
        now.arguments.push((command, harmless(names)));
    }

    fn lock(&self) -> MutexGuard<'_, NamesNow> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn harmless(mut names: Vec<CompletionName>) -> Vec<CompletionName> {
    names.retain(|one| !one.name.is_empty() && visible_line(&one.name) == one.name);
    names
}

/// Completes the word before the cursor.
pub(super) struct LineCompleter {
    /// Each command with its description.
    pub(super) commands: &'static [(&'static str, &'static str)],
    pub(super) names: CompletionNames,
}

impl Completer for LineCompleter {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let typed = line.get(..pos).unwrap_or(line);
        let words = typed.trim_start();
        let suggestions = match (words.starts_with('/'), words.split_once(char::is_whitespace)) {
            (true, None) => self.command(words, pos),
            (true, Some((command, argument))) => self.argument(command, argument.trim_start(), pos),
            (false, _) => self.noun(typed, words),
        };
        CompletionResult::fresh(suggestions)
    }
}

impl LineCompleter {
    fn command(&self, word: &str, pos: usize) -> Vec<Suggestion> {
        let commands = self.commands.iter().filter(|(name, _)| name.starts_with(word));
        commands.map(|(name, does)| suggestion(name, does, word, pos)).collect()
    }

    fn argument(&self, command: &str, word: &str, pos: usize) -> Vec<Suggestion> {
        let now = self.names.lock();
        let names = now.arguments.iter().filter(|(known, _)| *known == command);
        let names = names.flat_map(|(_, names)| names).filter(|one| one.name.starts_with(word));
        names.map(|one| suggestion(&one.name, &one.what, word, pos)).collect()
    }

    /// Completes the longest end of a sentence with which a name, or a word of it, begins. Behind a blank, every name is
    /// offered.
    fn noun(&self, typed: &str, words: &str) -> Vec<Suggestion> {
        let now = self.names.lock();
        let starts = words.char_indices().filter(|(at, char)| {
            let before = words[..*at].chars().next_back();
            let begins = |before: char| before.is_whitespace() || QUOTES.contains(&before);
            !char.is_whitespace() && before.is_none_or(begins)
        });
        let mut starts: Vec<usize> = starts.map(|(at, _)| at).collect();
        if words.ends_with(char::is_whitespace) {
            starts.push(words.len());
        }
        let recent = starts.iter().skip(starts.len().saturating_sub(NAME_WORDS_MAX));
        let offered = recent.map(|start| {
            let part = &words[*start..];
            let (first, other): (Vec<&CompletionName>, Vec<&CompletionName>) = now
                .nouns
                .iter()
                .filter(|one| has_beginning(&one.name, part))
                .partition(|one| begins_with(&one.name, part));
            let found = first.into_iter().chain(other);
            found.map(|one| suggestion(&one.name, &one.what, part, typed.len())).collect()
        });
        offered.into_iter().find(|found: &Vec<Suggestion>| !found.is_empty()).unwrap_or_default()
    }
}

/// Returns true if the name, or one of its later words, begins with these letters.
fn has_beginning(name: &str, part: &str) -> bool {
    let words = name.match_indices(char::is_whitespace).map(|(at, blank)| at + blank.len());
    [0].into_iter().chain(words).any(|at| begins_with(&name[at..], part))
}

fn begins_with(name: &str, part: &str) -> bool {
    name.to_lowercase().starts_with(&part.to_lowercase())
}

/// Puts the name in the place of this part before the cursor.
fn suggestion(name: &str, what: &str, part: &str, pos: usize) -> Suggestion {
    Suggestion {
        value: name.to_owned(),
        description: Some(what.to_owned()),
        span: Span { start: pos - part.len(), end: pos },
        ..Suggestion::default()
    }
}

#[cfg(test)]
mod tests {
    use reedline::Completer;

    use super::{CompletionName, CompletionNames, LineCompleter};

    fn completer() -> LineCompleter {
        let named = |names: &[&str]| -> Vec<CompletionName> {
            let name =
                |name: &&str| CompletionName { name: (*name).to_owned(), what: "x".to_owned() };
            names.iter().map(name).collect()
        };
        let names = CompletionNames::default();
        names.set_nouns(named(&[
            "Old Tam",
            "storm lantern",
            "lamp",
            "kitchen table",
            "table",
            "Ähre",
            "evil\u{1b}[2J",
        ]));
        names.set_arguments("/switch", named(&["main"]));
        names.set_arguments("/switch", named(&["main", "tower", "tide"]));
        let commands = &[("/skills", "a"), ("/state", "b"), ("/switch", "c"), ("/quit", "d")];
        LineCompleter { commands, names }
    }

    /// The line after each suggestion is taken.
    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let completed = completer().complete(line, line.len());
        let taken = completed.suggestions().iter().map(|one| {
            format!("{}{}{}", &line[..one.span.start], one.value, &line[one.span.end..])
        });
        assert_eq!(taken.collect::<Vec<String>>(), expect, "{line:?}");
    }

    #[test]
    fn a_command_is_completed_alone_on_its_line() {
        check("/s", &["/skills", "/state", "/switch"]);
        check("  /q", &["  /quit"]);
        check("/", &["/skills", "/state", "/switch", "/quit"]);
        check("", &[]);
        check("go /s", &[]);
        check("/state ", &[]);
        check("/st\u{e9}", &[]);
    }

    #[test]
    fn a_command_that_takes_a_branch_has_the_names_of_the_branches() {
        check("/switch ", &["/switch main", "/switch tower", "/switch tide"]);
        check("/switch t", &["/switch tower", "/switch tide"]);
        check("  /switch  to", &["  /switch  tower"]);
        check("/state t", &[]);
        check("/switch tower m", &[]);
    }

    #[test]
    fn a_sentence_is_completed_with_the_names_in_scope() {
        check("take la", &["take lamp", "take storm lantern"]);
        check("take the LAN", &["take the storm lantern"]);
        check("take storm l", &["take storm lantern"]);
        check("ask tam", &["ask Old Tam"]);
        check(
            "put it on the ta",
            &["put it on the table", "put it on the Old Tam", "put it on the kitchen table"],
        );
        check("put it on the kitchen t", &["put it on the kitchen table"]);
        check("\"Hello,\" I say to old", &["\"Hello,\" I say to Old Tam"]);
        check("“tam", &["“Old Tam"]);
        check("x ä", &["x Ähre"]);
        check("x evil", &[]);
        check("x nothing", &[]);
        check("lantern", &["storm lantern"]);
    }

    #[test]
    fn behind_a_blank_every_name_is_offered() {
        let names = ["Old Tam", "storm lantern", "lamp", "kitchen table", "table", "Ähre"];
        let all: Vec<String> = names.iter().map(|name| format!("take {name}")).collect();
        check("take ", &all.iter().map(String::as_str).collect::<Vec<&str>>());
    }
}
