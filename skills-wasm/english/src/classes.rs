//! Classes of words: the rows of `data/words.tsv`.

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// The words of a class. Most questions are answered by the bits: no word of the class begins or ends so, or none is so long.
struct ClassWords {
    firsts: u32,
    lasts: u32,
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

    /// The names of all classes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CLASSES.iter().map(|(name, _)| *name)
    }

    /// The names of the classes that a word, in small letters, is of.
    pub fn names_of(word: &str) -> impl Iterator<Item = &'static str> {
        CLASSES.iter().filter(move |(_, class)| class.has(word)).map(|(name, _)| *name)
    }

    /// What its words have in common, as `data/classes.tsv` says it.
    pub fn explanation(self) -> &'static str {
        CLASS_EXPLANATIONS[self as usize]
    }

    /// Its words, in the order of their bytes.
    pub fn words(self) -> &'static [&'static str] {
        CLASS_WORDS[self as usize].words
    }

    /// The word of this class that is like this one, in small letters.
    pub fn find(self, word: &str) -> Option<&'static str> {
        let (first, last) = (word.as_bytes().first()?, word.as_bytes().last()?);
        let class = &CLASS_WORDS[self as usize];
        if !has_bit(class.firsts, usize::from(*first))
            || !has_bit(class.lasts, usize::from(*last))
            || !has_bit(class.lens, word.len())
        {
            return None;
        }
        class.words.binary_search(&word).ok().map(|at| class.words[at])
    }

    /// Returns true if the word, in small letters, is of this class.
    pub fn has(self, word: &str) -> bool {
        self.find(word).is_some()
    }
}

impl WordClass {
    /// How many words of a text the longest phrase of this class has that begins it. `word_at` gives the words of the text by
    /// their places.
    pub fn start<'t>(self, word_at: impl Fn(usize) -> Option<&'t str>) -> Option<usize> {
        // A name of several words is one word of the text, and begins no phrase.
        let first = word_at(0).filter(|first| !first.is_empty() && !first.contains(' '))?;
        if !has_bit(CLASS_WORDS[self as usize].firsts, usize::from(first.as_bytes()[0])) {
            return None;
        }
        let words = self.words();
        let from = words.partition_point(|phrase| *phrase < first);
        let of_first = words[from..].iter().map_while(|phrase| phrase.strip_prefix(first));
        let length = |rest: &'static str| match rest.strip_prefix(' ') {
            Some(others) => {
                length_of(others.split(' '), |at| word_at(at + 1)).map(|others| others + 1)
            }
            None => rest.is_empty().then_some(1),
        };
        of_first.filter_map(length).max()
    }

    /// How many words each phrase of this class has that ends a text. `word_at` gives the words of the text from its end.
    pub fn ends<'t>(
        self,
        word_at: impl Fn(usize) -> Option<&'t str>,
    ) -> impl Iterator<Item = usize> {
        self.words().iter().filter_map(move |phrase| length_of(phrase.rsplit(' '), &word_at))
    }
}

/// How many words the phrase has, if they are those of the text.
fn length_of<'t>(
    phrase: impl Iterator<Item = &'static str>,
    word_at: impl Fn(usize) -> Option<&'t str>,
) -> Option<usize> {
    let mut len = 0;
    for word in phrase {
        if word_at(len) != Some(word) {
            return None;
        }
        len += 1;
    }
    Some(len)
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
            assert!(!class.explanation().is_empty(), "{name}");
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
    fn a_phrase_is_found_at_the_beginning_and_at_the_end() {
        let start = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            WordClass::LeadPhrase.start(|at| words.get(at).copied())
        };
        let texts = ["i can not help but laugh", "i can not help it", "i can", ""];
        assert_eq!(texts.map(start), [Some(5), Some(4), None, None]);
        let words = ["go", "there", "thank", "you", "very", "much"];
        let ends = WordClass::TailPhrase.ends(|at| words.iter().nth_back(at).copied());
        assert_eq!(ends.collect::<Vec<_>>(), [4, 2]);
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
