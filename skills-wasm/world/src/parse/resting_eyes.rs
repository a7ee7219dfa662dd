//! Rewords looks by eyes that come to rest, before the parser drops what they come to rest on.

use crate::parse::{
    plain_clause::word,
    tokens::{Token, is_mark, word_at},
};

/// Most words between the eyes and what they come to rest on.
const WANDERING_WORDS_MAX: usize = 20;

/// `I let my eyes wander over the walls until they come to rest on the poster` becomes `look at the poster`, before the parser drops
/// what follows `until`.
pub(super) fn with_resting_eyes(mut tokens: Vec<Token>) -> Vec<Token> {
    const RESTING: &[&str] =
        &["rest", "rests", "settle", "settles", "fall", "falls", "land", "lands", "linger", "stop"];
    let is_eye = |token: &Token| ["eyes", "eye", "gaze", "glance"].contains(&token.word());
    let Some(eyes) = tokens.iter().position(is_eye) else { return tokens };
    let rests = (eyes + 1..tokens.len().min(eyes + WANDERING_WORDS_MAX)).find(|at| {
        RESTING.contains(&word_at(&tokens, *at))
            && ["on", "upon"].contains(&word_at(&tokens, at + 1))
    });
    let Some(rests) = rests else { return tokens };
    let is_end = |token: &Token| matches!(token, Token::Stop(_) | Token::Quote(_));
    if tokens[eyes..rests].iter().any(is_end) {
        return tokens;
    }
    let begins = |token: &Token| is_mark(token) || token.word() == "and";
    let start = tokens[..eyes].iter().rposition(begins).map_or(0, |at| at + 1);
    tokens.splice(start..rests + 2, ["look", "at"].map(word));
    tokens
}
