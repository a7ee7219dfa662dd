//! Wordings that take something.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::Want,
    world::{Holder, World},
};

use crate::{
    names::nouns::{is_headed_by, suited},
    words::{
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, is_any},
    },
};

/// `take a biscuit`, where there is a biscuit tin that is shut, takes it out of the tin.
pub(super) fn out_of_its_box(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, object) = clause.split_first()?;
    let noun = object.last().map(Token::word).filter(|noun| !noun.is_empty())?;
    if !verb.is(WordClass::HelpingOneself)
        || object.len() > 3
        || world.seen().any(|id| is_headed_by(world, id, noun))
    {
        return None;
    }
    let within = |id: &NamedId| {
        let names = world.names(*id).iter();
        let is_for = names.clone().any(|name| name.len() > 1 && name[0] == noun);
        let mut held = world.held_by(Holder::In(*id)).into_iter();
        is_for.then(|| held.find(|thing| is_headed_by(world, *thing, noun))).flatten()
    };
    let (holder, thing) = world.seen().find_map(|id| Some((id, within(&id)?)))?;
    let from = [Token::of("from")].into_iter().chain(name_tokens(world, holder));
    Some(verb_on(world, "take", thing).into_iter().chain(from).collect())
}

/// `my hand closes around the key` takes the key; a hand that moves in secret steals it.
pub(super) fn reached_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = own(clause, WordClass::HandOfPlayer.words())?;
    let (verb, rest) = rest.split_first()?;
    let object = match rest {
        [lead, object @ ..] if lead.is(WordClass::BehindSlyHand) => object,
        [out, lead, object @ ..] if out.word() == "out" && lead.is(WordClass::BehindSlyHand) => {
            object
        }
        object => object,
    };
    let stem = verb.word().strip_suffix('s').unwrap_or(verb.word());
    let fits = |want: Want| {
        suited(world, object, want).is_some_and(|ids| ids.iter().all(|id| world.is_seen(*id)))
    };
    if WordClass::SlyHand.has(stem) || fits(Want::Owned) {
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
