//! Turns columns into values, or into an error that names the row and the column.

use std::{convert::Infallible, fmt::Display, path::Path};

use rusqlite::{
    Connection, Row,
    types::{Type, ValueRef},
};
use serde::de::DeserializeOwned;

use crate::{StoryError, encode::TURN_BYTES_MAX};

/// The text of an entity that was deleted.
pub(crate) const DELETED: &str = "null";

/// Reads all rows of a query. The error for a damaged row names the rows with `what`.
pub(crate) fn rows<T>(
    conn: &Connection,
    db: &Path,
    what: &str,
    sql: &str,
    params: impl rusqlite::Params,
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoryError> {
    let mut number = 0;
    let rows = || {
        let mut statement = conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, |row| {
            number += 1;
            read(row)
        })?;
        rows.collect::<rusqlite::Result<Vec<T>>>()
    };
    let found = rows();
    found.map_err(|source| match StoryError::from_sqlite("read", db, source) {
        StoryError::Damaged { path, what: why } if number > 0 => {
            let place = format!("{what}, row {number}: {why}");
            match what.starts_with("`journal") {
                true => StoryError::JournalDamaged { path, what: place },
                false => StoryError::Damaged { path, what: place },
            }
        }
        error => error,
    })
}

/// Reads a column of JSON text.
pub(crate) fn json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: &'static str,
) -> rusqlite::Result<T> {
    parsed(row, column, |text| serde_json::from_str(text))
}

/// Parses JSON text of the story's own database.
pub(crate) fn parse_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// Reads a column of JSON text, or NULL.
pub(crate) fn json_or_null<T: DeserializeOwned>(
    row: &Row<'_>,
    column: &'static str,
) -> rusqlite::Result<Option<T>> {
    let there = row.get_ref(column)? != ValueRef::Null;
    there.then(|| json(row, column)).transpose()
}

/// Reads a column with a word of a fixed list.
pub(crate) fn word<T>(
    row: &Row<'_>,
    column: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    parsed(row, column, |text| {
        parse(text).ok_or_else(|| format!("`{text}` is not one of its words"))
    })
}

/// Reads a column with `parse`. The error names the column.
pub(crate) fn parsed<T, E: Display>(
    row: &Row<'_>,
    column: &'static str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| damaged(column, &error))?;
    if text.len() > TURN_BYTES_MAX {
        let bytes = text.len();
        let why = format!("it is {bytes} bytes long, the limit is {TURN_BYTES_MAX}");
        return Err(damaged(column, &why));
    }
    parse_text(column, text, parse)
}

/// Parses the text of a column. The error names the column.
pub(crate) fn parse_text<T, E: Display>(
    column: &'static str,
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<T> {
    parse(text).map_err(|error| damaged(column, &error))
}

fn damaged(column: &'static str, why: &dyn Display) -> rusqlite::Error {
    let why = format!("column `{column}`: {why}");
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into())
}

/// Reads a column of plain text.
pub(crate) fn text(row: &Row<'_>, column: &'static str) -> rusqlite::Result<String> {
    parsed(row, column, |text| Ok::<_, Infallible>(text.to_owned()))
}

/// Reads a column of plain text, or NULL.
pub(crate) fn text_or_null(
    row: &Row<'_>,
    column: &'static str,
) -> rusqlite::Result<Option<String>> {
    let there = row.get_ref(column)? != ValueRef::Null;
    there.then(|| text(row, column)).transpose()
}

/// Reads a column with a number in the range of `T`.
pub(crate) fn number<T: TryFrom<i64>>(row: &Row<'_>, column: &'static str) -> rusqlite::Result<T> {
    let number: i64 = row.get(column)?;
    T::try_from(number).map_err(|_| {
        let why = format!("column `{column}`: {number} is out of range");
        rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, why.into())
    })
}
