//! Reads the lines of an exported story: limits them, sums up their digest, and checks that they are complete. Knows
//! nothing of tables.

use std::io::{BufRead, Read};

use narratoria_protocol::{JsonBounds, Object, digest::Sha256Hasher, json_kind, read_json};
use serde_json::Value;

use crate::{
    import_error::ImportError,
    line_export::{END, HEADER, LINES_VERSION},
    schema::FORMAT_VERSION,
};

/// Longest line. A row has at most 64 MiB of text, and base64 makes it a third longer.
pub const STORY_LINE_BYTES_MAX: usize = 96 << 20;

/// Most JSON values of a line. A plan with its result has a tenth of that.
pub const STORY_LINE_VALUES_MAX: usize = 4_000_000;

/// Most bytes of an exported story, of which its files take at most 1.4 GiB as base64.
pub const STORY_LINES_BYTES_MAX: u64 = 16 << 30;

/// The writer of a row stops at [`STATE_DEPTH_MAX`](narratoria_protocol::STATE_DEPTH_MAX); lists of such values and the line
/// itself add some levels.
const BOUNDS: JsonBounds =
    JsonBounds::of_bytes(STORY_LINE_BYTES_MAX).with_depth(120).with_values(STORY_LINE_VALUES_MAX);

/// The lines after the header.
pub(crate) struct LineReader<'a> {
    from: &'a mut dyn BufRead,
    digest: Sha256Hasher,
    /// The number of lines that were read, and their bytes.
    number: u64,
    bytes: u64,
}

/// The first line.
#[derive(Debug)]
pub(crate) struct LineHeader {
    pub(crate) name: String,
    /// The version of the format that its rows have.
    pub(crate) format: i64,
}

/// A line between the first and the last.
#[derive(Debug)]
pub(crate) struct StoryLine {
    pub(crate) kind: String,
    /// All members except `kind`.
    pub(crate) members: Object,
}

impl<'a> LineReader<'a> {
    /// Reads the first line, and refuses an export of a newer program.
    pub(crate) fn open(
        from: &'a mut dyn BufRead,
    ) -> Result<(LineReader<'a>, LineHeader), ImportError> {
        let mut reader = LineReader { from, digest: Sha256Hasher::default(), number: 0, bytes: 0 };
        let not_an_export = |what: String| ImportError::NotAnExport { what };
        let line = match reader.read() {
            Ok(Some(line)) => line,
            Ok(None) => return Err(not_an_export("it is empty".to_owned())),
            Err(ImportError::Line { what, .. }) => return Err(not_an_export(what)),
            Err(error) => return Err(error),
        };
        if line.kind != HEADER {
            return Err(not_an_export(format!("its first line is no `{HEADER}`")));
        }
        let number = |member: &str| line.members.get(member).and_then(Value::as_u64);
        match (number("version"), number("format").map(u64::cast_signed)) {
            (Some(found), _) if found > LINES_VERSION => {
                Err(ImportError::NewerVersion { found, known: LINES_VERSION })
            }
            (Some(1..), Some(found)) if found > FORMAT_VERSION => {
                Err(ImportError::NewerFormat { found, known: FORMAT_VERSION })
            }
            (Some(1..), Some(format @ 1..)) => {
                let name = line.members.get("name").and_then(Value::as_str).unwrap_or_default();
                let name = name.to_owned();
                Ok((reader, LineHeader { name, format }))
            }
            _ => Err(not_an_export("its first line has no version".to_owned())),
        }
    }

    /// Reads the lines of one change, which have no first and no last line.
    pub(crate) fn of_change(from: &'a mut dyn BufRead) -> LineReader<'a> {
        LineReader { from, digest: Sha256Hasher::default(), number: 0, bytes: 0 }
    }

    /// Returns the next line of a change; `None` after the last one.
    pub(crate) fn next_of_change(&mut self) -> Result<Option<StoryLine>, ImportError> {
        self.read()
    }

    /// Returns the next line; `None` after the last one, if all lines are there and unchanged.
    pub(crate) fn next(&mut self) -> Result<Option<StoryLine>, ImportError> {
        let before = (self.number, self.digest.hex());
        let Some(line) = self.read()? else {
            return Err(ImportError::CutOff { lines: self.number });
        };
        if line.kind != END {
            return Ok(Some(line));
        }
        let lines = line.members.get("lines").and_then(Value::as_u64);
        let sha256 = line.members.get("sha256").and_then(Value::as_str);
        if (lines, sha256) != (Some(before.0), Some(before.1.as_str())) {
            return Err(ImportError::Changed);
        }
        match self.read()? {
            None => Ok(None),
            Some(_) => Err(self.fault("it goes on after its end")),
        }
    }

    /// Returns an error about the last line that was read.
    pub(crate) fn fault(&self, what: impl Into<String>) -> ImportError {
        ImportError::Line { number: self.number, what: what.into() }
    }

    /// Reads a line. A line without an end means that the export was cut off.
    fn read(&mut self) -> Result<Option<StoryLine>, ImportError> {
        let mut line = Vec::new();
        let limit = STORY_LINE_BYTES_MAX as u64 + 1;
        let read = (&mut *self.from)
            .take(limit)
            .read_until(b'\n', &mut line)
            .map_err(ImportError::Input)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += read as u64;
        if self.bytes > STORY_LINES_BYTES_MAX {
            let what = format!("the export is longer than {STORY_LINES_BYTES_MAX} bytes");
            return Err(self.fault(what));
        }
        self.digest.update(&line);
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            return Err(match line.len() > STORY_LINE_BYTES_MAX {
                true => self.fault(format!("it is longer than {STORY_LINE_BYTES_MAX} bytes")),
                false => ImportError::CutOff { lines: self.number - 1 },
            });
        }
        let value = read_json(&line, BOUNDS).map_err(|error| self.fault(error.to_string()))?;
        let Value::Object(mut members) = value else {
            return Err(self.fault(format!("it is {}, no object", json_kind(&value))));
        };
        match members.shift_remove("kind") {
            Some(Value::String(kind)) => Ok(Some(StoryLine { kind, members })),
            _ => Err(self.fault("it has no `kind`")),
        }
    }
}
