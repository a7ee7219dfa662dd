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

/// `off with the cap`.
pub(super) fn off_with(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    match clause {
        [off, with, object @ ..]
            if off.word() == "off" && with.word() == "with" && !object.is_empty() =>
        {
            Some(with_verb("remove", object))
        }
        _ => None,
    }
}

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

/// `shrug into the cape` wears it.
pub(super) fn into_clothes(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, into, object @ ..] = clause else { return None };
    let moves = [
        "shrug", "slip", "step", "wriggle", "struggle", "climb", "squeeze", "ease", "get",
        "wiggle", "hop", "dive", "jump", "swap", "change",
    ];
    if into.word() != "in" || !moves.contains(&verb.word()) {
        return None;
    }
    match resolve(world, object, Want::Wearable) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Wearable) && world.is_seen(ids[0]) => {
            Some(with_verb("wear", object))
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

/// `wash it down with the wine`.
pub(super) fn washed_down(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let with = clause.iter().position(|token| token.word() == "with")?;
    let is_it =
        clause[0].word() == "wash" && clause[..with].iter().any(|token| token.word() == "down");
    is_it.then(|| with_verb("drink", &clause[with + 1..]))
}

/// `fish the cup out of the trough`.
pub(super) fn fished(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let is_from = |token: &Token| ["from", "off"].contains(&token.word());
    let from = clause.iter().position(is_from).filter(|at| *at > 1)?;
    let verbs = [
        "fish", "dig", "scoop", "hook", "shake", "slide", "slip", "ease", "drag", "swipe", "pluck",
        "pull", "draw", "tug", "yank", "wrench", "lift", "prise", "whip", "produce", "unhook",
        "jerk", "tease", "rip", "tear", "peel", "strip",
    ];
    let is_torn = ["rip", "tear", "peel", "strip", "wrench", "prise"].contains(&clause[0].word());
    if !verbs.contains(&clause[0].word()) {
        return None;
    }
    if let Meant::Entities(ids) = resolve(world, &clause[1..from], Want::Owned)
        && suits(world, ids[0], Want::Owned)
    {
        return Some(with_verb("steal", &clause[1..]));
    }
    match resolve(world, &clause[1..from], Want::Takable) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Takable) => {
            Some(with_verb("take", &clause[1..]))
        }
        // `rip the notice off the wall`, which stays there.
        Meant::Entities(ids)
            if is_torn && world.is_seen(ids[0]) && world.thing(ids[0]).is_some() =>
        {
            Some(with_verb("take", &clause[1..from]))
        }
        _ => None,
    }
}

/// `pass me the lantern`, where nobody has it.
pub(super) fn passed_to_me(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, me, object @ ..] = clause else {
        return None;
    };
    let gives = [
        "pass", "hand", "give", "toss", "throw", "bring", "get", "fetch", "lend", "grab", "slide",
        "find",
    ];
    if !gives.contains(&verb.word()) || !["me", "us"].contains(&me.word()) {
        return None;
    }
    let object = match object {
        [over, object @ ..] if over.word() == "over" => object,
        object => object,
    };
    match resolve(world, object, Want::Takable) {
        Meant::Entities(ids)
            if ids.iter().all(|id| suits(world, *id, Want::Takable) && world.is_seen(*id)) =>
        {
            Some(with_verb("take", object))
        }
        _ => None,
    }
}

/// `let Martha see the letter`, `let him have the roll`.
pub(super) fn let_have(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [first, rest @ ..] = clause else {
        return None;
    };
    let at = rest.iter().position(|token| {
        ["have", "see", "read", "hold", "keep", "take"].contains(&token.word())
    })?;
    if first.word() != "let" || at == 0 || at + 1 == rest.len() {
        return None;
    }
    person(world, &rest[..at])?;
    // `let the doctor have a glimpse of the jar`
    let is_look =
        |token: &Token| ["glimpse", "look", "peek", "sight", "view"].contains(&token.word());
    if rest.get(at + 2).is_some_and(is_look) && rest.len() > at + 4 {
        let to = [word("to")].into_iter().chain(rest[..at].iter().cloned());
        return Some(with_verb("show", &rest[at + 4..]).into_iter().chain(to).collect());
    }
    let verb = if ["see", "read"].contains(&rest[at].word()) { "show" } else { "give" };
    let to = [word("to")].into_iter().chain(rest[..at].iter().cloned());
    Some(with_verb(verb, &rest[at + 1..]).into_iter().chain(to).collect())
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
