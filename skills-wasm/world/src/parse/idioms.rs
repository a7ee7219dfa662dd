//! Turns of phrase that say what a plainer clause says: what goes where, who may have what, who is asked about what.

use crate::{
    action::Verb,
    entity::NamedId,
    parse::{
        clauses::QUESTION_WORDS,
        lexicon::{self, Meaning},
        nouns::{Meant, Want, resolve, suited, suits},
        orders,
        plain_clause::{hand_to, name_tokens, with_verb, word},
        rephrase::person,
        tokens::{Token, has, is_any, word_at},
    },
    words,
    world::World,
};

/// `into the basket goes the apple`, `off comes the hat`: the verb of what happens to the thing, and the thing behind it.
fn goes_behind(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let goes = |token: &Token| is_any(token, &["goes", "go", "comes", "come"]);
    // `in the case the permit goes`.
    if clause.len() > 2
        && clause.last().is_some_and(goes)
        && is_any(&clause[0], &["in", "on", "under"])
    {
        let put = orders::fronted(world, word("put"), &clause[..clause.len() - 1], &[]);
        return (word_at(&put, 1) != word_at(clause, 0)).then_some(put);
    }
    let at = clause.iter().position(goes).filter(|at| *at > 0 && *at + 1 < clause.len())?;
    let (lead, object) = (&clause[..at], &clause[at + 1..]);
    let suits_all = |want| suited(world, object, want).is_some();
    let verb = match lead {
        [way] => match way.word() {
            "on" if suits_all(Want::Unlit) => "light",
            "on" if suits_all(Want::Wearable) => "wear",
            "off" if suits_all(Want::Worn) => "remove",
            "off" | "out" if suits_all(Want::Lit) => "extinguish",
            "out" if suits_all(Want::Takable) => "take",
            "up" if suits_all(Want::Takable) => "take",
            "down" if suits_all(Want::Drinkable) => "drink",
            "down" if suits_all(Want::Edible) => "eat",
            "down" if suits_all(Want::Carried) => "drop",
            "open" if suits_all(Want::Closed) => "open",
            "shut" if suits_all(Want::Open) => "close",
            _ => return None,
        },
        [into, holder @ ..] if is_any(into, &["in", "on", "under", "to", "around", "over"]) => {
            let is_free =
                |id: &NamedId| suits(world, *id, Want::Takable) || world.is_with_player(*id);
            let Meant::Entities(ids) = resolve(world, object, Want::Carried) else { return None };
            let is_put = ids.iter().all(is_free)
                && !holder.is_empty()
                && !holder.iter().any(|token| is_any(token, &["i", "we", "he", "she"]));
            return is_put.then(|| [&with_verb("put", object), lead].concat());
        }
        _ => return None,
    };
    Some(with_verb(verb, object))
}

/// `the ticket goes in the case`, `the dress goes on`.
pub(super) fn goes_where(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if let Some(turned) = goes_behind(world, clause) {
        return Some(turned);
    }
    let at = clause
        .iter()
        .position(|token| is_any(token, &["goes", "go"]))
        .filter(|at| *at > 0 && *at + 1 < clause.len())?;
    let (object, rest) = (&clause[..at], &clause[at + 1..]);
    let is_thing = |ids: &[NamedId]| {
        ids.iter().all(|id| suits(world, *id, Want::Takable) || world.is_with_player(*id))
    };
    let is_named =
        matches!(resolve(world, object, Want::Carried), Meant::Entities(ids) if is_thing(&ids));
    if !is_named && !has(object, "everything") {
        return None;
    }
    let rest = match rest {
        [back, rest @ ..] if is_any(back, &["back", "straight", "right"]) && !rest.is_empty() => {
            rest
        }
        rest => rest,
    };
    match rest {
        [on] if on.word() == "on" => Some([&[word("put"), word("on")], object].concat()),
        [off] if off.word() == "off" => Some([&[word("take"), word("off")], object].concat()),
        [lead, ..] if is_any(lead, &["in", "on", "under", "to", "behind", "over", "around"]) => {
            Some([&with_verb("put", object), rest].concat())
        }
        _ => None,
    }
}

/// `he can have the ticket`, `Dora may keep the letter`.
pub(super) fn may_have(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause.iter().position(|token| {
        is_any(
            token,
            &["can", "may", "could", "should", "must", "will", "gets", "receives", "shall", "is"],
        )
    })?;
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
        || QUESTION_WORDS.contains(&word_at(clause, 0))
    {
        return None;
    }
    let who = person(world, &clause[..at])?;
    match resolve(world, object, Want::Carried) {
        Meant::Entities(ids) if ids.iter().all(|id| world.is_with_player(*id)) => {
            Some(hand_to(world, "give", object, who))
        }
        _ => None,
    }
}

/// Words between somebody's name and what they are got to talk about; the first ones talk.
const TALKING: &[&str] = &[
    "talking",
    "talk",
    "speak",
    "speaking",
    "chatting",
    "spill",
    "open",
    "tell",
    "to",
    "up",
    "hard",
    "again",
    "further",
    "more",
    "a",
    "bit",
    "gossiping",
    "going",
    "me",
    "started",
];

