//! Exports a story as lines of JSON, without loss: every table of [`line_tables`](crate::line_tables), the bytes of
//! every file, and a last line by which a reader knows that no line is missing. Holds one row at a time.

use std::io::{self, Read, Write};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rusqlite::{Connection, Row, types::ValueRef};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::{
    AssetContent, AssetFolder, AssetName, Story, StoryError,
    columns::{parse_json, rows, text},
    line_tables::{ColumnValue, LOGGED, LineTable, TABLES},
    schema::FORMAT_VERSION,
};
use narratoria_protocol::digest::Sha256Hasher;

/// The version of the form of the lines. The rows themselves have the version of the story's format.
pub const LINES_VERSION: u64 = 1;

/// Most bytes of a file in one line.
pub(crate) const PART_BYTES: usize = 384 << 10;

/// The first line, the lines of a file, and the last line.
pub(crate) const HEADER: &str = "story";
pub(crate) const FILE: &str = "file";
pub(crate) const FILE_PART: &str = "file_part";
pub(crate) const END: &str = "end";

/// The member that holds a text as base64, because JSON would make it much longer.
pub(crate) const BASE64: &str = "base64";

/// Why an export cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Story(#[from] StoryError),
    /// The output of the export cannot be written.
    #[error("cannot write the export")]
    Output(#[source] io::Error),
}

/// The result of an export, with what had to be left out.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ExportReceipt {
    pub bytes: u64,
    /// Sentences for the player.
    pub notes: Vec<String>,
}

impl Story {
    /// Writes the whole story as lines of JSON.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::Damaged`] for a row that cannot be read. The lines written so far have no last line, so
    /// that no reader takes them for a whole story.
    pub fn export_lines(&self, out: &mut dyn Write) -> Result<ExportReceipt, ExportError> {
        let failed = |source| StoryError::from_sqlite("read", self.db(), source);
        // All tables are read in one transaction, because another process may play the story meanwhile.
        let tx = self.conn().unchecked_transaction().map_err(failed)?;
        let mut lines = LineWriter { out, digest: Sha256Hasher::default(), lines: 0, bytes: 0 };
        lines.write(
            &json!({
                "kind": HEADER,
                "version": LINES_VERSION,
                "format": FORMAT_VERSION,
                "name": self.name().as_str(),
            })
            .to_string(),
        )?;
        for table in TABLES {
            self.export_table(&tx, table, &mut lines)?;
        }
        let mut notes = self.export_files(&tx, &mut lines)?;
        if self.journal_summary()?.is_some() {
            notes.push(
                "the plan that was cut off is not part of the story and is left out".to_owned(),
            );
        }
        let (count, sha256) = (lines.lines, lines.digest.hex());
        lines.write(&json!({"kind": END, "lines": count, "sha256": sha256}).to_string())?;
        lines.out.flush().map_err(ExportError::Output)?;
        Ok(ExportReceipt { bytes: lines.bytes, notes })
    }

    fn export_table(
        &self,
        conn: &Connection,
        table: &LineTable,
        lines: &mut LineWriter<'_>,
    ) -> Result<(), ExportError> {
        let failed = |source| StoryError::from_sqlite("read", self.db(), source);
        let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let only = match table.table {
            "meta" => format!("WHERE key <> '{LOGGED}'"),
            _ => String::new(),
        };
        let (names, LineTable { table: from, order, .. }) = (names.join(", "), table);
        let sql = format!("SELECT {names} FROM {from} {only} ORDER BY {order}");
        let mut select = conn.prepare(&sql).map_err(failed)?;
        let mut found = select.query([]).map_err(failed)?;
        let mut number = 0;
        while let Some(row) = found.next().map_err(failed)? {
            number += 1;
            let line = line(table, row)
                .map_err(|why| self.damaged(format!("`{}`, row {number}: {why}", table.table)))?;
            lines.write(&line)?;
        }
        Ok(())
    }

    /// Writes the files that turns list, each once. Returns notes about those that cannot be read.
    fn export_files(
        &self,
        conn: &Connection,
        lines: &mut LineWriter<'_>,
    ) -> Result<Vec<String>, ExportError> {
        let sql = "SELECT DISTINCT path FROM assets ORDER BY path";
        let paths = rows(conn, self.db(), "`assets`", sql, [], |row| text(row, "path"))?;
        let folder = AssetFolder::open(self.folder())?;
        let mut notes = Vec::new();
        for path in paths {
            let name = AssetName::of_path(&path);
            let content = match (&folder, &name) {
                (Some(folder), Some(name)) => folder.content(name).unwrap_or(AssetContent::Missing),
                _ => AssetContent::Missing,
            };
            match (&folder, &name, content) {
                (Some(folder), Some(name), AssetContent::Whole(bytes)) => {
                    export_file(folder, name, bytes, lines)?;
                }
                (_, _, AssetContent::Changed) => {
                    notes.push(format!("the file `{path}` was changed and is left out"));
                }
                _ => notes.push(format!("the file `{path}` is missing and is left out")),
            }
        }
        Ok(notes)
    }
}

