//! Verbs that no list has, read by the prepositions of their clause.

use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::{
    names::{
        nouns::{in_sight, suited},
        people::person,
    },
    words::{
        classes::is_no_verb,
        lexicon,
        parts::ClauseParts,
        plain_clause::{hand_to, with_verb},
        tokens::{Token, has, is_hollow},
    },
};

/// Reads an unknown verb by its prepositions: `wangle the astrolabe out of the chest` takes it, `smuggle the letter into my pouch`
/// puts it there.
pub(super) fn framed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let is_name = || world.existing().any(|id| world.has_name_with(id, verb.word()));
    let is_plain = verb.word().len() > 2 && verb.word().chars().all(|c| c.is_ascii_lowercase());
    let is_known = || english::is_verb(verb.word()) || lexicon::corrected(verb.word()).is_some();
    if !is_plain || is_no_verb(verb.word()) || is_hollow(verb) || has(rest, "i") {
        return None;
    }
    let parts = ClauseParts::of(rest);
    if rest.len() < 2 || parts.object.is_empty() || is_name() || is_known() {
        return None;
    }
    let object = parts.object.as_slice();
    let ids = in_sight(world, object)?;
    let are_free = ids.iter().all(|id| suits(world, *id, Want::Takable));
    let are_held = ids.iter().all(|id| world.is_with_player(*id));
    if let Some(from) = parts.after(&["from", "off", "out"]).and_then(|it| in_sight(world, it))
        && are_free
    {
        let is_there = |id: &NamedId| {
            [Holder::In(from[0]), Holder::On(from[0])].contains(&world.holders[id.0])
        };
        return ids.iter().all(is_there).then(|| with_verb("take", object));
    }
    if let Some(to) = parts.after(&["to"]).filter(|_| are_held)
        && let Some(who) = person(world, to).filter(|id| world.is_seen(*id))
    {
        return Some(hand_to(world, "give", object, who));
    }
    let into = parts.after(&["in", "on"]).filter(|_| are_held || are_free)?;
    suited(world, into, Want::Holder).map(|_| with_verb("put", rest))
}
