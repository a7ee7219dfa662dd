//! Trains a vocabulary on a text by merging the most frequent pair repeatedly, as SentencePiece does for the models of
//! the Llama and Phi families: no piece crosses a space or mixes letters with signs, every digit is its own piece, and
//! a space is `▁` and begins the word after it. Pairs of equal frequency are merged in a fixed order, so equal texts
//! give equal vocabularies.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap},
};

/// The piece for a space.
pub(crate) const SPACE: char = '\u{2581}';
/// Longest piece in characters; SentencePiece has the same.
const PIECE_CHARS_MAX: usize = 16;
/// A character that occurs less often is written byte by byte.
const CHAR_COUNT_MIN: u64 = 30;

type TokenPair = (u32, u32);

/// At most `count` pieces of the text in the order of their scores: first the merged pieces, the most frequent pair
/// first, then the characters. Fewer if the text has no more.
pub fn pieces(text: &str, count: usize) -> Vec<String> {
    let words = words(text);
    let alphabet = alphabet(&words);
    let mut training = Training::begin(words, &alphabet);
    let mut merged = Vec::new();
    while merged.len() + alphabet.len() < count {
        match training.merge() {
            Some(Some(piece)) => merged.push(piece),
            Some(None) => {}
            None => break,
        }
    }
    merged.extend(alphabet.iter().map(char::to_string));
    merged
}

#[derive(PartialEq, Clone, Copy)]
enum CharClass {
    Space,
    Letter,
    Digit,
    Sign,
    /// Line ends and the like, which are written byte by byte.
    Break,
}

fn class(char: char) -> CharClass {
    match char {
        ' ' => CharClass::Space,
        char if char.is_control() || char.is_whitespace() => CharClass::Break,
        char if char.is_alphabetic() => CharClass::Letter,
        char if char.is_numeric() => CharClass::Digit,
        _ => CharClass::Sign,
    }
}

/// Counts the words.
fn words(text: &str) -> BTreeMap<String, u64> {
    let mut words = BTreeMap::new();
    let mut word = String::new();
    let mut last = CharClass::Break;
    for char in text.chars() {
        let class = class(char);
        // The last space of several leads the next word; those before it are a word of their own.
        let continues = match (last, class) {
            (CharClass::Digit, CharClass::Digit) => false,
            (CharClass::Space, CharClass::Letter | CharClass::Digit | CharClass::Sign) => {
                if word.chars().count() > 1 {
                    word.pop();
                    *words.entry(std::mem::replace(&mut word, SPACE.to_string())).or_insert(0) += 1;
                }
                true
            }
            (last, class) => last == class,
        };
        if !continues && !word.is_empty() {
            *words.entry(std::mem::take(&mut word)).or_insert(0) += 1;
        }
        match class {
            CharClass::Break => {}
            CharClass::Space => word.push(SPACE),
            _ => word.push(char),
        }
        last = class;
    }
    if !word.is_empty() {
        *words.entry(word).or_insert(0) += 1;
    }
    words
}

/// The space, printable ASCII and all frequent characters, the most frequent first.
fn alphabet(words: &BTreeMap<String, u64>) -> Vec<char> {
    let always = std::iter::once(SPACE).chain('!'..='~');
    let mut counts: BTreeMap<char, u64> = always.map(|char| (char, CHAR_COUNT_MIN)).collect();
    for (word, count) in words {
        word.chars().for_each(|char| *counts.entry(char).or_insert(0) += count);
    }
    let mut chars: Vec<(Reverse<u64>, char)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= CHAR_COUNT_MIN)
        .map(|(char, count)| (Reverse(count), char))
        .collect();
    chars.sort_unstable();
    chars.into_iter().map(|(_, char)| char).collect()
}

struct Training {
    /// The text of each symbol.
    texts: Vec<String>,
    symbols: HashMap<String, u32>,
    words: Vec<(Vec<u32>, u64)>,
    /// How often each pair occurs.
    counts: HashMap<TokenPair, u64>,
    /// Words that may contain a pair. A word that no longer does is harmless.
    places: HashMap<TokenPair, Vec<usize>>,
    /// May have outdated counts: such an entry is put back with its current count.
    queue: BinaryHeap<(u64, Reverse<TokenPair>)>,
}

