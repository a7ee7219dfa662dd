//! How long the player waits or sleeps.

use english::WordClass;
use narratoria_facts::MINUTES_OF_A_DAY as DAY;
use world_model::{numbers::number_in_words, words::is_hollow};

use crate::words::{lexicon::ClauseVerb, tokens::Token};

/// Words before a unit of time that stand for a number: `a few minutes`.
const AMOUNTS: &[(&str, u64)] = &[("a", 1), ("an", 1), ("few", 5), ("couple", 2), ("several", 5)];

/// The number that a word is, in letters or in digits.
fn number_of(word: &str) -> Option<u64> {
    number_in_words(word).or_else(|| word.parse().ok())
}

/// The minutes of a unit of time, or nothing. Who stands `in the dark` does not wait until it is dark.
fn minutes_of(word: &str, is_within: bool) -> u64 {
    match english::stem(word) {
        "minute" | "min" => 1,
        "hour" => 60,
        "while" => WHILE_MINUTES,
        "night" | "morn" | "morning" | "dawn" | "tomorrow" | "dark" if !is_within => 480,
        _ => 0,
    }
}

/// Times of day that somebody waits for, as hours.
const TIMES: &[(&str, u64)] = &[
    ("dawn", 6),
    ("sunrise", 6),
    ("daybreak", 6),
    ("daylight", 6),
    ("morning", 6),
    ("tomorrow", 6),
    ("noon", 12),
    ("midday", 12),
    ("afternoon", 14),
    ("evening", 18),
    ("dusk", 18),
    ("sunset", 18),
    ("dark", 22),
    ("night", 22),
    ("nightfall", 22),
    ("midnight", 24),
];

/// The minutes until a time of day that the words name: `until morning`, `till half past eight`, `for the dawn`.
fn minutes_until(clock: u64, words: &[&str]) -> Option<u64> {
    let until = words.iter().position(|word| ["until", "till", "til", "for"].contains(word))?;
    let is_said = |word: &&&str| !WordClass::HollowInTimeOfDay.has(word);
    let named: Vec<&str> = words[until + 1..].iter().filter(is_said).copied().collect();
    let time = named.first()?;
    let known = TIMES.iter().find(|(word, _)| word == time || *word == english::stem(time));
    // `for a night` is as long as a night.
    let is_for = words[until] == "for";
    match known {
        Some((word, _)) if is_for && ["night", "morning", "dark"].contains(word) => None,
        Some((_, hour)) => Some(minutes_left(clock, hour * 60, DAY)),
        None if is_for => None,
        None => minutes_until_clock_time(clock, &named),
    }
}

/// The minutes from one time to the next time of this kind, which comes once in a period.
fn minutes_left(clock: u64, time: u64, period: u64) -> u64 {
    let left = (time % period + period - clock % period) % period;
    if left == 0 { period } else { left }
}

/// The minutes until a clock shows this time: `half past five`, `ten to six`, `8 pm`. Without a part of the day it is the
/// next such time of the twelve hours.
fn minutes_until_clock_time(clock: u64, named: &[&str]) -> Option<u64> {
    let part = match named[0] {
        "half" => Some(30),
        "quarter" => Some(15),
        word => number_of(word),
    };
    let next = |at: usize| named.get(at).copied().unwrap_or_default();
    let from = if ["minute", "minutes"].contains(&next(1)) { 2 } else { 1 };
    // The hour, the minutes from there on, and how many words that takes.
    let (hour, offset, length) = match (next(from), number_of(next(1))) {
        ("past" | "after", _) => (number_of(next(from + 1))?, part? as i64, from + 2),
        ("to" | "before", _) => (number_of(next(from + 1))?, -(part? as i64), from + 2),
        // `half five`, `five thirty`.
        (_, Some(hour)) if named[0] == "half" => (hour, 30, 2),
        (_, Some(minutes)) if minutes < 60 => (part?, minutes as i64, 2),
        _ if number_of(named[0]).is_none() => return None,
        _ => (part?, 0, 1),
    };
    if !(1..=24).contains(&hour) {
        return None;
    }
    let mut period = if hour > 12 { DAY } else { DAY / 2 };
    let mut hour = hour;
    for word in &named[length..] {
        let is_later = match *word {
            "o'clock" | "oclock" | "in" | "tomorrow" => continue,
            "am" | "morning" => false,
            "pm" | "afternoon" | "evening" | "night" => true,
            _ => return None,
        };
        if hour <= 12 {
            hour = hour % 12 + if is_later { 12 } else { 0 };
        }
        period = DAY;
    }
    let time = (hour * 60 + DAY).saturating_add_signed(offset);
    Some(minutes_left(clock, time, period))
}

/// How long a nap takes where the player does not say it, in minutes.
const NAP_MINUTES: u64 = 60;

