//! Questions about where something is, where a way leads, and what is in, on or under something.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        answers::{named, read_instead, topic_of_partner},
        nouns::{Meant, Want, first_meant, resolve},
        tokens::{Token, before},
    },
    world::World,
};

/// What asks where somebody or something is, what it is called, or where a door leads.
pub(super) fn asked_where_or_name(
    world: &World,
    clause: &[Token],
    words: &[&str],
) -> Option<Option<Vec<Action>>> {
    let tail = |from: usize| clause.get(from..).unwrap_or_default();
    let about = |verb, tokens: &[Token]| named(world, verb, tokens, Want::Any);
    match words {
        ["where", "is" | "are", "everyone" | "everybody" | "people" | "all"] => {
            Some(Some(vec![Action::new(Verb::WhoIsHere)]))
        }
        ["which" | "what", "way" | "direction", "is" | "are", ..] => {
            Some(about(Verb::Find, tail(3)))
        }
        // `where does the hatch go`.
        ["where", "does" | "do", .., "go" | "lead"]
        | ["where", "does" | "do", .., "lead", "to"]
            if leads_on(world, &clause[2..]) =>
        {
            Some(Some(vec![Action::new(Verb::Exits)]))
        }
        ["where", "is" | "are", ..] => Some(about(Verb::Find, tail(2))),
        // `what is the boat called`.
        ["what" | "how", "is" | "are", _, .., "called" | "named"] => {
            let named = &clause[2..clause.len() - 1];
            Some(topic_of_partner(world, named).or_else(|| about(Verb::Examine, named)))
        }
        ["where", "has" | "have" | "did", who, ..] if !WordClass::SpeakerOrListener.has(who) => {
            Some(about(Verb::Find, tail(2)))
        }
        _ => None,
    }
}

/// What is in, on or under something, or written there.
pub(super) fn asked_what_holds(
    world: &World,
    clause: &[Token],
    words: &[&str],
) -> Option<Option<Vec<Action>>> {
    let tail = |from: usize| clause.get(from..).unwrap_or_default();
    let about = |verb, tokens: &[Token]| named(world, verb, tokens, Want::Any);
    Some(match words {
        // `what is chalked on the slate`.
        ["what", "is" | "are" | "was" | "were", done, "on" | "in", ..]
            if done.ends_with("ed") || done.ends_with("en") || *done == "writ" =>
        {
            about(Verb::Examine, tail(4)).map(|actions| read_instead(world, actions))
        }
        ["what", "is" | "are", "in" | "under" | "behind", ..] => {
            about(Verb::Search, tail(3)).map(|actions| read_instead(world, actions))
        }
        ["what" | "which", _, "is" | "are", "on" | "in", ..] => {
            named(world, Verb::Search, tail(4), Want::Holder)
                .map(|actions| read_instead(world, actions))
        }
        [
            "what" | "which",
            _,
            "does",
            ..,
            "say" | "show" | "read" | "tell" | "bear" | "carry" | "give" | "contain" | "hold",
        ] => about(Verb::Examine, &clause[3..clause.len() - 1])
            .map(|actions| read_instead(world, actions)),
        // `what has been laid out on the table`.
        ["what", "has" | "have", "been", .., "on" | "in" | "under", _, _]
        | ["what", "has" | "have", "been", .., "on" | "in" | "under", _] => {
            let at = words.iter().rposition(|word| ["on", "in", "under"].contains(word))?;
            named(world, Verb::Search, tail(at + 1), Want::Holder)
                .map(|actions| read_instead(world, actions))
        }
        ["what", "is" | "are", "on", ..] => named(world, Verb::Search, tail(3), Want::Holder)
            .map(|actions| read_instead(world, actions)),
        ["anything" | "something", "in" | "on" | "under" | "behind", ..] => {
            named(world, Verb::Search, tail(2), Want::Holder)
        }
        // `anything interesting on the desk?`
        ["anything" | "something", _, "in" | "on" | "under" | "behind", ..] => {
            named(world, Verb::Search, tail(3), Want::Holder)
        }
        _ => return None,
    })
}

/// Returns true if the words begin with the name of a door that is here.
fn leads_on(world: &World, named: &[Token]) -> bool {
    let named = before(named, |token| ["go", "lead"].contains(&token.word()));
    first_meant(world, named, Want::Any).is_some_and(|id| world.is_door(id))
}

/// `is there anything behind the logs`, `is the dog in the kitchen`.
pub(super) fn asked_within(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    if let Some(within) = anything_within(&words) {
        let searched = named(world, Verb::Search, &clause[within..], Want::Holder);
        return searched.map(|actions| read_instead(world, actions));
    }
    // `is there a letter in the postbox`.
    if let ["is" | "are", "there", _, _, ..] = words.as_slice()
        && let Some(at) = words.iter().position(|word| WordClass::WhereHeld.has(word))
        && at + 1 < words.len()
        && let Some(id) = first_meant(world, &clause[at + 1..], Want::Holder)
        && world.is_seen(id)
        && !world.entity(id).is_person()
        && !world.is_place(id)
    {
        // What the eye sees of a part of the place tells of the tracks in the snow.
        let sought = clause[at - 1].word();
        let known = crate::words::split(world.description(id));
        let is_told = world.thing(id).is_none() && known.iter().any(|word| word == sought);
        let verb = if is_told { Verb::Examine } else { Verb::Search };
        return Some(vec![Action::on(verb, world.name(id))]);
    }
    let who = asked_where(world, clause)?;
    Some(vec![Action::on(Verb::Find, world.name(who))])
}

/// Who or what is looked for in `is the dog in the kitchen`.
fn asked_where(world: &World, clause: &[Token]) -> Option<NamedId> {
    let at = clause
        .iter()
        .position(|token| ["in", "at"].contains(&token.word()))
        .filter(|at| *at > 1)?;
    if !clause[0].is(WordClass::IsOrAre) {
        return None;
    }
    match (
        resolve(world, &clause[at + 1..], Want::Place),
        resolve(world, &clause[1..at], Want::Any),
    ) {
        (Meant::Entities(places), Meant::Entities(ids)) if world.is_place(places[0]) => ids
            .first()
            .copied()
            .filter(|id| world.entity(*id).is_person() || world.entity(*id).is_thing()),
        _ => None,
    }
}

/// Where the words begin for what is asked about in `is there anything hidden behind the logs`.
fn anything_within(words: &[&str]) -> Option<usize> {
    // `what is hiding behind the machine`.
    if let ["what", "is", hiding, within @ ("behind" | "under" | "in"), rest @ ..] = words
        && (hiding.ends_with("ing") || *hiding == "hidden")
        && !rest.is_empty()
        && !within.is_empty()
    {
        return Some(4);
    }
    let any = match words {
        ["is" | "are", "there", any, ..] | ["there", "is" | "are", any, ..] => any,
        ["is", any, ..] => any,
        _ => return None,
    };
    if !["anything", "something", "stuff"].contains(any) {
        return None;
    }
    let at = words.iter().position(|word| ["in", "under", "behind", "inside"].contains(word))?;
    (at + 1 < words.len()).then_some(at + 1)
}
