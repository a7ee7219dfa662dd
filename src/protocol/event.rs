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
        level: Level,
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

impl Event {
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

/// How loud a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For authors.
    Debug,
    /// For the curious.
    Info,
    /// Something is off.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Level> {
        Some(match word {
            "debug" => Level::Debug,
            "info" => Level::Info,
            "warn" => Level::Warn,
            "error" => Level::Error,
            _ => return None,
        })
    }
}
