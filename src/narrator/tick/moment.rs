//! The time of day and the weather of a scene, and what a sentence says about them. The words stand in `text/signs.md`.

use pools::{
    AFTERNOON, CLEAR, EVENING, FOG, MORNING, NIGHT, OTHER_TIMES, PASSING, RAIN, SNOW, WIND,
};

/// The words of `text/signs.md`.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/signs.rs"));
}

/// The times of a day, in their order, with their words.
const TIMES: [(&str, &[&str]); 4] =
    [("morning", MORNING), ("afternoon", AFTERNOON), ("evening", EVENING), ("night", NIGHT)];

/// The kinds of weather, with their words.
const WEATHERS: [(&str, &[&str]); 5] =
    [("clear", CLEAR), ("rain", RAIN), ("snow", SNOW), ("fog", FOG), ("wind", WIND)];

/// Times that follow each other where nothing says what time it is; nights are for sleeping.
const WAKING: u64 = 3;

/// The moment of a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SceneMoment {
    /// `morning`, `afternoon`, `evening` or `night`; `None` if it is not known.
    pub time: Option<&'static str>,
    /// `clear`, `rain`, `snow`, `fog` or `wind`; `None` if it is not known.
    pub weather: Option<&'static str>,
}

/// The kinds that a sentence fits, a bit for each; `None` if it says nothing about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs {
    pub(super) times: Option<u8>,
    pub(super) weathers: Option<u8>,
    /// It may say that time goes on.
    pub(super) passes: bool,
    /// It is about another moment.
    pub(super) is_elsewhen: bool,
}

impl Signs {
    pub(super) fn of(sentence: &str) -> Signs {
        let words = spaced(sentence);
        let has = |list: &[&str]| list.iter().any(|phrase| words.contains(&format!(" {phrase} ")));
        Signs {
            times: fitting(&words, &TIMES),
            weathers: fitting(&words, &WEATHERS),
            passes: has(PASSING),
            is_elsewhen: has(OTHER_TIMES),
        }
    }

    /// True if a scene of this moment can have the sentence. What the moment leaves open no sentence may say.
    pub(super) fn fit(self, moment: SceneMoment) -> bool {
        let fits = |signs: Option<u8>, known: Option<u8>| match (signs, known) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(signs), Some(known)) => signs & known != 0,
        };
        fits(self.times, moment.time_bit()) && fits(self.weathers, moment.weather_bit())
    }
}

impl SceneMoment {
    /// The moment of the world; its weather is not known.
    pub(super) fn of_world(time: &str) -> SceneMoment {
        let time = TIMES.iter().map(|(name, _)| *name).find(|name| *name == time);
        SceneMoment { time, weather: None }
    }

    /// The moment of a tick in a story without a world: the hours follow each other, and each day has its weather. What the
    /// sentences of the scene say counts more.
    pub(super) fn of_tick<'t>(
        seed: u64,
        tick: u64,
        sentences: impl IntoIterator<Item = &'t str>,
    ) -> SceneMoment {
        let day = tick / WAKING;
        let weathers = WEATHERS.len() as u64;
        let mixed = (seed >> 17).wrapping_add(day.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 7;
        let (mut time, mut weather) = (bit(tick % WAKING), bit(mixed % weathers));
        let (mut has_time, mut has_weather) = (false, false);
        for signs in sentences.into_iter().map(Signs::of).filter(|signs| !signs.is_elsewhen) {
            if let Some(times) = signs.times.filter(|times| *times != 0 && !has_time) {
                has_time = true;
                // "By evening": the scene begins before.
                let starts = if signs.passes { (times >> 1).max(1) } else { times };
                time = if starts & time != 0 { time } else { lowest(starts) };
            }
            if let Some(weathers) = signs.weathers.filter(|found| *found != 0 && !has_weather) {
                has_weather = true;
                weather = if weathers & weather != 0 { weather } else { lowest(weathers) };
            }
        }
        SceneMoment { time: name(&TIMES, time), weather: name(&WEATHERS, weather) }
    }

    pub(super) fn time_bit(self) -> Option<u8> {
        position(&TIMES, self.time?)
    }

    pub(super) fn weather_bit(self) -> Option<u8> {
        position(&WEATHERS, self.weather?)
    }
}

