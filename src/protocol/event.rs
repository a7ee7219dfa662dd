//! What a script can say: a closed list of six.

use serde_json::Value;

use super::Object;

/// One decoded line: the event and the optional parts of its envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Echo of the request's id, when the script sent one.
    pub request_id: Option<String>,
    /// When the script says it was; never trusted, only recorded.
    pub timestamp: Option<String>,
    /// What was said.
    pub event: Event,
}

/// The six events of the wire (DESIGN §2).
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// For the execution panel. `fields.progress` (0–100) is the step's progress.
    Log {
        /// How loud.
        level: LogLevel,
        /// The text.
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
        /// Free word such as `image` or `music`.
        kind: String,
        /// IANA media type.
        media_type: String,
        /// Path relative to the asset folder.
        path: String,
        /// Free extras.
        metadata: Option<Object>,
    },
    /// Something for the front end, such as `narrative_choice`.
    UiEvent {
        /// Name of the event.
        event: String,
        /// Free payload.
        payload: Option<Value>,
    },
    /// Something went wrong but the script goes on.
    Error {
        /// Stable, machine-readable.
        error_code: String,
        /// For people.
        error_message: String,
        /// Free extras.
        details: Option<Value>,
    },
    /// The end: exactly one, and nothing after it.
    Done {
        /// Whether the script did what it was asked.
        ok: bool,
        /// One line for people.
        summary: Option<String>,
        /// What dependents read.
        output: Option<Object>,
    },
}

/// The `ui_event` that asks the player something and waits for the answer.
pub const EVENT_ASK: &str = "ask";

/// Most questions of one invocation: each may hold up the player, and a script that asks more is not
/// telling a story but filling in a form.
pub const ASKS_MAX: u32 = 16;

/// Longest question, in characters: a screenful.
pub const QUESTION_CHARS_MAX: usize = 2_000;

/// Most answers that a question suggests: as many as fit on a screen.
pub const CHOICES_MAX: usize = 20;

/// Longest suggested answer, in characters: a line or two.
pub const CHOICE_CHARS_MAX: usize = 200;

/// What a script asks the player while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question, for people.
    pub question: String,
    /// Suggested answers; the player may say something else.
    pub choices: Vec<String>,
}

impl Event {
    /// The question that this event asks; `None` where it is no ask, or not a well-formed one.
    ///
    /// An ask is the `ui_event` [`EVENT_ASK`] with the payload `{"question": "…", "choices": ["…"]}`.
    /// The question is text of 1 to [`QUESTION_CHARS_MAX`] characters; `choices` may be missing or null,
    /// else it holds at most [`CHOICES_MAX`] texts of 1 to [`CHOICE_CHARS_MAX`] characters. Whatever
    /// else is called `ask` is an ordinary `ui_event`, which nobody answers.
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

    /// The word in `type`.
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

/// The text, unless it is blank or longer.
fn text_within(value: &Value, chars_max: usize) -> Option<String> {
    let text = value.as_str()?;
    let fits = !text.trim().is_empty() && text.chars().nth(chars_max).is_none();
    fits.then(|| text.to_owned())
}

/// How loud a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For authors.
    Debug,
    /// For the curious.
    Info,
    /// Something is off.
    Warn,
    /// Something failed.
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
    fn what_only_looks_like_an_ask_is_none() {
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
