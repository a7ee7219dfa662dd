//! Putting: what a pocket is, and what is put somewhere by another verb.

use english::WordClass;

use crate::{
    parse::{
        built::Built,
        chart,
        lexicon::{ClauseVerb, Meaning},
        parts::ClauseParts,
        tokens::Token,
    },
    world::World,
};

/// Returns true if the words are a pocket of the player: `in my coat pocket`.
pub(super) fn is_pocket(into: &[Token]) -> bool {
    into.first().is_some_and(|first| ["my", "his", "her"].contains(&first.word()))
        && into.last().is_some_and(|last| last.is(WordClass::Pocket) || last.is(WordClass::Coat))
}

/// Puts the object where the parts say.
pub(super) fn put(world: &World, parts: &ClauseParts) -> Built {
    let verb = ClauseVerb {
        meaning: Meaning::Put,
        name: "put",
        phrase: "put".to_owned(),
        said: "put".to_owned(),
        rest: parts.words(),
        again: 0,
        utterance: crate::parse::lexicon::Utterance::default(),
    };
    chart::built(world, &verb)
}
