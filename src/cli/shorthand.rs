//! The shorthands of text adventures, and commands that are typed as plain words. Pure.

mod story_questions;

use english::WordClass;
use story_questions::story_question;

/// A line that is a shorthand.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shorthand {
    /// The sentence that the shorthand stands for.
    Sentence(String),
    /// Repeats the last sentence.
    Again,
}

/// Returns the sentence that a shorthand stands for; `None` if the line is no shorthand.
pub(super) fn expand_shorthand(line: &str) -> Option<Shorthand> {
    let plain = line.trim().trim_end_matches(['.', '!']);
    let mut words = plain.split_whitespace();
    let first = words.next()?.to_lowercase();
    let rest: Vec<&str> = words.collect();
    if !rest.is_empty() {
        return match first.as_str() {
            "x" | "l" => Some(Shorthand::Sentence(examine(&rest))),
            _ => None,
        };
    }
    let sentence = match first.as_str() {
        "g" | "again" => return Some(Shorthand::Again),
        "l" | "x" => "I look around",
        "i" | "inv" | "inventory" => "What am I carrying?",
        "z" => "I wait",
        "n" | "north" => "I go north",
        "s" | "south" => "I go south",
        "e" | "east" => "I go east",
        "w" | "west" => "I go west",
        "ne" | "northeast" => "I go northeast",
        "nw" | "northwest" => "I go northwest",
        "se" | "southeast" => "I go southeast",
        "sw" | "southwest" => "I go southwest",
        "u" | "up" => "I go up",
        "d" | "down" => "I go down",
        "in" => "I go inside",
        "out" => "I go outside",
        _ => return None,
    };
    Some(Shorthand::Sentence(sentence.to_owned()))
}

/// `x door` → `I look closely at the door`.
fn examine(rest: &[&str]) -> String {
    let named = rest.join(" ");
    let first = rest.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let closely = |named: &str| format!("I look closely at {named}");
    match first.as_str() {
        "me" | "myself" | "self" => closely("myself"),
        "around" => "I look around".to_owned(),
        "at" => match rest.split_first() {
            Some((_, thing)) if !thing.is_empty() => examine(thing),
            _ => "I look around".to_owned(),
        },
        first if WordClass::Position.has(first) => match rest.split_first() {
            Some((_, thing)) if !thing.is_empty() => {
                format!("I look {first} {}", with_article(thing))
            }
            _ => format!("I look {first}"),
        },
        _ => closely(&if named.is_empty() { named } else { with_article(rest) }),
    }
}

/// The words as a noun phrase: with an article, unless they have one or are a name.
fn with_article(words: &[&str]) -> String {
    let named = words.join(" ");
    let first = words.first().copied().unwrap_or_default();
    let is_name = words.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase));
    let is_number = first.chars().all(|letter| letter.is_ascii_digit());
    if is_name || is_number || WordClass::WithoutArticle.has(first.to_lowercase().as_str()) {
        named
    } else {
        format!("the {named}")
    }
}

/// Returns the command that a line of plain words stands for. `exit` and `quit` leave: no player means a turn by them.
pub(super) fn command_of_words(line: &str) -> Option<&'static str> {
    let plain = line.trim().trim_end_matches(['.', '!']).to_lowercase();
    Some(match plain.as_str() {
        "quit" | "exit" | "q" | "quit game" | "exit game" | "quit the game" => "/quit",
        "help" | "?" | "commands" => "/help",
        "undo" | "revert" => "/undo",
        "redo" => "/redo",
        "retry" => "/retry",
        "recap" => "/recap",
        "map" => "/map",
        "journal" | "my journal" => "/journal",
        _ => return story_question(&plain),
    })
}

