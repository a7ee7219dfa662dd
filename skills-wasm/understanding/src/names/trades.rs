//! Persons who are named by no name: `the man`, `the angler`.

use world_model::{entity::NamedId, want::Want, words, world::World};

use crate::{
    names::{
        nouns::{Meant, resolve},
        scoring::is_person_word,
    },
    words::tokens::Token,
};

/// Returns true if the words name somebody by what they do or are.
pub(crate) fn may_be_anybody(words: &str) -> bool {
    words.split(' ').next_back().is_some_and(is_person_word) || names_a_trade(words)
}

/// Returns true for `the angler`, `the police woman`.
pub(crate) fn names_a_trade(words: &str) -> bool {
    let endings =
        ["er", "or", "man", "woman", "ist", "ian", "boy", "girl", "lady", "lord", "eer", "ess"];
    let head = words.split(' ').next_back().unwrap_or_default();
    head.len() > 4 && endings.iter().any(|ending| head.ends_with(ending))
}

/// Returns true if this person may be meant by words that are no name. Somebody is called by a trade only if their
/// description is about it: one who is fishing is no policeman.
pub(crate) fn may_be(world: &World, person: NamedId, said: &str) -> bool {
    let head = said.split(' ').next_back().unwrap_or_default();
    let root = head.get(..4).unwrap_or(head);
    let shows_trade = || world.texts_of(person).any(|text| words::has_letters(text, root));
    is_person_word(head) || (names_a_trade(said) && shows_trade())
}

/// The first person whom the words name.
pub(crate) fn person(world: &World, tokens: &[Token]) -> Option<NamedId> {
    match resolve(world, tokens, Want::Person) {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            ids.into_iter().find(|id| world.entity(*id).is_person())
        }
        _ => None,
    }
}

/// The person whom the first words name, where what they do follows: `the woman mending nets`.
pub(crate) fn described_first(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let is_doing = |token: &Token| token.word().len() > 4 && token.word().ends_with("ing");
    let at = tokens.iter().position(is_doing).filter(|at| *at > 0)?;
    person(world, &tokens[..at]).filter(|id| world.is_present(*id))
}
