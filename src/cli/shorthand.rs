//! The shorthands of text adventures, and commands that are typed as plain words. Pure.

/// Words before which a noun needs no article: it has one, or it stands alone.
const NO_ARTICLE: [&str; 52] = [
    "the",
    "a",
    "an",
    "my",
    "our",
    "your",
    "his",
    "her",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "some",
    "any",
    "all",
    "both",
    "each",
    "every",
    "another",
    "it",
    "them",
    "him",
    "he",
    "she",
    "they",
    "who",
    "what",
    "where",
    "everything",
    "everyone",
    "everybody",
    "something",
    "someone",
    "somebody",
    "anything",
    "nothing",
    "around",
    "here",
    "there",
    "up",
    "down",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
];

/// Words after a shorthand that say where to look, such as `x at the door`.
const PREPOSITIONS: [&str; 13] = [
    "at", "in", "inside", "into", "on", "under", "behind", "beside", "through", "over", "near",
    "above", "below",
];

/// A line that is a shorthand.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shorthand {
    /// The sentence that it stands for.
    Sentence(String),
    /// The last sentence once more.
    Again,
}

/// The sentence that a shorthand stands for; none if the line is no shorthand.
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
        first if PREPOSITIONS.contains(&first) => match rest.split_first() {
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
    if is_name || is_number || NO_ARTICLE.contains(&first.to_lowercase().as_str()) {
        named
    } else {
        format!("the {named}")
    }
}

/// The command that a line of plain words stands for. `exit` and `quit` leave: no player means a turn by them.
pub(super) fn command_of_words(line: &str) -> Option<&'static str> {
    let plain = line.trim().trim_end_matches(['.', '!']).to_lowercase();
    Some(match plain.as_str() {
        "quit" | "exit" | "q" | "quit game" | "exit game" | "quit the game" => "/quit",
        "help" | "?" | "commands" => "/help",
        "undo" => "/undo",
        "redo" => "/redo",
        "recap" => "/recap",
        "map" => "/map",
        "journal" | "my journal" => "/journal",
        _ => match question_words(last_said(said_aloud(&plain).unwrap_or(&plain))).as_str() {
            question if JOURNALS.contains(&question) => "/journal",
            question if RECAPS.contains(&question) => "/recap",
            question if HINTS.contains(&question.strip_suffix(" here").unwrap_or(question)) => {
                "/hint"
            }
            _ => return None,
        },
    })
}

/// What is said in quotation marks at the beginning of a line that says nothing else: `"What do I do now?" I ask Agnes.`
fn said_aloud(line: &str) -> Option<&str> {
    const WORDS_AROUND_MAX: usize = 5;
    let marks = ['"', '“', '”'];
    let (said, around) = line.strip_prefix(marks)?.split_once(marks)?;
    let is_alone = !around.contains(marks) && around.split_whitespace().count() <= WORDS_AROUND_MAX;
    is_alone.then_some(said)
}

/// The last sentence of a line in which a short remark leads to it: "But everything is in order! What is missing?".
/// "I am stuck, how do I get in?" says it at the beginning.
fn last_said(line: &str) -> &str {
    const REMARK_WORDS_MAX: usize = 6;
    let stuck = ["i am stuck, ", "i'm stuck, ", "i am lost, ", "i'm lost, "];
    if let Some(stuck) = stuck.iter().find(|stuck| line.starts_with(**stuck)) {
        return &line[..stuck.len() - 2];
    }
    let begins = [
        "but",
        "everything",
        "nothing",
        "all",
        "that",
        "this",
        "it",
        "hm",
        "hmm",
        "ok",
        "okay",
        "right",
        "well",
        "great",
        "good",
        "so",
        "done",
        "and",
    ];
    let is_remark = |said: &str| {
        let mut words = said.split_whitespace();
        words.next().is_some_and(|first| begins.contains(&first.trim_end_matches(',')))
            && words.count() < REMARK_WORDS_MAX
    };
    match line.split_once(['.', '!', '?']) {
        Some((remark, rest)) if is_remark(remark) && rest.contains(' ') => rest.trim_start(),
        _ => line,
    }
}

/// The words of a question about the game, without those that change nothing at its ends: "So what should I do first?" is
/// "what should i do".
fn question_words(plain: &str) -> String {
    let words: String = plain.replace('’', "'").replace(['?', ',', '!', '.'], " ");
    let mut words: Vec<&str> = words.split_whitespace().filter(|word| *word != "still").collect();
    while words.len() > 2 && words.first().is_some_and(|word| AT_THE_START.contains(word)) {
        words.remove(0);
    }
    loop {
        if words.ends_with(&["so", "far"]) {
            words.truncate(words.len() - 2);
        } else if words.len() > 2 && words.last().is_some_and(|word| AT_THE_END.contains(word)) {
            words.pop();
        } else {
            break;
        }
    }
    words.join(" ")
}

const AT_THE_START: &[&str] =
    &["so", "ok", "okay", "well", "hm", "hmm", "um", "umm", "and", "but", "please", "wait"];

const AT_THE_END: &[&str] =
    &["now", "next", "first", "then", "please", "again", "exactly", "yet", "today", "tonight"];

/// Questions about the story as a whole, which nobody in it can answer.
const RECAPS: &[&str] = &[
    "what happened",
    "what has happened",
    "what's happened",
    "what have i done",
    "where were we",
    "story",
    "the story",
    "give me a recap",
    "summary",
    "give me a summary",
    "summarise the story",
    "summarize the story",
];

/// Questions about what the player has found out.
const JOURNALS: &[&str] = &[
    "what do i know",
    "what did i learn",
    "what did i find out",
    "what have i learned",
    "what have i learnt",
    "what have i found out",
    "what have i discovered",
    "what have i been told",
    "what have they told me",
    "whom have i met",
    "who have i met",
    "where have i been",
];

/// What players say who do not know how to go on.
const HINTS: &[&str] = &[
    "hint",
    "give me a hint",
    "i need a hint",
    "can i have a hint",
    "can i get a hint",
    "any hints",
    "any ideas",
    "what now",
    "now what",
    "what next",
    "what should i do",
    "what shall i do",
    "what must i do",
    "what do i do",
    "what do i have to do",
    "what do i need to do",
    "what am i supposed to do",
    "what am i meant to do",
    "what's the goal",
    "what is the goal",
    "what's my goal",
    "what is my goal",
    "what is my quest",
    "what's my quest",
    "what is my mission",
    "what's my mission",
    "what is my objective",
    "what's my objective",
    "what am i looking for",
    "what am i trying to do",
    "where do i start",
    "where should i start",
    "where do i begin",
    "where should i begin",
    "where to start",
    "where to begin",
    "what is there to do",
    "what's there to do",
    "what else is there to do",
    "what have i to do",
    "what else do i have to do",
    "what else must i do",
    "what else should i do",
    "what do i have left to do",
    "what have i left to do",
    "what happens",
    "what is missing",
    "what's missing",
    "what am i missing",
    "what remains to be done",
    "what remains to do",
    "what is to be done",
    "what is left to do",
    "what's left to do",
    "what is my task",
    "what's my task",
    "what is my job",
    "what's my job",
    "how do i start",
    "how do i begin",
    "i'm stuck",
    "im stuck",
    "i am stuck",
    "i don't know what to do",
    "i dont know what to do",
    "i do not know what to do",
    "i have no idea what to do",
    "i'm lost",
    "i am lost",
];

/// Advice for words that are commands of other games and of none here.
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
            ("undo", Some("/undo")),
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
        /// An expansion is a sentence: it is never expanded again, and no command.
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
