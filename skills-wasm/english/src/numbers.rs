//! Numbers in words. A caller that understands only some of them asks for the number and filters it.

// `NUMBERS` with the words up to twenty and the tens, by their numbers, and `AMOUNTS` with the nouns.
include!(concat!(env!("OUT_DIR"), "/numbers.rs"));

/// The largest number that [`number`] and [`in_words`] know.
pub const NUMBER_IN_WORDS_MAX: u64 = 99;

/// The number that a word in small letters is: `twelve`, `forty-five`.
pub fn number(word: &str) -> Option<u64> {
    match word.split_once('-') {
        None => value(&NUMBERS, word),
        Some((tens, digit)) => {
            let tens = value(&NUMBERS, tens).filter(|tens| *tens >= 20)?;
            let digit = value(&NUMBERS, digit).filter(|digit| (1..10).contains(digit))?;
            Some(tens + digit)
        }
    }
}

/// The same, with the nouns that stand for a number: `dozen`.
pub fn amount(word: &str) -> Option<u64> {
    number(word).or_else(|| value(&AMOUNTS, word))
}

/// A number up to [`NUMBER_IN_WORDS_MAX`] in words.
pub fn in_words(number: u64) -> Option<String> {
    if let Some(word) = one_word(number) {
        return Some(word.to_owned());
    }
    let (tens, digit) = (one_word(number - number % 10)?, one_word(number % 10)?);
    (number <= NUMBER_IN_WORDS_MAX).then(|| format!("{tens}-{digit}"))
}

/// The word of a number that has only one.
pub fn one_word(number: u64) -> Option<&'static str> {
    let at = NUMBERS.binary_search_by_key(&number, |(_, known)| *known).ok()?;
    Some(NUMBERS[at].0)
}

fn value(words: &[(&str, u64)], word: &str) -> Option<u64> {
    words.iter().find(|(known, _)| *known == word).map(|(_, number)| *number)
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
