//! Row 1: the NDJSON wire between host and script. Bytes become [`Message`]s, a [`Request`] becomes a
//! line. Knows nothing of wasmtime, plans or stories; pure, no I/O.
//!
//! The text of the contract is `contracts/event.schema.json` and `contracts/script-input.schema.json`.

mod decoder;
mod error;
mod event;
mod request;

pub(crate) use decoder::nests_deeper_than;
pub use decoder::{DEPTH_MAX, Decoder, EVENTS_MAX, LINE_BYTES_MAX};
pub use error::DecodeError;
pub use event::{Event, Level, Message};
pub use request::{OPERATION_DESCRIBE, OPERATION_RUN, Request};

/// A JSON object whose meaning is the business of whoever wrote it.
pub type Object = serde_json::Map<String, serde_json::Value>;
