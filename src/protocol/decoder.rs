//! Bytes → [`Message`], as the bytes arrive. Never panics on any bytes.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    DecodeError, Event, LogLevel, Message, Object, WIRE_VERSION, json_kind,
    quote::quote,
    strict_json::{
        self, DEPTH_MAX, StrictJsonError, VALUES_MAX, nests_deeper_than, without_byte_order_mark,
    },
    visible::{clip, visible_word},
};

/// Longest line that a script may write. A long scene is about 8 KiB; 1 MiB leaves room for patches.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Most events of one invocation. A chatty script logs a few hundred lines; each event costs the host
/// a message and its place in the trace.
pub const EVENTS_MAX: u64 = 10_000;

/// Longest message, summary and other text for people in an event, in characters: a screenful. The decoder cuts a longer
/// one, and marks the cut with `…`, so that no reader of an event needs a limit of its own.
pub const MESSAGE_CHARS_MAX: usize = 2_000;

/// Longest name in an event, in characters: a code, an id, a media type, the name of an event. A longer one is refused,
/// because a cut name would be another name.
pub const NAME_CHARS_MAX: usize = 500;

/// Characters that a message quotes of a line that is no event.
const PROSE_CHARS_MAX: usize = 80;

/// Decodes one invocation's stdout.
///
/// After an error the decoder repeats that error: it accepts nothing more from a script that broke the rules once.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The unfinished line, always shorter than [`LINE_BYTES_MAX`].
    partial: Vec<u8>,
    lines_finished: u64,
    /// JSON values in the finished lines.
    values: usize,
    done: bool,
    failure: Option<DecodeError>,
}

