//! The kinds of lines in an exported story, each a table of the database: its columns, the rules for their values, and
//! the order of its rows. A new table of the schema is added here.

use jiff::Timestamp;
use narratoria_plan::PlanRecord;
use narratoria_protocol::{EntityKind, STATE_DEPTH_MAX, is_deeper_than};
use serde_json::Value;

use crate::{
    AssetName, BranchName, PlanStatus, TURN_PROMPT_BYTES_MAX, TurnOutcome, assets::ASSETS_FOLDER,
    campaign,
};

/// A table, and the lines that its rows become.
pub(crate) struct LineTable {
    /// The value of `kind` in each line.
    pub(crate) kind: &'static str,
    pub(crate) table: &'static str,
    /// In the order of the schema.
    pub(crate) columns: &'static [LineColumn],
    /// Columns by which the rows are sorted.
    pub(crate) order: &'static str,
}

/// A column, and the member of a line for its value: `parent_plan_id` is `parentPlanId`.
pub(crate) struct LineColumn {
    pub(crate) name: &'static str,
    pub(crate) value: ColumnValue,
    pub(crate) nullable: bool,
}

/// Values that a column may have.
#[derive(Clone, Copy)]
pub(crate) enum ColumnValue {
    Integer,
    /// Text that passes the check; the error says what is wrong.
    Text(fn(&str) -> Result<(), String>),
    /// JSON text, which is JSON in the line too.
    Json(fn(&Value) -> Result<(), String>),
}

use ColumnValue::{Integer, Json, Text};

const fn must(name: &'static str, value: ColumnValue) -> LineColumn {
    LineColumn { name, value, nullable: false }
}

const fn may(name: &'static str, value: ColumnValue) -> LineColumn {
    LineColumn { name, value, nullable: true }
}

/// Every table of a story except those of `NOT_EXPORTED` in the tests. A line names only rows of tables before its own.
pub(crate) static TABLES: &[LineTable] = &[
    LineTable {
        kind: "fact",
        table: "meta",
        columns: &[must("key", Text(any)), must("value", Text(any))],
        order: "key",
    },
    LineTable {
        kind: "turn",
        table: "turns",
        columns: &[
            must("id", Integer),
            may("parent", Integer),
            must("depth", Integer),
            must("prompt", Text(prompt)),
            must("narration", Text(any)),
            must("outcome", Text(outcome)),
            must("choices", Json(array)),
            must("patch", Json(objects)),
            must("started_at", Text(time)),
            must("finished_at", Text(time)),
            may("seed", Text(seed)),
            must("take", Integer),
            must("since_snapshot", Integer),
            may("digest", Text(campaign::check_digest)),
        ],
        order: "id",
    },
    LineTable {
        kind: "branch",
        table: "branches",
        columns: &[must("name", Text(branch)), may("turn", Integer), may("redo", Integer)],
        order: "name",
    },
    LineTable {
        kind: "plan",
        table: "plans",
        columns: &[
            must("id", Text(any)),
            must("turn", Integer),
            must("attempt", Integer),
            may("parent_plan_id", Text(any)),
            must("planner", Text(any)),
            must("status", Text(status)),
            must("plan", Json(anything)),
            may("result", Json(anything)),
            must("errors", Json(texts)),
            must("created_at", Text(time)),
            must("ordinal", Integer),
            must("version", Integer),
            must("updated_at", Text(time)),
            may("changes", Text(any)),
            may("reasoning", Text(any)),
            may("record", Json(record)),
            may("seen", Json(anything)),
        ],
        order: "rowid",
    },
    LineTable {
        kind: "asset",
        table: "assets",
        columns: &[
            must("turn", Integer),
            must("plan", Text(any)),
            must("tool_id", Text(any)),
            must("asset_id", Text(any)),
            must("kind", Text(any)),
            must("media_type", Text(any)),
            must("path", Text(asset_path)),
            may("metadata", Json(object)),
        ],
        order: "rowid",
    },
    LineTable {
        kind: "snapshot",
        table: "snapshots",
        columns: &[must("turn", Integer), must("state", Json(object))],
        order: "turn",
    },
    LineTable {
        kind: "store_write",
        table: "store_log",
        columns: &[
            must("turn", Integer),
            must("skill", Text(any)),
            must("key", Text(any)),
            may("value_before", Text(any)),
            may("value_after", Text(any)),
        ],
        order: "turn, skill, key",
    },
    LineTable {
        kind: "store_value",
        table: "store_now",
        columns: &[must("skill", Text(any)), must("key", Text(any)), must("value", Text(any))],
        order: "skill, key",
    },
    LineTable {
        kind: "store_size",
        table: "store_size",
        columns: &[must("only", Integer), must("bytes", Integer)],
        order: "only",
    },
    LineTable {
        kind: "entity",
        table: "entity_now",
        columns: &[
            must("kind", Text(entity_kind)),
            must("number", Integer),
            must("value", Text(any)),
            may("name", Text(any)),
            must("turn", Integer),
        ],
        order: "kind, number",
    },
    LineTable {
        kind: "entity_write",
        table: "entity_log",
        columns: &[
            must("turn", Integer),
            must("kind", Text(entity_kind)),
            must("number", Integer),
            may("value_before", Text(any)),
            may("value_after", Text(any)),
        ],
        order: "turn, kind, number",
    },
    LineTable {
        kind: "campaign",
        table: "campaign",
        columns: &[
            must("only", Integer),
            must("name", Text(campaign::check_name)),
            must("campaign_version", Text(any)),
            must("title", Text(any)),
        ],
        order: "only",
    },
    LineTable {
        kind: "campaign_document",
        table: "campaign_documents",
        columns: &[
            must("document", Text(campaign::check_path)),
            must("sha256", Text(campaign::check_digest)),
            must("text", Text(any)),
        ],
        order: "document",
    },
];

