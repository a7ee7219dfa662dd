//! What a part of a pattern asks of one word: `@hand`, `#do-go`, `-ing`, `@lugging&!drag`.

use english::{VERB_MEANINGS, WordClass};

use crate::{
    forms::{frame_form::AnyWord, row_form::WordTest},
    words::tokens::{Token, is_mark},
};

/// Returns true if the token is this word, of this class, or ends so. The first word of a clause may be in the third person.
pub(crate) fn is_known(known: &str, token: &Token, is_first: bool) -> bool {
    parted(known, b'&').all(|test| {
        let (test, is_wanted) = match test.strip_prefix('!') {
            Some(test) => (test, false),
            None => (test, true),
        };
        WordTest::of(test).is_some_and(|test| test.fits(token, is_first)) == is_wanted
    })
}

/// The parts of a short text between marks, a byte at a time: the search of the standard library is made for long ones.
pub(crate) fn parted(text: &str, mark: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some(at) = text.bytes().position(|byte| byte == mark) else { return Some(text) };
        rest = Some(&text[at + 1..]);
        Some(&text[..at])
    })
}

/// Returns true if the token is one of these words.
pub(crate) fn is_one_of(words: &AnyWord, token: &Token) -> bool {
    words.iter().any(|all| all.iter().all(|(test, wanted)| test.fits(token, false) == *wanted))
}

impl WordTest<'_> {
    /// Returns true if the word is the one that is asked for, or at the beginning of a clause its third person.
    pub(crate) fn fits(self, token: &Token, is_first: bool) -> bool {
        let said = token.word();
        match self {
            WordTest::Any => !is_mark(token),
            WordTest::Comma => *token == Token::Comma,
            WordTest::Stop => matches!(token, Token::Stop(_)),
            WordTest::Class(class) => {
                class.has(said) || is_first && plain_form(said, &|verb| class.has(verb))
            }
            WordTest::Verb(meaning) => is_verb_of(meaning, said),
            WordTest::Ending(ending) => said.len() > ending.len() && said.ends_with(ending),
            WordTest::Word(known) => {
                said == known || is_first && plain_form(said, &|verb| verb == known)
            }
        }
    }
}

/// Returns true if the word is the third person of such a verb and is no verb itself.
fn plain_form(said: &str, is_it: &dyn Fn(&str) -> bool) -> bool {
    let is_plain = |ending: &str| said.strip_suffix(ending).is_some_and(is_it);
    said.ends_with('s') && (is_plain("s") || is_plain("es")) && !english::is_verb(said)
}

/// Returns true if the word alone is a verb of this meaning.
fn is_verb_of(meaning: &str, word: &str) -> bool {
    match meaning {
        "verb" => english::is_verb(word),
        "form" => english::is_verb_form(word),
        "third" => word.ends_with('s') && english::inflected(word).is_some(),
        "told" => {
            let is_past = word.ends_with("ed") && english::inflected(word).is_some();
            is_past || english::is_verb(word)
        }
        "story" => {
            let is_form = word.ends_with('s') || word.ends_with("ed");
            let is_same = WordClass::SameInPast.has(word) || WordClass::SameInThirdPerson.has(word);
            let is_form = is_form || english::irregular(word).is_some();
            is_same || is_form && english::inflected(word).is_some()
        }
        "number" => word.chars().all(|c| c.is_ascii_digit()),
        // Nothing happens by the verb alone: `stick`, `tilt`.
        "light" => {
            let is_light = |name: &str| {
                let light = ["do pull", "do push", "do turn", "do wear", "put", "lift"];
                name.starts_with("gesture ") || light.contains(&name)
            };
            meanings_of(word).all(is_light)
        }
        "deed" => english::deed_of(word).is_some(),
        "given" => match english::deed_of(word) {
            Some(verb) => !WordClass::NotGiven.has(verb) || is_gesture(word),
            None => is_gesture(word),
        },
        "new" => meanings_of(word).next().is_none(),
        meaning => meanings_of(word).any(|name| name.split(' ').eq(meaning.split('-'))),
    }
}

/// Returns true if the word alone is first of all a gesture.
fn is_gesture(word: &str) -> bool {
    meanings_of(word).next().is_some_and(|name| {
        name.starts_with("gesture ") && !["gesture busy yourself", "gesture think"].contains(&name)
    })
}

/// What a verb of one word means, by the names of `verbs.tsv`.
fn meanings_of(word: &str) -> impl Iterator<Item = &'static str> {
    let entries = english::verb_phrases_of(word).iter().filter(move |entry| entry.phrase == word);
    entries.map(|entry| VERB_MEANINGS[usize::from(entry.meaning)])
}
