//! Phrases of going as plainer ones: `wander over to`, `storm out`, `clamber up`.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        build::Built,
        gestures::words_of,
        lexicon::ClauseVerb,
        nouns::{Meant, Want, resolve},
        parts::ClauseParts,
        tokens::Token,
        travel::{direction, go, noun_of, stairs, toward},
    },
    world::World,
};

/// The verb with the words of the way among those that follow: `wander over to the window` goes over to it.
pub(super) fn plain_going(verb: &ClauseVerb) -> Option<(ClauseVerb, ClauseParts)> {
    let known =
        WordClass::Toward.has(verb.phrase.as_str()) || WordClass::Leaving.has(verb.phrase.as_str());
    let (_, tail) = verb.phrase.split_once(' ').filter(|_| !known)?;
    if !tail.split(' ').all(|word| WordClass::WayWord.has(word)) {
        return None;
    }
    let said = tail.split(' ').filter(|word| !["myself", "way"].contains(word));
    let tail = said.map(|word| Token::Word(word.to_owned()));
    let rest: Vec<Token> = tail.chain(verb.rest.iter().cloned()).collect();
    let parts = ClauseParts::of(&rest);
    Some((ClauseVerb { phrase: "go".to_owned(), rest, ..verb.clone() }, parts))
}

pub(super) fn climb(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let noun = noun_of(&verb.rest);
    let to_place = match resolve(world, &noun, Want::Place) {
        Meant::Entities(ids) => {
            (world.is_place(ids[0]) || world.is_door(ids[0])) && ids[0] != world.here
        }
        _ => false,
    };
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
                Ok(vec![toward("up")])
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
