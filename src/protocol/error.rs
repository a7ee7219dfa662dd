//! Every way a script's output can break the rules of the wire.

/// What is wrong, where, and against which limit. Line numbers start at 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Ends the invocation before the line is complete, so that a missing `\n` cannot own our memory.
    #[error("line {line_no} is longer than {limit} bytes")]
    LineTooLong {
        /// Where.
        line_no: u64,
        /// [`super::LINE_BYTES_MAX`].
        limit: usize,
    },
    /// The wire is UTF-8.
    #[error("line {line_no} is not UTF-8 (first bad byte at column {column})")]
    NotUtf8 {
        /// Where.
        line_no: u64,
        /// Counted in bytes from 1.
        column: usize,
    },
    /// Not one complete JSON value.
    #[error("line {line_no} is not JSON: {what}")]
    NotJson {
        /// Where.
        line_no: u64,
        /// What the parser said.
        what: String,
    },
    /// Deep nesting is an attack on whoever walks the value.
    #[error("line {line_no} nests deeper than {limit} levels")]
    TooDeep {
        /// Where.
        line_no: u64,
        /// [`super::DEPTH_MAX`].
        limit: usize,
    },
    /// A value, but not an object.
    #[error("line {line_no} is {found}, an event is an object")]
    NotAnObject {
        /// Where.
        line_no: u64,
        /// What it is.
        found: &'static str,
    },
    /// The envelope's version is not ours.
    #[error("line {line_no} has version {found}, this host speaks \"0\"")]
    BadVersion {
        /// Where.
        line_no: u64,
        /// As JSON.
        found: String,
    },
    /// An unknown type ends the invocation: skipping it would hide a typo in a skill for ever.
    #[error(
        "line {line_no} has the unknown type {found}, known are log, state_patch, asset, ui_event, error and done"
    )]
    UnknownType {
        /// Where.
        line_no: u64,
        /// As JSON, cut short.
        found: String,
    },
    /// A required field is not there.
    #[error("line {line_no}: `{event}` has no `{field}`")]
    MissingField {
        /// Where.
        line_no: u64,
        /// The event's type, or `event` for the envelope.
        event: &'static str,
        /// Which.
        field: &'static str,
    },
    /// A field has the wrong type or value.
    #[error("line {line_no}: `{event}.{field}` is {found}, it must be {expected}")]
    WrongField {
        /// Where.
        line_no: u64,
        /// The event's type, or `event` for the envelope.
        event: &'static str,
        /// Which.
        field: &'static str,
        /// As JSON, cut short.
        found: String,
        /// What would fit.
        expected: &'static str,
    },
    /// Each event costs the host memory and a message.
    #[error("more than {limit} events")]
    TooManyEvents {
        /// [`super::EVENTS_MAX`].
        limit: u64,
    },
    /// Each value costs the host many times what it costs the script.
    #[error("more than {limit} JSON values in all events")]
    TooManyValues {
        /// [`super::VALUES_MAX`].
        limit: usize,
    },
    /// `done` is the last word.
    #[error("line {line_no} follows `done`, which must be the last")]
    AfterDone {
        /// Where.
        line_no: u64,
    },
    /// The output ended within a line.
    #[error("the output ends within line {line_no}, which has no line end")]
    HalfLine {
        /// Where.
        line_no: u64,
    },
    /// The output ended without the last word.
    #[error("the output ends without `done`")]
    DoneMissing,
}