/// Returns advice for words that are commands in other games but not here.
pub(super) fn advice_for_words(line: &str) -> Option<&'static str> {
    let plain = line.trim().trim_end_matches(['.', '!']).to_lowercase();
    Some(match plain.as_str() {
        "save" | "save game" => "the story is kept after every turn, there is nothing to save",
        "load" | "restore" | "load game" | "restart" | "restart game" | "new game" => {
            "a story is begun and continued by its name: `narratoria run --story NAME`; \
             `narratoria story list` names yours"
        }
        "score" => "there is no score; `/journal` tells what you know and what is open",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Shorthand, advice_for_words, command_of_words, expand_shorthand};

    fn check(line: &str) -> String {
        match expand_shorthand(line) {
            None => "-".to_owned(),
            Some(Shorthand::Again) => "again".to_owned(),
            Some(Shorthand::Sentence(sentence)) => sentence,
        }
    }

    #[test]
    fn a_shorthand_is_the_sentence_that_is_meant() {
        for (line, expected) in [
            ("l", "I look around"),
            (" L. ", "I look around"),
            ("x", "I look around"),
            ("x door", "I look closely at the door"),
            ("X the ancient door", "I look closely at the ancient door"),
            ("x ancient door", "I look closely at the ancient door"),
            ("x my sword", "I look closely at my sword"),
            ("x Mira", "I look closely at Mira"),
            ("x me", "I look closely at myself"),
            ("x it", "I look closely at it"),
            ("x 3 coins", "I look closely at 3 coins"),
            ("l at the well", "I look closely at the well"),
            ("l under bed", "I look under the bed"),
            ("l around", "I look around"),
            ("x at", "I look around"),
            ("n", "I go north"),
            ("NE", "I go northeast"),
            ("u", "I go up"),
            ("out", "I go outside"),
            ("i", "What am I carrying?"),
            ("z", "I wait"),
            ("g", "again"),
            ("again", "again"),
        ] {
            assert_eq!(check(line), expected, "{line}");
        }
    }

    #[test]
    fn a_sentence_is_no_shorthand() {
        for line in [
            "",
            "I open the door",
            "go north",
            "look",
            "north wind",
            "xylophone",
            "i am here",
            "z z",
            "g it",
            "1",
        ] {
            assert_eq!(check(line), "-", "{line}");
        }
    }

    #[test]
    fn words_are_commands_where_nothing_else_can_be_meant() {
        for (line, expected) in [
            ("quit", Some("/quit")),
            ("Exit.", Some("/quit")),
            ("help", Some("/help")),
            ("?", Some("/help")),
            ("What have I learned so far?", Some("/journal")),
            ("so who have I met", Some("/journal")),
            ("what's my mission?", Some("/hint")),
            ("What is the goal of all this?", Some("/hint")),
            ("what is the point of the key?", None),
            ("Did I forget any reading?", Some("/hint")),
            ("did I forget the key?", None),
            ("undo", Some("/undo")),
            ("Revert.", Some("/undo")),
            ("retry", Some("/retry")),
            ("retry the lock", None),
            ("I revert to my plan", None),
            ("redo", Some("/redo")),
            ("What do I know so far?", Some("/journal")),
            ("What happened so far?", Some("/recap")),
            ("what happened at the mill?", None),
            ("What should I do now?", Some("/hint")),
            ("I'm stuck.", Some("/hint")),
            ("so... what am I supposed to do first??", Some("/hint")),
            ("Where do I start?", Some("/hint")),
            ("\"What am I supposed to do?\" I ask Mr Thrupp.", Some("/hint")),
            ("“So what do I have to do exactly?” I ask.", Some("/hint")),
            ("\"What should I do?\" I ask him, and sit down at the desk beside him.", None),
            ("what must I do tonight", Some("/hint")),
            ("but everything is in order! what is missing?", Some("/hint")),
            ("I am stuck, how do I get her signature?", Some("/hint")),
            ("what happens now?", Some("/hint")),
            ("so what now?", Some("/hint")),
            ("and now? what's left to do?", Some("/hint")),
            ("what's still left to do", Some("/hint")),
            ("I open the door. What now?", None),
            ("hint", Some("/hint")),
            ("What has happened here?", None),
            ("what?", None),
            ("what should I do here?", Some("/hint")),
            ("what happened", Some("/recap")),
            ("OK, so where were we?", Some("/recap")),
            ("the story so far, please", Some("/recap")),
            ("what do I know about the mill?", None),
            ("what should I do with the key?", None),
            ("help the miller", None),
            ("I quit", None),
            ("exit through the window", None),
        ] {
            assert_eq!(command_of_words(line), expected, "{line}");
        }
        assert!(advice_for_words("save").is_some());
        assert!(advice_for_words("save the miller").is_none());
    }

    proptest! {
        /// An expansion is a sentence: it is no command and is never expanded again.
        #[test]
        fn an_expansion_stands_for_itself(line in "(x|l|n|g|i) ?[a-zA-Z ]{0,20}") {
            if let Some(Shorthand::Sentence(sentence)) = expand_shorthand(&line) {
                prop_assert!(sentence.starts_with("I ") || sentence.ends_with('?'));
                prop_assert_eq!(expand_shorthand(&sentence), None);
                prop_assert_eq!(command_of_words(&sentence), None);
            }
        }
    }
}
