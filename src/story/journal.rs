//! The journal of the running plan: if its process dies, finished steps need not run again.
//!
//! The journal is in the story's database, but not part of the story: the state, the stores and the list of
//! turns do not include it. The commit of the turn deletes it in its own transaction. There is at most one
//! journal, and the process that began or resumed its plan holds the lock of [`crate::lock`].

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Journal, JournalContent, JournalStep, Story, StoryError, TurnId,
    columns::{json, number, parse_text, parsed, rows, text, text_or_null},
    encode::{RecordColumns, TURN_BYTES_MAX, encode_journal, encode_record, encode_step},
    format::Durability,
    insert::{PlanTable, insert_plan},
    lock::PlanLock,
    name::quote,
    plans,
    store::StoryTransaction,
};
use narratoria_plan::{PlanRecord, STEPS_MAX};
use narratoria_protocol::{JsonBounds, json_text_values_max, read_json};

/// Most plans that one turn may try. A turn has a few attempts, and one version for each edit in review.
const JOURNAL_PLANS_MAX: usize = 1024;

/// Most bytes of finished steps that are read back, for all steps of a plan together: twice what the executor records
/// of a plan. A step beyond the limit counts as not finished, and runs again.
pub const JOURNAL_STEPS_BYTES_MAX: usize = 32 << 20;

/// Most JSON values of these steps, counted as for [`VALUES_MAX`](narratoria_protocol::VALUES_MAX).
pub const JOURNAL_STEPS_VALUES_MAX: usize = 2_000_000;

/// The writer stops at [`STATE_DEPTH_MAX`](narratoria_protocol::STATE_DEPTH_MAX), which the JSON reader can nest.
const STEP_BOUNDS: JsonBounds = JsonBounds::of_bytes(JOURNAL_STEPS_BYTES_MAX)
    .with_depth(127)
    .with_values(JOURNAL_STEPS_VALUES_MAX);

/// The unfinished plan, without its steps and results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalSummary {
    /// The player's sentence.
    pub prompt: String,
    pub plan_id: String,
    /// Steps that are finished.
    pub finished: usize,
    /// All steps of the plan.
    pub steps: usize,
    /// True if the head has moved since. Such a journal can only be dropped.
    pub is_stale: bool,
}

/// A plan whose journal has begun.
#[derive(Debug)]
pub struct JournalReceipt {
    /// Its number in the story, as in `plan_007`.
    pub ordinal: u64,
}

impl Story {
    /// Begins the journal of a plan. The next plan of the turn replaces it; `content.steps` are the finished
    /// steps that it reuses.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlanUnfinished`] or [`StoryError::PlanStale`] if the journal of another plan still exists,
    /// [`StoryError::PlanRunning`] if its process is still running.
    pub fn journal_begin(
        &mut self,
        content: &JournalContent,
    ) -> Result<JournalReceipt, StoryError> {
        let columns = encode_journal(content)?;
        check_count("plans", content.earlier.len() + 1, JOURNAL_PLANS_MAX)?;
        check_count("steps", content.steps.len(), STEPS_MAX)?;
        let had_lock = self.has_lock();
        let lock = self.take_lock()?;
        let ordinals = self.write(Durability::Process, |story| {
            let failed = |source| story.failed(source);
            let head = story.check_head()?;
            if !had_lock && let Some(unfinished) = unfinished_error(story, head)? {
                return Err(unfinished);
            }
            let ids = || content.plans().map(|plan| plan.id.as_str());
            if let Some(id) = plans::find_taken_id(story.tx, ids()).map_err(failed)? {
                return Err(StoryError::PlanIdTaken { id });
            }
            let ordinals = plans::assign_ordinals(story.tx, ids()).map_err(failed)?;
            delete_journal(story.tx).map_err(failed)?;
            insert_journal(story.tx, content, head, &columns.extra).map_err(failed)?;
            for ((plan, columns), ordinal) in content.plans().zip(&columns.plans).zip(&ordinals) {
                insert_plan(story.tx, &PlanTable::Journal, *ordinal, plan, columns)
                    .map_err(failed)?;
            }
            for (step, text) in content.steps.iter().zip(&columns.steps) {
                put_step(story.tx, &step.tool_id, text).map_err(failed)?;
            }
            Ok(ordinals)
        });
        if had_lock || ordinals.is_ok() {
            self.put_lock(lock);
        }
        let ordinals = ordinals?;
        Ok(JournalReceipt { ordinal: ordinals.last().copied().unwrap_or_default() })
    }

