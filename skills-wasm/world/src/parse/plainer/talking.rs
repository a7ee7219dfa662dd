//! Wordings that greet, ask and persuade.

use super::rule::{PlainerRule, pattern};
use crate::{
    action::Verb,
    parse::{
        lexicon::{self, Meaning},
        nouns::{Meant, Want, resolve},
        people::{person, person_away},
        plain_clause::{name_tokens, verb_on},
        tokens::{Token, is_any, word_at},
    },
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_talking.rs"));

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
fn drawn_out(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
    let topic = [Token::of("about")].into_iter().chain(clause[about + 1..].iter().cloned());
    Some([Token::of("ask")].into_iter().chain(name_tokens(world, id)).chain(topic).collect())
}

/// `pay my respects to the widow` goes to her and greets her.
fn respects_paid(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause.iter().position(|token| is_any(token, &["respects", "compliments"]))?;
    let who = match &clause[at + 1..] {
        [to, who @ ..] if to.word() == "to" => who,
        who => who,
    };
    let id = match resolve(world, who, Want::Person) {
        Meant::Entities(ids) => Some(ids[0]),
        _ => person_away(world, who),
    };
    let pays = is_any(clause.first()?, &["pay", "give", "present"]) && at < 3;
    let id = id.filter(|id| pays && world.entity(*id).is_person())?;
    Some(verb_on(world, if world.is_present(id) { "talk to" } else { "go to" }, id))
}
