//! Questions about the player's own past and knowledge. Nobody who stands by can answer them: `where did I leave the torch`,
//! `what did I take`, `why am I here`.

use english::WordClass;

use crate::{
    action::Action,
    parse::{chart, tokens::Token},
    world::World,
};

/// The answer to a question about the player's own past. An empty list is no answer, and nobody is asked instead.
pub(super) fn own_past(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let words: Vec<&str> = clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    if words.len() < 3 || words.iter().any(|word| WordClass::OfListener.has(word)) {
        return None;
    }
    chart::question_of(world, "own past", clause)
}
