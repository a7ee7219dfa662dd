//! Row 1: the NDJSON wire between host and script. Bytes become [`Message`]s, a [`Request`] becomes a
//! line. Knows nothing of wasmtime, plans or stories; pure, no I/O.
//!
//! The text of the contract is `contracts/event.schema.json` and `contracts/script-input.schema.json`;
//! of a question to the player and its answer, `contracts/ask.schema.json` and `answer.schema.json`.

mod decoder;
mod error;
mod event;
mod json;
mod line;
mod request;

pub use decoder::{DEPTH_MAX, Decoder, EVENTS_MAX, LINE_BYTES_MAX, VALUES_MAX};
pub(crate) use decoder::{decode_kept, nests_deeper_than};
pub use error::DecodeError;
pub use event::{
    ASKS_MAX, CHOICE_CHARS_MAX, CHOICES_MAX, EVENT_ASK, Event, Level, Message, QUESTION_CHARS_MAX,
    Question,
};
pub use request::{ANSWER_BYTES_MAX, OPERATION_DESCRIBE, OPERATION_RUN, Request, answer_line};

/// A JSON object whose meaning is the business of whoever wrote it.
pub type Object = serde_json::Map<String, serde_json::Value>;