/// How long a while is, in minutes.
const WHILE_MINUTES: u64 = 15;

/// How long to sleep, where the words say it or it is a nap: `sleep for half an hour`.
pub(crate) fn slept(clock: u64, verb: &ClauseVerb) -> Option<String> {
    let words: Vec<&str> =
        verb.phrase.split(' ').chain(verb.rest.iter().map(Token::word)).collect();
    let is_nap = words.iter().any(|word| WordClass::Nap.has(word));
    let named = minutes_until(clock, &words).or_else(|| duration(&words));
    // A while of sleep is longer than a while of waiting.
    let named = named.filter(|minutes| !is_nap || *minutes != WHILE_MINUTES);
    let minutes = named.or(is_nap.then_some(NAP_MINUTES))?;
    Some(format!("{minutes} minutes"))
}

/// How long to wait at this time of day: `ten minutes`, `half an hour`, `an hour and a half`, `until morning`.
pub(crate) fn waited(clock: u64, rest: &[Token]) -> Option<String> {
    let words: Vec<&str> = rest.iter().map(Token::word).collect();
    let minutes = minutes_until(clock, &words).or_else(|| duration(&words))?;
    Some(format!("{} minutes", minutes.max(1)))
}

/// How many minutes the words name: `ten minutes`, `half an hour`, `an hour and a half`.
fn duration(words: &[&str]) -> Option<u64> {
    let mut minutes: Option<u64> = None;
    // How many quarters of the unit, which comes last: `half an hour`.
    let mut quarters: Option<u64> = None;
    let (mut unit, mut is_part, mut is_joined) = (0, false, false);
    for (at, word) in words.iter().enumerate() {
        let amount = AMOUNTS.iter().find(|(known, _)| known == word).map(|(_, number)| *number);
        let number = amount.or_else(|| number_of(word).map(|number| number.min(1000)));
        match (*word, number) {
            ("and", _) => is_joined = true,
            ("half", _) if is_joined && minutes.is_some() => {
                minutes = minutes.map(|minutes| minutes + unit / 2);
            }
            ("half", _) => {
                quarters = Some(quarters.filter(|_| is_joined).unwrap_or(0) + 2);
                is_part = true;
            }
            ("quarter" | "quarters", _) => {
                quarters = Some(quarters.unwrap_or(4) / 4);
                is_part = true;
            }
            ("a" | "an", _) if is_joined => {}
            (_, Some(number)) if !is_part => quarters = Some(number * 4),
            _ => {}
        }
        let before = words[..at].iter().rev().find(|word| !is_hollow(word));
        let found = minutes_of(word, before == Some(&"in"));
        if found > 0 {
            unit = found;
            minutes = Some(quarters.unwrap_or(4) * unit / 4);
        }
    }
    minutes
}

#[cfg(test)]
mod tests {
    use crate::words::tokens::Token;

    fn waited(text: &str) -> Option<String> {
        let words: Vec<Token> = text.split(' ').map(Token::of).collect();
        super::waited(18 * 60 + 5, &words)
    }

    #[test]
    fn parts_of_an_hour_are_understood() {
        for (text, minutes) in [
            ("half an hour", 30),
            ("half hour", 30),
            ("a quarter of an hour", 15),
            ("for three quarters of an hour", 45),
            ("an hour and a half", 90),
            ("two and a half hours", 150),
            ("twenty minutes", 20),
            ("for a few minutes", 5),
            ("a while", 15),
            ("for the night", 480),
        ] {
            assert_eq!(waited(text), Some(format!("{minutes} minutes")), "{text}");
        }
    }

    #[test]
    fn the_dark_in_which_one_waits_is_no_time() {
        assert_eq!(waited("in the dark"), None);
        assert_eq!(waited("until dark"), Some("235 minutes".to_owned()));
    }

    #[test]
    fn a_time_of_day_is_waited_for() {
        for (text, minutes) in [
            ("until morning", 715),
            ("until the next morning", 715),
            ("for the dawn", 715),
            ("till noon", 17 * 60 + 55),
            ("until evening", 23 * 60 + 55),
            ("until midnight", 5 * 60 + 55),
            ("until 8", 115),
            ("until six o'clock", 11 * 60 + 55),
            ("until 7 am", 12 * 60 + 55),
            ("until 8 pm", 115),
            ("until 20", 115),
            ("until eight", 115),
            ("until half past six", 25),
            ("until half past five", 11 * 60 + 25),
            ("until a quarter to seven", 40),
            ("till ten past eight in the evening", 125),
            ("until it is six thirty", 25),
            ("until half six", 25),
            ("until twenty minutes past six", 15),
            ("until eight in the morning", 13 * 60 + 55),
        ] {
            assert_eq!(waited(text), Some(format!("{minutes} minutes")), "{text}");
        }
    }
}
