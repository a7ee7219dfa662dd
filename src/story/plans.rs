//! Queries for plans: a list of them, and all columns of one.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use crate::{
    PlanRow, Story, StoryError, TurnId, TurnOutcome,
    columns::{json, json_or_null, number, parsed, rows, text, text_or_null, word},
    name::quote,
};
use narratoria_plan::PlanStatus;

/// The shortest prefix that may stand for an id.
const PLAN_PREFIX_CHARS_MIN: usize = 4;

/// How many ids an error shows.
const IDS_SHOWN: usize = 8;

/// A plan as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSummary {
    /// Its number in the story, from 1.
    pub ordinal: u64,
    /// Its `requestId`.
    pub id: String,
    /// The number of its turn, from 1.
    pub turn: u64,
    /// Its turn; `None` for the unfinished turn.
    pub turn_id: Option<TurnId>,
    /// `metadata.generationAttempt`.
    pub attempt: u32,
    /// The version of the plan, from 1.
    pub version: u32,
    /// Name of the planner.
    pub planner: String,
    pub status: PlanStatus,
    /// The player's prompt.
    pub task: String,
    /// The attempt before this one.
    pub parent_plan_id: Option<String>,
    /// When the planner finished it.
    pub created_at: Timestamp,
    /// When its record last changed.
    pub updated_at: Timestamp,
    /// The differences from the version before.
    pub changes: Option<String>,
}

/// All columns of a plan, with its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPlan {
    /// Its number in the story, from 1.
    pub ordinal: u64,
    /// The number of its turn, from 1.
    pub turn: u64,
    /// Its turn; `None` for the unfinished turn.
    pub turn_id: Option<TurnId>,
    /// The player's prompt.
    pub task: String,
    pub row: PlanRow,
}

/// The columns of a [`PlanRow`].
const ROW: &str = "
    plans.id, plans.attempt, plans.parent_plan_id, plans.planner, plans.status, plans.plan,
    plans.result, plans.errors, plans.created_at, plans.record, plans.seen";

/// The columns of a [`PlanSummary`] in the plan's own table.
const SUMMARY: &str = "
    plans.ordinal, plans.id, plans.attempt, plans.version, plans.planner, plans.status,
    plans.parent_plan_id, plans.created_at, plans.updated_at, plans.changes";

/// All plans of committed turns, with their turns.
const OF_TURNS: &str = "plans.turn AS turn_id, turns.depth AS turn, turns.prompt AS task
    FROM plans JOIN turns ON turns.id = plans.turn";

/// The plans of the unfinished turn, with its future number.
const OF_JOURNAL: &str = "NULL AS turn_id, journal.prompt AS task, 1 + coalesce(
        (SELECT depth FROM turns WHERE id = journal.head), 0) AS turn
    FROM journal_plans AS plans, journal";

impl Story {
    /// Returns the last plans, newest first, including those of the unfinished turn.
    pub fn plans(&self, limit: usize) -> Result<Vec<PlanSummary>, StoryError> {
        let limit_sql = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut plans = Vec::new();
        for (table, from) in [("`journal_plans`", OF_JOURNAL), ("`plans`", OF_TURNS)] {
            let sql = format!("SELECT {SUMMARY}, {from} ORDER BY plans.ordinal DESC LIMIT ?1");
            plans.extend(self.rows(table, &sql, [limit_sql], summary)?);
        }
        plans.sort_by_key(|plan| std::cmp::Reverse(plan.ordinal));
        plans.truncate(limit);
        Ok(plans)
    }

