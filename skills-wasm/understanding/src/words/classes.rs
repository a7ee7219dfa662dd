//! Classes of English words, as far as they decide what can be a name.

use english::WordClass;

/// Endings of adjectives; names that end so are of a class.
const ENDINGS: &[&str] = &["ful", "ous", "less", "ible"];

/// Returns true if the word cannot be the head of a name.
pub(crate) fn is_no_noun(word: &str) -> bool {
    let ends = || ENDINGS.iter().any(|ending| word.len() > 5 && word.ends_with(ending));
    WordClass::LoneAdjective.has(word) || (ends() && !WordClass::NounLikeAdjective.has(word))
}

/// Returns true if a clause that begins with the word tells of no deed.
pub(crate) fn is_no_verb(word: &str) -> bool {
    WordClass::BeforeClause.has(word) || is_no_noun(word)
}
