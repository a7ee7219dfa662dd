//! Finds where a noun phrase begins and ends. Knows the closed classes of English (articles, prepositions, adverbs, verbs that
//! help), and takes a word for a noun only where none of them can stand.

use english::WordClass;

use crate::{
    noun::{Noun, is_determiner, is_pronoun, is_standalone, is_trailing},
    words::{Pause, Word},
};

/// Most determiners before a noun: "all my three coins".
const DETERMINERS_MAX: usize = 3;

/// The end of the noun phrase that begins at `at`; none if no noun phrase begins there.
pub(super) fn noun_phrase_end(words: &[Word], at: usize) -> Option<usize> {
    if words.get(at).is_some_and(|word| is_standalone(&word.lower)) {
        // "something useful" is no noun with an article.
        let next = words.get(at + 1).filter(|_| words[at].pause == Pause::None);
        return next.is_none_or(|next| !is_content(&next.lower)).then_some(at + 1);
    }
    let mut named_from = at;
    while let Some(word) = words.get(named_from)
        && is_led(word)
    {
        let before = named_from.checked_sub(1).filter(|_| named_from > at).map(|at| &words[at]);
        let is_count = is_number(&word.lower) || is_count(&word.lower);
        if before.is_some_and(|before| !is_count && !is_before_determiner(&before.lower)) {
            // "tell her the truth": the first one is a pronoun.
            return None;
        }
        named_from += 1;
        if word.pause != Pause::None || named_from - at > DETERMINERS_MAX {
            return None;
        }
    }
    let is_led = named_from > at;
    let mut end = named_from;
    while let Some(word) = words.get(end)
        && is_noun_part(word, words.get(end + 1), is_led)
    {
        end += 1;
        if word.pause != Pause::None {
            break;
        }
    }
    let is_whole = end > named_from && words[end - 1].pause != Pause::None;
    // "the guard doing", "the king killed": the noun is over before that.
    while end > named_from + 1 && !is_whole && is_participle(&words[end - 1].lower) {
        end -= 1;
    }
    while end > named_from + 1
        && words[end - 1].lower != "well"
        && WordClass::AdverbOrAdjective.has(words[end - 1].lower.as_str())
    {
        end -= 1;
    }
    if end == named_from || (named_from == at && is_participle(&words[at].lower)) {
        return None;
    }
    let owner = words.get(end).filter(|word| word.lower == "of" && !is_whole);
    let owner = owner.and_then(|_| noun_phrase_end(words, end + 1));
    Some(owner.unwrap_or(end))
}

/// True if the phrase names nothing to see or to hold: `my name`.
pub(super) fn is_intangible(phrase: &[Word]) -> bool {
    phrase.last().is_some_and(|word| WordClass::Intangible.has(word.lower.as_str()))
}

/// True if the noun phrase from `at` to `end` stands for a thing without an article: `take sword`, not `stay calm`.
pub(super) fn is_bare_thing(words: &[Word], at: usize, end: usize) -> bool {
    let is_one = end == at + 1;
    !(is_one && WordClass::NoThingAlone.has(words[at].lower.as_str()))
}

/// The second of two things in `the door and the window`, and where it ends, if `at` is that "and". A
/// verb after it starts another deed.
pub(super) fn joined(words: &[Word], at: usize) -> Option<(Noun, usize)> {
    let from = at + 1;
    let first = words.get(from)?;
    if words[at].lower != "and" || !is_determiner(&first.lower) {
        return None;
    }
    let end = noun_phrase_end(words, from)?;
    Noun::parse(&words[from..end]).map(|noun| (noun, end))
}

/// True if a phrase begins with an article, a number or the like.
pub(super) fn is_led(word: &Word) -> bool {
    is_determiner(&word.lower) || is_number(&word.lower)
}

/// "all the coins", "both my hands".
fn is_before_determiner(lower: &str) -> bool {
    matches!(lower, "all" | "both" | "half")
}

fn is_count(lower: &str) -> bool {
    matches!(
        lower,
        "two"
            | "three"
            | "four"
            | "five"
            | "six"
            | "seven"
            | "eight"
            | "nine"
            | "ten"
            | "several"
            | "many"
            | "few"
    )
}

/// True for a word that can be a pronoun or begin a noun phrase.
pub(super) fn is_pronoun_too(lower: &str) -> bool {
    WordClass::PronounOrDeterminer.has(lower)
}

pub(super) fn is_number(lower: &str) -> bool {
    !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if the word can be a part of a noun phrase, such as "old" and "door". `is_led`: an article or the like has
/// come before.
fn is_noun_part(word: &Word, next: Option<&Word>, is_led: bool) -> bool {
    let lower = word.lower.as_str();
    let goes_on = |next: &Word| is_noun_part(next, None, true);
    let has_noun_after = word.pause == Pause::None && next.is_some_and(goes_on);
    if WordClass::AdverbOrAdjective.has(lower) {
        return is_led;
    }
    if WordClass::BehindOrWithinPhrase.has(lower) {
        return has_noun_after;
    }
    if is_trailing(lower) && lower.ends_with("ly") {
        // "the lonely inn", not "the inn quickly".
        return is_led && has_noun_after;
    }
    is_content(lower)
}

/// True for a word of no closed class.
pub(super) fn is_content(lower: &str) -> bool {
    let shortened = ["n't", "'ll", "'re", "'ve", "'m", "'d"].iter().any(|end| lower.ends_with(end));
    lower.chars().any(char::is_alphabetic)
        && !shortened
        && !WordClass::NoNounPart.has(lower)
        && !WordClass::BetweenVerbAndNoun.has(lower)
        && !WordClass::Link.has(lower)
        && !WordClass::BeginsToldQuestion.has(lower)
        && !matches!(lower, "with" | "using" | "about" | "regarding" | "concerning")
        && !is_determiner(lower)
        && !is_pronoun(lower)
        && !is_trailing(lower)
}

fn is_participle(lower: &str) -> bool {
    let ends = (lower.ends_with("ing") || lower.ends_with("ed")) && lower.chars().count() > 4;
    ends && !WordClass::NounInIng.has(lower)
        && !matches!(lower, "breed" | "creed" | "steed" | "sacred" | "wicked" | "naked" | "hundred")
}