fn export_file(
    folder: &AssetFolder,
    name: &AssetName,
    bytes: u64,
    lines: &mut LineWriter<'_>,
) -> Result<(), ExportError> {
    let failed = |source| {
        let path = name.path().into();
        ExportError::Story(StoryError::Io { action: "read", path, source })
    };
    let file = folder.open_file(name).map_err(failed)?;
    let Some(mut file) = file else { return Ok(()) };
    let header = json!({
        "kind": FILE, "sha256": name.sha256(), "ending": name.ending(), "bytes": bytes,
    });
    lines.write(&header.to_string())?;
    let mut left = bytes;
    while left > 0 {
        let length = left.min(PART_BYTES as u64);
        let mut part = vec![0; usize::try_from(length).unwrap_or(PART_BYTES)];
        file.read_exact(&mut part).map_err(failed)?;
        lines.write(
            &json!({"kind": FILE_PART, BASE64: BASE64_STANDARD.encode(&part)}).to_string(),
        )?;
        left -= length;
    }
    Ok(())
}

/// Writes the lines of a file.
pub(crate) fn write_file_lines(
    folder: &AssetFolder,
    name: &AssetName,
    bytes: u64,
    out: &mut Vec<u8>,
) -> Result<(), StoryError> {
    let mut lines = LineWriter { out, digest: Sha256Hasher::default(), lines: 0, bytes: 0 };
    export_file(folder, name, bytes, &mut lines).map_err(|error| match error {
        ExportError::Story(error) => error,
        ExportError::Output(source) => {
            StoryError::Io { action: "read", path: name.path().into(), source }
        }
    })
}

/// Returns a row as one line. The error names the column.
pub(crate) fn line(table: &LineTable, row: &Row<'_>) -> Result<String, String> {
    let mut line = format!(r#"{{"kind":"{}""#, table.kind);
    for (at, column) in table.columns.iter().enumerate() {
        let damaged = |why: String| format!("column `{}`: {why}", column.name);
        let value = row.get_ref(at).map_err(|error| damaged(error.to_string()))?;
        let value = match (column.value, value) {
            (_, ValueRef::Null) if column.nullable => "null".to_owned(),
            (ColumnValue::Integer, ValueRef::Integer(number)) => number.to_string(),
            (ColumnValue::Text(_), ValueRef::Text(bytes)) => {
                text_value(std::str::from_utf8(bytes).map_err(|why| damaged(why.to_string()))?)
            }
            (ColumnValue::Json(_), ValueRef::Text(bytes)) => {
                let text = std::str::from_utf8(bytes).map_err(|why| damaged(why.to_string()))?;
                json_value(text).map_err(|why| damaged(why.to_string()))?
            }
            (_, other) => return Err(damaged(format!("it is {}", other.data_type()))),
        };
        line.push_str(&format!(r#","{}":{value}"#, column.member()));
    }
    line.push('}');
    Ok(line)
}

/// Returns the text as JSON, or as base64 if that is shorter, because a control character takes six bytes in JSON.
fn text_value(text: &str) -> String {
    let escaped = Value::from(text).to_string();
    match escaped.len() > text.len() / 3 * 4 + 64 {
        true => json!({BASE64: BASE64_STANDARD.encode(text)}).to_string(),
        false => escaped,
    }
}

/// Returns the JSON text unchanged, so that an import reads back the very same bytes.
fn json_value(text: &str) -> serde_json::Result<String> {
    if text.contains(['\n', '\r']) {
        return Ok(parse_json::<Value>(text)?.to_string());
    }
    parse_json::<IgnoredAny>(text)?;
    Ok(text.to_owned())
}

/// Writes lines, and sums up what the last line reports.
struct LineWriter<'a> {
    out: &'a mut dyn Write,
    digest: Sha256Hasher,
    lines: u64,
    bytes: u64,
}

impl LineWriter<'_> {
    fn write(&mut self, line: &str) -> Result<(), ExportError> {
        for bytes in [line.as_bytes(), b"\n"] {
            self.out.write_all(bytes).map_err(ExportError::Output)?;
            self.digest.update(bytes);
            self.bytes += bytes.len() as u64;
        }
        self.lines += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_short_as_it_can_be() {
        assert_eq!(text_value("a \"map\""), r#""a \"map\"""#);
        assert_eq!(
            text_value(&"\u{1}".repeat(90)),
            format!(r#"{{"base64":"{}"}}"#, "AQEB".repeat(30))
        );
    }

    #[test]
    fn json_stays_as_it_is_and_on_one_line() {
        assert_eq!(json_value(r#"{"a": 1.50}"#).unwrap(), r#"{"a": 1.50}"#);
        assert_eq!(json_value("[1,\n2]").unwrap(), "[1,2]");
        assert!(json_value("[1").is_err());
    }
}
