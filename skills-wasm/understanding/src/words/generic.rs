//! Words for everything, and for nothing in particular.

use english::WordClass;

use crate::words::tokens::Token;

/// Returns true if the words mean the place where the player is.
pub(crate) fn is_room(tokens: &[Token]) -> bool {
    let mut content = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !word.is_empty() && !world_model::words::is_hollow(word));
    content.all(|word| WordClass::RoomWord.has(word) || english::is_typo(word, "around"))
}

/// Returns true if the words mean all that is there.
pub(crate) fn is_everything(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !world_model::words::is_hollow(word))
        .collect();
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
        && WordClass::OfEverything.has(more)
    {
        return true;
    }
    let is_typo = |word: &str| word.len() > 6 && english::is_typo(word, "everything");
    all.contains(&words.join(" ").as_str()) || matches!(words.as_slice(), [one] if is_typo(one))
}