    /// Adds a finished step and updates the plan's record. A step that is already there gets the new result
    /// and keeps its place.
    pub fn journal_step(
        &mut self,
        tool_id: &str,
        step: &impl Serialize,
        record: &PlanRecord,
    ) -> Result<(), StoryError> {
        self.journal_step_after(tool_id, step, record, || ())
    }

    /// Does the same as [`Story::journal_step`], and calls `before_commit` when everything is written and nothing is
    /// committed.
    pub(crate) fn journal_step_after(
        &mut self,
        tool_id: &str,
        step: &impl Serialize,
        record: &PlanRecord,
        before_commit: impl FnOnce(),
    ) -> Result<(), StoryError> {
        let (step, columns) = encode_step(tool_id, step, record)?;
        self.journal_write((tool_id, Some(&step)), (record, &columns), before_commit)
    }

    /// Updates the record of the plan when a step starts, so that others see it run, and see after a crash which one was
    /// cut short.
    pub fn journal_start(&mut self, tool_id: &str, record: &PlanRecord) -> Result<(), StoryError> {
        let columns = encode_record(record)?;
        self.journal_write((tool_id, None), (record, &columns), || ())
    }

    fn journal_write(
        &mut self,
        (tool_id, step): (&str, Option<&str>),
        (record, columns): (&PlanRecord, &RecordColumns),
        before_commit: impl FnOnce(),
    ) -> Result<(), StoryError> {
        let has_lock = self.has_lock();
        self.write(Durability::Process, |story| {
            let failed = |source| story.failed(source);
            let sql = "SELECT plan FROM journal";
            let plan: Option<String> =
                story.tx.query_row(sql, [], |row| row.get(0)).optional().map_err(failed)?;
            if !has_lock || plan.as_ref() != Some(&record.id) {
                let (name, plan) = (story.name.clone(), quote(&record.id));
                return Err(StoryError::NotJournaled { name, plan, tool_id: quote(tool_id) });
            }
            if let Some(step) = step {
                put_step(story.tx, tool_id, step).map_err(failed)?;
            }
            put_record(story.tx, record, columns).map_err(failed)?;
            let (count, bytes) = journal_size(story.tx).map_err(failed)?;
            check_count("steps", count, STEPS_MAX)?;
            if bytes > TURN_BYTES_MAX {
                return Err(StoryError::TurnTooBig { bytes, limit: TURN_BYTES_MAX });
            }
            before_commit();
            Ok(())
        })
    }

    /// Reads the journal, whether its plan is running or its process has ended.
    pub fn journal(&self) -> Result<Option<Journal>, StoryError> {
        let failed = |source| StoryError::from_sqlite("read", self.db(), source);
        // One transaction for all queries, so that the rows match even while another process writes.
        let tx = self.conn().unchecked_transaction().map_err(failed)?;
        read(&tx, self.db())
    }

    /// Reads the facts about an unfinished plan that a player sees. The cost does not depend on the length of the
    /// journal.
    pub fn journal_summary(&self) -> Result<Option<JournalSummary>, StoryError> {
        let sql = "
            SELECT journal.prompt, journal.plan, journal.head IS NOT head.turn AS stale,
                   (SELECT count(*) FROM journal_steps) AS finished,
                   coalesce((SELECT CASE WHEN json_valid(plan)
                                    THEN json_array_length(plan, '$.tools') END
                             FROM journal_plans WHERE id = journal.plan), 0) AS steps
            FROM journal, head";
        let found = self.rows("`journal`", sql, [], |row| {
            Ok(JournalSummary {
                prompt: text(row, "prompt")?,
                plan_id: text(row, "plan")?,
                finished: number(row, "finished")?,
                steps: number(row, "steps")?,
                is_stale: row.get("stale")?,
            })
        })?;
        Ok(found.into_iter().next())
    }

    /// Checks that no other process runs a plan of this story now.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlanRunning`] if one does.
    pub fn check_not_running(&self) -> Result<(), StoryError> {
        match self.has_lock() {
            true => Ok(()),
            false => PlanLock::acquire(self.folder(), self.name()).map(drop),
        }
    }

