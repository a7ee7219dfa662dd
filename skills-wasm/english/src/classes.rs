//! Classes of words: the rows of `data/words.tsv`.

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// The words of a class. Most questions are answered by the bits: no word of the class begins so, or none is so long.
struct ClassWords {
    firsts: u32,
    lens: u32,
    /// In the order of their bytes.
    words: &'static [&'static str],
}

impl WordClass {
    /// The class of this name in `data/classes.tsv`.
    pub fn named(name: &str) -> Option<WordClass> {
        let at = CLASSES.binary_search_by_key(&name, |(known, _)| *known).ok()?;
        Some(CLASSES[at].1)
    }

    /// Its words, in the order of their bytes.
    pub fn words(self) -> &'static [&'static str] {
        CLASS_WORDS[self as usize].words
    }

    /// The word of this class that is like this one, in small letters.
    pub fn find(self, word: &str) -> Option<&'static str> {
        let first = word.as_bytes().first()?;
        let class = &CLASS_WORDS[self as usize];
        if !has_bit(class.firsts, usize::from(*first)) || !has_bit(class.lens, word.len()) {
            return None;
        }
        class.words.binary_search(&word).ok().map(|at| class.words[at])
    }

    /// Returns true if the word, in small letters, is of this class.
    pub fn has(self, word: &str) -> bool {
        self.find(word).is_some()
    }
}

const fn has_bit(bits: u32, bit: usize) -> bool {
    bits >> (bit & 31) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, WordClass};

    #[test]
    fn a_class_has_its_words_and_no_others() {
        for (name, class) in CLASSES {
            assert_eq!(WordClass::named(name), Some(class));
            for word in class.words() {
                assert!(class.has(word), "{name} {word}");
                assert!(!class.has(&format!("{word}x")), "{name} {word}x");
                assert!(!class.has(&word[1..]) || class.words().contains(&&word[1..]));
            }
            assert!(!class.has(""), "{name}");
        }
        assert_eq!(WordClass::named("no such class"), None);
    }

    #[test]
    fn an_ordinary_word_is_no_mistake_and_a_mistake_is_no_word() {
        for word in ["sign", "drain", "beach", "man", "were", "ribbon"] {
            assert!(WordClass::Ordinary.has(word), "{word}");
        }
        for word in ["lantren", "tkae", "", "\u{e9}t\u{e9}"] {
            assert!(!WordClass::Ordinary.has(word), "{word}");
        }
    }
}
