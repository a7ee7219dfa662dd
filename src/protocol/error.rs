//! Every way a script's output can break the rules of the wire.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The fault, its place, and the limit that it breaks. Line numbers start at 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DecodeError {
    /// Raised before the line is complete, so that a script without a `\n` cannot fill the host's memory.
    #[error("line {line_no} is longer than {limit} bytes")]
    LineTooLong {
        /// The line, from 1.
        line_no: u64,
        /// [`super::LINE_BYTES_MAX`].
        limit: usize,
    },
    /// The wire is UTF-8.
    #[error("line {line_no} is not UTF-8 (first bad byte at column {column})")]
    NotUtf8 {
        /// The line, from 1.
        line_no: u64,
        /// Counted in bytes from 1.
        column: usize,
    },
    /// Not one complete JSON value.
    #[error("line {line_no} is not JSON: {what}")]
    NotJson {
        /// The line, from 1.
        line_no: u64,
        /// The parser's message.
        what: String,
    },
    /// A number that no double is.
    #[error("line {line_no} cannot be used: {what}")]
    Number {
        /// The line, from 1.
        line_no: u64,
        /// The number as it is written, and its column.
        what: String,
    },
    /// Prose, such as a line of a script that prints what it does.
    #[error(
        "line {line_no} is `{text}`, which is no event: stdout is for events, and other text belongs on stderr"
    )]
    Prose {
        /// The line, from 1.
        line_no: u64,
        /// The line's text, clipped and harmless.
        text: String,
    },
    /// Deep nesting overflows the stack of code that walks the value.
    #[error("line {line_no} nests deeper than {limit} levels")]
    TooDeep {
        /// The line, from 1.
        line_no: u64,
        /// [`super::DEPTH_MAX`].
        limit: usize,
    },
    /// The line is JSON, but not an object.
    #[error("line {line_no} is {found}, an event is an object")]
    NotAnObject {
        /// The line, from 1.
        line_no: u64,
        /// The kind of the value.
        found: Cow<'static, str>,
    },
    /// The envelope's version is a text other than `"0"`.
    #[error("line {line_no} has version {found}, this host speaks \"0\"")]
    BadVersion {
        /// The line, from 1.
        line_no: u64,
        /// The version, as JSON.
        found: String,
    },
    /// An unknown type ends the invocation, because skipping it would hide a typo in a skill for ever
    /// (docs/architecture.md, "The wire").
    #[error(
        "line {line_no} has the unknown type {found}, known are log, state_patch, asset, ui_event, error and done"
    )]
    UnknownType {
        /// The line, from 1.
        line_no: u64,
        /// As JSON, cut short.
        found: String,
    },
    /// A required field is missing.
    #[error("line {line_no}: `{event}` has no `{field}`")]
    MissingField {
        /// The line, from 1.
        line_no: u64,
        /// The event's type, or `event` for the envelope.
        event: Cow<'static, str>,
        /// The field.
        field: Cow<'static, str>,
    },
    /// A field has the wrong type or value.
    #[error("line {line_no}: `{event}.{field}` is {found}, it must be {expected}")]
    WrongField {
        /// The line, from 1.
        line_no: u64,
        /// The event's type, or `event` for the envelope.
        event: Cow<'static, str>,
        /// The field.
        field: Cow<'static, str>,
        /// As JSON, cut short.
        found: String,
        /// A value that would do.
        expected: Cow<'static, str>,
    },
    /// Each event costs the host memory and a message.
    #[error("more than {limit} events")]
    TooManyEvents {
        /// [`super::EVENTS_MAX`].
        limit: u64,
    },
    /// Each value costs the host many times the memory that it costs the script.
    #[error("more than {limit} JSON values in all events")]
    TooManyValues {
        /// [`super::VALUES_MAX`].
        limit: usize,
    },
    /// `done` is the last event.
    #[error("line {line_no} follows `done`, which must be the last")]
    AfterDone {
        /// The line, from 1.
        line_no: u64,
    },
    /// The output ended within a line.
    #[error("the output ends within line {line_no}, which has no line end")]
    HalfLine {
        /// The line, from 1.
        line_no: u64,
    },
    /// The output ended without a `done`.
    #[error("the output ends without `done`")]
    DoneMissing,
}
