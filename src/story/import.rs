//! Imports a story from its exported lines: builds it aside in one transaction, checks it as a whole, and then moves it
//! to its place. Never writes to existing files.

use std::{
    io::BufRead,
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use jiff::Timestamp;
use narratoria_protocol::Object;
use rusqlite::{Transaction, params_from_iter, types::Value as Cell};
use serde_json::Value;

use crate::{
    Story, StoryError, StoryName,
    aside::AsideFolder,
    assets::{ASSET_BYTES_MAX, AssetFolder, AssetName, STORY_ASSETS_BYTES_MAX},
    digests::{self, DIGESTS_SINCE},
    entities,
    folder::DB_FILE,
    format,
    import_check::{self, FileCheck, ImportChecks},
    import_error::ImportError,
    line_export::{BASE64, FILE, FILE_PART, PART_BYTES},
    line_reader::{LineReader, StoryLine},
    line_tables::{ColumnValue, LineColumn, LineTable, TABLES, table_of},
    number_bounds::{is_in_bounds, number_fault},
};

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReceipt {
    pub name: StoryName,
    pub turns: u64,
    /// Files that were already missing when the story was exported.
    pub missing_files: Vec<String>,
}

/// Builds a story from exported lines. Without a name it keeps its old one.
///
/// # Errors
///
/// Returns [`ImportError`] if the lines are not a whole story of this program; then no story is created.
pub fn import(
    root: &Path,
    name: Option<&StoryName>,
    from: &mut dyn BufRead,
    now: Timestamp,
    checks: ImportChecks<'_>,
) -> Result<ImportReceipt, ImportError> {
    let (mut lines, header) = LineReader::open(from)?;
    let name = match name {
        Some(name) => name.clone(),
        None => StoryName::parse(&header.name).map_err(StoryError::from)?,
    };
    let target = root.join(name.as_str());
    check_free(&target, &name)?;
    let aside = AsideFolder::create(root)?;
    let folder = aside.path().join(name.as_str());
    crate::folder::create(aside.path(), &folder)?;
    build(&folder, &mut lines, header.format, now, checks.file)?;
    let story = Story::open_existing(aside.path(), &name)?;
    let (mut faults, turns) = (story.verify()?, story.turns_ever()?);
    let missing_files = story.missing_files()?;
    faults.retain(|fault| !missing_files.iter().any(|path| fault.contains(path.as_str())));
    if let Some(what) = faults.into_iter().next() {
        return Err(ImportError::NotWhole { what });
    }
    if let Some(campaign) = story.campaign()?
        && let Some(what) = (checks.campaign)(&campaign)
    {
        return Err(ImportError::NotWhole { what });
    }
    // Once its connection is closed, the database is a single file.
    drop(story);
    check_free(&target, &name)?;
    aside.put(&folder, &target)?;
    Ok(ImportReceipt { name, turns, missing_files })
}

fn check_free(target: &Path, name: &StoryName) -> Result<(), ImportError> {
    match target.symlink_metadata() {
        Ok(_) => Err(ImportError::NameTaken { name: name.clone() }),
        Err(_) => Ok(()),
    }
}

/// Builds the story in a folder of its own.
fn build(
    folder: &Path,
    lines: &mut LineReader<'_>,
    format_version: i64,
    now: Timestamp,
    check_file: FileCheck<'_>,
) -> Result<(), ImportError> {
    let db = folder.join(DB_FILE);
    let failed = |source| StoryError::from_sqlite("write", &db, source);
    let mut conn = format::open(&db, now, 0)?;
    let tx = format::begin(&mut conn).map_err(failed)?;
    // A line may name a row that comes later, so the references are checked at the end.
    tx.execute_batch("PRAGMA defer_foreign_keys = ON").map_err(failed)?;
    for table in TABLES {
        tx.execute_batch(&format!("DELETE FROM {}", table.table)).map_err(failed)?;
    }
    let mut story =
        ImportedStory { folder, db: db.clone(), tx: &tx, file_bytes: 0, replaces: false };
    while let Some(line) = lines.next()? {
        story.add(line, lines)?;
    }
    import_check::check(&tx, &db, folder, check_file)?;
    entities::index_imported(&tx, &db)?;
    if format_version < DIGESTS_SINCE {
        digests::seal_all(&tx).map_err(failed)?;
    }
    tx.commit().map_err(failed)?;
    format::checkpoint(&conn);
    Ok(())
}

/// A story that is being built.
pub(crate) struct ImportedStory<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) db: PathBuf,
    pub(crate) tx: &'a Transaction<'a>,
    /// Bytes of all files so far.
    pub(crate) file_bytes: u64,
    /// A row takes the place of the one with its key.
    pub(crate) replaces: bool,
}

