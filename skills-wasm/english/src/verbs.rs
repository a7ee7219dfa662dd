//! Phrases of verbs and the forms of verbs that no ending shows: `data/verbs.tsv` and `data/irregular.tsv`.

use crate::{WordRow, row_of};

/// A phrase that means a deed: `look`, `look under`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbPhrase {
    /// Its first word.
    pub first: &'static str,
    /// All its words, with blanks between them.
    pub phrase: &'static str,
    /// The place of its meaning in [`VERB_MEANINGS`]. A phrase with several meanings has an entry for each, the usual one first.
    pub meaning: u8,
}

include!(concat!(env!("OUT_DIR"), "/verbs.rs"));
include!(concat!(env!("OUT_DIR"), "/irregular.rs"));
include!(concat!(env!("OUT_DIR"), "/deed_nouns.rs"));

/// All phrases, by their first words.
pub fn verb_phrases() -> &'static [VerbPhrase] {
    &VERB_PHRASES
}

/// The phrases that begin with this word.
pub fn verb_phrases_of(first: &str) -> &'static [VerbPhrase] {
    let start = VERB_PHRASES.partition_point(|entry| entry.first < first);
    let count = VERB_PHRASES[start..].iter().take_while(|entry| entry.first == first).count();
    &VERB_PHRASES[start..start + count]
}

/// The name of the gesture that the word alone means: `laugh` for `chuckle`.
pub fn gesture_named(word: &str) -> Option<&'static str> {
    let mut alone = verb_phrases_of(word).iter().filter(|entry| entry.phrase == word);
    alone.find_map(|entry| VERB_MEANINGS[usize::from(entry.meaning)].strip_prefix("gesture "))
}

/// The word, if a phrase of a verb begins with it.
pub fn verb_word(word: &str) -> Option<&'static str> {
    let at = VERB_PHRASES.partition_point(|entry| entry.first < word);
    VERB_PHRASES.get(at).map(|entry| entry.first).filter(|first| *first == word)
}

/// The verb that an irregular form belongs to: `took` is of `take`.
pub fn irregular(form: &str) -> Option<&'static str> {
    irregular_row(form).map(|row| row.meant)
}

/// The row of an irregular form.
pub fn irregular_row(form: &str) -> Option<&'static WordRow> {
    row_of(&IRREGULAR, form)
}

/// The verb that a noun stands for, of one or of several: a `peek` is `look`.
pub fn deed_of(noun: &str) -> Option<&'static str> {
    let of = |noun| super::row_of(&DEED_NOUNS, noun).map(|row| row.meant);
    of(noun).or_else(|| of(noun.strip_suffix('s')?))
}

#[cfg(test)]
mod tests {
    use super::{VERB_MEANINGS, deed_of, irregular, verb_phrases, verb_phrases_of, verb_word};

    #[test]
    fn phrases_are_found_by_their_first_word() {
        assert!(verb_phrases().is_sorted_by_key(|entry| entry.first));
        let of = |phrase: &str| -> Vec<&str> {
            let first = phrase.split(' ').next().unwrap();
            let found = verb_phrases_of(first).iter().filter(|entry| entry.phrase == phrase);
            found.map(|entry| VERB_MEANINGS[usize::from(entry.meaning)]).collect()
        };
        assert_eq!(of("look under"), ["do search"]);
        assert_eq!(of("describe"), ["do look", "do examine"]);
        assert_eq!(of("look sideways"), Vec::<&str>::new());
        assert_eq!((verb_word("look"), verb_word("loo")), (Some("look"), None));
    }

    #[test]
    fn nouns_of_deeds_have_their_verbs() {
        assert_eq!(
            ["glance", "kisses", "sips", "spoon"].map(deed_of),
            [Some("look"), None, Some("drink"), None]
        );
    }

    #[test]
    fn irregular_forms_have_their_verbs() {
        assert_eq!([irregular("took"), irregular("dove")], [Some("take"), Some("dive")]);
        assert_eq!(irregular("looked"), None);
    }
}
