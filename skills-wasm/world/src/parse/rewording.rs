//! More ways of putting a clause: what is handed over, taken off, asked for, in words that a plainer clause says too.

use crate::{
    entity::NamedId,
    parse::{
        handed, lexicon,
        nouns::{Meant, Want, carried, is_headed_by, is_wholly_named, resolve, suits},
        plain_clause::{hand_to, with_verb, word},
        rephrase::person,
        tokens::{Token, before, is_mark},
    },
    words,
    world::{Holder, World},
};

/// `hold the sandal out to the steward`; what somebody wishes for is given, and food to an animal.
pub(super) fn held_out(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (hold, rest) = clause.split_first()?;
    let Some(to) = rest.iter().position(|token| token.word() == "to") else {
        return held_out_to_wisher(world, clause);
    };
    let (object, who) = match &rest[..to] {
        [object @ .., out] | [out, object @ ..] if out.word() == "out" && !object.is_empty() => {
            (object, &rest[to + 1..])
        }
        _ => return None,
    };
    let is_food = || match resolve(world, object, Want::Edible) {
        Meant::Entities(ids) => {
            let eaten = |id: &NamedId| suits(world, *id, Want::Edible);
            ids.iter().all(|id| world.is_with_player(*id) && eaten(id))
        }
        _ => false,
    };
    let who_takes = person(world, who);
    let is_wished = || match (who_takes, resolve(world, object, Want::Carried)) {
        (Some(who), Meant::Entities(ids)) => ids.iter().all(|id| world.is_gift_for(*id, who)),
        _ => false,
    };
    let feeds = who_takes.is_some_and(|id| world.is_creature(id)) && is_food() || is_wished();
    let verb = if feeds { "give" } else { "show" };
    (hold.word() == "hold").then(|| [&with_verb(verb, object), &rest[to..]].concat())
}

/// `hold out the boater with a small bow`, where the one who wishes for it is here.
fn held_out_to_wisher(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [hold, out, object @ ..] = clause else { return None };
    let object =
        &object[..object.iter().position(|it| it.word() == "with").unwrap_or(object.len())];
    let is_it = ["hold", "offer"].contains(&hold.word()) && out.word() == "out";
    let ids = carried(world, object).filter(|_| is_it)?;
    let wishes = |who: &NamedId| ids.iter().all(|id| world.is_gift_for(*id, *who));
    let who = world.people_here().into_iter().find(wishes)?;
    Some(hand_to(world, "give", object, who))
}

/// `get out of the jacket`, `climb out of here`.
pub(super) fn out_of(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let (from, object) = match rest {
        [me, from, object @ ..] if ["me", "us", "myself"].contains(&me.word()) => (from, object),
        [from, object @ ..] => (from, object),
        [] => return None,
    };
    let leaves = ["get", "climb", "come", "crawl", "step", "slip", "walk", "run", "sneak", "go"];
    if ["take", "read"].contains(&verb.word()) || from.word() != "from" {
        return None;
    }
    let places = [
        "here", "there", "hole", "dump", "place", "room", "pit", "joint", "prison", "mess", "trap",
        "tomb", "cave", "house", "building", "this", "creepy", "dark", "horrible", "awful",
        "nasty",
    ];
    // `get out of the rain`.
    let weather =
        ["rain", "cold", "wind", "sun", "heat", "wet", "storm", "snow", "weather", "draught"];
    let (out_of, into) = (before(object, is_mark), [word("in")]);
    if let [.., last] = out_of
        && leaves.contains(&verb.word())
        && weather.contains(&last.word())
        && out_of.len() < 3
        && !world.seen().any(|id| is_headed_by(world, id, last.word()))
    {
        // `get out of this rain, into the arcade quick`
        let goal = object.get(out_of.len() + 1..).unwrap_or_default();
        let goal = match goal {
            [goal @ .., quick] if ["quick", "quickly", "fast"].contains(&quick.word()) => goal,
            goal => goal,
        };
        return Some(with_verb("go", if goal.is_empty() { &into } else { goal }));
    }
    let is_place = |token: &Token| places.contains(&token.word()) || words::is_hollow(token.word());
    let is_thing = || match resolve(world, object, Want::Any) {
        Meant::Entities(ids) => world.entity(ids[0]).is_thing(),
        _ => false,
    };
    if leaves.contains(&verb.word()) && object.iter().all(is_place) && !is_thing() {
        return Some(vec![word("leave")]);
    }
    match resolve(world, object, Want::Worn) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Worn) => {
            Some(with_verb("remove", object))
        }
        _ => None,
    }
}

