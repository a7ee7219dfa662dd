//! The player's situation: the slice `/story` of the state, as the storyteller writes it.

use narratoria_sdk::Ctx;
use serde::Deserialize;

/// Longest phrase that goes into a label.
const PHRASE_CHARS_MAX: usize = 48;
const PHRASE_WORDS_MAX: usize = 7;

/// The source of choices. A field that cannot be read counts as missing.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Situation {
    /// The story's subject, ready for the middle of a sentence: `the ancient door`.
    pub(crate) focus: Option<String>,
    pub(crate) scene: Option<String>,
    pub(crate) mood: Option<Mood>,
    pub(crate) last_verb: Option<String>,
    pub(crate) last_outcome: Option<LastOutcome>,
}

/// How things feel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mood {
    Calm,
    Tense,
    Eerie,
    Hopeful,
    Grim,
}

/// How the last attempt went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LastOutcome {
    CriticalFailure,
    Failure,
    Partial,
    Success,
    CriticalSuccess,
}

impl Situation {
    /// True if the last action opened its object.
    pub(crate) fn has_opened_it(&self) -> bool {
        let opening = matches!(self.last_verb.as_deref(), Some("unlock" | "open" | "force"));
        let worked =
            matches!(self.last_outcome, Some(LastOutcome::Success | LastOutcome::CriticalSuccess));
        opening && worked
    }

    /// Reads the state; `context` comes before the story's own focus.
    pub(crate) fn read(ctx: &Ctx, context: Option<&str>) -> Situation {
        let text = |pointer: &str| ctx.state_at::<String>(pointer).ok().flatten();
        let named = |pointer: &str| text(pointer).and_then(|text| phrase(&text));
        Situation {
            focus: context.and_then(phrase).or_else(|| named("/story/focus")),
            scene: named("/story/scene"),
            mood: ctx.state_at("/story/mood").ok().flatten(),
            last_verb: text("/story/lastVerb"),
            last_outcome: ctx.state_at("/story/lastOutcome").ok().flatten(),
        }
    }
}

/// A short phrase of plain words; `None` for anything else.
fn phrase(text: &str) -> Option<String> {
    let plain: String = text
        .chars()
        .take(4 * PHRASE_CHARS_MAX)
        .map(|c| if c.is_alphanumeric() || matches!(c, '\'' | '-') { c } else { ' ' })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let joined = words.join(" ");
    let fits = words.len() <= PHRASE_WORDS_MAX && joined.chars().count() <= PHRASE_CHARS_MAX;
    (fits && joined.chars().any(char::is_alphabetic)).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_plain_phrases_are_repeated() {
        assert_eq!(phrase("the ancient door").as_deref(), Some("the ancient door"));
        assert_eq!(phrase("the\u{1b}[31m king's {door}").as_deref(), Some("the 31m king's door"));
        assert_eq!(phrase("one two three four five six seven eight"), None);
        assert_eq!(phrase(&"x".repeat(1000)), None);
        assert_eq!(phrase("--- 12"), None);
        assert_eq!(phrase(""), None);
    }
}
