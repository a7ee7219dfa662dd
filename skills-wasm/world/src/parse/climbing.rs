//! Climbing: by stairs, to a place, or up something that only skill gets over.

use crate::{
    action::{Action, Verb},
    parse::{
        built::Built,
        gestures::words_of,
        lexicon::ClauseVerb,
        nouns::{Meant, Want, first_meant, resolve},
        parts::ClauseParts,
        travel::{direction, go, noun_of, stairs},
    },
    world::World,
};

/// Climbs, by stairs or a ladder, or tries to.
pub(super) fn climb(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let noun = noun_of(&verb.rest);
    let to_place = first_meant(world, &noun, Want::Place)
        .is_some_and(|id| (world.is_place(id) || world.is_door(id)) && id != world.here);
    let by_stairs = noun.is_empty() || stairs(world, &noun, &verb.rest).is_some();
    let stop = verb.rest.iter().position(|token| token.word() == "with").unwrap_or(verb.rest.len());
    let is_way = direction(&verb.rest[..stop]).is_some() && noun.is_empty();
    if to_place || is_way || by_stairs {
        let walk = ClauseVerb { phrase: "go".to_owned(), ..verb.clone() };
        return match go(world, &walk, parts) {
            Ok(actions)
                if actions
                    .iter()
                    .all(|action| action.target.is_none() && action.direction.is_none()) =>
            {
                Ok(vec![Action::toward("up")])
            }
            built => built,
        };
    }
    let text = words_of(verb);
    let target = match resolve(world, &noun, Want::Any) {
        Meant::Entities(ids) if world.is_seen(ids[0]) => Some(world.name(ids[0]).to_owned()),
        Meant::Mention(word) => Some(word),
        Meant::Missing(words) => {
            return Ok(vec![Action { missing: Some(words), ..Action::new(Verb::Go) }]);
        }
        _ => None,
    };
    Ok(vec![Action { target, ..Action::new(Verb::Attempt).topic("athletics").text(&text) }])
}
