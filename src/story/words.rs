//! The words of a text for the index of memories: stems of English words, without those that say nothing of a subject.
//! Pure. A word that the stemmer does not know matches itself.

use rust_stemmers::{Algorithm, Stemmer};

/// Longest word that is indexed, in bytes; longer ones are no words.
const WORD_BYTES_MAX: usize = 64;

/// Words that do not tell the subject of a text.
const STOP_WORDS: &str = " a about after all also am an and any anything are as at away back be because been before being \
    both but by can could did do does doing done else ever every for from get gets getting go goes going got had has have \
    having he her here hers herself him himself his how i if in into is isn it its just know let like ll made make many me \
    more most much my myself no nor not now of off on once one only or other our ours out over own please re s said same \
    say says she should so some somebody someone something still such t tell than that the their them then there these \
    they thing things this those though through to too up us ve very was way we were what whatever when where which while \
    who whom whose why will with without would yes yet you your yours ";

/// The stems of a text's words, in order.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && word.len() <= WORD_BYTES_MAX);
    let words = words.map(str::to_lowercase).filter(|word| !is_stop_word(word));
    words.map(|word| stemmer.stem(&word).into_owned()).collect()
}

fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&format!(" {word} "))
}

/// A mark such as a tag as one word that no text has: `t` and the bytes of the text in lower case.
pub(crate) fn mark(letter: char, text: &str) -> String {
    let mut mark = String::from(letter);
    for byte in text.to_lowercase().bytes() {
        mark += &format!("{byte:02x}");
    }
    mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_their_stems_and_those_of_no_subject_do_not() {
        assert_eq!(
            stems("Who keeps the ferries of Mira's town?"),
            ["keep", "ferri", "mira", "town"]
        );
        assert_eq!(stems("The — of? 7th Straße"), ["7th", "straße"]);
        assert_eq!(mark('t', "Old Tower"), mark('t', "old tower"));
    }
}
