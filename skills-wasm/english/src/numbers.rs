//! Numbers in words. A caller that understands only some of them asks for the number and filters it.

/// Up to here each number is one word.
const SMALL: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Multiples of ten, from twenty.
const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Nouns that stand for a number: `a dozen`.
const AMOUNTS: [(&str, u64); 3] = [("dozen", 12), ("hundred", 100), ("thousand", 1000)];

/// The largest number that [`number`] and [`in_words`] know.
pub const NUMBER_IN_WORDS_MAX: u64 = 99;

/// The number that a word in small letters is: `twelve`, `forty-five`.
pub fn number(word: &str) -> Option<u64> {
    let digit = |word: &str| idx_of(&SMALL[..10], word).filter(|digit| *digit > 0);
    match word.split_once('-') {
        None => idx_of(&SMALL, word).or_else(|| tens(word)),
        Some((first, second)) => Some(tens(first)? + digit(second)?),
    }
}

/// The same, with the nouns that stand for a number: `dozen`.
pub fn amount(word: &str) -> Option<u64> {
    let noun = || AMOUNTS.iter().find(|(known, _)| *known == word).map(|(_, number)| *number);
    number(word).or_else(noun)
}

/// A number up to [`NUMBER_IN_WORDS_MAX`] in words.
pub fn in_words(number: u64) -> Option<String> {
    if let Some(word) = one_word(number) {
        return Some(word.to_owned());
    }
    let tens = one_word(number - number % 10)?;
    (number <= NUMBER_IN_WORDS_MAX).then(|| format!("{tens}-{}", SMALL[(number % 10) as usize]))
}

/// The word of a number that has only one.
pub fn one_word(number: u64) -> Option<&'static str> {
    let idx = usize::try_from(number).ok()?;
    match SMALL.get(idx) {
        Some(word) => Some(word),
        None if idx.is_multiple_of(10) => TENS.get(idx / 10 - 2).copied(),
        None => None,
    }
}

fn tens(word: &str) -> Option<u64> {
    idx_of(&TENS, word).map(|idx| (idx + 2) * 10)
}

fn idx_of(words: &[&str], word: &str) -> Option<u64> {
    words.iter().position(|known| *known == word).map(|idx| idx as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_read_from_its_own_words() {
        for expect in 0..=NUMBER_IN_WORDS_MAX {
            let words = in_words(expect).unwrap();
            assert_eq!(number(&words), Some(expect), "{words}");
        }
        assert_eq!(in_words(45).as_deref(), Some("forty-five"));
        assert_eq!((in_words(100), in_words(u64::MAX)), (None, None));
    }

    #[test]
    fn what_is_no_number_has_none() {
        for word in
            ["", "-", "-one", "a", "One", "12", "dozen", "one-two", "twenty-zero", "ten-one"]
        {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn nouns_stand_for_amounts() {
        let words = ["dozen", "hundred", "thousand", "seven"];
        assert_eq!(words.map(amount), [Some(12), Some(100), Some(1000), Some(7)]);
        assert_eq!(amount("score"), None);
    }

    #[test]
    fn some_numbers_are_one_word() {
        assert_eq!([0, 12, 30, 90].map(one_word), ["zero", "twelve", "thirty", "ninety"].map(Some));
        assert_eq!([21, 100, u64::MAX].map(one_word), [None; 3]);
    }
}