/// Verbs that get somebody to talk: `press Daisy about the key`, `get her talking about the key`.
pub(super) fn drawn_out(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let leads = ["about", "on"];
    let about = clause.iter().position(|token| is_any(token, &leads)).filter(|at| *at > 1)?;
    let who = &clause[1..about];
    let count = who.iter().rev().take_while(|token| is_any(token, TALKING)).count();
    let (who, talk) = who.split_at(who.len() - count);
    let is_talk = talk.iter().any(|token| is_any(token, &TALKING[..8]));
    if word_at(clause, about + 1).is_empty() || (clause[about].word() == "on" && !is_talk) {
        return None;
    }
    let verb = lexicon::verbs_at_start(&clause[..1]).first().map(|verb| verb.meaning);
    let handles =
        [Verb::Take, Verb::Use, Verb::Push, Verb::Pull, Verb::Examine, Verb::Search, Verb::Give];
    if verb.is_some_and(|verb| !handles.iter().any(|known| verb == Meaning::Do(*known))) {
        return None;
    }
    let id = person(world, who).filter(|id| world.is_present(*id))?;
    let topic = [word("about")].into_iter().chain(clause[about + 1..].iter().cloned());
    Some([word("ask")].into_iter().chain(name_tokens(world, id)).chain(topic).collect())
}

/// Tools for locks that no world has to name.
const PICKS: &[&str] = &[
    "hairpin",
    "hairpins",
    "paperclip",
    "lockpick",
    "lockpicks",
    "wire",
    "pin",
    "picks",
    "pick",
    "hairclip",
    "toothpick",
    "bobby",
];

/// `jiggle a hairpin about in the lock of the door` picks it.
pub(super) fn with_pin(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let is_pick = |token: &Token| {
        is_any(token, PICKS) && !world.seen().any(|id| world.has_name_with(id, token.word()))
    };
    let is_lock = |token: &Token| is_any(token, &["lock", "padlock", "keyhole"]);
    clause.iter().position(is_pick).filter(|at| *at > 0)?;
    // `open that strongbox with a hairpin`.
    let is_tool = ["open", "unlock", "undo"].contains(&word_at(clause, 0))
        && clause.iter().any(|token| token.word() == "with");
    clause.iter().position(|token| is_lock(token) || is_tool)?;
    if word_at(clause, 0) == "pick" || !lexicon::is_verb_form(word_at(clause, 0)) {
        return None;
    }
    let skip =
        ["lock", "padlock", "keyhole", "in", "of", "on", "with", "about", "around", "my", "a"];
    let of_lock = |token: &&Token| !is_pick(token) && !skip.contains(&token.word());
    let rest: Vec<Token> = clause[1..].iter().filter(of_lock).cloned().collect();
    let door = match resolve(world, &rest, Want::Locked) {
        Meant::Entities(ids) if world.is_openable(ids[0]) => rest,
        _ => Vec::new(),
    };
    Some([&[word("pick"), word("lock"), word("on")], door.as_slice()].concat())
}

/// `everything I have got, into the barrow`.
pub(super) fn all_into(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    if !["everything", "all"].contains(&first) {
        return None;
    }
    let at = clause.iter().position(|token| is_any(token, &["in", "on"])).filter(|at| *at > 0)?;
    // `everything on the table I take`.
    if clause.last().is_some_and(|last| lexicon::is_verb(last.word())) {
        return None;
    }
    let is_holder = suited(world, clause.get(at + 1..)?, Want::Holder).is_some();
    let owns =
        clause[..at].iter().any(|token| is_any(token, &["got", "own", "have", "carry", "mine"]));
    (is_holder && (owns || at < 3))
        .then(|| [&[word("put"), word("everything")], &clause[at..]].concat())
}

/// `kill half an hour watching the rain` waits, and does nothing to anything.
pub(super) fn time_killed(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let units = [
        "minute",
        "minutes",
        "hour",
        "hours",
        "moment",
        "while",
        "time",
        "afternoon",
        "evening",
        "morning",
        "night",
        "second",
        "seconds",
        "moments",
    ];
    let verbs =
        ["kill", "pass", "spend", "waste", "burn", "take", "while", "idle", "fritter", "have"];
    if !verbs.contains(&word_at(clause, 0)) {
        return None;
    }
    let at = (1..clause.len().min(6)).find(|at| is_any(&clause[*at], &units))?;
    let between = clause[1..at].iter().all(|token| {
        words::is_hollow(token.word())
            || is_any(
                token,
                &[
                    "away", "half", "few", "couple", "quarter", "whole", "more", "long", "good",
                    "ten", "five", "two", "three", "four", "six", "fifteen", "twenty", "thirty",
                    "little", "bit",
                ],
            )
            || token.word().chars().all(|c| c.is_ascii_digit())
    });
    let next = word_at(clause, at + 1);
    let takes = ["take", "have"].contains(&word_at(clause, 0));
    let leads = ["in", "on", "at", "here", "with", "by"];
    let follows = !takes && (next.is_empty() || next.ends_with("ing") || leads.contains(&next));
    (between && follows).then(|| {
        let amount = clause[1..=at].iter().filter(|token| token.word() != "away").cloned();
        [word("wait")].into_iter().chain(amount).collect()
    })
}