/// Tables that an export leaves out, and why.
#[cfg(test)]
const NOT_EXPORTED: &[(&str, &str)] = &[
    ("journal", "a plan that is not over is not part of the story"),
    ("journal_plans", "a plan that is not over is not part of the story"),
    ("journal_steps", "a plan that is not over is not part of the story"),
    ("entity_links", "an import makes them of the entities"),
    ("entity_sizes", "an import makes them of the entities"),
    ("memory_words", "an import makes them of the entities"),
    ("memory_vocabulary", "it is a view of `memory_words`"),
];

/// The fact by which a file knows how much of its log it has. It is no part of the story.
pub(crate) const LOGGED: &str = "logged";

/// Returns the table for a kind of lines.
pub(crate) fn table_of(kind: &str) -> Option<&'static LineTable> {
    TABLES.iter().find(|table| table.kind == kind)
}

impl LineTable {
    /// The columns that name a row. `rowid` stands for rows that have no key of their own.
    pub(crate) fn key(&self) -> Vec<&'static str> {
        match self.table {
            "plans" => vec!["id"],
            _ => self.order.split(", ").collect(),
        }
    }

    /// True if its rows have a row number alone.
    pub(crate) fn is_keyless(&self) -> bool {
        self.key() == ["rowid"]
    }

    pub(crate) fn column(&self, name: &str) -> Option<&'static LineColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A condition of SQL for the row with these values of these columns, in their order.
pub(crate) fn row_with(columns: &[&str]) -> String {
    let equal: Vec<String> =
        columns.iter().enumerate().map(|(at, name)| format!("{name} = ?{}", at + 1)).collect();
    equal.join(" AND ")
}

impl LineColumn {
    /// Returns the member of a line: `parent_plan_id` becomes `parentPlanId`. The column `kind` of a table becomes
    /// `is`, because `kind` is the kind of the line.
    pub(crate) fn member(&self) -> String {
        if self.name == "kind" {
            return "is".to_owned();
        }
        let mut parts = self.name.split('_');
        let mut member = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (first, rest) = part.split_at(part.len().min(1));
            member.push_str(&first.to_ascii_uppercase());
            member.push_str(rest);
        }
        member
    }
}

fn any(_: &str) -> Result<(), String> {
    Ok(())
}

fn prompt(text: &str) -> Result<(), String> {
    match text.len() {
        bytes if bytes > TURN_PROMPT_BYTES_MAX => {
            Err(format!("it is {bytes} bytes long, the limit is {TURN_PROMPT_BYTES_MAX}"))
        }
        _ => Ok(()),
    }
}

fn outcome(text: &str) -> Result<(), String> {
    TurnOutcome::parse(text).map(drop).ok_or_else(|| "it is not one of its words".to_owned())
}

fn status(text: &str) -> Result<(), String> {
    PlanStatus::parse(text).map(drop).ok_or_else(|| "it is not one of its words".to_owned())
}

fn entity_kind(text: &str) -> Result<(), String> {
    EntityKind::parse(text).map(drop).ok_or_else(|| "it is not one of its words".to_owned())
}

fn time(text: &str) -> Result<(), String> {
    text.parse::<Timestamp>().map(drop).map_err(|error| error.to_string())
}

