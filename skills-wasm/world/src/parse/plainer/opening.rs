//! Wordings that open, close, lock and unlock.

use english::WordClass;

use super::rule::{PlainerRule, pattern, position};
use crate::{
    entity::NamedId,
    parse::{
        built,
        nouns::{Meant, Want, carried, entities, in_sight, resolve, suited, suits},
        plain_clause::{verb_on, with_verb},
        tokens::{Token, is_any, word_at},
        want::sole,
    },
    world::{Holder, World},
};

include!(concat!(env!("OUT_DIR"), "/wordings_opening.rs"));

/// `put the lid back on` closes what was spoken of, or what the clause names.
fn lid_put_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [put, rest @ ..] = clause else { return None };
    // `close the lid after me`
    let closes = is_any(put, &["close", "shut", "replace", "lower"]);
    let at = rest.iter().position(|token| is_any(token, &["lid", "cover", "top", "cap"]))?;
    let lid = &rest[at..=at];
    if !(closes || put.is(WordClass::PuttingLid)) || at > 1 || in_sight(world, lid).is_some() {
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
fn locked_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(lock, _)| lock.word() == "lock")?;
    let rest = match rest {
        [it, rest @ ..] if it.word() == "it" => rest,
        rest => rest,
    };
    let lockable = |id: &NamedId| world.key_of(*id).is_some() && !world.conditions[id.0].locked;
    if !rest.iter().all(|token| token.is(WordClass::HollowInLocking))
        || world.spoken_of().is_some_and(|id| lockable(&id))
    {
        return None;
    }
    let found = world.seen().filter(lockable);
    let only = sole(found)?;
    Some(verb_on(world, "lock", only))
}

fn is_locked_by(world: &World, lock: NamedId, key: NamedId) -> bool {
    world.key_of(lock) == Some(key) && suits(world, lock, Want::Locked)
}

/// `unlock LOCK with KEY`.
fn unlocked_with(world: &World, lock: NamedId, key: NamedId) -> Vec<Token> {
    [verb_on(world, "unlock", lock), verb_on(world, "with", key)].concat()
}

/// `swipe the card through the slot`, `turn the key in its lock`: the key unlocks what it fits.
fn key_worked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = position(clause, &["in", "through", "across", "over", "against", "to", "on", "at"])?;
    let is_lock = clause.last().is_some_and(|last| last.is(WordClass::LockWord));
    if !is_lock || !WordClass::WorkingLock.has(word_at(clause, 0)) {
        return None;
    }
    let keys = entities(world, &clause[1..at], Want::Carried)?;
    let key = *keys.first().filter(|id| world.is_with_player(**id))?;
    let lock = world.seen().find(|id| is_locked_by(world, *id, key))?;
    Some(unlocked_with(world, lock, key))
}

/// `turn the great key` unlocks what it fits, where that is here and locked.
fn key_turned(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (turn, object) = clause.split_first()?;
    let key = *carried(world, object).filter(|_| is_any(turn, &["turn", "twist"]))?.first()?;
    let lock = world.seen().find(|id| is_locked_by(world, *id, key))?;
    Some(unlocked_with(world, lock, key))
}

/// `turn the key in the lock` unlocks, whatever is done with the key.
fn worked_in_lock(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause
        .iter()
        .position(|token| ["in", "on"].contains(&token.word()))
        .filter(|at| *at > 1)?;
    if !WordClass::Jiggling.has(word_at(clause, 0)) {
        return None;
    }
    let keys = entities(world, &clause[1..at], Want::Carried)?;
    match built::door_like(world, &clause[at + 1..], Want::Locked) {
        Ok(Meant::Entities(locks))
            if is_locked_by(world, locks[0], keys[0]) && world.is_with_player(keys[0]) =>
        {
            Some(unlocked_with(world, locks[0], keys[0]))
        }
        _ => None,
    }
}

/// `ease the lid off`, `lift the lid of the crate`.
fn by_lid(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    // `open its door`, of a cabinet.
    let is_own = |at: usize| at > 0 && clause[at - 1].word() == "its";
    let is_lid = |at: &usize| match clause[*at].word() {
        "lid" | "cover" => true,
        "door" | "doors" | "hatch" | "flap" => is_own(*at),
        _ => false,
    };
    let lid = (0..clause.len()).find(is_lid)?;
    let verb = word_at(clause, 0);
    let has = |word: &str| clause.iter().any(|token| token.word() == word);
    let closes = ["close", "shut", "drop", "replace", "lower", "slam"];
    if !is_own(lid) && world.seen().any(|id| world.has_name_with(id, "lid")) {
        return None;
    }
    let plain =
        if closes.contains(&verb) || (has("shut") || has("on") && ["put", "set"].contains(&verb)) {
            "close"
        } else if WordClass::LiftingLid.has(verb) {
            "open"
        } else {
            return None;
        };
    let of = clause.get(lid + 1..).unwrap_or_default();
    let of = match of {
        [off, rest @ ..] if ["off", "up", "back", "open", "away"].contains(&off.word()) => rest,
        rest => rest,
    };
    let object = match of {
        [of, object @ ..] if ["of", "from", "off", "on"].contains(&of.word()) => object,
        _ => &[],
    };
    // What a lid lies on that nobody names is what was spoken of.
    let want = if plain == "open" { Want::Closed } else { Want::Open };
    let id = if object.is_empty() {
        let last = world.spoken_of();
        let fits = |id: &NamedId| world.container(*id).is_some() && suits(world, *id, want);
        let open = world.seen().filter(fits);
        let only = sole(open);
        last.filter(fits).or(only)?
    } else {
        return Some(with_verb(plain, object));
    };
    Some(verb_on(world, plain, id))
}

/// `jiggle a hairpin about in the lock of the door` picks it.
fn with_pin(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let is_pick = |token: &Token| {
        token.is(WordClass::PickTool)
            && !world.seen().any(|id| world.has_name_with(id, token.word()))
    };
    let is_lock = |token: &Token| is_any(token, &["lock", "padlock", "keyhole"]);
    clause.iter().position(is_pick).filter(|at| *at > 0)?;
    // `open that strongbox with a hairpin`.
    let is_tool = ["open", "unlock", "undo"].contains(&word_at(clause, 0))
        && clause.iter().any(|token| token.word() == "with");
    clause.iter().position(|token| is_lock(token) || is_tool)?;
    if word_at(clause, 0) == "pick" || !english::is_verb_form(word_at(clause, 0)) {
        return None;
    }
    let of_lock = |token: &&Token| !is_pick(token) && !token.is(WordClass::HollowInPicking);
    let rest: Vec<Token> = clause[1..].iter().filter(of_lock).cloned().collect();
    let door = match resolve(world, &rest, Want::Locked) {
        Meant::Entities(ids) if world.is_openable(ids[0]) => rest,
        _ => Vec::new(),
    };
    Some([&[Token::of("pick"), Token::of("lock"), Token::of("on")], door.as_slice()].concat())
}
