//! How long the player waits.

use narratoria_facts::MINUTES_OF_A_DAY as DAY;

use crate::{
    action::{Action, Verb},
    parse::{
        nouns::{Meant, Want, resolve},
        parts::ClauseParts,
        tokens::Token,
    },
    words::{is_hollow, stem},
    world::World,
};

/// How long a wait is that has a number of its own: `ten minutes`.
const NUMBERS: &[(&str, u64)] = &[
    ("a", 1),
    ("an", 1),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("ten", 10),
    ("fifteen", 15),
    ("twenty", 20),
    ("thirty", 30),
    ("few", 5),
    ("couple", 2),
    ("several", 5),
];

/// The minutes of a unit of time, or nothing. Who stands `in the dark` does not wait until it is dark.
fn minutes_of(word: &str, is_within: bool) -> u64 {
    match stem(word) {
        "minute" | "min" => 1,
        "hour" => 60,
        "while" => 15,
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

/// The minutes until a time of day that the words name: `until morning`, `till eight`, `for the dawn`.
fn minutes_until(clock: u64, words: &[&str]) -> Option<u64> {
    let until = words.iter().position(|word| ["until", "till", "til", "for"].contains(word))?;
    let is_said = |word: &&&str| !is_hollow(word) && !["next", "first", "very"].contains(word);
    let mut named = words[until + 1..].iter().filter(is_said);
    let (time, next) = (named.next()?, named.next());
    let known = TIMES.iter().find(|(word, _)| word == time || *word == stem(time));
    // `for a night` is as long as a night.
    let is_for = words[until] == "for";
    let minute = match known {
        Some((word, _)) if is_for && ["night", "morning", "dark"].contains(word) => return None,
        Some((_, hour)) => hour * 60,
        None if is_for => return None,
        None => {
            let named = NUMBERS.iter().find(|(word, _)| word == time).map(|(_, number)| *number);
            let hour =
                named.or_else(|| time.parse().ok()).filter(|hour| (1..=24).contains(hour))?;
            match next {
                Some(&"am") => hour % 12 * 60,
                Some(&"pm") => (hour % 12 + 12) * 60,
                None | Some(&"o'clock" | &"oclock") if hour > 12 => hour * 60,
                None | Some(&"o'clock" | &"oclock") => {
                    let half = DAY / 2;
                    let left = (hour * 60 + half - clock % half) % half;
                    return Some(if left == 0 { half } else { left });
                }
                Some(_) => return None,
            }
        }
    };
    let left = (minute + DAY - clock) % DAY;
    Some(if left == 0 { DAY } else { left })
}

/// Returns true if the words hold something, and do not wait: `hold it high`.
pub(super) fn holds(phrase: &str, rest: &[Token]) -> bool {
    ["hold it", "hold on"].contains(&phrase) && !rest.is_empty()
}

/// Sleep, where the words say: `lie down in the bunk room`.
pub(super) fn sleep(world: &World, parts: &ClauseParts) -> Vec<Action> {
    let goal = parts.after(&["in", "at"]).map(|tokens| resolve(world, tokens, Want::Place));
    let goal = match goal {
        Some(Meant::Entities(ids)) => ids.first().copied(),
        _ => None,
    };
    let goal = goal.filter(|id| world.is_place(*id) && *id != world.here);
    let go = goal.map(|id| Action::on(Verb::Go, world.name(id)));
    go.into_iter().chain([Action::new(Verb::Sleep)]).collect()
}

/// How long to wait at this time of day: `ten minutes`, `half an hour`, `an hour and a half`, `until morning`.
pub(super) fn wait(clock: u64, rest: &[Token]) -> Action {
    let words: Vec<&str> = rest.iter().map(Token::word).collect();
    if let Some(minutes) = minutes_until(clock, &words) {
        return Action::new(Verb::Wait).text(&format!("{minutes} minutes"));
    }
    let mut minutes: Option<u64> = None;
    // How many quarters of the unit, which comes last: `half an hour`.
    let mut quarters: Option<u64> = None;
    let (mut unit, mut is_part, mut is_joined) = (0, false, false);
    for (at, word) in words.iter().enumerate() {
        let named = NUMBERS.iter().find(|(known, _)| known == word).map(|(_, number)| *number);
        let number = named.or_else(|| word.parse::<u64>().ok().map(|n| n.min(1000)));
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
    let action = Action::new(Verb::Wait);
    match minutes {
        Some(minutes) => action.text(&format!("{} minutes", minutes.max(1))),
        None => action,
    }
}

#[cfg(test)]
mod tests {
    use super::wait;
    use crate::parse::tokens::Token;

    fn waited(text: &str) -> Option<String> {
        let words: Vec<Token> = text.split(' ').map(|word| Token::Word(word.to_owned())).collect();
        wait(18 * 60 + 5, &words).text
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
        ] {
            assert_eq!(waited(text), Some(format!("{minutes} minutes")), "{text}");
        }
    }
}