/// The names of the times in these bits, for people.
pub(super) fn time_names(bits: u8) -> String {
    names(&TIMES, bits)
}

/// The names of the kinds of weather in these bits, for people.
pub(super) fn weather_names(bits: u8) -> String {
    names(&WEATHERS, bits)
}

fn names(kinds: &[(&str, &[&str])], bits: u8) -> String {
    let named = kinds.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
    named.map(|(_, (name, _))| *name).collect::<Vec<_>>().join(" or ")
}

/// The kinds that all words of the text fit.
fn fitting(words: &str, kinds: &[(&str, &[&str])]) -> Option<u8> {
    let said = kinds
        .iter()
        .flat_map(|(_, list)| list.iter())
        .filter(|phrase| words.contains(&format!(" {phrase} ")));
    said.map(|phrase| {
        let listed = kinds.iter().enumerate().filter(|(_, (_, list))| list.contains(phrase));
        listed.fold(0, |bits, (at, _)| bits | 1 << at)
    })
    .reduce(|all, bits| all & bits)
}

fn bit(at: u64) -> u8 {
    1 << at.min(7)
}

fn lowest(bits: u8) -> u8 {
    bits & bits.wrapping_neg()
}

fn name(kinds: &[(&'static str, &[&str])], bit: u8) -> Option<&'static str> {
    kinds.get(usize::try_from(bit.trailing_zeros()).ok()?).map(|(name, _)| *name)
}

fn position(kinds: &[(&str, &[&str])], name: &str) -> Option<u8> {
    let at = kinds.iter().position(|(known, _)| *known == name)?;
    Some(1 << at)
}

/// The words of a text in small letters, each between blanks. A capital within a sentence begins a name, such as Bram Gale,
/// which says nothing of the weather.
fn spaced(text: &str) -> String {
    let mut words = String::from(" ");
    let is_joint = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’');
    for (at, word) in
        text.split(|letter| !is_joint(letter)).filter(|word| !word.is_empty()).enumerate()
    {
        let word = word.trim_matches(['\'', '’']);
        if word.is_empty() || (at > 0 && word.starts_with(char::is_uppercase)) {
            continue;
        }
        let word = word.to_lowercase();
        words.push_str(word.strip_suffix("'s").unwrap_or(&word));
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, times: &str, weathers: &str) {
        let signs = Signs::of(sentence);
        let found = (
            signs.times.map(time_names).unwrap_or_default(),
            signs.weathers.map(weather_names).unwrap_or_default(),
        );
        assert_eq!(found, (times.to_owned(), weathers.to_owned()), "{sentence}");
    }

    #[test]
    fn a_sentence_says_what_time_it_is_and_what_the_weather_is_like() {
        check("The sun stood over the yard.", "morning or afternoon", "clear");
        check("At midnight it was snowing.", "night", "snow");
        check("Fog lay on the town.", "", "fog");
        check("Ada opened the door, and Bram Gale closed it.", "", "");
        check("There was a moon, and dusk was over.", "evening", "clear");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let world = SceneMoment::of_world("evening");
        let fits = |sentence| Signs::of(sentence).fit(world);
        assert!(fits("It was dusk.") && fits("Ada sat down."));
        assert!(!fits("It was noon.") && !fits("It was raining."));
    }

    #[test]
    fn a_scene_begins_before_the_hour_that_comes_in_it() {
        let moment = |sentence| SceneMoment::of_tick(1, 0, [sentence]).time;
        assert_eq!(moment("By evening everybody knew."), Some("afternoon"));
        assert_eq!(moment("It was a cold evening."), Some("evening"));
        assert_eq!(moment("A year ago it was night."), Some("morning"));
    }
}
