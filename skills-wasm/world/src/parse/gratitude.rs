//! What a player would be grateful for.

use english::WordClass;

use crate::parse::tokens::{Token, word_at};

/// What a player would be grateful for, most obliged by or glad of: how many words say so, and the words that the grammar knows.
pub(super) fn gratitude(tokens: &[Token]) -> Option<(usize, &'static str)> {
    if !["would", "should"].contains(&word_at(tokens, 0)) || word_at(tokens, 1) != "be" {
        return None;
    }
    let degrees = tokens[2..].iter().take_while(|token| token.is(WordClass::Degree)).count();
    let at = 2 + degrees;
    if !tokens.get(at).is_some_and(|token| token.is(WordClass::Thankful)) {
        return None;
    }
    match [1, 2, 3].map(|n| word_at(tokens, at + n)) {
        ["for" | "of", ..] => Some((at + 2, "want")),
        ["if", "i", "could" | "might" | "may"] => Some((at + 4, "would like to")),
        ["if", "you", "could" | "would" | "might"] => Some((at + 4, "")),
        _ => None,
    }
}
