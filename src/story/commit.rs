//! Commits a turn: its rows, its part of the state and the stores, in one transaction.

use rusqlite::{ErrorCode, ffi};

use crate::{
    PlanRow, Story, StoryError, TurnId, TurnRecord, digests,
    encode::{PlanColumns, TurnColumns, encode},
    entities,
    fold::weigh_turn,
    format::{self, Durability},
    insert::{PlanTable, advance_branch, insert_assets, insert_plan, insert_turn},
    journal, plans, skill_store,
    store::{STATE_FILE_BYTES_MAX, StoryTransaction},
};
use narratoria_protocol::{STATE_BUILT_IN_BYTES_MAX, STATE_BYTES_MAX};

/// A turn that has become part of the story.
#[derive(Debug)]
pub struct CommittedTurn {
    pub turn: TurnId,
}

impl Story {
    /// Adds a turn after the head and moves the head to it: the whole turn, or nothing. Deletes the journal
    /// of the turn's plan. Writes and computes only the changes of the turn; the whole state goes only into a snapshot.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::HeadMoved`] if another process has added a turn since this story was opened;
    /// [`StoryError::PlanUnfinished`] and [`StoryError::PlanRunning`] if the journal has a plan that this
    /// story has not begun; an exceeded limit; an error of the file system.
    pub fn commit(&mut self, turn: &TurnRecord) -> Result<CommittedTurn, StoryError> {
        self.commit_after(turn, || ())
    }

    /// Records a turn that the player stopped, beside the head: its plans are kept and nothing else changes, so the
    /// next turn follows the same turn as this one. Deletes the journal of the turn's plan.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Story::commit`].
    pub fn commit_aside(&mut self, turn: &TurnRecord) -> Result<CommittedTurn, StoryError> {
        let columns = encode(turn)?;
        let (depth, has_lock) = (self.turns() + 1, self.has_lock());
        let id = self.write(Durability::Disk, |story| {
            let place = TurnPlace { depth, has_lock };
            let id = insert_rows(story, turn, place, &columns)?;
            digests::seal_turn(story.tx, id.get()).map_err(|source| story.failed(source))?;
            close_journal(story, place)?;
            Ok(id)
        })?;
        format::checkpoint(self.conn());
        self.release_lock();
        Ok(CommittedTurn { turn: id })
    }

    /// Does the same as [`Story::commit`], and calls `before_commit` when everything is written and nothing is
    /// committed: the moment at which a crash would do the most harm.
    pub(crate) fn commit_after(
        &mut self,
        turn: &TurnRecord,
        before_commit: impl FnOnce(),
    ) -> Result<CommittedTurn, StoryError> {
        let columns = encode(turn)?;
        let before = self.state().clone();
        let state_text = || {
            let mut state = before.clone();
            turn.patches.iter().for_each(|patch| state.apply(patch));
            state.to_json()
        };
        let bytes = self.state().whole_bytes_after(&turn.patches);
        // The executor has refused the steps that exceed a limit; this stops every other way to write a state.
        let limit = (self.state().bytes() + STATE_BUILT_IN_BYTES_MAX)
            .clamp(STATE_BYTES_MAX, STATE_FILE_BYTES_MAX);
        // This count may exceed the length of the text, and for the state of an older program even the limit.
        if bytes > limit {
            let bytes = state_text().len();
            if bytes > limit {
                return Err(StoryError::StateTooBig { bytes, limit });
            }
        }
        let (depth, has_lock) = (self.turns() + 1, self.has_lock());
        let id = self.write(Durability::Disk, |story| {
            let place = TurnPlace { depth, has_lock };
            let id = insert_rows(story, turn, place, &columns)?;
            skill_store::write_stores(story, id, &turn.store_writes)?;
            entities::write_entities(story, id, &turn.store_writes)?;
            let failed = |source| story.failed(source);
            weigh_turn(story.tx, id, columns.patches.len(), bytes, state_text).map_err(failed)?;
            digests::seal_turn(story.tx, id.get()).map_err(failed)?;
            advance_branch(story.tx, id).map_err(failed)?;
            close_journal(story, place)?;
            before_commit();
            Ok(id)
        })?;
        format::checkpoint(self.conn());
        // Now the story alone owns the state, so that the patches change it in place.
        drop(before);
        self.advance(id, depth, turn, &columns.plans);
        Ok(CommittedTurn { turn: id })
    }
}

/// The position of a turn that is about to be committed.
#[derive(Clone, Copy)]
struct TurnPlace {
    depth: u64,
    /// True if the story holds the lock of the turn's plan, so that the journal is that of the turn.
    has_lock: bool,
}

/// Inserts a turn after the head, with its plans and assets.
fn insert_rows(
    story: &StoryTransaction<'_>,
    turn: &TurnRecord,
    place: TurnPlace,
    columns: &TurnColumns,
) -> Result<TurnId, StoryError> {
    let failed = |source| story.failed(source);
    let head = story.check_head()?;
    if !place.has_lock {
        journal::check_no_unfinished_plan(story, head)?;
    }
    let id = insert_turn(story.tx, turn, head, place.depth, columns).map_err(failed)?;
    insert_plans(story, id, &turn.plans, &columns.plans)?;
    insert_assets(story.tx, id, turn, columns).map_err(failed)?;
    Ok(id)
}

/// Deletes the journal of the turn's plan.
fn close_journal(story: &StoryTransaction<'_>, place: TurnPlace) -> Result<(), StoryError> {
    if place.has_lock {
        journal::delete_journal(story.tx).map_err(|source| story.failed(source))?;
    }
    Ok(())
}

/// Inserts the plans of a turn, each with its ordinal from the journal or the next free one.
fn insert_plans(
    story: &StoryTransaction<'_>,
    turn: TurnId,
    rows: &[PlanRow],
    columns: &[PlanColumns],
) -> Result<(), StoryError> {
    let failed = |source| story.failed(source);
    let ids = rows.iter().map(|plan| plan.id.as_str());
    let ordinals = plans::assign_ordinals(story.tx, ids).map_err(failed)?;
    for ((plan, columns), ordinal) in rows.iter().zip(columns).zip(&ordinals) {
        insert_plan(story.tx, &PlanTable::Plans(turn), *ordinal, plan, columns).map_err(
            |source| match &source {
                rusqlite::Error::SqliteFailure(why, _)
                    if why.code == ErrorCode::ConstraintViolation
                        && why.extended_code != ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
                {
                    StoryError::PlanIdTaken { id: plan.id.clone() }
                }
                _ => failed(source),
            },
        )?;
    }
    Ok(())
}