/// `show me the way to the pool`, `tell me how to get to the pool`.
pub(super) fn way_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = clause.first()?.word();
    if !["show", "tell", "point", "what", "which", "is", "the"].contains(&first)
        || clause.len() > 12
    {
        return None;
    }
    let at = clause.windows(2).position(|pair| {
        ["way", "get", "path", "route"].contains(&pair[0].word()) && pair[1].word() == "to"
    })?;
    let goal = &clause[at + 2..];
    match resolve(world, goal, Want::Place) {
        Meant::Entities(ids) if world.is_place(ids[0]) => Some(with_verb("find", goal)),
        _ => None,
    }
}

/// `a cheese roll for you, Dora`.
pub(super) fn gift_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let got = handed::got_for(clause);
    let clause = got.as_deref().unwrap_or(clause);
    let at = clause.iter().position(|token| token.word() == "for").filter(|at| *at > 0)?;
    let who = clause.get(at + 1)?;
    let rest: Vec<Token> = clause[at + 1..]
        .iter()
        .filter(|token| token.word() != "you" && **token != Token::Comma)
        .cloned()
        .collect();
    let person = if rest.is_empty() { world.partner()? } else { person(world, &rest)? };
    // `roll for you`, where a roll is at hand.
    let is_thing = who.word() == "you" && is_wholly_named(world, &clause[..at], Want::Carried);
    if (lexicon::is_verb(clause[0].word()) && !is_thing) || (who.word() != "you" && rest.len() > 3)
    {
        return None;
    }
    match resolve(world, &clause[..at], Want::Carried) {
        Meant::Entities(ids) if ids.iter().all(|id| world.is_with_player(*id)) => {
            Some(hand_to(world, "give", &clause[..at], person))
        }
        _ => None,
    }
}

/// `trade the roll for the key` gives it to the one who has the key.
pub(super) fn traded(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, rest @ ..] = clause else {
        return None;
    };
    let at = rest.iter().position(|token| token.word() == "for")?;
    if !["trade", "swap", "exchange", "barter"].contains(&verb.word()) {
        return None;
    }
    let Meant::Entities(ids) = resolve(world, &rest[at + 1..], Want::Owned) else {
        return None;
    };
    let owner = match world.holders[ids[0].0] {
        Holder::Person(owner) => owner,
        // `swap the nameplate for my leaflet` leaves mine in its place.
        _ if world.is_with_player(ids[0]) => return None,
        _ => world.partner()?,
    };
    Some(hand_to(world, "give", &rest[..at], owner))
}

/// `I have brought you a bottle, Mr Ostrow` gives it.
pub(super) fn brought_you(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = match clause {
        [have, rest @ ..] if have.word() == "have" => rest,
        rest => rest,
    };
    let [brought, you, object @ ..] = rest else { return None };
    if !["brought", "bring", "got", "get", "made", "make"].contains(&brought.word())
        || !["you", "him", "her", "them"].contains(&you.word())
    {
        return None;
    }
    let comma = object.iter().position(|token| *token == Token::Comma).unwrap_or(object.len());
    let named = object.get(comma + 1..).and_then(|name| person(world, name));
    let receiver =
        named.or_else(|| person(world, std::slice::from_ref(you))).or_else(|| world.partner())?;
    match resolve(world, &object[..comma], Want::Carried) {
        Meant::Entities(ids) if ids.iter().all(|id| world.is_with_player(*id)) => {
            Some(hand_to(world, "give", &object[..comma], receiver))
        }
        _ => None,
    }
}