    /// Takes over an unfinished plan, so that this story may resume it.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlanRunning`] if its process is still running, [`StoryError::PlanStale`] if the head has
    /// moved since.
    pub fn journal_resume(&mut self) -> Result<Option<Journal>, StoryError> {
        let lock = self.take_lock()?;
        let Some(journal) = self.journal()? else { return Ok(None) };
        if journal.is_stale || journal.head != self.head() {
            let (plan, prompt) = (journal.content.plan.id, quote(&journal.content.prompt));
            return Err(StoryError::PlanStale { plan, prompt });
        }
        self.put_lock(lock);
        Ok(Some(journal))
    }

    /// Deletes the journal of this story's plan or of an unfinished one. Returns false if there was none.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlanRunning`] if another process runs the plan.
    pub fn journal_drop(&mut self) -> Result<bool, StoryError> {
        let had_lock = self.has_lock();
        let lock = self.take_lock()?;
        let ordinals = self.write(Durability::Process, |story| {
            delete_journal(story.tx).map_err(|source| story.failed(source))
        });
        if had_lock && ordinals.is_err() {
            self.put_lock(lock);
        }
        let ordinals = ordinals?;
        Ok(!ordinals.is_empty())
    }
}

fn check_count(what: &'static str, count: usize, limit: usize) -> Result<(), StoryError> {
    if count > limit {
        return Err(StoryError::JournalTooLong { what, count, limit });
    }
    Ok(())
}

/// Returns an error if a turn after `head` would delete an unfinished plan.
pub(crate) fn check_no_unfinished_plan(
    story: &StoryTransaction<'_>,
    head: Option<i64>,
) -> Result<(), StoryError> {
    match unfinished_error(story, head)? {
        // The head has moved already, so another turn changes nothing for the plan.
        None | Some(StoryError::PlanStale { .. }) => Ok(()),
        Some(error) => {
            PlanLock::acquire(story.folder, story.name)?;
            Err(error)
        }
    }
}

/// Returns the error for the journal, if there is one.
fn unfinished_error(
    story: &StoryTransaction<'_>,
    head: Option<i64>,
) -> Result<Option<StoryError>, StoryError> {
    let sql = "SELECT head, plan, prompt FROM journal";
    let found = rows(story.tx, story.db, "`journal`", sql, [], |row| {
        let from: Option<i64> = row.get("head")?;
        let (plan, prompt) = (quote(&text(row, "plan")?), quote(&text(row, "prompt")?));
        Ok(match from == head {
            true => StoryError::PlanUnfinished { plan, prompt },
            false => StoryError::PlanStale { plan, prompt },
        })
    })?;
    Ok(found.into_iter().next())
}

/// Deletes the journal. Returns the ordinals of its plans.
pub(crate) fn delete_journal(tx: &Transaction<'_>) -> rusqlite::Result<Vec<u64>> {
    let mut select = tx.prepare_cached("SELECT ordinal FROM journal_plans ORDER BY ordinal")?;
    let ordinals = select.query_map([], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
    let ordinals = ordinals.collect::<rusqlite::Result<_>>()?;
    for table in ["journal", "journal_plans", "journal_steps"] {
        tx.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
    }
    Ok(ordinals)
}

fn insert_journal(
    tx: &Transaction<'_>,
    content: &JournalContent,
    head: Option<i64>,
    extra: &str,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO journal (only, head, plan, prompt, seed, started_at, extra)
        VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)";
    tx.prepare_cached(sql)?.execute(params![
        head,
        content.plan.id,
        content.prompt,
        content.seed.to_string(),
        content.started_at.to_string(),
        extra,
    ])?;
    Ok(())
}

fn put_step(tx: &Transaction<'_>, tool_id: &str, step: &str) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO journal_steps (tool_id, step) VALUES (?1, ?2)
        ON CONFLICT (tool_id) DO UPDATE SET step = excluded.step";
    tx.prepare_cached(sql)?.execute([tool_id, step])?;
    Ok(())
}

fn put_record(
    tx: &Transaction<'_>,
    record: &PlanRecord,
    columns: &RecordColumns,
) -> rusqlite::Result<()> {
    let sql = "
        UPDATE journal_plans
        SET record = ?2, version = ?3, updated_at = ?4, changes = ?5, reasoning = ?6
        WHERE id = ?1";
    tx.prepare_cached(sql)?.execute(params![
        record.id,
        columns.record,
        columns.version,
        columns.updated_at,
        columns.changes,
        columns.reasoning,
    ])?;
    Ok(())
}

