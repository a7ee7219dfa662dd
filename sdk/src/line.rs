//! One event as one line, within the host's limits. Knows fields and bytes, not the meaning of events.

use std::{fmt, io};

use serde::Serialize;

/// Longest line that the host reads, `\n` not counted.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Most events that the host reads in one invocation, `done` included.
pub const EVENTS_MAX: u64 = 10_000;

/// Deepest nesting of arrays and objects that the host reads, the event's own object included.
pub const DEPTH_MAX: usize = 64;

/// Why an event cannot be sent.
#[derive(Debug)]
pub(crate) enum LineError {
    LineTooLong { event: &'static str },
    TooDeep { event: &'static str },
    TooManyEvents { events_max: u64 },
    NotAnObject { event: &'static str, field: &'static str },
    NotJson { event: &'static str, field: &'static str, source: serde_json::Error },
    Closed(io::Error),
}

impl LineError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            LineError::LineTooLong { .. } => "EVENT_TOO_LONG",
            LineError::TooDeep { .. } => "EVENT_TOO_DEEP",
            LineError::TooManyEvents { .. } => "TOO_MANY_EVENTS",
            LineError::NotAnObject { .. } => "NOT_AN_OBJECT",
            LineError::NotJson { .. } => "NOT_JSON",
            LineError::Closed(_) => "OUTPUT_CLOSED",
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::LineTooLong { event } => write!(
                out,
                "the event `{event}` would be longer than {LINE_BYTES_MAX} bytes; send it in pieces, or as an asset"
            ),
            LineError::TooDeep { event } => {
                write!(out, "the event `{event}` would nest deeper than {DEPTH_MAX} levels")
            }
            LineError::TooManyEvents { events_max } => {
                write!(out, "more than {events_max} events before `done`; put several into one")
            }
            LineError::NotAnObject { event, field } => {
                write!(out, "`{event}.{field}` is not an object; put the value under a key")
            }
            LineError::NotJson { event, field, source } => {
                write!(out, "`{event}.{field}` cannot be written as JSON: {source}")
            }
            LineError::Closed(error) => write!(out, "stdout is closed: {error}"),
        }
    }
}

/// A line that is being written. One buffer serves all lines of an invocation.
#[derive(Debug, Default)]
pub(crate) struct EventLine {
    event: &'static str,
    bytes: Vec<u8>,
}

impl EventLine {
    /// Starts over with the envelope of `event`.
    pub(crate) fn begin(&mut self, event: &'static str) -> &mut EventLine {
        self.event = event;
        self.bytes.clear();
        self.bytes.extend_from_slice(br#"{"version":"0","type":""#);
        self.bytes.extend_from_slice(event.as_bytes());
        self.bytes.push(b'"');
        self
    }

    /// Adds a field.
    pub(crate) fn field(
        &mut self,
        name: &'static str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<&mut EventLine, LineError> {
        self.bytes.extend_from_slice(b",\"");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b"\":");
        let event = self.event;
        match serde_json::to_writer(BoundedWriter(&mut self.bytes), value) {
            Ok(()) => Ok(self),
            Err(error) if error.is_io() => Err(LineError::LineTooLong { event }),
            Err(source) => Err(LineError::NotJson { event, field: name, source }),
        }
    }

    /// Adds a field that has to be an object.
    pub(crate) fn object(
        &mut self,
        name: &'static str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<&mut EventLine, LineError> {
        let start = self.bytes.len() + name.len() + br#","":"#.len();
        self.field(name, value)?;
        if self.bytes.get(start) == Some(&b'{') {
            Ok(self)
        } else {
            Err(LineError::NotAnObject { event: self.event, field: name })
        }
    }

    /// Adds a field that has to be an object, or nothing at all if the value is null.
    pub(crate) fn object_or_null(
        &mut self,
        name: &'static str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<&mut EventLine, LineError> {
        let before = self.bytes.len();
        let added = self.object(name, value).map(drop);
        match added {
            Err(LineError::NotAnObject { .. }) if self.bytes.ends_with(b":null") => {
                self.bytes.truncate(before);
                Ok(self)
            }
            added => added.map(|()| self),
        }
    }

    /// Ends the line and checks it; the bytes include the `\n`.
    pub(crate) fn finish(&mut self) -> Result<&[u8], LineError> {
        if self.bytes.len() >= LINE_BYTES_MAX {
            return Err(LineError::LineTooLong { event: self.event });
        }
        self.bytes.extend_from_slice(b"}\n");
        if depth(&self.bytes) > DEPTH_MAX {
            return Err(LineError::TooDeep { event: self.event });
        }
        Ok(&self.bytes)
    }
}

/// Refuses a value that would not fit, before it takes the memory.
struct BoundedWriter<'a>(&'a mut Vec<u8>);

impl io::Write for BoundedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LINE_BYTES_MAX {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The nesting of arrays and objects in a line of JSON.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
