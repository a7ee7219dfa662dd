//! What is certain about a clause that means nothing: the reading that came furthest, for the message to the player. It guesses
//! nothing, and does nothing.

use english::WordClass;
use world_model::{entity::NamedId, words, world::World};

use crate::{
    meaning::Shortfall,
    names::{nouns::Meant, pronouns::pronoun, spans::spans},
    own_verbs,
    sentence::clauses::{SentenceClause, begins_question},
    words::{
        leads::strip,
        lexicon::{self, Meaning},
        tokens::{Token, word_at},
    },
};

/// Most words that a message quotes.
const UNREAD_MAX: usize = 3;

/// Longest word that a message quotes, in characters.
const UNREAD_CHARS_MAX: usize = 30;

/// What is certain about a clause. `None` for a question, and where nothing is.
pub(crate) fn of(world: &World, clause: &SentenceClause) -> Option<Shortfall> {
    let tokens = strip(&clause.tokens);
    if clause.is_asked || begins_question(tokens) {
        return None;
    }
    nothing_spoken_of(world, tokens).or_else(|| no_verb(world, tokens)).or_else(|| {
        let unread = unknown_words(world, tokens);
        (!unread.is_empty()).then_some(Shortfall::UnknownWords(unread))
    })
}

/// `take it`, where nothing has been named.
fn nothing_spoken_of(world: &World, tokens: &[Token]) -> Option<Shortfall> {
    let verb = lexicon::verbs_at_start(tokens).into_iter().next()?;
    let ([word], Meaning::Do(_)) = (verb.rest.as_slice(), verb.meaning) else { return None };
    let is_pronoun = word.is(WordClass::ObjectPronoun);
    let is_nothing = matches!(pronoun(world, word.word()), Meant::Missing(_) | Meant::Nothing);
    (is_pronoun && is_nothing).then(|| Shortfall::NothingSpokenOf {
        verb: verb.phrase.clone(),
        pronoun: word.word().to_owned(),
    })
}

/// `frobnicate the lantern`.
fn no_verb(world: &World, tokens: &[Token]) -> Option<Shortfall> {
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let seen: Vec<NamedId> = world.seen().collect();
    let found = spans(world, &words, &seen);
    let [span] = found.as_slice() else { return None };
    let [name] = span.ids.as_slice() else { return None };
    let first = word_at(tokens, 0);
    (span.start > 0 && is_unknown(world, first))
        .then(|| Shortfall::NoVerb { name: *name, word: quoted(first) })
}

fn unknown_words(world: &World, tokens: &[Token]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in tokens.iter().map(Token::word).filter(|word| is_unknown(world, word)) {
        let word = quoted(word);
        if found.len() < UNREAD_MAX && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

fn quoted(word: &str) -> String {
    word.chars().take(UNREAD_CHARS_MAX).collect()
}

/// Returns true if neither a table nor a name nor a description has the word.
fn is_unknown(world: &World, word: &str) -> bool {
    !word.is_empty()
        && !words::is_hollow(word)
        && word.chars().all(char::is_alphabetic)
        && !english::is_verb_form(word)
        && !english::is_kind(word)
        && english::amount(word).is_none()
        && WordClass::names_of(word).next().is_none()
        && !own_verbs::has_word(world, word)
        && !world.ids().any(|id| world.has_name_with(id, word))
        && world.mention(word).is_none()
}
