//! Wordings that light, use, eat, drink, sleep, wait and attack.

use english::WordClass;
use world_model::{entity::NamedId, world::World};

use crate::{
    names::{nouns::carried, people::person},
    words::{
        plain_clause::{verb_on, with_verb},
        tokens::Token,
    },
};

/// `press her foot onto the ink pad` uses what the player has on her.
pub(super) fn body_pressed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(verb, _)| verb.is(WordClass::PressingBody))?;
    let at = rest.iter().position(|token| ["on", "in", "onto", "into"].contains(&token.word()))?;
    // `put some ink on her foot`, but pressing the key into her hands gives it to her.
    let (pressed, object) = (&rest[..at], &rest[at + 1..]);
    let is_part = |tokens: &[Token]| tokens.last().is_some_and(|it| it.is(WordClass::Body));
    if ["in", "into"].contains(&rest[at].word()) && is_part(object) {
        return None;
    }
    let (pressed, object) = match is_part(object) && !is_part(pressed) {
        true => (object, pressed),
        false => (pressed, object),
    };
    let is_worn = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.wearable);
    if carried(world, object)?.iter().any(is_worn) {
        return None;
    }
    let (part, owner) = pressed.split_last()?;
    let owner = match owner {
        [his] if his.word() == "his" => person(world, &[Token::of("him")]),
        [its] if its.word() == "its" => person(world, &[Token::of("it")]),
        owner => person(world, owner),
    };
    let owner = owner.filter(|id| part.is(WordClass::Body) && world.is_seen(*id))?;
    Some([with_verb("use", object), verb_on(world, "on", owner)].concat())
}
