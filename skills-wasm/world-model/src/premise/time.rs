//! The time of day that a premise names.

use super::tokens::PremiseToken;
use crate::numbers::number_in_words;

/// Parts of the day, each with the time that stands for it.
const PARTS: &[(&str, &[&str])] = &[
    ("23:40", &["midnight"]),
    ("12:00", &["noon", "midday"]),
    ("05:30", &["dawn", "sunrise", "daybreak"]),
    ("19:30", &["dusk", "sunset", "twilight"]),
    ("08:00", &["morning"]),
    ("15:00", &["afternoon"]),
    ("22:30", &["night", "tonight", "nightfall"]),
    ("18:40", &["evening"]),
];

/// The time, such as `04:00` for `four in the morning`; none where the premise says none.
pub(super) fn time_of(tokens: &[PremiseToken<'_>]) -> Option<String> {
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    for idx in 0..tokens.len() {
        let digits = || word(idx).parse().ok();
        let named = number_in_words(word(idx)).or_else(digits);
        let Some(hour) = named.filter(|hour| (1..=12).contains(hour)) else { continue };
        let mut next = idx + 1;
        let is_hour = word(next) == "o'clock";
        next += usize::from(is_hour);
        let is_of_day = ["in", "at"].contains(&word(next));
        let part = [word(next + 1), word(next + 2)];
        let is_part = |parts: &[&str]| is_of_day && part.iter().any(|part| parts.contains(part));
        let hour = if is_part(&["morning"]) || word(next) == "am" {
            hour % 12
        } else if is_part(&["afternoon", "evening"])
            || (is_part(&["night"]) && hour > 5)
            || word(next) == "pm"
        {
            hour % 12 + 12
        } else if is_part(&["night"]) || is_hour {
            hour
        } else {
            continue;
        };
        return Some(format!("{:02}:00", hour % 24));
    }
    let part = |token: &PremiseToken<'_>| {
        PARTS.iter().find(|(_, words)| words.contains(&token.word.as_str()))
    };
    tokens.iter().find_map(part).map(|(time, _)| (*time).to_owned())
}

/// What time of day it is, in words.
pub(super) fn part_of_day(time: &str) -> &'static str {
    match time.get(..2).and_then(|hour| hour.parse::<u8>().ok()).unwrap_or(18) {
        0..=3 | 22.. => "It is night",
        4 => "It is not yet morning",
        5 => "It is getting light",
        6..=11 => "It is morning",
        12 => "It is noon",
        13..=17 => "It is afternoon",
        _ => "It is evening",
    }
}
