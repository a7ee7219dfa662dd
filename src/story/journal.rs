//! A plan in progress, step by step, so that a process that dies in its middle loses nothing that is done.
//!
//! The journal is in the story's database and is no part of the story: neither state nor stores nor the
//! list of turns know of it until the turn commits, and the commit deletes it in the same transaction.
//! There is one at most, and whoever began it or took it over holds the lock of [`super::lock`].

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;

use super::{
    PlanRow, Story, StoryError, StoryName, TurnId,
    columns::{json, parsed, rows, text},
    encode::{RecordColumns, TURN_BYTES_MAX, encode_journal, encode_step},
    export, format,
    insert::{PlanTable, insert_plan},
    lock::PlanLock,
    name::quote,
    plans,
    store::check_head,
};
use narratoria_plan::{PlanRecord, STEPS_MAX};

/// Plans that one turn may have tried by the time another begins. There are a few attempts, and a version
/// for each edit of a person who looks them over.
pub const JOURNAL_PLANS_MAX: usize = 1024;

/// A plan that is about to run.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalContent {
    /// What the player typed; at most [`super::PROMPT_BYTES_MAX`].
    pub prompt: String,
    /// The turn's seed.
    pub seed: u64,
    /// The plan.
    pub plan: PlanRow,
    /// The plans that the turn has tried before this one, in order.
    pub earlier: Vec<PlanRow>,
    /// Its steps that are done already, because an earlier plan of the turn did them.
    pub steps: Vec<JournalStep>,
    /// When the player pressed return.
    pub started_at: Timestamp,
    /// Whatever else it takes to go on; the story only keeps it.
    pub extra: Value,
}

/// A step that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalStep {
    /// Which.
    pub tool_id: String,
    /// What came of it; the story only keeps it.
    pub step: Value,
}

/// A plan that has begun.
#[derive(Debug)]
pub struct JournalReceipt {
    /// Its number in the story, as in `plan_007`.
    pub ordinal: u64,
    /// What could not be done beside it: a mirror that was not written.
    pub warnings: Vec<StoryError>,
}

/// A plan in progress, or cut off.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// What it was begun with. `plan.record` is the latest, and `steps` are in the order in which they
    /// came to be over.
    pub content: JournalContent,
    /// The plan's number in the story.
    pub ordinal: u64,
    /// The turn that it goes on from; none for the first.
    pub head: Option<TurnId>,
    /// Whether the story has another head by now. Such a journal can only be dropped.
    pub is_stale: bool,
}

impl JournalContent {
    /// All plans of the turn, in order.
    pub(super) fn plans(&self) -> impl Iterator<Item = &PlanRow> {
        self.earlier.iter().chain([&self.plan])
    }
}

impl Story {
    /// Writes down that a plan begins. The next plan of the same turn takes its place: what is in
    /// `begin.steps` stays done.
    ///
    /// # Errors
    ///
    /// [`StoryError::Unfinished`] or [`StoryError::Stale`] when another plan was cut off and is still
    /// there, [`StoryError::PlanRunning`] when one is running elsewhere.
    pub fn journal_begin(&mut self, begin: &JournalContent) -> Result<JournalReceipt, StoryError> {
        let texts = encode_journal(begin)?;
        check_count("plans", begin.earlier.len() + 1, JOURNAL_PLANS_MAX)?;
        check_count("steps", begin.steps.len(), STEPS_MAX)?;
        let is_owned = self.lock.is_some();
        let lock = self.take_lock()?;
        let (db, name, known) = (&self.db, &self.name, self.head);
        let ordinals = format::with_relaxed_sync(&mut self.conn, db, |tx| {
            let failed = |source| StoryError::from_sqlite("write", db, source);
            let head = check_head(tx, db, name, known)?;
            if !is_owned && let Some(cut_off) = unfinished_error(tx, db, head)? {
                return Err(cut_off);
            }
            let ids = || begin.plans().map(|plan| plan.id.as_str());
            if let Some(id) = plans::find_taken_id(tx, ids()).map_err(failed)? {
                return Err(StoryError::PlanIdTaken { id });
            }
            let ordinals = plans::assign_ordinals(tx, ids()).map_err(failed)?;
            delete_journal(tx).map_err(failed)?;
            insert_begin(tx, begin, head, &texts.extra).map_err(failed)?;
            for ((plan, texts), ordinal) in begin.plans().zip(&texts.plans).zip(&ordinals) {
                insert_plan(tx, &PlanTable::Journal, *ordinal, plan, texts).map_err(failed)?;
            }
            for (step, text) in begin.steps.iter().zip(&texts.steps) {
                put_step(tx, &step.tool_id, text).map_err(failed)?;
            }
            Ok(ordinals)
        });
        if is_owned || ordinals.is_ok() {
            self.lock = Some(lock);
        }
        let ordinals = ordinals?;
        let mut exports = export::ExportFolder::open(&self.folder);
        for (plan, ordinal) in begin.plans().zip(&ordinals) {
            exports.write(*ordinal, &export::export_plan(plan, *ordinal, self.turns + 1));
        }
        let ordinal = ordinals.last().copied().unwrap_or_default();
        Ok(JournalReceipt { ordinal, warnings: exports.warnings() })
    }

