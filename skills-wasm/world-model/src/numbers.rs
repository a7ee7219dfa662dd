//! The numbers in words that a world understands.

/// The number that a word is in letters: `twelve`. Only the hours of the day, and the minutes that people count.
pub fn number_in_words(word: &str) -> Option<u64> {
    let is_counted = |number: &u64| matches!(number, 1..=12 | 15 | 20 | 25 | 30 | 40 | 45 | 50);
    english::number(word).filter(is_counted)
}
