//! Wordings that give, show and steal.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    entity::NamedId,
    parse::{
        gifts,
        nouns::{Meant, Want, carried, resolve, suited},
        people::person,
        plain_clause::{hand_to, name_tokens, verb_on, with_verb},
        telegraphic,
        tokens::{Token, is_any, is_hollow, word_at},
    },
    words,
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_giving.rs"));

/// `feed the goose`, `feed her a handful of barley`: gives what is named, or what the player has for this person.
fn fed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [feed, rest @ ..] = clause else { return None };
    if feed.word() != "feed" || rest.iter().any(|token| token.word() == "to") {
        return None;
    }
    let who =
        (1..=rest.len().min(4)).rev().find_map(|end| Some((end, person(world, &rest[..end])?)));
    let (end, who) = who.filter(|(_, id)| world.is_present(*id))?;
    let food = rest[end..].iter().filter(|token| {
        !is_any(token, &["with", "on", "a", "some", "handful", "bit", "little", "piece", "of", ""])
    });
    let food: Vec<Token> = food.take_while(|token| token.word() != "from").cloned().collect();
    let carried = || world.thing_ids().filter(|id| world.is_with_player(*id));
    let is_for_them = |id: &NamedId| world.is_gift_for(*id, who);
    let food: Vec<Token> = match carried().find(is_for_them).filter(|_| food.is_empty()) {
        Some(id) => name_tokens(world, id).collect(),
        None if food.is_empty() => vec![Token::of("food")],
        None => food,
    };
    Some(hand_to(world, "give", &food, who))
}

fn has_already(world: &World, object: &[Token]) -> bool {
    match resolve(world, object, Want::Carried) {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            ids.iter().any(|id| world.is_with_player(*id))
        }
        _ => false,
    }
}

/// `bring Dora the cheese roll` brings it to her.
fn brought_along(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    let gives = ["give", "hand", "offer", "feed", "pass", "toss"].contains(&verb);
    if !gives && !["bring", "carry", "fetch", "take", "get", "serve", "pour"].contains(&verb)
        || clause.iter().any(|token| ["to", "for"].contains(&token.word()))
    {
        return None;
    }
    for at in (2..clause.len().min(5)).rev() {
        let (name, object) = (&clause[1..at], &clause[at..]);
        if matches!(name.last(), Some(last) if words::is_hollow(last.word())) {
            continue;
        }
        if let Some(who) = person(world, name)
            && !object[0].is(WordClass::NoReceiver)
            && let Meant::Entities(ids) = resolve(world, object, Want::Takable)
            && ids.iter().all(|id| world.entity(*id).is_thing() && world.is_seen(*id))
            && !(gives && has_already(world, object))
        {
            return Some(hand_to(world, "bring", object, who));
        }
    }
    None
}

/// `he can have the ticket`, `Dora may keep the letter`.
fn may_have(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause.iter().position(|token| token.is(WordClass::Granting))?;
    let rest = match &clause[at + 1..] {
        [to, rest @ ..] if is_any(to, &["to", "welcome"]) => rest,
        rest => rest,
    };
    let (have, object) = rest.split_first()?;
    let gives = is_any(have, &["have", "keep", "take", "get"])
        || rest.len() < clause.len() - at - 1
        || is_any(&clause[at], &["gets", "receives"]);
    let object = if is_any(have, &["have", "keep", "take", "get", "to"]) { object } else { rest };
    let object = match object {
        [object @ .., back] if back.word() == "back" => object,
        object => object,
    };
    // `no way the swan gets the bun`
    let is_denied = clause[..at].iter().any(|token| is_any(token, &["no", "not", "never"]));
    if at == 0
        || is_denied
        || !gives
        || object.is_empty()
        || WordClass::QuestionWord.has(word_at(clause, 0))
    {
        return None;
    }
    let who = person(world, &clause[..at])?;
    carried(world, object)?;
    Some(hand_to(world, "give", object, who))
}

/// Most words of a name in front of what somebody is thrown.
const NAME_WORDS_MAX: usize = 4;

