//! A verb that nobody knows, judged by what it is done to: never a blow, a theft or an embrace.

use world_model::{action::Action, world::World};

use crate::{
    grammar::{built::Built, chart},
    meaning::Certainty,
    names::spans::{nameable, named_tokens},
    words::{
        classes,
        lexicon::ClauseVerb,
        tokens::{Token, word_at},
    },
};

/// Most words of a clause whose verb is in no list.
const GUESSED_WORDS_MAX: usize = 14;

/// The actions of a clause whose verb is in no list, by the frames of guesses.
pub(crate) fn by_objects(world: &World, stripped: &[Token]) -> Option<Built> {
    let first = word_at(stripped, 0);
    let is_verb_like = first.len() > 2 && first.chars().all(char::is_alphabetic);
    let is_known = english::is_verb_form(first) || classes::is_no_verb(first);
    if !is_verb_like || is_known || !(2..=GUESSED_WORDS_MAX).contains(&stripped.len()) {
        return None;
    }
    if named_tokens(world, stripped, &nameable(world))[0] {
        return None;
    }
    let clause = ClauseVerb::of_clause("guess", &stripped[1..]);
    chart::read(world, &clause)
}

/// How sure the actions of a clause are that was read by its words.
pub(crate) fn certainty(world: &World, stripped: &[Token], actions: &[Action]) -> Certainty {
    match by_objects(world, stripped) {
        Some(Ok(guessed)) if guessed == actions => Certainty::Guessed,
        _ => Certainty::Said,
    }
}