    /// Writes down that a step of the plan is over, and the plan's record by now. To say so again changes
    /// what is said, not the order.
    pub fn journal_step(
        &mut self,
        tool_id: &str,
        step: &Value,
        record: &PlanRecord,
    ) -> Result<(), StoryError> {
        self.journal_step_after(tool_id, step, record, || ())
    }

    /// [`Story::journal_step`], with something to do when all is written and nothing is committed.
    pub(super) fn journal_step_after(
        &mut self,
        tool_id: &str,
        step: &Value,
        record: &PlanRecord,
        before_commit: impl FnOnce(),
    ) -> Result<(), StoryError> {
        let (step, record_texts) = encode_step(tool_id, step, record)?;
        let (db, name, is_owned) = (&self.db, &self.name, self.lock.is_some());
        format::with_relaxed_sync(&mut self.conn, db, |tx| {
            let failed = |source| StoryError::from_sqlite("write", db, source);
            let sql = "SELECT plan FROM journal";
            let plan: Option<String> =
                tx.query_row(sql, [], |row| row.get(0)).optional().map_err(failed)?;
            if !is_owned || plan.as_ref() != Some(&record.id) {
                let (name, plan) = (name.clone(), quote(&record.id));
                return Err(StoryError::NotJournaled { name, plan, tool_id: quote(tool_id) });
            }
            put_step(tx, tool_id, &step).map_err(failed)?;
            put_record(tx, record, &record_texts).map_err(failed)?;
            let (count, bytes) = journal_size(tx).map_err(failed)?;
            check_count("steps", count, STEPS_MAX)?;
            if bytes > TURN_BYTES_MAX {
                return Err(StoryError::TurnTooBig { bytes, limit: TURN_BYTES_MAX });
            }
            before_commit();
            Ok(())
        })
    }

    /// The plan that is in progress or was cut off, whoever runs it.
    pub fn journal(&self) -> Result<Option<Journal>, StoryError> {
        let failed = |source| StoryError::from_sqlite("read", &self.db, source);
        // One look at the file, so that the rows belong together while another process writes.
        let tx = self.conn.unchecked_transaction().map_err(failed)?;
        read(&tx, &self.db)
    }

    /// Makes sure that nobody else runs a plan of this story right now.
    ///
    /// # Errors
    ///
    /// [`StoryError::PlanRunning`] when somebody does.
    pub fn check_not_running(&self) -> Result<(), StoryError> {
        match self.lock {
            Some(_) => Ok(()),
            None => PlanLock::acquire(&self.folder, &self.name).map(drop),
        }
    }

    /// Takes over the plan that was cut off, so that this story may go on with it.
    ///
    /// # Errors
    ///
    /// [`StoryError::PlanRunning`] when it was not cut off, [`StoryError::Stale`] when the story has gone
    /// another way since.
    pub fn journal_resume(&mut self) -> Result<Option<Journal>, StoryError> {
        let lock = self.take_lock()?;
        let Some(journal) = self.journal()? else { return Ok(None) };
        if journal.is_stale || journal.head != self.head {
            let (plan, prompt) = (journal.content.plan.id, quote(&journal.content.prompt));
            return Err(StoryError::PlanStale { plan, prompt });
        }
        self.lock = Some(lock);
        Ok(Some(journal))
    }

    /// Forgets the plan that is in progress here or was cut off. Whether there was one.
    ///
    /// # Errors
    ///
    /// [`StoryError::PlanRunning`] when it is running elsewhere.
    pub fn journal_drop(&mut self) -> Result<bool, StoryError> {
        let _lock = self.take_lock()?;
        let db = &self.db;
        let ordinals = format::with_relaxed_sync(&mut self.conn, db, |tx| {
            delete_journal(tx).map_err(|source| StoryError::from_sqlite("write", db, source))
        })?;
        let mut exports = export::ExportFolder::open(&self.folder);
        ordinals.iter().for_each(|ordinal| exports.remove(*ordinal));
        Ok(!ordinals.is_empty())
    }

    /// The lock out of its place: the one that this story has already, or else a new one.
    fn take_lock(&mut self) -> Result<PlanLock, StoryError> {
        match self.lock.take() {
            Some(lock) => Ok(lock),
            None => PlanLock::acquire(&self.folder, &self.name),
        }
    }
}