impl ImportedStory<'_> {
    pub(crate) fn add(
        &mut self,
        line: StoryLine,
        lines: &mut LineReader<'_>,
    ) -> Result<(), ImportError> {
        if line.kind == FILE {
            return self.add_file(&line.members, lines);
        }
        match table_of(&line.kind) {
            Some(table) => self.add_row(table, line.members, lines),
            None => {
                let kind = crate::name::quote(&line.kind);
                Err(lines.fault(format!("`{kind}` is no kind of line that this program knows")))
            }
        }
    }

    fn add_row(
        &self,
        table: &LineTable,
        mut members: Object,
        lines: &LineReader<'_>,
    ) -> Result<(), ImportError> {
        let mut cells = Vec::with_capacity(table.columns.len());
        for column in table.columns {
            let member = column.member();
            let value = members.shift_remove(&member).unwrap_or(Value::Null);
            let cell = cell(column, value)
                .map_err(|what| lines.fault(format!("`{member}` of `{}`: {what}", table.kind)))?;
            cells.push(cell);
        }
        if let Some(member) = members.keys().next() {
            let member = crate::name::quote(member);
            return Err(lines.fault(format!("`{}` has no member `{member}`", table.kind)));
        }
        let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let places: Vec<String> = (1..=names.len()).map(|at| format!("?{at}")).collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({}){}",
            table.table,
            names.join(", "),
            places.join(", "),
            if self.replaces { replacement(table, &names) } else { String::new() }
        );
        let insert = || self.tx.prepare_cached(&sql)?.execute(params_from_iter(cells));
        insert().map(drop).map_err(|source| match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => {
                lines.fault(format!("it breaks a rule of `{}`: {source}", table.kind))
            }
            _ => StoryError::from_sqlite("write", &self.db, source).into(),
        })
    }

    /// Reads the lines of a file and stores it.
    fn add_file(&mut self, header: &Object, lines: &mut LineReader<'_>) -> Result<(), ImportError> {
        let text = |member: &str| header.get(member).and_then(Value::as_str).unwrap_or_default();
        let named = AssetName::new(text("sha256"), text("ending"))
            .ok_or_else(|| lines.fault("its `sha256` and `ending` name no file"))?;
        let bytes = header.get("bytes").and_then(Value::as_u64);
        let bytes = bytes
            .filter(|bytes| (1..=ASSET_BYTES_MAX).contains(bytes))
            .ok_or_else(|| lines.fault(format!("a file has 1 to {ASSET_BYTES_MAX} bytes")))?;
        self.file_bytes += bytes;
        if self.file_bytes > STORY_ASSETS_BYTES_MAX {
            let what = format!("all files have more than {STORY_ASSETS_BYTES_MAX} bytes");
            return Err(lines.fault(what));
        }
        let mut content = Vec::new();
        while (content.len() as u64) < bytes {
            let part = match self.replaces {
                true => lines.next_of_change()?,
                false => lines.next()?,
            };
            let part = part.filter(|line| line.kind == FILE_PART);
            let part = part.ok_or_else(|| lines.fault("a part of the file should be here"))?;
            let part = part.members.get(BASE64).and_then(Value::as_str).unwrap_or_default();
            let part = BASE64_STANDARD.decode(part).unwrap_or_default();
            if part.is_empty() || part.len() > PART_BYTES {
                return Err(lines.fault(format!("it is no part of 1 to {PART_BYTES} bytes")));
            }
            content.extend_from_slice(&part);
        }
        let folder = AssetFolder::create(self.folder)?;
        let (stored, stored_bytes) =
            folder.store(&mut content.as_slice(), named.ending(), ASSET_BYTES_MAX)?;
        match stored == named && stored_bytes == bytes {
            true => Ok(()),
            false => Err(lines.fault("the file has other bytes than its digest says")),
        }
    }
}

/// How a row takes the place of the one with its key.
fn replacement(table: &LineTable, names: &[&str]) -> String {
    if table.is_keyless() {
        return String::new();
    }
    let key = table.key();
    let others = names.iter().filter(|name| !key.contains(name));
    let set: Vec<String> = others.map(|name| format!("{name} = excluded.{name}")).collect();
    format!(" ON CONFLICT ({}) DO UPDATE SET {}", key.join(", "), set.join(", "))
}

/// Converts the value of a column.
pub(crate) fn cell(column: &LineColumn, value: Value) -> Result<Cell, String> {
    if value.is_null() && (column.nullable || !matches!(column.value, ColumnValue::Json(_))) {
        return match column.nullable {
            true => Ok(Cell::Null),
            false => Err("it is missing".to_owned()),
        };
    }
    match (column.value, value) {
        (ColumnValue::Integer, Value::Number(number)) => number
            .as_i64()
            .filter(|number| is_in_bounds(*number))
            .map(Cell::Integer)
            .ok_or_else(|| number_fault(&number)),
        (ColumnValue::Text(check), Value::String(text)) => {
            check(&text)?;
            Ok(Cell::Text(text))
        }
        (ColumnValue::Text(check), Value::Object(object)) => {
            let bytes = object.get(BASE64).and_then(Value::as_str).filter(|_| object.len() == 1);
            let bytes = bytes.and_then(|text| BASE64_STANDARD.decode(text).ok());
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.ok_or_else(|| "it is no text as base64".to_owned())?;
            check(&text)?;
            Ok(Cell::Text(text))
        }
        (ColumnValue::Json(check), value) => {
            check(&value)?;
            Ok(Cell::Text(value.to_string()))
        }
        _ => Err("it has another type".to_owned()),
    }
}