    /// Returns the same as [`Story::plans`] without those of turns that were undone or belong to another branch. The
    /// plans of a turn that the player stopped count as those of the turn before it.
    pub fn plans_here(&self, limit: usize) -> Result<Vec<PlanSummary>, StoryError> {
        let limit_sql = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!("SELECT {SUMMARY}, {OF_JOURNAL} ORDER BY plans.ordinal DESC LIMIT ?1");
        let mut plans = self.rows("`journal_plans`", &sql, [limit_sql], summary)?;
        let sql = format!(
            "WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?2
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
            )
            SELECT {SUMMARY}, {OF_TURNS}
            WHERE turns.id IN (SELECT id FROM line)
                OR (turns.outcome = ?3
                    AND (turns.parent IS NULL OR turns.parent IN (SELECT id FROM line)))
            ORDER BY plans.ordinal DESC LIMIT ?1"
        );
        let values = (limit_sql, self.head().map(TurnId::get), TurnOutcome::Cancelled.as_str());
        plans.extend(self.rows("`plans`", &sql, values, summary)?);
        plans.sort_by_key(|plan| std::cmp::Reverse(plan.ordinal));
        plans.truncate(limit);
        Ok(plans)
    }

    /// Finds a plan by its id, by a unique prefix of its id with at least [`PLAN_PREFIX_CHARS_MIN`]
    /// characters, or by its number, such as `7` or `plan_007`.
    pub fn plan(&self, which: &str) -> Result<StoredPlan, StoryError> {
        if let Some(ordinal) = parse_ordinal(which) {
            let found = self.find("plans.ordinal = ?1", [ordinal])?;
            if let Some(plan) = found.into_iter().next() {
                return Ok(plan);
            }
        }
        if let Some(plan) = self.find("plans.id = ?1", [which])?.into_iter().next() {
            return Ok(plan);
        }
        if which.chars().count() < PLAN_PREFIX_CHARS_MIN {
            return Err(self.unknown_plan(which)?);
        }
        // All ids with this prefix sort before the prefix with the last character of Unicode.
        let end = format!("{which}{}", char::MAX);
        let mut found = self.find("plans.id >= ?1 AND plans.id <= ?2", [which, &end])?;
        match (found.pop(), found.is_empty()) {
            (None, _) => Err(self.unknown_plan(which)?),
            (Some(plan), true) => Ok(plan),
            (Some(last), false) => {
                found.push(last);
                let more = if found.len() > IDS_SHOWN { ", …" } else { "" };
                let ids = found.iter().take(IDS_SHOWN).map(|p| format!("`{}`", quote(&p.row.id)));
                let ids = format!("{}{more}", ids.collect::<Vec<_>>().join(", "));
                Err(StoryError::AmbiguousPlan { which: quote(which), ids })
            }
        }
    }

    /// Returns the plans that a turn tried, in order. Empty for an unknown turn.
    pub fn plans_of_turn(&self, turn: TurnId) -> Result<Vec<PlanRow>, StoryError> {
        let sql = format!("SELECT {ROW} FROM plans WHERE turn = ?1 ORDER BY ordinal");
        self.rows("`plans`", &sql, [turn.get()], plan_row)
    }

    /// Returns the plans that match. If there are many, returns at least one more than an error shows.
    fn find(
        &self,
        condition: &str,
        params: impl rusqlite::Params + Clone,
    ) -> Result<Vec<StoredPlan>, StoryError> {
        let mut found = Vec::new();
        for (table, from) in [("`plans`", OF_TURNS), ("`journal_plans`", OF_JOURNAL)] {
            let sql = format!(
                "SELECT {ROW}, plans.ordinal, {from} WHERE {condition}
                 ORDER BY plans.id LIMIT {}",
                IDS_SHOWN + 1
            );
            found.extend(self.rows(table, &sql, params.clone(), |row| {
                Ok(StoredPlan {
                    ordinal: number(row, "ordinal")?,
                    turn: number(row, "turn")?,
                    turn_id: row.get::<_, Option<i64>>("turn_id")?.map(TurnId),
                    task: text(row, "task")?,
                    row: plan_row(row)?,
                })
            })?);
        }
        Ok(found)
    }

    fn unknown_plan(&self, which: &str) -> Result<StoryError, StoryError> {
        let last = self.plans(1)?.pop();
        let instead = match last {
            None => "it has none yet".to_owned(),
            Some(last) => format!(
                "its last is `plan_{:03}` (`{}`); name one by its number, its id, or the first \
                 {PLAN_PREFIX_CHARS_MIN} or more characters of that",
                last.ordinal,
                quote(&last.id)
            ),
        };
        Ok(StoryError::UnknownPlan { name: self.name().clone(), which: quote(which), instead })
    }
}

