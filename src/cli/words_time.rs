//! The setting `words-ms`: how long a model writes before a story begins. Pure.

use std::time::Duration;

use narratoria_protocol::visible::{clip, visible_line};

/// Longest time, in milliseconds. A player who wants more words runs `campaign fill` first.
pub(super) const WORDS_MS_MAX: u64 = 300_000;

/// The default: as long as a player waits for the first line of a game.
const WORDS_MS_DEFAULT: u64 = 8_000;

/// Characters that a message quotes of a value.
const SHOWN_CHARS_MAX: usize = 80;

/// How long a model writes before a story begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordsTime(Duration);

/// A value that is not a valid time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no whole number of milliseconds from 0 to {WORDS_MS_MAX}", visible_line(&clip(value, SHOWN_CHARS_MAX)))]
pub(crate) struct WordsTimeError {
    value: String,
}

impl WordsTime {
    /// Returns the time without a setting. A story that must repeat to the byte has no words that depend on the clock.
    pub(super) fn unset(is_repeatable: bool) -> WordsTime {
        WordsTime::of_ms(if is_repeatable { 0 } else { WORDS_MS_DEFAULT })
    }

    pub(super) fn of_ms(ms: u64) -> WordsTime {
        WordsTime(Duration::from_millis(ms.min(WORDS_MS_MAX)))
    }

    /// Parses a time as a player types it.
    pub(super) fn parse(text: &str) -> Result<WordsTime, WordsTimeError> {
        let ms = text.trim().parse().ok().filter(|ms| *ms <= WORDS_MS_MAX);
        ms.map(WordsTime::of_ms).ok_or_else(|| WordsTimeError { value: text.to_owned() })
    }

    pub(super) fn duration(self) -> Duration {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::WordsTime;

    #[test]
    fn a_time_for_words_is_a_number_of_milliseconds_up_to_five_minutes() {
        let read = |text: &str| match WordsTime::parse(text) {
            Ok(time) => format!("{:?}", time.duration()),
            Err(error) => error.to_string(),
        };
        let cases = ["0", " 8000 ", "300000", "300001", "-1", "8 s", ""];
        insta::assert_snapshot!(cases.map(read).join("\n"), @r"
        0ns
        8s
        300s
        `300001` is no whole number of milliseconds from 0 to 300000
        `-1` is no whole number of milliseconds from 0 to 300000
        `8 s` is no whole number of milliseconds from 0 to 300000
        `` is no whole number of milliseconds from 0 to 300000
        ");
    }
}
