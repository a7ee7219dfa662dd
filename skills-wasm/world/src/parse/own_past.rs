//! Questions about the player's own past and knowledge. Nobody who stands by can answer them: `where did I leave the torch`,
//! `what did I take`, `why am I here`.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        nouns::{Meant, Want, first_meant, resolve},
        questions,
        tokens::{Token, word_at},
    },
    world::World,
};

/// The answer to a question about the player's own past. An empty list is no answer, and nobody is asked instead.
pub(super) fn own_past(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let words: Vec<&str> = clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    if words.len() < 3 || words.iter().any(|word| WordClass::OfListener.has(word)) {
        return None;
    }
    match words.as_slice() {
        ["where", "did" | "have" | "had", "i" | "we", verb, _, ..]
            if WordClass::LeftSomewhere.has(verb) =>
        {
            found(world, &clause[4..])
        }
        [
            "where",
            "can" | "could" | "do" | "might" | "would" | "should",
            "i" | "we",
            verb,
            _,
            ..,
        ] if WordClass::Sought.has(verb) => sought(world, &clause[4..]),
        ["what", "did" | "have", "i" | "we", verb, rest @ ..]
            if WordClass::Taken.has(verb)
                && rest.iter().all(|word| WordClass::BehindTaken.has(word)) =>
        {
            Some(vec![Action::new(Verb::Inventory)])
        }
        ["what", "did" | "has" | "have", .., "give" | "given" | "gave", "me" | "us"] => {
            Some(vec![Action::new(Verb::Inventory)])
        }
        ["why", "am" | "are", "i" | "we", "here"] | ["why", "did", "i" | "we", "come", "here"] => {
            Some(vec![Action::new(Verb::WhoAmI)])
        }
        ["did" | "have", "i" | "we", _, _, ..] => looked_at(world, &clause[3..]),
        _ => asks_own_mind(&words).then(Vec::new),
    }
}

/// Returns true for `who have I talked to` and `what do I remember`, but not for `what do I know about Yusuf`.
fn asks_own_mind(words: &[&str]) -> bool {
    // `what have I got on me` asks for what the player carries.
    if ["got", "on", "with", "in"].iter().any(|word| words.contains(word)) {
        return false;
    }
    let is_of_something = ["about", "of"].iter().any(|word| words.contains(word));
    match words {
        ["who" | "whom" | "what" | "when" | "where", "did" | "have" | "had", "i" | "we", ..] => {
            !is_of_something
        }
        ["who" | "whom" | "what", "do" | "should", "i" | "we", verb, ..] => {
            WordClass::OwnMind.has(verb) && !is_of_something
        }
        [
            "what" | "which",
            "clues" | "evidence" | "leads" | "proof" | "facts" | "information",
            "do" | "have",
            "i" | "we",
            ..,
        ] => true,
        _ => false,
    }
}

/// Where something is that the player has left: `where did I put the torch`.
fn found(world: &World, named: &[Token]) -> Option<Vec<Action>> {
    let named = match named {
        [up, rest @ ..] if ["up", "down", "away"].contains(&up.word()) => rest,
        named => named,
    };
    match resolve(world, named, Want::Any) {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            Some(ids.into_iter().take(1).map(|id| Action::on(Verb::Find, world.name(id))).collect())
        }
        Meant::Mention(word) => Some(vec![Action::on(Verb::Examine, &word)]),
        Meant::Missing(words) => {
            Some(vec![Action { missing: Some(words), ..Action::new(Verb::Find) }])
        }
        Meant::Nothing => None,
    }
}

/// `where can I find Yusuf` is `where is Yusuf`.
fn sought(world: &World, named: &[Token]) -> Option<Vec<Action>> {
    let named = match named {
        [word, rest @ ..]
            if ["for", "a", "an", "some"].contains(&word.word()) && !rest.is_empty() =>
        {
            rest
        }
        named => named,
    };
    let is = ["where", "is"].map(Token::of);
    questions::noun_question(world, &[&is, named].concat())
}

/// `did I lock the door?` is seen by a look at the door.
fn looked_at(world: &World, named: &[Token]) -> Option<Vec<Action>> {
    let is_article = word_at(named, 0) == "the" || word_at(named, 0) == "my";
    let id = first_meant(world, named, Want::Any)?;
    let is_it = is_article && world.is_seen(id) && !world.entity(id).is_person();
    is_it.then(|| vec![Action::on(Verb::Examine, world.name(id))])
}