fn check_count(what: &'static str, count: usize, limit: usize) -> Result<(), StoryError> {
    if count > limit {
        return Err(StoryError::JournalTooLong { what, count, limit });
    }
    Ok(())
}

/// Refuses when there is a plan that a turn after `head` would lose.
pub(super) fn check_no_unfinished_plan(
    tx: &Transaction<'_>,
    db: &Path,
    folder: &Path,
    name: &StoryName,
    head: Option<i64>,
) -> Result<(), StoryError> {
    match unfinished_error(tx, db, head)? {
        // The story has moved on without it already; one turn more takes nothing from it.
        None | Some(StoryError::PlanStale { .. }) => Ok(()),
        Some(error) => {
            PlanLock::acquire(folder, name)?;
            Err(error)
        }
    }
}

/// The error for the journal that is there, if nobody runs it.
fn unfinished_error(
    tx: &Transaction<'_>,
    db: &Path,
    head: Option<i64>,
) -> Result<Option<StoryError>, StoryError> {
    let found = rows(tx, db, "`journal`", "SELECT head, plan, prompt FROM journal", [], |row| {
        let from: Option<i64> = row.get("head")?;
        let (plan, prompt) = (quote(&text(row, "plan")?), quote(&text(row, "prompt")?));
        Ok(match from == head {
            true => StoryError::PlanUnfinished { plan, prompt },
            false => StoryError::PlanStale { plan, prompt },
        })
    })?;
    Ok(found.into_iter().next())
}

/// Deletes the journal. Gives the ordinals of its plans.
pub(super) fn delete_journal(tx: &Transaction<'_>) -> rusqlite::Result<Vec<u64>> {
    let mut select = tx.prepare_cached("SELECT ordinal FROM journal_plans ORDER BY ordinal")?;
    let ordinals = select.query_map([], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
    let ordinals = ordinals.collect::<rusqlite::Result<_>>()?;
    for table in ["journal", "journal_plans", "journal_steps"] {
        tx.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
    }
    Ok(ordinals)
}

fn insert_begin(
    tx: &Transaction<'_>,
    begin: &JournalContent,
    head: Option<i64>,
    extra: &str,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO journal (only, head, plan, prompt, seed, started_at, extra)
        VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)";
    tx.prepare_cached(sql)?.execute(params![
        head,
        begin.plan.id,
        begin.prompt,
        begin.seed.to_string(),
        begin.started_at.to_string(),
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
    texts: &RecordColumns,
) -> rusqlite::Result<()> {
    let sql = "
        UPDATE journal_plans
        SET record = ?2, version = ?3, updated_at = ?4, changes = ?5, reasoning = ?6
        WHERE id = ?1";
    tx.prepare_cached(sql)?.execute(params![
        record.id,
        texts.record,
        texts.version,
        texts.updated_at,
        texts.changes,
        texts.reasoning,
    ])?;
    Ok(())
}

/// How many steps the journal has, and how long all its steps and plans are.
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
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let damaged = |what| StoryError::JournalDamaged { path: db.to_owned(), what };
    let sql = "
        SELECT journal.*, head.turn AS now FROM journal, head";
    let found = rows(conn, db, "`journal`", sql, [], |row| {
        let (from, now): (Option<i64>, Option<i64>) = (row.get("head")?, row.get("now")?);
        let begun = (
            text(row, "prompt")?,
            parsed(row, "seed", str::parse::<u64>)?,
            parsed(row, "started_at", str::parse::<Timestamp>)?,
            json::<Value>(row, "extra")?,
        );
        Ok((from, now, text(row, "plan")?, begun))
    })?;
    let Some((from, now, id, begun)) = found.into_iter().next() else { return Ok(None) };
    // Before any of it is in memory.
    let (count, bytes) = journal_size(conn).map_err(failed)?;
    if count > STEPS_MAX || bytes > TURN_BYTES_MAX {
        let what = format!(
            "`journal_steps` has {count} rows and the journal {bytes} bytes, the limits are \
             {STEPS_MAX} and {TURN_BYTES_MAX}"
        );
        return Err(damaged(what));
    }
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
    let sql = "SELECT tool_id, step FROM journal_steps ORDER BY place";
    let steps = rows(conn, db, "`journal_steps`", sql, [], |row| {
        Ok(JournalStep { tool_id: text(row, "tool_id")?, step: json(row, "step")? })
    })?;
    let (prompt, seed, started_at, extra) = begun;
    let begun = JournalContent { prompt, seed, plan, earlier, steps, started_at, extra };
    Ok(Some(Journal { content: begun, ordinal, head: from.map(TurnId), is_stale: from != now }))
}

#[cfg(test)]
mod tests;
