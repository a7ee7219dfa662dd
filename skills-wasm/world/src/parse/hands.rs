//! Deeds that a part of the player's body does: `my fingers creep toward the key`, `my feet carry me to the loft`.

use crate::{
    parse::{
        nouns::{Want, suited},
        plain_clause::with_verb,
        tokens::{Token, is_any},
    },
    world::World,
};

const HANDS: &[&str] =
    &["hand", "hands", "finger", "fingers", "fingertips", "arm", "arms", "fist", "palm", "paw"];

/// Verbs of a hand that moves in secret.
const SLYLY: &[&str] = &["creep", "steal", "inch", "stray", "sneak", "edge", "slide", "sidle"];

/// Words between such a verb and what the hand wants.
const LEADS: &[&str] = &["for", "to", "toward", "around", "round", "about", "over", "on", "upon"];

/// `my hand closes around the key` takes the key; a hand that moves in secret steals it.
pub(super) fn reached_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = own(clause, HANDS)?;
    let (verb, rest) = rest.split_first()?;
    let object = match rest {
        [lead, object @ ..] if is_any(lead, LEADS) => object,
        [out, lead, object @ ..] if out.word() == "out" && is_any(lead, LEADS) => object,
        object => object,
    };
    let stem = verb.word().strip_suffix('s').unwrap_or(verb.word());
    let fits = |want: Want| {
        suited(world, object, want).is_some_and(|ids| ids.iter().all(|id| world.is_seen(*id)))
    };
    if SLYLY.contains(&stem) || fits(Want::Owned) {
        return (fits(Want::Owned) || fits(Want::Takable)).then(|| with_verb("steal", object));
    }
    fits(Want::Takable).then(|| with_verb("take", object))
}

/// The words behind `my hand` or `my left hand`, if the clause begins so.
fn own<'t>(clause: &'t [Token], parts: &[&str]) -> Option<&'t [Token]> {
    match clause {
        [my, part, rest @ ..] if my.word() == "my" && is_any(part, parts) => Some(rest),
        [my, _, part, rest @ ..] if my.word() == "my" && is_any(part, parts) => Some(rest),
        _ => None,
    }
}
