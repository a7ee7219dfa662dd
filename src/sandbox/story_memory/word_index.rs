//! Which texts have which words, by their English stems. Pure; a language that the stemmer does not know is
//! matched word by word.

use std::collections::{BTreeSet, HashMap};

use rust_stemmers::{Algorithm, Stemmer};

/// What a word is worth that one text alone has. A multiple of all small numbers, so that shares are exact.
const WORD_WEIGHT: u64 = 720_720;

/// Words that say nothing of what a text is about. In a small memory each of them is rare.
const STOP_WORDS: [&str; 64] = [
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did",
    "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "s", "she", "so", "that",
    "the", "their", "them", "then", "there", "they", "this", "to", "was", "we", "were", "what",
    "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// The words of texts, which are known by their places.
#[derive(Default)]
pub(super) struct WordIndex {
    places: HashMap<String, Vec<usize>>,
    text_count: usize,
}

impl WordIndex {
    /// How many texts it has read.
    pub(super) fn text_count(&self) -> usize {
        self.text_count
    }

    /// Reads the next text, which has these parts.
    pub(super) fn add<'t>(&mut self, parts: impl Iterator<Item = &'t str>) {
        let stems: BTreeSet<String> = parts.flat_map(stems).collect();
        for stem in stems {
            self.places.entry(stem).or_default().push(self.text_count);
        }
        self.text_count += 1;
    }

    /// The places, of `count`, whose texts have words of the query, best first, the newer of equals first;
    /// all of them, newest first, for a query without words.
    pub(super) fn search(&self, query: &str, count: usize) -> impl Iterator<Item = usize> + use<> {
        let wanted: BTreeSet<String> = stems(query).into_iter().collect();
        let mut worth = vec![u64::from(wanted.is_empty()); count];
        for places in wanted.iter().filter_map(|stem| self.places.get(stem)) {
            for place in places {
                worth[*place] += WORD_WEIGHT / places.len() as u64;
            }
        }
        let mut places: Vec<usize> = (0..count).filter(|place| worth[*place] > 0).collect();
        places.sort_by_key(|place| (std::cmp::Reverse(worth[*place]), std::cmp::Reverse(*place)));
        places.into_iter()
    }
}

/// The stems of a text's words that say something. Letters and digits make words.
fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).filter(|word| !STOP_WORDS.contains(&word.as_str()));
    words.map(|word| stemmer.stem(&word).into_owned()).collect()
}
