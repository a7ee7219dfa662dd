//! Words that are a clause with a subject, without the word that leads to it: `the professor still thinks of her`.

use english::WordClass;
use world_model::world::World;

use crate::words::tokens::{Token, word_at};

/// Returns true if the words are a subject and a finite verb.
pub(crate) fn is_clause(world: &World, words: &[Token]) -> bool {
    let is_finite = |token: &Token| {
        let word = token.word();
        WordClass::Finite.has(word)
            || english::irregular(word).is_some()
            || (word.ends_with('s') || word.ends_with("ed")) && english::inflected(word).is_some()
    };
    let first = word_at(words, 0);
    let about = words.iter().any(|token| token.word() == "about");
    if WordClass::SubjectPronoun.has(first) {
        return words.len() > 1;
    }
    let is_named = || world.person_ids().any(|id| world.has_name_with(id, first));
    words.len() > 2
        && !about
        && (WordClass::DeterminerOfSubject.has(first) || is_named())
        && words[2..].iter().any(is_finite)
}