fn seed(text: &str) -> Result<(), String> {
    text.parse::<u64>().map(drop).map_err(|error| error.to_string())
}

fn branch(text: &str) -> Result<(), String> {
    BranchName::parse(text).map(drop).map_err(|error| error.to_string())
}

/// Accepts a stored file, or one of an older version that was missing when the story was migrated.
fn asset_path(text: &str) -> Result<(), String> {
    let is_older = || {
        let mut parts = text.split('/');
        let is_plain =
            |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0', ':']);
        parts.next() == Some(ASSETS_FOLDER) && parts.clone().count() >= 2 && parts.all(is_plain)
    };
    match AssetName::of_path(text).is_some() || is_older() {
        true => Ok(()),
        false => Err("it is no path of a file of the story".to_owned()),
    }
}

fn anything(value: &Value) -> Result<(), String> {
    // The story checks the values of a list one by one, so the list may be a level deeper than each of them.
    match is_deeper_than(STATE_DEPTH_MAX + 1, value) {
        true => Err(format!("it nests deeper than {} levels", STATE_DEPTH_MAX + 1)),
        false => Ok(()),
    }
}

fn object(value: &Value) -> Result<(), String> {
    match value.is_object() {
        true => anything(value),
        false => Err("it is no object".to_owned()),
    }
}

fn array(value: &Value) -> Result<(), String> {
    match value.is_array() {
        true => anything(value),
        false => Err("it is no array".to_owned()),
    }
}

fn objects(value: &Value) -> Result<(), String> {
    match value.as_array().is_some_and(|items| items.iter().all(Value::is_object)) {
        true => anything(value),
        false => Err("it is no array of objects".to_owned()),
    }
}

fn texts(value: &Value) -> Result<(), String> {
    match value.as_array().is_some_and(|items| items.iter().all(Value::is_string)) {
        true => Ok(()),
        false => Err("it is no array of texts".to_owned()),
    }
}

fn record(value: &Value) -> Result<(), String> {
    anything(value)?;
    serde_json::from_value::<PlanRecord>(value.clone())
        .map(drop)
        .map_err(|error| format!("it is no record of a plan: {error}"))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::schema::STEPS;

    /// Checks the columns of each table of a new story.
    #[test]
    fn every_table_of_the_database_is_exported() {
        let conn = Connection::open_in_memory().unwrap();
        STEPS.iter().for_each(|step| conn.execute_batch(step).unwrap());
        let mut select = conn
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
            )
            .unwrap();
        let tables: Vec<String> =
            select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for name in &tables {
            let sql = "SELECT name, \"notnull\" = 0 AND pk = 0 FROM pragma_table_info(?1)";
            let columns: Vec<(String, bool)> = conn
                .prepare(sql)
                .unwrap()
                .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            // The tables of a full-text index begin with its name.
            let is_part = |table: &str| name.starts_with(&format!("{table}_"));
            if NOT_EXPORTED.iter().any(|(table, _)| table == name || is_part(table)) {
                continue;
            }
            let table = TABLES.iter().find(|table| table.table == name);
            let table = table.unwrap_or_else(|| {
                panic!("`{name}` is neither in `TABLES` nor in `NOT_EXPORTED` of line_tables.rs")
            });
            let exported: Vec<(String, bool)> = table
                .columns
                .iter()
                .map(|column| (column.name.to_owned(), column.nullable))
                .collect();
            assert_eq!(exported, columns, "the columns of `{name}`");
        }
        let gone = TABLES.iter().find(|table| !tables.iter().any(|name| name == table.table));
        assert!(gone.is_none(), "{:?}", gone.map(|table| table.table));
    }

    #[test]
    fn members_are_written_as_in_other_documents() {
        let member = |name| must(name, Integer).member();
        assert_eq!(
            ["id", "parent_plan_id", "since_snapshot", "kind"].map(member),
            ["id", "parentPlanId", "sinceSnapshot", "is"]
        );
    }

    #[test]
    fn a_path_of_a_file_stays_in_the_folder_of_assets() {
        let digest = "0".repeat(64);
        for path in [&format!("assets/{digest}.png"), "assets/plan/step-a/map.txt"] {
            assert_eq!(asset_path(path), Ok(()), "{path}");
        }
        for path in
            ["assets/../story.db", "/etc/passwd", "assets", "assets/", "assets//a", "plans/a/b"]
        {
            assert!(asset_path(path).is_err(), "{path}");
        }
    }
}