/// The number of steps in the journal, and the bytes of all its steps and plans.
fn journal_size(conn: &Connection) -> rusqlite::Result<(usize, usize)> {
    let sql = "
        SELECT (SELECT count(*) FROM journal_steps),
               (SELECT coalesce(sum(octet_length(tool_id) + octet_length(step)), 0)
                FROM journal_steps)
             + (SELECT coalesce(sum(octet_length(plan) + octet_length(errors)
                    + coalesce(octet_length(result), 0) + coalesce(octet_length(record), 0)), 0)
                FROM journal_plans)";
    let (count, bytes): (i64, i64) =
        conn.prepare_cached(sql)?.query_one([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok((size(count), size(bytes)))
}

fn read(conn: &Connection, db: &Path) -> Result<Option<Journal>, StoryError> {
    let damaged = |what| StoryError::JournalDamaged { path: db.to_owned(), what };
    let sql = "
        SELECT journal.*, head.turn AS now FROM journal, head";
    let found = rows(conn, db, "`journal`", sql, [], |row| {
        let (from, now): (Option<i64>, Option<i64>) = (row.get("head")?, row.get("now")?);
        let values = (
            text(row, "prompt")?,
            parsed(row, "seed", str::parse::<u64>)?,
            parsed(row, "started_at", str::parse::<Timestamp>)?,
            json::<Value>(row, "extra")?,
        );
        Ok((from, now, text(row, "plan")?, values))
    })?;
    let Some((from, now, id, values)) = found.into_iter().next() else { return Ok(None) };
    check_size(conn, db)?;
    let mut plans = plans::journaled_plans(conn, db, JOURNAL_PLANS_MAX + 1)?;
    if plans.len() > JOURNAL_PLANS_MAX {
        let what = format!("`journal_plans` has more than {JOURNAL_PLANS_MAX} rows");
        return Err(damaged(what));
    }
    let Some(place) = plans.iter().position(|(_, plan)| plan.id == id) else {
        return Err(damaged(format!("`journal_plans` has no plan `{}`", quote(&id))));
    };
    let (ordinal, plan) = plans.remove(place);
    let earlier = plans.into_iter().map(|(_, plan)| plan).collect();
    let steps = read_steps(conn, db)?;
    let (prompt, seed, started_at, extra) = values;
    let content = JournalContent { prompt, seed, plan, earlier, steps, started_at, extra };
    Ok(Some(Journal { content, ordinal, head: from.map(TurnId), is_stale: from != now }))
}

/// Reads the finished steps, in order. Leaves out those that would make the sum too large.
fn read_steps(conn: &Connection, db: &Path) -> Result<Vec<JournalStep>, StoryError> {
    let sql = "
        SELECT tool_id, CASE WHEN octet_length(step) <= ?1 THEN step END AS step
        FROM journal_steps ORDER BY place";
    let (mut bytes_left, mut values_left) = (JOURNAL_STEPS_BYTES_MAX, JOURNAL_STEPS_VALUES_MAX);
    let limit = i64::try_from(JOURNAL_STEPS_BYTES_MAX).unwrap_or(i64::MAX);
    let steps = rows(conn, db, "`journal_steps`", sql, [limit], |row| {
        let tool_id = text(row, "tool_id")?;
        let step = text_or_null(row, "step")?.filter(|step| {
            let fits = step.len() <= bytes_left && json_text_values_max(step) <= values_left;
            if fits {
                bytes_left -= step.len();
                values_left -= json_text_values_max(step);
            }
            fits
        });
        let Some(step) = step else { return Ok(None) };
        let step = parse_text("step", &step, |text| read_json(text.as_bytes(), STEP_BOUNDS))?;
        Ok(Some(JournalStep { tool_id, step }))
    })?;
    Ok(steps.into_iter().flatten().collect())
}

/// Checks the limits before anything large is read into memory.
fn check_size(conn: &Connection, db: &Path) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let (count, bytes) = journal_size(conn).map_err(failed)?;
    if count > STEPS_MAX || bytes > TURN_BYTES_MAX {
        let what = format!(
            "`journal_steps` has {count} rows and the journal {bytes} bytes, the limits are \
             {STEPS_MAX} and {TURN_BYTES_MAX}"
        );
        return Err(StoryError::JournalDamaged { path: db.to_owned(), what });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
