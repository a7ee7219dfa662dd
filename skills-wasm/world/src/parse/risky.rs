//! What needs dice, in the player's words.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        built::{Built, for_each},
        gestures::own_words,
        lexicon::ClauseVerb,
        nouns::{Meant, Want, entities, resolve},
        parts::ClauseParts,
        people,
        tokens::{Token, text_of},
        trades::names_a_trade,
    },
    world::{Holder, World},
};

/// Persuading: whom, and to what.
pub(super) fn sway(world: &World, skill: &str, parts: &ClauseParts, verb: &ClauseVerb) -> Built {
    let rest = verb.rest.as_slice();
    let person = people::present(world, &parts.object)
        .or_else(|| parts.after(&["with", "to"]).and_then(|tokens| people::present(world, tokens)))
        .or_else(|| people::present(world, rest))
        .or_else(|| world.partner());
    // What nobody is named for is only played.
    let pretends =
        ["pretend", "pretend to", "make believe", "feign", "act as if", "act like", "act innocent"];
    if pretends.contains(&verb.phrase.as_str()) && people::present(world, rest).is_none() {
        return Ok(vec![Action::new(Verb::Gesture).text(&own_words(verb, "pretend"))]);
    }
    if let Some(absent) = somebody_absent(world, &parts.object) {
        return for_each(world, Verb::Persuade, absent);
    }
    let mut action = Action::new(Verb::Persuade).text(skill);
    match person {
        Some(person) => action.target = Some(world.name(person).to_owned()),
        None => {
            return for_each(world, Verb::Persuade, resolve(world, parts.first(), Want::Person));
        }
    }
    let is_theirs = |id: &NamedId| person.map(Holder::Person) == Some(world.holders[id.0]);
    let wanted = (0..rest.len())
        .rev()
        .find_map(|at| entities(world, &rest[at..], Want::Owned)?.into_iter().find(is_theirs));
    if let Some(wanted) = wanted {
        action.with = Some(world.name(wanted).to_owned());
    } else if let Some(topic) = parts.after(&["about"]) {
        action.topic = Some(text_of(topic));
    }
    Ok(vec![action])
}

/// Somebody who is meant and is not here: `accuse Jory`, `threaten the policeman`.
fn somebody_absent(world: &World, object: &[Token]) -> Option<Meant> {
    let meant = resolve(world, object, Want::Person);
    let is_absent = match &meant {
        Meant::Entities(ids) => {
            ids.iter().all(|id| world.entity(*id).is_person() && !world.is_present(*id))
        }
        Meant::Missing(words) => names_a_trade(words),
        _ => false,
    };
    is_absent.then_some(meant)
}

/// Taking what somebody has, without being seen, is stealing.
pub(super) fn unseen(world: &World, clause: &[Token], mut actions: Vec<Action>) -> Vec<Action> {
    let is_unwatched = clause.windows(2).any(|two| {
        matches!(
            (two[0].word(), two[1].word()),
            ("not", "looking" | "watching")
                | ("turned", "away")
                | ("nobody", "looking" | "sees")
                | ("without", "asking" | "permission")
                | ("is", "distracted")
        )
    });
    if is_unwatched || clause.iter().any(|token| token.is(WordClass::Unseen)) {
        for action in actions.iter_mut().filter(|action| action.action == Verb::Take) {
            let id = world.target_of(action);
            if let Some(Holder::Person(owner)) = id.map(|id| world.holders[id.0]) {
                action.action = Verb::Steal;
                action.with = Some(world.name(owner).to_owned());
            }
        }
    }
    actions
}
