//! Row 1: the NDJSON wire between host and script. Bytes become [`Message`]s, a [`Request`] becomes a
//! line. Knows nothing of wasmtime, plans or stories; pure, no I/O.
//!
//! The text of the contract is `contracts/event.schema.json` and `contracts/script-input.schema.json`;
//! of a question to the player and its answer, `contracts/ask.schema.json` and `answer.schema.json`.

mod decoder;
pub mod digest;
mod encoder;
mod error;
mod event;
pub mod nearest;
mod outcome;
mod request;
mod state;
mod strict_json;
pub mod visible;

pub use decoder::{DEPTH_MAX, Decoder, EVENTS_MAX, LINE_BYTES_MAX, VALUES_MAX};
pub use decoder::{decode_stored, nests_deeper_than};
pub use error::DecodeError;
pub use event::{
    ASKS_MAX, CHOICE_CHARS_MAX, CHOICES_MAX, EVENT_ASK, Event, LogLevel, Message,
    QUESTION_CHARS_MAX, Question,
};
pub use outcome::{
    InvocationEnding, InvocationError, InvocationOutcome, InvocationOutput, InvocationOutputSink,
    MEMORY_OWNER, Owner, ResourceUsage, StoreMap, StoreWrite, Stores,
};
pub use request::{ANSWER_BYTES_MAX, OPERATION_DESCRIBE, OPERATION_RUN, Request, answer_line};
pub use state::{
    STATE_BYTES_MAX, STORED_DEPTH_MAX as STATE_DEPTH_MAX, StoryState, is_deeper_than, merge,
};

/// A JSON object whose meaning is the business of whoever wrote it.
pub type Object = serde_json::Map<String, serde_json::Value>;
