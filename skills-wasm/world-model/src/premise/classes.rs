//! What common words of English stand for: the page `word-classes` in `text`, as one sorted text in which words are looked up.

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordSense {
    Person,
    Animal,
    Place,
    /// The name of a town or a country.
    Town,
    Vehicle,
    /// It can be carried.
    Thing,
    /// It stays where it is.
    Fixture,
    Event,
    /// It can only be spoken of.
    Matter,
    /// A part of a body.
    Body,
    /// A time, a number, a direction.
    Measure,
    Verb,
}

// `CLASSES`: lines in order, each a word, a blank, and the letter of its class.
include!(concat!(env!("OUT_DIR"), "/word_classes.rs"));

/// What the word stands for; `None` for a word that the page does not have.
pub(super) fn class_of(word: &str) -> Option<WordSense> {
    let (mut low, mut high) = (0, CLASSES.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let begin = CLASSES[..middle].rfind('\n').map_or(0, |at| at + 1).max(low);
        let end = CLASSES[begin..].find('\n').map_or(CLASSES.len(), |at| begin + at);
        let (known, letter) = CLASSES[begin..end].split_once(' ')?;
        match known.cmp(word) {
            std::cmp::Ordering::Equal => return class_by_letter(letter),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = begin,
        }
    }
    None
}

fn class_by_letter(letter: &str) -> Option<WordSense> {
    Some(match letter {
        "p" => WordSense::Person,
        "a" => WordSense::Animal,
        "l" => WordSense::Place,
        "c" => WordSense::Town,
        "v" => WordSense::Vehicle,
        "t" => WordSense::Thing,
        "f" => WordSense::Fixture,
        "e" => WordSense::Event,
        "m" => WordSense::Matter,
        "b" => WordSense::Body,
        "n" => WordSense::Measure,
        "w" => WordSense::Verb,
        _ => return None,
    })
}

/// Returns true if the word is a verb before it is anything else.
pub(super) fn is_verb_of_class(word: &str) -> bool {
    class_of(word) == Some(WordSense::Verb)
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, WordSense, class_of};

    #[test]
    fn every_word_of_the_page_is_found() {
        for line in CLASSES.lines() {
            let (word, _) = line.split_once(' ').unwrap();
            assert!(class_of(word).is_some(), "{word}");
        }
        assert_eq!(class_of("helicopter"), Some(WordSense::Vehicle));
        assert_eq!(class_of("abbot"), Some(WordSense::Person));
        assert_eq!(class_of("qwertz"), None);
    }
}
