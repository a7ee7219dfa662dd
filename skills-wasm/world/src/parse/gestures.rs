//! What the player does in words of their own.

use crate::parse::{
    lexicon::ClauseVerb,
    tokens::{Token, text_of},
};

/// Longest gesture that is told in the player's own words, in characters.
const GESTURE_CHARS_MAX: usize = 60;

/// The player's words in the second person, if they are few and plain.
pub(super) fn own_words(verb: &ClauseVerb, name: &str) -> String {
    let rest: Vec<&str> = verb
        .rest
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty())
        .map(|word| match word {
            "my" => "your",
            "me" | "i" => "you",
            "myself" => "yourself",
            "am" => "are",
            word => word,
        })
        .collect();
    let text = format!("{} {}", verb.phrase, rest.join(" "));
    let text = text.trim();
    let is_plain = text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '\'');
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
