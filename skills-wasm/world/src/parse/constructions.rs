//! Deeds that a construction tells whatever the verb is: `wind the veil about my head`, `coax the wick alight`, `let the note fall`.

use crate::{
    entity::NamedId,
    parse::{
        classes::is_no_verb,
        lexicon,
        nouns::{Want, in_sight, suited, suits},
        parts::ClauseParts,
        plain_clause::{hand_to, verb_on, with_verb},
        rephrase::person,
        tokens::{Token, has, is_any, is_hollow, word_at},
        want::sole,
    },
    world::{Holder, World},
};

/// `put the lid back on` closes what was spoken of, or what the clause names.
pub(super) fn lid_put_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [put, rest @ ..] = clause else { return None };
    // `close the lid after me`
    let closes = is_any(put, &["close", "shut", "replace", "lower"]);
    let at = rest.iter().position(|token| is_any(token, &["lid", "cover", "top", "cap"]))?;
    let verbs = ["put", "press", "set", "clap", "push", "drop", "place", "fit", "pop"];
    let lid = &rest[at..=at];
    if !(closes || is_any(put, &verbs)) || at > 1 || suited(world, lid, Want::Takable).is_some() {
        return None;
    }
    let mut behind = &rest[at + 1..];
    while behind.first().is_some_and(|next| is_any(next, &["back", "on", "to", "down", "of"])) {
        behind = &behind[1..];
    }
    if rest.len() == at + 1 && !closes {
        return None;
    }
    let behind = if word_at(behind, 0) == "after" { &[] } else { behind };
    if !behind.is_empty() && word_at(behind, 0) != "it" {
        return suited(world, behind, Want::Open).map(|_| with_verb("close", behind));
    }
    let is_open = |id: &NamedId| world.container(*id).is_some() && world.conditions[id.0].open;
    let around = |id: NamedId| match world.holders[id.0] {
        Holder::In(container) => Some(container),
        _ => None,
    };
    let spoken = || world.spoken_of().into_iter().flat_map(|id| [Some(id), around(id)]).flatten();
    let last = spoken().find(is_open);
    let is_left = |id: &NamedId| is_open(id) && !world.is_with_player(*id);
    let open = world.seen().filter(is_left);
    let only = || sole(open);
    Some(verb_on(world, "close", last.or_else(only)?))
}

/// `lock up after me`, `lock it up again`: the only thing here that has a key and is not locked.
pub(super) fn locked_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(lock, _)| lock.word() == "lock")?;
    let rest = match rest {
        [it, rest @ ..] if it.word() == "it" => rest,
        rest => rest,
    };
    let little = ["up", "again", "after", "me", "us", "behind", "please", "would", "you", "now"];
    let lockable = |id: &NamedId| world.key_of(*id).is_some() && !world.conditions[id.0].locked;
    if !rest.iter().all(|token| is_any(token, &little))
        || world.spoken_of().is_some_and(|id| lockable(&id))
    {
        return None;
    }
    let found = world.seen().filter(lockable);
    let only = sole(found)?;
    Some(verb_on(world, "lock", only))
}

/// `flick the lighter` uses what lights something.
pub(super) fn flicked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (flick, object) = clause.split_first()?;
    let object = match object {
        [on, object @ ..] if on.word() == "on" => object,
        [object @ .., on] if on.word() == "on" => object,
        object => object,
    };
    let id = *in_sight(world, object)
        .filter(|_| is_any(flick, &["flick", "click", "spark", "strike"]))?
        .first()?;
    let is_for = |light: NamedId| {
        let light = world.thing(light).and_then(|thing| thing.light.as_ref());
        light.and_then(|light| light.needs.as_deref()) == Some(world.name(id))
    };
    let has_use = world.thing(id).is_some_and(|thing| !thing.reactions.is_empty());
    (has_use || world.seen().any(is_for)).then(|| with_verb("use", object))
}

/// Reads an unknown verb by its prepositions: `wangle the astrolabe out of the chest` takes it, `smuggle the letter into my pouch`
/// puts it there.
pub(super) fn framed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let is_name = || world.existing().any(|id| world.has_name_with(id, verb.word()));
    let is_plain = verb.word().len() > 2 && verb.word().chars().all(|c| c.is_ascii_lowercase());
    let is_known = || lexicon::is_verb(verb.word()) || lexicon::corrected(verb.word()).is_some();
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
