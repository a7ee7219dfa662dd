//! Finds texts by the English stems of their words. Pure. Texts in a language that the stemmer does not know
//! match word by word.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

use rust_stemmers::{Algorithm, Stemmer};

/// The weight of a word, divided among all texts that contain it. A multiple of all small numbers, so that the
/// shares are exact.
const WORD_WEIGHT: u64 = 720_720;

/// Words that do not tell the subject of a text. In a small memory they would count as rare.
const STOP_WORDS: [&str; 64] = [
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did",
    "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "s", "she", "so", "that",
    "the", "their", "them", "then", "there", "they", "this", "to", "was", "we", "were", "what",
    "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// The words of texts. A text is identified by its position.
#[derive(Default)]
pub(super) struct WordIndex {
    texts_by_stem: HashMap<String, Vec<usize>>,
    text_count: usize,
}

impl WordIndex {
    pub(super) fn text_count(&self) -> usize {
        self.text_count
    }

    /// Adds the next text, given as its parts.
    pub(super) fn add<'t>(&mut self, parts: impl Iterator<Item = &'t str>) {
        let stems: BTreeSet<String> = parts.flat_map(stems).collect();
        for stem in stems {
            self.texts_by_stem.entry(stem).or_default().push(self.text_count);
        }
        self.text_count += 1;
    }

    /// Returns the positions below `count` of the texts that share words with the query, best first, newer ones before
    /// older equals. For a query without words, returns all positions, newest first.
    pub(super) fn search(&self, query: &str, count: usize) -> impl Iterator<Item = usize> + use<> {
        let wanted: BTreeSet<String> = stems(query).into_iter().collect();
        let mut scores = vec![u64::from(wanted.is_empty()); count];
        for texts in wanted.iter().filter_map(|stem| self.texts_by_stem.get(stem)) {
            for text_idx in texts {
                scores[*text_idx] += WORD_WEIGHT / texts.len() as u64;
            }
        }
        let mut found: Vec<usize> = (0..count).filter(|text_idx| scores[*text_idx] > 0).collect();
        found.sort_by_key(|text_idx| (Reverse(scores[*text_idx]), Reverse(*text_idx)));
        found.into_iter()
    }
}

/// Returns the stems of a text's words, without stop words. Letters and digits make words.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).filter(|word| !STOP_WORDS.contains(&word.as_str()));
    words.map(|word| stemmer.stem(&word).into_owned()).collect()
}
