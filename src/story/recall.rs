//! What an open story remembers: turns, plans, assets, and the state of long ago.

use std::fmt::Display;

use rusqlite::{Row, types::Type};
use serde::de::DeserializeOwned;

use super::{
    AssetRow, PlanRow, PlanStatus, State, Story, StoryError, TurnId, TurnOutcome, TurnSummary,
};
use crate::protocol::Object;

impl Story {
    /// The last `n` turns that lead here, the oldest of them first.
    pub fn recent(&self, n: usize) -> Result<Vec<TurnSummary>, StoryError> {
        // Each step of the recursion goes one level up, so that a damaged file cannot send it in circles.
        let sql = "
            WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                LIMIT ?2
            )
            SELECT turns.id, prompt, narration, outcome, choices, finished_at
            FROM line JOIN turns USING (id) ORDER BY line.depth";
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        self.rows(sql, (self.head.map(TurnId::get), n), |row| {
            Ok(TurnSummary {
                id: TurnId(row.get("id")?),
                prompt: row.get("prompt")?,
                narration: row.get("narration")?,
                outcome: word(row, "outcome", TurnOutcome::parse)?,
                choices: json(row, "choices")?,
                finished_at: parsed(row, "finished_at", str::parse)?,
            })
        })
    }

    /// The plans that a turn tried, in the order in which they were tried. None for an unknown turn.
    pub fn plans_of(&self, turn: TurnId) -> Result<Vec<PlanRow>, StoryError> {
        let sql = "
            SELECT id, attempt, parent_plan_id, planner, status, plan, result, errors, created_at
            FROM plans WHERE turn = ?1 ORDER BY rowid";
        self.rows(sql, [turn.get()], |row| {
            Ok(PlanRow {
                id: row.get("id")?,
                attempt: row.get("attempt")?,
                parent_plan_id: row.get("parent_plan_id")?,
                planner: row.get("planner")?,
                status: word(row, "status", PlanStatus::parse)?,
                plan: json(row, "plan")?,
                result: json_or_null(row, "result")?,
                errors: json(row, "errors")?,
                created_at: parsed(row, "created_at", str::parse)?,
            })
        })
    }

    /// The files that a turn made, in the order of its record. None for an unknown turn.
    pub fn assets_of(&self, turn: TurnId) -> Result<Vec<AssetRow>, StoryError> {
        let sql = "
            SELECT plan, tool_id, asset_id, kind, media_type, path, metadata
            FROM assets WHERE turn = ?1 ORDER BY rowid";
        self.rows(sql, [turn.get()], |row| {
            Ok(AssetRow {
                plan: row.get("plan")?,
                tool_id: row.get("tool_id")?,
                asset_id: row.get("asset_id")?,
                kind: row.get("kind")?,
                media_type: row.get("media_type")?,
                path: row.get("path")?,
                metadata: json_or_null(row, "metadata")?,
            })
        })
    }

    /// The state right after `turn`: the nearest snapshot at or above it, and the patches since.
    pub fn state_at(&self, turn: TurnId) -> Result<State, StoryError> {
        let sql = "
            WITH RECURSIVE line (id, parent, depth, patch, state) AS (
                SELECT id, parent, depth, patch, state
                FROM turns LEFT JOIN snapshots ON snapshots.turn = id WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth, turns.patch, snapshots.state
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                LEFT JOIN snapshots ON snapshots.turn = turns.id
                WHERE line.state IS NULL
            )
            SELECT depth, patch, state FROM line ORDER BY depth";
        let rows = self.rows(sql, [turn.get()], |row| {
            let snapshot = json_or_null::<Object>(row, "state")?.map(State::new);
            Ok((row.get("depth")?, json::<Vec<Object>>(row, "patch")?, snapshot))
        })?;
        let mut rows = rows.into_iter();
        let mut state = match rows.next() {
            None => return Err(StoryError::UnknownTurn { name: self.name.clone(), turn }),
            // A snapshot has its own turn's patches in it.
            Some((_, _, Some(snapshot))) => snapshot,
            Some((1, patches, None)) => fold(State::default(), &patches),
            Some((depth, ..)) => {
                let what = format!("nothing leads to turn {turn} before its depth {depth}");
                return Err(StoryError::Damaged { path: self.db.clone(), what });
            }
        };
        for (_, patches, _) in rows {
            state = fold(state, &patches);
        }
        Ok(state)
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoryError> {
        let rows = || self.conn.prepare_cached(sql)?.query_map(params, read)?.collect();
        let rows: rusqlite::Result<Vec<T>> = rows();
        rows.map_err(|source| StoryError::from_sqlite("read", &self.db, source))
    }
}

fn fold(mut state: State, patches: &[Object]) -> State {
    patches.iter().for_each(|patch| state.apply(patch));
    state
}

/// A column of JSON text.
fn json<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> rusqlite::Result<T> {
    parsed(row, column, |text| serde_json::from_str(text))
}

/// A column of JSON text, or nothing.
fn json_or_null<T: DeserializeOwned>(
    row: &Row<'_>,
    column: &'static str,
) -> rusqlite::Result<Option<T>> {
    let there = row.get_ref(column)?.as_str_or_null()?.is_some();
    there.then(|| json(row, column)).transpose()
}

/// A column with one word of a fixed list.
fn word<T>(
    row: &Row<'_>,
    column: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    parsed(row, column, |text| {
        parse(text).ok_or_else(|| format!("`{text}` is not one of its words"))
    })
}

/// A column whose text has a meaning; the error says which column has none.
fn parsed<T, E: Display>(
    row: &Row<'_>,
    column: &'static str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    parse(text).map_err(|error| {
        let why = format!("column `{column}`: {error}");
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into())
    })
}
