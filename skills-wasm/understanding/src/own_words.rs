//! A clause as the player's own words: as it was said, or in the second person.

use english::WordClass;
use world_model::action::{Action, Verb};

use crate::{
    lexicon::{ClauseVerb, Meaning},
    tokens::{Token, text_of},
};

/// The words as a verb that is a gesture.
pub(super) fn in_words(verb: &str, rest: &[Token]) -> ClauseVerb {
    ClauseVerb {
        meaning: Meaning::Gesture("nod"),
        phrase: verb.to_owned(),
        said: verb.to_owned(),
        ..ClauseVerb::of_clause("gesture nod", rest)
    }
}

/// The gesture that tells the clause in the player's own words, or by `name` where they are too many.
pub(super) fn in_own_words(verb: &str, rest: &[Token], name: &str) -> Action {
    Action::new(Verb::Gesture).text(&own_words(&in_words(verb, rest), name))
}

/// `flap my arms and fly`, but not `swat a fly`.
fn words_of_wonder(text: &str) -> bool {
    text.split(" and ")
        .any(|deed| deed.split(' ').next().is_some_and(|verb| WordClass::Wonder.has(verb)))
}

/// Longest gesture that is told in the player's own words, in characters.
const GESTURE_CHARS_MAX: usize = 60;

/// The player's words in the second person, if they are few and plain.
pub(super) fn own_words(verb: &ClauseVerb, name: &str) -> String {
    // `I nod, button up my coat`: one deed behind the other. A single word behind a comma is somebody's name.
    let rest = verb.rest.iter().enumerate().map(|(at, token)| match token {
        Token::Comma if verb.rest.len() > at + 2 => "and",
        token => token.word(),
    });
    // `I can still hear it` is `you hear it`, but `I sit still`.
    let senses = ["hear", "see", "feel", "smell"].contains(&verb.said.as_str());
    let words: Vec<&str> = verb
        .said
        .split(' ')
        .chain(rest.filter(|word| !(senses && *word == "still")))
        .filter(|word| !word.is_empty())
        .map(|word| match word {
            "my" => "your",
            "me" | "i" => "you",
            "myself" => "yourself",
            "am" => "are",
            word => word,
        })
        .collect();
    // `*clears throat*`
    let text = match words.as_slice() {
        [verb, part] if WordClass::Body.has(part) => format!("{verb} your {part}"),
        words => words.join(" "),
    };
    let text = text.as_str();
    let is_wonder = words_of_wonder(text);
    let is_plain = !is_wonder && text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '\'');
    if is_plain && text.chars().count() <= GESTURE_CHARS_MAX {
        text.to_owned()
    } else {
        name.to_owned()
    }
}

/// The clause as the player's own words.
pub(super) fn words_of(verb: &ClauseVerb) -> String {
    format!("{} {}", verb.phrase, text_of(&verb.rest)).trim().chars().take(200).collect()
}