/// Parses `7`, `007`, `plan_007` and `plan_007.json`, the name of the copy, which all mean plan 7.
fn parse_ordinal(which: &str) -> Option<i64> {
    let digits = which.strip_prefix("plan_").unwrap_or(which);
    let digits = digits.strip_suffix(".json").unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The plans in the journal with their ordinals, in order, at most `limit`.
pub(crate) fn journaled_plans(
    conn: &Connection,
    db: &Path,
    limit: usize,
) -> Result<Vec<(u64, PlanRow)>, StoryError> {
    let sql = format!(
        "SELECT {ROW}, plans.ordinal FROM journal_plans AS plans ORDER BY ordinal LIMIT {limit}"
    );
    rows(conn, db, "`journal_plans`", &sql, [], |row| Ok((number(row, "ordinal")?, plan_row(row)?)))
}

/// Returns the first of these ids that a plan of an earlier turn has, or that occurs twice.
pub(crate) fn find_taken_id<'a>(
    tx: &Transaction<'_>,
    ids: impl Iterator<Item = &'a str>,
) -> rusqlite::Result<Option<String>> {
    let mut seen = std::collections::BTreeSet::new();
    let mut select = tx.prepare_cached("SELECT 1 FROM plans WHERE id = ?1")?;
    for id in ids {
        if !seen.insert(id) || select.exists([id])? {
            return Ok(Some(id.to_owned()));
        }
    }
    Ok(None)
}

/// Returns the ordinal of each plan: the one in the journal, or the next free one.
pub(crate) fn assign_ordinals<'a>(
    tx: &Transaction<'_>,
    ids: impl Iterator<Item = &'a str>,
) -> rusqlite::Result<Vec<u64>> {
    let sql = "
        SELECT max(coalesce((SELECT max(ordinal) FROM plans), 0),
                   coalesce((SELECT max(ordinal) FROM journal_plans), 0))";
    let mut last: i64 = tx.prepare_cached(sql)?.query_one([], |row| row.get(0))?;
    let mut select = tx.prepare_cached("SELECT ordinal FROM journal_plans WHERE id = ?1")?;
    ids.map(|id| {
        let known: Option<i64> = select.query_row([id], |row| row.get(0)).optional()?;
        let ordinal = known.unwrap_or_else(|| {
            last = last.saturating_add(1);
            last
        });
        Ok(ordinal.cast_unsigned())
    })
    .collect()
}

fn plan_row(row: &Row<'_>) -> rusqlite::Result<PlanRow> {
    Ok(PlanRow {
        id: text(row, "id")?,
        attempt: number(row, "attempt")?,
        parent_plan_id: text_or_null(row, "parent_plan_id")?,
        planner: text(row, "planner")?,
        status: word(row, "status", PlanStatus::parse)?,
        plan: json(row, "plan")?,
        result: json_or_null(row, "result")?,
        errors: json(row, "errors")?,
        created_at: parsed(row, "created_at", str::parse)?,
        record: json_or_null(row, "record")?,
        seen: json_or_null(row, "seen")?,
    })
}

fn summary(row: &Row<'_>) -> rusqlite::Result<PlanSummary> {
    Ok(PlanSummary {
        ordinal: number(row, "ordinal")?,
        id: text(row, "id")?,
        turn: number(row, "turn")?,
        turn_id: row.get::<_, Option<i64>>("turn_id")?.map(TurnId),
        attempt: number(row, "attempt")?,
        version: number(row, "version")?,
        planner: text(row, "planner")?,
        status: word(row, "status", PlanStatus::parse)?,
        task: text(row, "task")?,
        parent_plan_id: text_or_null(row, "parent_plan_id")?,
        created_at: parsed(row, "created_at", str::parse)?,
        updated_at: parsed(row, "updated_at", str::parse)?,
        changes: text_or_null(row, "changes")?,
    })
}
