//! Wordings that greet, ask and persuade.

use super::rule::{
    PlainerRule::{self, Function},
    pattern,
};
use crate::{
    action::Verb,
    parse::{
        lexicon::{self, Meaning},
        nouns::{Meant, Want, resolve},
        people::{person, person_away},
        plain_clause::{name_tokens, verb_on, word},
        tokens::{Token, is_any, word_at},
    },
    world::World,
};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "speak|talk|sing|whisper to|with me|us of|about|on {text} [, ...]",
        "tell me about {text}",
        "speak to me of the mill",
    ),
    pattern("{present!} , about {text}", "ask {present} about {text}", "guard, about the mill"),
    pattern("{present!} about {text}", "ask {present} about {text}", "guard about the mill"),
    pattern("explain {text}", "ask about {text}", "explain the mill"),
    pattern(
        "what is the story|deal|matter with|behind {text} [, ...]",
        "tell me about {text}",
        "what is the story with the mill",
    ),
    Function(respects_paid),
    pattern("what is up {present}", "talk to {present}", "what is up guard"),
    pattern(
        "tell {person} _ lie|lies|fib|fibs|untruth|whopper ...",
        "lie to {person}",
        "tell the guard a lie",
    ),
    pattern(
        "give anything|everything|world|lot|fortune|kingdom ... for {text}",
        "ask about {text}",
        "give anything for the recipe",
    ),
    pattern(
        "take|draw|pull|call|lead|bring|steer|usher|get|beckon {person} aside",
        "talk to {person}",
        "draw the guard aside",
    ),
    pattern(
        "talk|coax|charm|sweet|argue|push {person} in -ing {rest}",
        "persuade {person} {rest}",
        "talk the guard into letting me have the key",
    ),
    Function(drawn_out),
    pattern(
        "bring|take|talk|raise|go up|over|through @matter* {text} with {person}",
        "ask {person} about {text}",
        "bring up the ambassador with the guard",
    ),
    pattern(
        "broach|raise|discuss|mention|debate|explore @matter* {text} with {person}",
        "ask {person} about {text}",
        "broach the subject of the ambassador with the guard",
    ),
    pattern(
        "bid|wish {person} good|a day|morning|evening|afternoon|night|welcome",
        "greet {person}",
        "bid the guard good evening",
    ),
];

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
    let topic = [word("about")].into_iter().chain(clause[about + 1..].iter().cloned());
    Some([word("ask")].into_iter().chain(name_tokens(world, id)).chain(topic).collect())
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
