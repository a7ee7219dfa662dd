//! Words for everything, and for nothing in particular.

use crate::parse::tokens::Token;

/// Words for the place where the player is, or for nothing in particular.
const ROOM: &[&str] = &[
    "room",
    "place",
    "here",
    "around",
    "me",
    "surroundings",
    "area",
    "everywhere",
    "everything",
    "location",
    "about",
    "scene",
    "building",
    "there",
    "us",
    "round",
    "environment",
    "view",
    "scenery",
    "landscape",
    "sights",
];

/// Returns true if the words mean the place where the player is.
pub(super) fn is_room(tokens: &[Token]) -> bool {
    let mut content = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && !crate::words::is_hollow(word));
    content.all(|word| ROOM.contains(&word) || crate::words::is_typo(word, "around"))
}

/// What is said of everything, and leaves nothing out.
const LITTLE: &[&str] = &[
    "that",
    "which",
    "i",
    "we",
    "useful",
    "interesting",
    "valuable",
    "loose",
    "portable",
    "takable",
    "worth",
    "here",
    "there",
    "around",
    "lying",
    "not",
    "is",
];

/// Returns true if the words mean all that is there.
pub(super) fn is_everything(tokens: &[Token]) -> bool {
    let words: Vec<&str> =
        tokens.iter().map(Token::word).filter(|word| !crate::words::is_hollow(word)).collect();
    let all = [
        "all",
        "everything",
        "it all",
        "stuff",
        "things",
        "items",
        "all things",
        "all stuff",
        "all items",
        "all of it",
        "every item",
        "every thing",
        "every object",
        "every single thing",
        "each item",
        "whole lot",
        "anything",
        "everything else",
        "whatever is there",
        "whatever",
        "everything i can",
        "lot",
        "all it",
        "objects",
        "all objects",
        "everything i have",
        "belongings",
        "all i have",
    ];
    // `everything useful`, `everything that is not nailed down`.
    if let ["everything" | "anything" | "all" | "whatever", more, ..] = words.as_slice()
        && LITTLE.contains(more)
    {
        return true;
    }
    let is_typo = |word: &str| word.len() > 6 && crate::words::is_typo(word, "everything");
    all.contains(&words.join(" ").as_str()) || matches!(words.as_slice(), [one] if is_typo(one))
}
