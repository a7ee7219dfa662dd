//! What somebody is told in a clause of its own, without `that`: `tell her the professor still thinks of her`.

use crate::{
    parse::{
        lexicon,
        nouns::{Want, is_wholly_named},
        tokens::{Token, word_at},
    },
    world::World,
};

/// Most words of the name of who is told.
const NAME_WORDS_MAX: usize = 4;

/// Words that a clause begins with whose subject is a pronoun.
const SUBJECTS: &[&str] = &["he", "she", "it", "they", "i", "we"];

/// Words before the noun that is the subject.
const DETERMINERS: &[&str] = &["the", "my", "his", "her", "their", "our", "your", "this", "these"];

/// Verbs that say that a clause has one.
const FINITE: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "must",
    "should", "may", "might", "does", "did",
];

/// Where the clause begins that somebody is told.
pub(super) fn clause_told(world: &World, rest: &[Token]) -> Option<usize> {
    let pronouns = ["him", "her", "them"];
    let is_who = |at: &usize| {
        let who = &rest[..*at];
        let is_pronoun = who.len() == 1 && pronouns.contains(&who[0].word());
        let has_comma = who.contains(&Token::Comma);
        is_pronoun || !has_comma && is_wholly_named(world, who, Want::Person)
    };
    let mut splits = (1..rest.len().min(NAME_WORDS_MAX + 1)).rev().filter(is_who);
    splits.find(|at| is_clause(world, &rest[*at..]))
}

fn is_clause(world: &World, words: &[Token]) -> bool {
    let is_finite = |token: &Token| {
        let word = token.word();
        FINITE.contains(&word)
            || lexicon::irregular(word).is_some()
            || (word.ends_with('s') || word.ends_with("ed")) && lexicon::inflected(word).is_some()
    };
    let first = word_at(words, 0);
    let about = words.iter().any(|token| token.word() == "about");
    if SUBJECTS.contains(&first) {
        return words.len() > 1;
    }
    let is_named = || world.person_ids().any(|id| world.has_name_with(id, first));
    words.len() > 2
        && !about
        && (DETERMINERS.contains(&first) || is_named())
        && words[2..].iter().any(is_finite)
}