/// `return to the caretaker his key`: to whom stands before what.
fn returned_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, to, rest @ ..] = clause else { return None };
    if !verb.is(WordClass::Returning) || to.word() != "to" {
        return None;
    }
    let ends = 1..=NAME_WORDS_MAX.min(rest.len().saturating_sub(1));
    ends.rev().find_map(|end| {
        let who = person(world, &rest[..end]).filter(|id| world.is_seen(*id))?;
        let object = &rest[end..];
        if let Some(wished) = wished_thing(world, object, who) {
            return Some([verb_on(world, "give", wished), verb_on(world, "to", who)].concat());
        }
        let verb = if verb.word() == "show" { "show" } else { "give" };
        carried(world, object).map(|_| hand_to(world, verb, object, who))
    })
}

/// `what she lost`: what the player has of what this person wants.
fn wished_thing(world: &World, object: &[Token], who: NamedId) -> Option<NamedId> {
    let is_wish = ["what", "that"].contains(&word_at(object, 0))
        && object.iter().skip(1).take(3).any(|token| token.is(WordClass::WishForThing));
    let mut held = world.thing_ids().filter(|id| is_wish && world.is_with_player(*id));
    held.find(|id| world.wishes_for(who, *id))
}

/// `bribe the swan with the bun` gives it, if the swan wants it.
fn bribed_with(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(bribe, _)| bribe.word() == "bribe")?;
    let with = rest.iter().position(|token| token.word() == "with").filter(|at| *at > 0)?;
    let who = person(world, &rest[..with]).filter(|id| world.is_present(*id))?;
    let gift = *carried(world, &rest[with + 1..])?.first()?;
    world.is_gift_for(gift, who).then(|| hand_to(world, "give", &rest[with + 1..], who))
}

/// `ask the mayor to sign the form` shows it to her: what she does with it is up to her.
fn asked_to_sign(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (ask, rest) = clause.split_first().filter(|(ask, _)| ask.is(WordClass::GettingDone))?;
    let is_step = |at: usize| {
        ["step", "stand", "tread", "walk", "stamp"].contains(&word_at(rest, at))
            && word_at(rest, at + 1) == "on"
    };
    let at =
        (0..rest.len()).find(|at| is_step(*at) || WordClass::PaperDeed.has(word_at(rest, *at)))?;
    let who = match &rest[..at] {
        [who @ .., to] if to.word() == "to" => who,
        who if ask.word() != "ask" => who,
        _ => return None,
    };
    let who = person(world, who).filter(|id| world.is_seen(*id))?;
    let paper = &rest[at + 1 + usize::from(is_step(at))..];
    carried(world, paper).map(|_| hand_to(world, "show", paper, who))
}

/// `jingle the bells before her eyes` shows them.
fn before_eyes(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| is_any(token, &["before", "under", "at"]))?;
    let [.., eyes] = rest.get(at + 1..)? else { return None };
    let is_face = is_any(eyes, &["eyes", "nose", "face"]);
    let object = &rest[..at];
    let whose = &rest[at + 1..rest.len() - 1];
    let who = match whose {
        [his] if is_any(his, &["his", "her", "their", "your"]) => world.partner(),
        whose => person(world, whose),
    };
    let who = who.filter(|id| is_face && world.is_present(*id))?;
    // Bells may be a part of an anklet.
    let is_part = |id: &NamedId| {
        let looks = words::split(world.description(*id));
        object.iter().any(|token| !is_hollow(token) && looks.iter().any(|it| it == token.word()))
    };
    let shown = match carried(world, object) {
        Some(ids) => *ids.first()?,
        None => world.thing_ids().filter(|id| world.is_with_player(*id)).find(is_part)?,
    };
    let name = verb_on(world, "show", shown);
    Some([name, verb_on(world, "to", who)].concat())
}

/// `hold the sandal out to the steward`; what somebody wishes for is given, and food to an animal.
fn held_out(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
    let is_food = || {
        let meant = suited(world, object, Want::Edible);
        meant.is_some_and(|ids| ids.iter().all(|id| world.is_with_player(*id)))
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
