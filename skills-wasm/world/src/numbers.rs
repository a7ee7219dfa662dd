//! Numbers in words.

/// The hours of the day, and the minutes that people count.
const NUMBERS: &[(&str, u64)] = &[
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("fifteen", 15),
    ("twenty", 20),
    ("twenty-five", 25),
    ("thirty", 30),
    ("forty", 40),
    ("forty-five", 45),
    ("fifty", 50),
];

/// The number that a word is in letters: `twelve`.
pub(crate) fn number_in_words(word: &str) -> Option<u64> {
    NUMBERS.iter().find(|(known, _)| *known == word).map(|(_, number)| *number)
}
