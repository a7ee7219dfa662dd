//! Verbs that say how something is done, in the words of what is done: a door pulled shut, a cape thrown over the shoulders.

use crate::{
    parse::{
        gestures::BODY,
        nouns::{Meant, Want, resolve, suits},
        plain_clause::{hand_to, with_verb, word},
        rephrase::person,
        tokens::{Token, word_at},
        verbless::is_wearable,
    },
    world::World,
};

/// Whether the first word is one of these verbs, in the plain form or the third person.
fn begins_with(clause: &[Token], verbs: &[&str]) -> bool {
    let first = word_at(clause, 0);
    let plain = |ending: &str| first.strip_suffix(ending).is_some_and(|verb| verbs.contains(&verb));
    verbs.contains(&first) || plain("s") || plain("es")
}

/// `pull the door shut behind me` closes it.
pub(super) fn pulled_shut(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = [
        "pull", "push", "swing", "shove", "slam", "kick", "tug", "draw", "drag", "nudge", "ease",
        "yank", "throw", "close", "shut", "open",
    ];
    let whose = ["me", "him", "her", "us", "them", "myself", "himself", "herself"];
    let is_behind = |token: &Token| ["behind", "after"].contains(&token.word());
    let behind = clause.iter().position(is_behind).filter(|at| *at > 1)?;
    let after = word_at(clause, behind + 1);
    if !begins_with(clause, &verbs) || !whose.contains(&after) || clause.len() > behind + 2 {
        return None;
    }
    let (state, object) = clause[1..behind].split_last()?;
    let verb = match (clause[0].word(), state.word()) {
        (_, "shut" | "closed") => "close",
        (_, "open") => "open",
        ("close" | "shut" | "slam", _) => return Some(with_verb("close", &clause[1..behind])),
        _ => return None,
    };
    (!object.is_empty()).then(|| with_verb(verb, object))
}

/// `throw the cape around my shoulders` wears it, `sling the rope over my shoulder` takes it.
pub(super) fn slung_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = [
        "throw", "sling", "drape", "wrap", "toss", "fling", "swing", "hang", "loop", "pull",
        "heave", "hoist",
    ];
    let at = clause
        .iter()
        .position(|token| ["around", "over", "round", "about", "on"].contains(&token.word()))?;
    if let [me] = &clause[at + 1..]
        && ["me", "myself", "himself", "herself"].contains(&me.word())
        && at > 1
        && begins_with(clause, &verbs)
    {
        let ends =
            ["tight", "tighter", "close", "closer", "closely"].contains(&clause[at - 1].word());
        let object = &clause[1..if ends && at > 2 { at - 1 } else { at }];
        return is_wearable(world, object).then(|| with_verb("wear", object));
    }
    let [mine, body] = &clause[at + 1..] else {
        return None;
    };
    let is_mine = ["my", "his", "her", "their"].contains(&mine.word());
    if at < 2 || !begins_with(clause, &verbs) || !is_mine || !BODY.contains(&body.word()) {
        return None;
    }
    let object = &clause[1..at];
    if is_wearable(world, object) {
        return Some(with_verb("wear", object));
    }
    takable(world, object).then(|| with_verb("take", object))
}

/// Whether the words name what can be taken or is carried.
fn takable(world: &World, object: &[Token]) -> bool {
    match resolve(world, object, Want::Takable) {
        Meant::Entities(ids) => {
            ids.iter().all(|id| suits(world, *id, Want::Takable) || world.is_with_player(*id))
        }
        _ => false,
    }
}

/// `wrench the axe free of the block` takes it.
pub(super) fn pulled_free(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = [
        "wrench", "yank", "tug", "pull", "work", "prise", "pry", "jerk", "twist", "tear", "rip",
        "drag", "wiggle", "wriggle", "lever",
    ];
    let free = clause.iter().position(|token| ["free", "loose"].contains(&token.word()))?;
    if free < 2 || !begins_with(clause, &verbs) || !takable(world, &clause[1..free]) {
        return None;
    }
    Some(with_verb("take", &clause[1..free]))
}

/// `hold the letter under Anna's nose`, `hold it out for her to see` show it.
pub(super) fn held_under_nose(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = [
        "hold", "shove", "push", "thrust", "stick", "wave", "dangle", "put", "raise", "waft",
        "wiggle", "waggle", "flap", "flash",
    ];
    if !begins_with(clause, &verbs) {
        return None;
    }
    let leads = |token: &Token| ["under", "in", "at", "for"].contains(&token.word());
    let at = clause.iter().position(leads).filter(|at| *at > 1)?;
    let who = match (clause[at].word(), &clause[at + 1..]) {
        ("for", [who @ .., to, see])
            if to.word() == "to" && ["see", "read", "inspect", "examine"].contains(&see.word()) =>
        {
            who
        }
        ("under" | "in" | "at", [who @ .., part]) if ["nose", "face"].contains(&part.word()) => who,
        // `hold the letter up in front of Anna`.
        ("at", who) if ["hold", "raise"].contains(&clause[0].word()) => who,
        _ => return None,
    };
    let object = match clause[1..at].split_last() {
        Some((way, thing)) if ["out", "up", "right"].contains(&way.word()) => thing,
        _ => &clause[1..at],
    };
    let receiver = match who {
        [his] if ["his", "its"].contains(&his.word()) => person(world, &[word("him")])?,
        [their] if their.word() == "their" => person(world, &[word("them")])?,
        who => person(world, who)?,
    };
    let Meant::Entities(ids) = resolve(world, object, Want::Carried) else {
        return None;
    };
    if !ids.iter().all(|id| world.is_with_player(*id)) {
        return None;
    }
    Some(hand_to(world, "show", object, receiver))
}