impl Decoder {
    /// Takes the next bytes, split anywhere, and hands each message to `sink` as soon as its line is complete.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        mut sink: impl FnMut(Message),
    ) -> Result<(), DecodeError> {
        if let Some(broken) = &self.failure {
            return Err(broken.clone());
        }
        while !bytes.is_empty() {
            match self.step(bytes) {
                Ok((rest, message)) => {
                    bytes = rest;
                    if let Some(message) = message {
                        sink(message);
                    }
                }
                Err(error) => {
                    self.partial = Vec::new();
                    self.failure = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Checks that the output may end here.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if let Some(broken) = &self.failure {
            return Err(broken.clone());
        }
        if !self.partial.is_empty() {
            return Err(DecodeError::HalfLine { line_no: self.lines_finished + 1 });
        }
        if !self.done {
            return Err(DecodeError::DoneMissing);
        }
        Ok(())
    }

    /// Consumes bytes up to and including the first line end; returns the rest.
    fn step<'b>(&mut self, bytes: &'b [u8]) -> Result<(&'b [u8], Option<Message>), DecodeError> {
        let line_no = self.lines_finished + 1;
        if self.done {
            return Err(DecodeError::AfterDone { line_no });
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        if self.partial.len() + piece.len() > LINE_BYTES_MAX {
            return Err(DecodeError::LineTooLong { line_no, limit: LINE_BYTES_MAX });
        }
        let Some(end) = end else {
            self.partial.extend_from_slice(piece);
            return Ok((&[], None));
        };
        if self.lines_finished == EVENTS_MAX {
            return Err(DecodeError::TooManyEvents { limit: EVENTS_MAX });
        }
        let message = if self.partial.is_empty() {
            self.decode(piece, line_no)?
        } else {
            self.partial.extend_from_slice(piece);
            let line = std::mem::take(&mut self.partial);
            self.decode(&line, line_no)?
        };
        self.lines_finished = line_no;
        self.done = matches!(message.event, Event::Done { .. });
        Ok((&bytes[end + 1..], Some(message)))
    }

    fn decode(&mut self, line: &[u8], line_no: u64) -> Result<Message, DecodeError> {
        let text = std::str::from_utf8(line)
            .map_err(|error| DecodeError::NotUtf8 { line_no, column: error.valid_up_to() + 1 })?;
        if nests_deeper_than(DEPTH_MAX, line) {
            return Err(DecodeError::TooDeep { line_no, limit: DEPTH_MAX });
        }
        let (value, values) =
            strict_json::parse(text, VALUES_MAX - self.values).map_err(|error| match error {
                StrictJsonError::TooManyValues { .. } => {
                    DecodeError::TooManyValues { limit: VALUES_MAX }
                }
                _ if without_byte_order_mark(line).len() < line.len() => {
                    let what =
                        "it begins with a byte order mark, write UTF-8 without one".to_owned();
                    DecodeError::NotJson { line_no, what }
                }
                error @ StrictJsonError::Number { .. } => {
                    DecodeError::Number { line_no, what: without_line(&error) }
                }
                error => match prose(text) {
                    Some(text) => DecodeError::Prose { line_no, text },
                    None => DecodeError::NotJson { line_no, what: without_line(&error) },
                },
            })?;
        self.values += values;
        let Value::Object(object) = value else {
            return Err(DecodeError::NotAnObject { line_no, found: json_kind(&value).into() });
        };
        let fields = EventFields { line_no, event: "event", object };
        fields.check_version()?;
        fields.into_message()
    }
}

/// The text of a line that does not begin as JSON does, for a message.
fn prose(line: &str) -> Option<String> {
    let text = line.trim();
    let is_prose = !text.is_empty() && !text.starts_with(['{', '[', '"']);
    is_prose.then(|| visible_word(&clip(text, PROSE_CHARS_MAX)).into_owned())
}

/// Decodes an event that was stored as its line had it, without the envelope's version. `line_no`, from 1, is its
/// place among the stored events.
pub fn decode_stored(object: Object, line_no: u64) -> Result<Message, DecodeError> {
    EventFields { line_no, event: "event", object }.into_message()
}

/// One line's fields, taken out one by one so that an error can name the field.
struct EventFields {
    line_no: u64,
    event: &'static str,
    object: Object,
}

impl EventFields {
    fn check_version(&self) -> Result<(), DecodeError> {
        match self.object.get("version") {
            Some(Value::String(version)) if version == WIRE_VERSION => Ok(()),
            // Beside the text "0", a bare 0 looks equal.
            Some(other) if !other.is_string() => {
                Err(self.wrong_field("version", other, "the text \"0\", in quotes"))
            }
            Some(other) => {
                Err(DecodeError::BadVersion { line_no: self.line_no, found: quote(other) })
            }
            None => Err(self.missing_field("version")),
        }
    }

    fn into_message(mut self) -> Result<Message, DecodeError> {
        let request_id = self.optional_message("requestId")?;
        let timestamp = self.optional_message("timestamp")?;
        let kind = self.object.remove("type").ok_or_else(|| self.missing_field("type"))?;
        let event = match kind.as_str() {
            Some("log") => self.for_event("log").log()?,
            Some("state_patch") => self.for_event("state_patch").state_patch()?,
            Some("asset") => self.for_event("asset").asset()?,
            Some("ui_event") => self.for_event("ui_event").ui_event()?,
            Some("error") => self.for_event("error").error()?,
            Some("done") => self.for_event("done").done()?,
            _ => {
                return Err(DecodeError::UnknownType {
                    line_no: self.line_no,
                    found: quote(&kind),
                });
            }
        };
        Ok(Message { request_id, timestamp, event })
    }

    fn for_event(&mut self, event: &'static str) -> &mut EventFields {
        self.event = event;
        self
    }

    fn log(&mut self) -> Result<Event, DecodeError> {
        let word = self.string("level")?;
        let level = LogLevel::parse(&word).ok_or_else(|| {
            self.wrong_field("level", &Value::String(word), "one of debug, info, warn and error")
        })?;
        Ok(Event::Log {
            level,
            message: self.message("message")?,
            fields: self.optional_object("fields")?,
        })
    }

    fn state_patch(&mut self) -> Result<Event, DecodeError> {
        let patch = self.optional_object("patch")?.ok_or_else(|| self.missing_field("patch"))?;
        Ok(Event::StatePatch { patch })
    }

    fn asset(&mut self) -> Result<Event, DecodeError> {
        Ok(Event::Asset {
            asset_id: self.name("assetId")?,
            kind: self.name("kind")?,
            media_type: self.name("mediaType")?,
            path: self.name("path")?,
            metadata: self.optional_object("metadata")?,
        })
    }

    fn ui_event(&mut self) -> Result<Event, DecodeError> {
        Ok(Event::UiEvent { event: self.name("event")?, payload: self.object.remove("payload") })
    }

    fn error(&mut self) -> Result<Event, DecodeError> {
        Ok(Event::Error {
            error_code: self.name("errorCode")?,
            error_message: self.message("errorMessage")?,
            details: self.object.remove("details"),
        })
    }

    fn done(&mut self) -> Result<Event, DecodeError> {
        let ok = match self.object.remove("ok") {
            Some(Value::Bool(ok)) => ok,
            Some(other) => return Err(self.wrong_field("ok", &other, "true or false")),
            None => return Err(self.missing_field("ok")),
        };
        Ok(Event::Done {
            ok,
            summary: self.optional_message("summary")?,
            output: self.optional_object("output")?,
        })
    }

    fn string(&mut self, field: &'static str) -> Result<String, DecodeError> {
        self.optional_string(field)?.ok_or_else(|| self.missing_field(field))
    }

    /// A text for people.
    fn message(&mut self, field: &'static str) -> Result<String, DecodeError> {
        self.optional_message(field)?.ok_or_else(|| self.missing_field(field))
    }

    fn optional_message(&mut self, field: &'static str) -> Result<Option<String>, DecodeError> {
        let text = self.optional_string(field)?;
        Ok(text.map(|text| match clip(&text, MESSAGE_CHARS_MAX) {
            Cow::Owned(clipped) => clipped,
            Cow::Borrowed(_) => text,
        }))
    }

    fn name(&mut self, field: &'static str) -> Result<String, DecodeError> {
        let name = self.string(field)?;
        match name.chars().nth(NAME_CHARS_MAX) {
            None => Ok(name),
            Some(_) => {
                let found = Value::String(name);
                Err(self.wrong_field(field, &found, "a string of at most 500 characters"))
            }
        }
    }

    fn optional_string(&mut self, field: &'static str) -> Result<Option<String>, DecodeError> {
        match self.object.remove(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_field(field, &other, "a string")),
        }
    }

    fn optional_object(&mut self, field: &'static str) -> Result<Option<Object>, DecodeError> {
        match self.object.remove(field) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(self.wrong_field(field, &other, "an object")),
        }
    }

    fn missing_field(&self, field: &'static str) -> DecodeError {
        DecodeError::MissingField {
            line_no: self.line_no,
            event: self.event.into(),
            field: field.into(),
        }
    }

    fn wrong_field(
        &self,
        field: &'static str,
        found: &Value,
        expected: &'static str,
    ) -> DecodeError {
        DecodeError::WrongField {
            line_no: self.line_no,
            event: self.event.into(),
            field: field.into(),
            found: quote(found),
            expected: expected.into(),
        }
    }
}

/// A line is always line 1 to the parser; only the column helps.
fn without_line(error: &StrictJsonError) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
