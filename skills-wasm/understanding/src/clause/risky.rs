//! What is done unseen, in the player's words.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    world::{Holder, World},
};

use crate::words::tokens::Token;

/// Taking what somebody has, without being seen, is stealing.
pub(crate) fn unseen(world: &World, clause: &[Token], mut actions: Vec<Action>) -> Vec<Action> {
    let is_unwatched = clause.windows(2).any(|two| {
        matches!(
            (two[0].word(), two[1].word()),
            ("not", "looking" | "watching")
                | ("turned", "away")
                | ("nobody", "looking" | "sees")
                | ("without", "asking" | "permission")
                | ("is", "distracted")
        )
    });
    if is_unwatched || clause.iter().any(|token| token.is(WordClass::Unseen)) {
        for action in actions.iter_mut().filter(|action| action.action == Verb::Take) {
            let id = world.target_of(action);
            if let Some(Holder::Person(owner)) = id.map(|id| world.holders[id.0]) {
                action.action = Verb::Steal;
                action.with = Some(world.name(owner).to_owned());
            }
        }
    }
    actions
}