impl Training {
    fn begin(words: BTreeMap<String, u64>, alphabet: &[char]) -> Training {
        let texts: Vec<String> = alphabet.iter().map(char::to_string).collect();
        let symbols: HashMap<String, u32> = texts.iter().cloned().zip(0..).collect();
        let words = words.into_iter().map(|(word, count)| {
            let known = word.chars().filter_map(|char| symbols.get(&char.to_string()).copied());
            (known.collect::<Vec<u32>>(), count)
        });
        let words = words.filter(|(word, _)| word.len() > 1).collect();
        let mut training = Training {
            texts,
            symbols,
            words,
            counts: HashMap::new(),
            places: HashMap::new(),
            queue: BinaryHeap::new(),
        };
        (0..training.words.len()).for_each(|word| training.count(word));
        training.queue =
            training.counts.iter().map(|(pair, count)| (*count, Reverse(*pair))).collect();
        training
    }

    /// Counts the pairs of a word.
    fn count(&mut self, word: usize) {
        let (symbols, times) = &self.words[word];
        for pair in symbols.windows(2).map(|pair| (pair[0], pair[1])) {
            *self.counts.entry(pair).or_insert(0) += times;
            let places = self.places.entry(pair).or_default();
            if places.last() != Some(&word) {
                places.push(word);
            }
        }
    }

    fn uncount(&mut self, word: usize) {
        let (symbols, times) = &self.words[word];
        for pair in symbols.windows(2) {
            *self.counts.get_mut(&(pair[0], pair[1])).expect("every pair was counted") -= times;
        }
    }

    /// Merges the most frequent pair everywhere. `None` when no pair is left; `Some(None)` if the piece exists already.
    fn merge(&mut self) -> Option<Option<String>> {
        let pair = self.next()?;
        let text = format!("{}{}", self.texts[pair.0 as usize], self.texts[pair.1 as usize]);
        let known = self.symbols.get(&text).copied();
        let symbol = known.unwrap_or_else(|| {
            let symbol = u32::try_from(self.texts.len()).expect("there are not so many pieces");
            self.texts.push(text.clone());
            self.symbols.insert(text.clone(), symbol);
            symbol
        });
        let mut words = self.places.remove(&pair).unwrap_or_default();
        words.sort_unstable();
        words.dedup();
        for word in words {
            self.uncount(word);
            replace(&mut self.words[word].0, pair, symbol);
            self.count(word);
            let (symbols, _) = &self.words[word];
            for pair in symbols.windows(2).map(|pair| (pair[0], pair[1])) {
                if pair.0 == symbol || pair.1 == symbol {
                    self.queue.push((self.counts[&pair], Reverse(pair)));
                }
            }
        }
        Some(known.is_none().then_some(text))
    }

    fn next(&mut self) -> Option<TokenPair> {
        loop {
            let (count, Reverse(pair)) = self.queue.pop()?;
            let now = self.counts.get(&pair).copied().unwrap_or(0);
            let chars = self.texts[pair.0 as usize].chars().count()
                + self.texts[pair.1 as usize].chars().count();
            if now == 0 || chars > PIECE_CHARS_MAX {
                continue;
            }
            if now == count {
                return Some(pair);
            }
            if now < count {
                self.queue.push((now, Reverse(pair)));
            }
        }
    }
}

/// Replaces each pair by one symbol, from left to right.
fn replace(word: &mut Vec<u32>, pair: TokenPair, symbol: u32) {
    let mut to = 0;
    let mut from = 0;
    while from < word.len() {
        let is_pair = word[from] == pair.0 && word.get(from + 1) == Some(&pair.1);
        word[to] = if is_pair { symbol } else { word[from] };
        from += if is_pair { 2 } else { 1 };
        to += 1;
    }
    word.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_pair_is_merged_first() {
        let text = "low low low lower lowest newest newest";
        let pieces = pieces(text, 96 + 12);
        assert_eq!(pieces[..5], ["lo", "low", "▁low", "es", "est"], "{pieces:?}");
    }

    #[test]
    fn words_end_at_spaces_signs_and_digits() {
        let words = words("let x_12 =  \"a\";\nb");
        let words: Vec<&str> = words.keys().map(String::as_str).collect();
        assert_eq!(words, ["\";", "1", "2", "_", "a", "b", "let", "▁", "▁\"", "▁=", "▁x"]);
    }
}
