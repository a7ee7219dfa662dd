//! Rewords looks that never say `look`: eyes that come to rest, a pause before a painting, what somebody looks like.

use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, resolve},
        plain_clause::{with_verb, word},
        tokens::{Token, before, is_mark, word_at},
    },
    world::World,
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

/// `spend a moment in front of the chart`, `pause before the painting` look at it.
pub(super) fn paused_before(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const PAUSES: &[&str] =
        &["spend", "pause", "stop", "linger", "stand", "halt", "dwell", "tarry"];
    let verb = word_at(clause, 0);
    if !PAUSES.contains(&verb) {
        return None;
    }
    let at = (1..clause.len()).find_map(|at| {
        let leads = [word_at(clause, at), word_at(clause, at + 1), word_at(clause, at + 2)];
        match leads {
            ["in", "front", "of"] => Some(at + 3),
            ["before" | "at", ..] => Some(at + 1),
            _ => None,
        }
    })?;
    let object = before(&clause[at..], is_mark);
    let is_seen = |id: &NamedId| world.is_seen(*id) && !world.is_door(*id);
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) if ids.iter().all(is_seen) => Some(with_verb("examine", object)),
        Meant::Mention(_) => Some(with_verb("examine", object)),
        _ => None,
    }
}
