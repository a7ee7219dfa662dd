//! The events that a script may write: a closed list of six.

use serde_json::Value;

use super::Object;

/// The `version` of each line. A string, not a number.
pub const WIRE_VERSION: &str = "0";

/// One decoded line: the event and the optional parts of its envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Echo of the request's id, if the script sent one.
    pub request_id: Option<String>,
    /// The script's own clock: recorded, never trusted.
    pub timestamp: Option<String>,
    /// The event itself.
    pub event: Event,
}

/// The six events of the wire (docs/architecture.md, "The wire").
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// For the execution panel. `fields.progress` (0–100) is the step's progress.
    Log {
        /// Its severity.
        level: LogLevel,
        /// The text, for people.
        message: String,
        /// Structured extras.
        fields: Option<Object>,
    },
    /// A change of the story's state, deep-merged (S1 §6).
    StatePatch {
        /// Objects recurse, arrays and scalars replace, null deletes.
        patch: Object,
    },
    /// A file that the script wrote into its asset folder.
    Asset {
        /// Unique within the invocation.
        asset_id: String,
        /// A word of the script's choice, such as `image` or `music`.
        kind: String,
        /// IANA media type.
        media_type: String,
        /// Path relative to the asset folder.
        path: String,
        /// Opaque extras.
        metadata: Option<Object>,
    },
    /// An event for the front end, such as `narrative_choice`.
    UiEvent {
        /// Name of the event.
        event: String,
        /// Opaque payload.
        payload: Option<Value>,
    },
    /// A failure that does not end the script.
    Error {
        /// Stable, machine-readable.
        error_code: String,
        /// For people.
        error_message: String,
        /// Opaque extras.
        details: Option<Value>,
    },
    /// The last event: exactly one, and nothing after it.
    Done {
        /// True if the script succeeded.
        ok: bool,
        /// One line for people.
        summary: Option<String>,
        /// The value that dependent steps read.
        output: Option<Object>,
    },
}

/// The `ui_event` that asks the player a question and waits for the answer.
pub const EVENT_ASK: &str = "ask";

/// Most questions of one invocation: each may hold up the player, and a script that asks more is filling in a form
/// instead of telling a story.
pub const ASKS_MAX: u32 = 16;

/// Longest question, in characters: a screenful.
pub const QUESTION_CHARS_MAX: usize = 2_000;

/// Most answers that a question suggests: as many as fit on a screen.
pub const CHOICES_MAX: usize = 20;

/// Longest suggested answer, in characters: a line or two.
pub const CHOICE_CHARS_MAX: usize = 200;

/// A question that a script asks the player while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question, for people.
    pub question: String,
    /// Suggested answers; the player may give another.
    pub choices: Vec<String>,
}

impl Event {
    /// The question that this event asks; `None` if it is no ask, or a malformed one.
    ///
    /// An ask is the `ui_event` [`EVENT_ASK`] with the payload `{"question": "…", "choices": ["…"]}`.
    /// The question is text of 1 to [`QUESTION_CHARS_MAX`] characters; `choices` may be missing or null,
    /// else it holds at most [`CHOICES_MAX`] texts of 1 to [`CHOICE_CHARS_MAX`] characters. Any other event named
    /// `ask` is an ordinary `ui_event`, to which no answer comes.
    pub fn question(&self) -> Option<Question> {
        let Event::UiEvent { event, payload: Some(Value::Object(payload)) } = self else {
            return None;
        };
        if event != EVENT_ASK {
            return None;
        }
        let question = text_within(payload.get("question")?, QUESTION_CHARS_MAX)?;
        let choices = match payload.get("choices") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(choices)) if choices.len() <= CHOICES_MAX => choices
                .iter()
                .map(|choice| text_within(choice, CHOICE_CHARS_MAX))
                .collect::<Option<_>>()?,
            Some(_) => return None,
        };
        Some(Question { question, choices })
    }

    /// The event's `type` on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Event::Log { .. } => "log",
            Event::StatePatch { .. } => "state_patch",
            Event::Asset { .. } => "asset",
            Event::UiEvent { .. } => "ui_event",
            Event::Error { .. } => "error",
            Event::Done { .. } => "done",
        }
    }
}

/// The text, unless it is blank or too long.
fn text_within(value: &Value, chars_max: usize) -> Option<String> {
    let text = value.as_str()?;
    let fits = !text.trim().is_empty() && text.chars().nth(chars_max).is_none();
    fits.then(|| text.to_owned())
}

/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For skill authors.
    Debug,
    /// For curious players.
    Info,
    /// Unexpected, but harmless.
    Warn,
    /// A failure.
    Error,
}

impl LogLevel {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }

    pub(super) fn parse(word: &str) -> Option<LogLevel> {
        Some(match word {
            "debug" => LogLevel::Debug,
            "info" => LogLevel::Info,
            "warn" => LogLevel::Warn,
            "error" => LogLevel::Error,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(payload: Value) -> Option<Question> {
        Event::UiEvent { event: EVENT_ASK.to_owned(), payload: Some(payload) }.question()
    }

    /// S2 "Human-in-the-Loop".
    #[test]
    fn an_ask_has_a_question_and_may_suggest_answers() {
        let found = ask(
            json!({"question": "Who goes there?", "choices": ["A friend", "Nobody"], "new": 1}),
        );
        let choices = vec!["A friend".to_owned(), "Nobody".to_owned()];
        assert_eq!(found, Some(Question { question: "Who goes there?".to_owned(), choices }));
        for payload in [json!({"question": "?"}), json!({"question": "?", "choices": null})] {
            assert_eq!(
                ask(payload),
                Some(Question { question: "?".to_owned(), choices: Vec::new() })
            );
        }
        assert!(ask(json!({"question": "ü".repeat(QUESTION_CHARS_MAX)})).is_some());
        assert!(ask(json!({"question": "?", "choices": vec!["x"; CHOICES_MAX]})).is_some());
    }

    #[test]
    fn a_malformed_ask_is_no_question() {
        for payload in [
            json!(null),
            json!("Who goes there?"),
            json!({}),
            json!({"question": 7}),
            json!({"question": " "}),
            json!({"question": "x".repeat(QUESTION_CHARS_MAX + 1)}),
            json!({"question": "?", "choices": "yes"}),
            json!({"question": "?", "choices": ["yes", 2]}),
            json!({"question": "?", "choices": [""]}),
            json!({"question": "?", "choices": vec!["x"; CHOICES_MAX + 1]}),
            json!({"question": "?", "choices": ["x".repeat(CHOICE_CHARS_MAX + 1)]}),
        ] {
            assert_eq!(ask(payload.clone()), None, "{payload}");
        }
        let other =
            Event::UiEvent { event: "shake".to_owned(), payload: Some(json!({"question": "?"})) };
        assert_eq!(other.question(), None);
        let empty = Event::UiEvent { event: EVENT_ASK.to_owned(), payload: None };
        assert_eq!(empty.question(), None);
    }
}
