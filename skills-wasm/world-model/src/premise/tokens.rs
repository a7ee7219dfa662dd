//! The words of a premise as they stand, and what each of them does in a sentence.

use english::WordClass;

use super::{
    classes::is_verb_of_class,
    vocabulary::{IRREGULAR, VERBS},
};

/// Most characters of a premise that are read.
pub(super) const PREMISE_CHARS_MAX: usize = 1000;

/// Most words of a premise that are read.
const PREMISE_WORDS_MAX: usize = 160;

/// A word of a premise.
#[derive(Debug, Clone)]
pub(super) struct PremiseToken<'t> {
    /// In lower case, without `'s`.
    pub(super) word: String,
    /// As it is written, without `'s`.
    pub(super) raw: &'t str,
    /// Where it begins and ends.
    pub(super) span: (usize, usize),
    /// It ends in `'s`: it says whose the next noun is.
    pub(super) is_owner: bool,
    /// A comma, a full stop or the beginning stands before it.
    pub(super) is_first: bool,
    /// It is written with a capital where no sentence begins.
    pub(super) is_name: bool,
}

/// What stands before a name, with or without a full stop that ends no sentence.
const TITLES: &str = "mr mrs ms dr st prof";

/// The words of a text.
pub(super) fn tokens(text: &str) -> Vec<PremiseToken<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || ['\'', '\u{2019}', '-'].contains(&c);
    let mut found: Vec<PremiseToken<'_>> = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find(is_part).map(|n| n + at) {
        let gap = &text[at..begin];
        let end = text[begin..].find(|c| !is_part(c)).map_or(text.len(), |n| n + begin);
        at = end;
        let trimmed = text[begin..end].trim_matches(['\'', '\u{2019}', '-']);
        let owner = trimmed.strip_suffix("'s").or_else(|| trimmed.strip_suffix("\u{2019}s"));
        let raw = owner.unwrap_or(trimmed);
        if raw.is_empty() || found.len() == PREMISE_WORDS_MAX {
            continue;
        }
        let is_after_title = found.last().is_some_and(|last| has(TITLES, &last.word));
        let ends_sentence = gap.contains(['.', '!', '?', ':', '\u{201c}', '"']);
        let begins_sentence = found.is_empty() || (ends_sentence && !is_after_title);
        let begin = begin + text[begin..end].find(raw).unwrap_or(0);
        found.push(PremiseToken {
            word: raw.replace('\u{2019}', "'").to_lowercase(),
            raw,
            span: (begin, begin + raw.len()),
            is_owner: owner.is_some() || text[..end].ends_with("s'"),
            is_first: begins_sentence || gap.contains([',', ';', '(', ')', '\u{2013}', '\u{2014}']),
            is_name: !begins_sentence && raw.starts_with(char::is_uppercase),
        });
    }
    // Who writes headings or shouts names nobody by it.
    let capitals = found.iter().filter(|token| token.is_name).count();
    if capitals * 2 > found.len() && found.len() > 3 {
        found.iter_mut().for_each(|token| token.is_name = false);
    }
    found
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// What a word does in a sentence, where it is no noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// A noun begins: `a`, `her`, `two`.
    Determiner,
    Preposition,
    /// A clause follows: `who`, `that`.
    Relative,
    /// A verb follows: `will`, `must`, `not`.
    Auxiliary,
    /// Another clause: `and`, `because`.
    Conjunction,
    Pronoun,
    /// It says only how, where or when.
    Adverb,
}

const ROLES: [(WordClass, WordRole); 7] = [
    (WordClass::BeginsNoun, WordRole::Determiner),
    (WordClass::PremisePreposition, WordRole::Preposition),
    (WordClass::BeginsRelative, WordRole::Relative),
    (WordClass::BeforePremiseVerb, WordRole::Auxiliary),
    (WordClass::BeginsOtherClause, WordRole::Conjunction),
    (WordClass::PremisePronoun, WordRole::Pronoun),
    (WordClass::PremiseAdverb, WordRole::Adverb),
];

/// What the word does in a sentence; none for a noun, an adjective or a verb.
pub(super) fn role_of(word: &str) -> Option<WordRole> {
    let known = ROLES.iter().find(|(class, _)| class.has(word)).map(|(_, role)| *role);
    let adverbs = || word.len() > 4 && word.ends_with("ly") && !WordClass::NounInLy.has(word);
    known
        .or_else(|| adverbs().then_some(WordRole::Adverb))
        .or_else(|| word.chars().all(|c| c.is_ascii_digit()).then_some(WordRole::Adverb))
}

/// Returns true if the word is the first form of a verb.
fn is_base(word: &str) -> bool {
    has(VERBS, word) || is_verb_of_class(word)
}

/// Returns true if the word is a form of a verb: `pay`, `pays`, `paid`, `paying`.
pub(super) fn is_verb(word: &str) -> bool {
    let stems = ["s", "es", "d", "ed", "ing"].iter().filter_map(|ending| word.strip_suffix(ending));
    let base = |stem: &str| {
        let doubled =
            stem.len() > 2 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
        is_base(stem)
            || is_base(&format!("{stem}e"))
            || stem.strip_suffix('i').is_some_and(|stem| is_base(&format!("{stem}y")))
            || doubled && stem.is_char_boundary(stem.len() - 1) && is_base(&stem[..stem.len() - 1])
    };
    is_base(word) || has(IRREGULAR, word) || stems.into_iter().any(base)
}

/// Returns true if the word is a form of one of these verbs: `crosses` of `cross`.
pub(super) fn is_form_of(word: &str, verbs: &str) -> bool {
    let stems = ["s", "es", "d", "ed", "ing"].iter().filter_map(|ending| word.strip_suffix(ending));
    let is_known = |stem: &str| {
        has(verbs, stem)
            || has(verbs, &format!("{stem}e"))
            || stem.strip_suffix('i').is_some_and(|stem| has(verbs, &format!("{stem}y")))
            || stem
                .char_indices()
                .next_back()
                .is_some_and(|(at, last)| stem[..at].ends_with(last) && has(verbs, &stem[..at]))
    };
    has(verbs, word) || stems.into_iter().any(is_known)
}

/// Returns true if the word ends a noun before it: `a detective searches`, `a house haunted by`.
pub(super) fn ends_noun(word: &str, is_after_being: bool) -> bool {
    let is_third_person = word.ends_with('s') && !word.ends_with("ss");
    let is_past = has(IRREGULAR, word) || (word.ends_with("ed") && word.len() > 4);
    (is_after_being && is_third_person)
        || (is_verb(word) && (is_third_person || is_after_being))
        || is_past
        || (word.ends_with("ing") && word.len() > 5)
}

/// Returns true if the word is a past that stands before no noun: `the ceiling began`, but not `the lost letter`.
pub(super) fn is_only_finite(word: &str) -> bool {
    WordClass::OnlyFinite.has(word)
}

/// Words that say that something is not where it should be.
pub(super) fn is_missing(word: &str) -> bool {
    WordClass::NotWhereItShouldBe.has(word)
}
