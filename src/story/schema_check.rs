//! Compares the schema in a story's file with the one that the migrations make. A file may come from another person, and
//! SQLite runs what a schema has of itself: triggers, views, expressions of indexes and generated columns.

use std::{collections::BTreeMap, path::Path, sync::OnceLock};

use narratoria_protocol::visible::visible_word;
use rusqlite::Connection;

use crate::{
    StoryError,
    schema::{FORMAT_VERSION, STEPS},
};

/// Longest part of a definition that is compared, in characters. The longest one of a story has about 600.
const DEFINITION_CHARS_MAX: usize = 4_096;

/// The definitions of a schema by kind and name. An index that SQLite makes of itself has no definition.
type TableDefinitions = BTreeMap<(String, String), Option<String>>;

/// Returns an error if the file has anything in its schema that version `version` of the format does not have, or lacks
/// something.
pub(crate) fn check_schema(conn: &Connection, path: &Path, version: i64) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("read", path, source);
    let expected = schema_of_version(version).map_err(failed)?;
    let found = read_schema(conn, expected.len() + 1).map_err(failed)?;
    if found == *expected {
        return Ok(());
    }
    let named = |(kind, name): &(String, String)| {
        format!("{} `{}`", visible_word(kind), visible_word(name))
    };
    let foreign = found.iter().find(|(key, sql)| expected.get(*key) != Some(*sql));
    let missing = || expected.keys().find(|key| !found.contains_key(*key));
    let what = match foreign {
        Some((key, _)) if expected.contains_key(key) => {
            format!("its {} is not the one of a story", named(key))
        }
        Some((key, _)) => format!("it has a foreign {}", named(key)),
        None => missing().map_or_else(String::new, |key| format!("its {} is missing", named(key))),
    };
    Err(StoryError::Damaged { path: path.to_owned(), what })
}

/// The schema that the migrations up to a version make.
fn schema_of_version(version: i64) -> rusqlite::Result<&'static TableDefinitions> {
    static SCHEMAS: [OnceLock<TableDefinitions>; STEPS.len()] =
        [const { OnceLock::new() }; STEPS.len()];
    let steps = usize::try_from(version.clamp(1, FORMAT_VERSION)).unwrap_or(STEPS.len());
    let cell = &SCHEMAS[steps - 1];
    if let Some(schema) = cell.get() {
        return Ok(schema);
    }
    let conn = Connection::open_in_memory()?;
    for step in &STEPS[..steps] {
        conn.execute_batch(step)?;
    }
    let schema = read_schema(&conn, usize::MAX)?;
    Ok(cell.get_or_init(|| schema))
}

fn read_schema(conn: &Connection, rows_max: usize) -> rusqlite::Result<TableDefinitions> {
    let mut select =
        conn.prepare("SELECT type, name, substr(sql, 1, ?2) AS sql FROM sqlite_schema LIMIT ?1")?;
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let chars_max = i64::try_from(DEFINITION_CHARS_MAX).unwrap_or(i64::MAX);
    let rows = select.query_map((rows_max, chars_max), |row| {
        let sql: Option<String> = row.get("sql")?;
        Ok(((row.get("type")?, row.get("name")?), sql.as_deref().map(in_one_line)))
    })?;
    rows.collect()
}

/// A definition is stored as it was written, so that its white space says nothing.
fn in_one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_has_a_schema_of_its_own_and_no_definition_is_cut() {
        for version in 1..=FORMAT_VERSION {
            let schema = schema_of_version(version).unwrap();
            let longest = schema.values().flatten().map(|sql| sql.chars().count()).max();
            assert!(longest < Some(DEFINITION_CHARS_MAX), "{version}: {longest:?}");
            assert!(schema.contains_key(&("table".to_owned(), "turns".to_owned())));
        }
    }
}
