//! Commits a turn: its rows, its part of the state and the stores, in one transaction.

use rusqlite::{ErrorCode, ffi};

use crate::{
    PlanRow, Story, StoryError, TurnId, TurnRecord,
    encode::{PlanColumns, TurnColumns, encode},
    export::{ExportFolder, export_plan},
    fold::weigh_turn,
    format::{self, Durability},
    insert::{PlanTable, advance_branch, insert_assets, insert_plan, insert_turn},
    journal, plans, skill_store,
    store::{STATE_FILE_BYTES_MAX, StoryTransaction},
};
use narratoria_protocol::{STATE_BUILT_IN_BYTES_MAX, STATE_BYTES_MAX};

/// A turn that is part of the story now.
#[derive(Debug)]
pub struct CommittedTurn {
    pub turn: TurnId,
    /// Copies of plans that could not be written. The turn is committed all the same.
    pub warnings: Vec<StoryError>,
}

impl Story {
    /// Adds a turn after the head and moves the head to it: the whole turn, or nothing. Deletes the journal
    /// of the turn's plan.
    ///
    /// # Errors
    ///
    /// [`StoryError::HeadMoved`] if another process has added a turn since this story was opened;
    /// [`StoryError::PlanUnfinished`] and [`StoryError::PlanRunning`] if the journal has a plan that this
    /// story has not begun; an exceeded limit; an error of the file system.
    pub fn commit(&mut self, turn: &TurnRecord) -> Result<CommittedTurn, StoryError> {
        self.commit_after(turn, || ())
    }

    /// Records a turn that the player stopped, beside the head: its plans are kept and nothing else changes, so the next
    /// turn follows the same turn as this one. Deletes the journal of the turn's plan.
    ///
    /// # Errors
    ///
    /// Those of [`Story::commit`].
    pub fn commit_aside(&mut self, turn: &TurnRecord) -> Result<CommittedTurn, StoryError> {
        let columns = encode(turn)?;
        let (depth, has_lock) = (self.turns() + 1, self.has_lock());
        let (id, warnings) = self.write(Durability::Disk, |story| {
            let place = TurnPlace { depth, has_lock };
            let (id, ordinals) = insert_rows(story, turn, place, &columns)?;
            Ok((id, close_journal(story, turn, place, &ordinals, || ())?))
        })?;
        format::checkpoint(self.conn());
        self.release_lock();
        Ok(CommittedTurn { turn: id, warnings })
    }

    /// [`Story::commit`] that calls `before_commit` when everything is written and nothing is committed: the
    /// moment at which a crash would hurt most.
    pub(crate) fn commit_after(
        &mut self,
        turn: &TurnRecord,
        before_commit: impl FnOnce(),
    ) -> Result<CommittedTurn, StoryError> {
        let columns = encode(turn)?;
        let mut state = self.state().clone();
        for patch in &turn.patches {
            state.apply(patch);
        }
        let state_text = state.to_json();
        // The executor has refused the steps that pass a limit; this stops every other way to write a state.
        let limit = (self.state().bytes() + STATE_BUILT_IN_BYTES_MAX)
            .clamp(STATE_BYTES_MAX, STATE_FILE_BYTES_MAX);
        if state_text.len() > limit {
            return Err(StoryError::StateTooBig { bytes: state_text.len(), limit });
        }
        let (depth, has_lock) = (self.turns() + 1, self.has_lock());
        let (id, warnings) = self.write(Durability::Disk, |story| {
            let place = TurnPlace { depth, has_lock };
            let (id, ordinals) = insert_rows(story, turn, place, &columns)?;
            skill_store::write_stores(story, id, &turn.store_writes)?;
            let failed = |source| story.failed(source);
            weigh_turn(story.tx, id, columns.patches.len(), &state_text).map_err(failed)?;
            advance_branch(story.tx, id).map_err(failed)?;
            Ok((id, close_journal(story, turn, place, &ordinals, before_commit)?))
        })?;
        format::checkpoint(self.conn());
        self.advance(id, depth, state);
        Ok(CommittedTurn { turn: id, warnings })
    }
}

/// The place of a turn that is about to be committed.
#[derive(Clone, Copy)]
struct TurnPlace {
    depth: u64,
    /// The story holds the lock of the turn's plan, so the journal is the turn's own.
    has_lock: bool,
}

/// Inserts a turn after the head, with its plans and assets. Returns the ordinals of the plans.
fn insert_rows(
    story: &StoryTransaction<'_>,
    turn: &TurnRecord,
    place: TurnPlace,
    columns: &TurnColumns,
) -> Result<(TurnId, Vec<u64>), StoryError> {
    let failed = |source| story.failed(source);
    let head = story.check_head()?;
    if !place.has_lock {
        journal::check_no_unfinished_plan(story, head)?;
    }
    let id = insert_turn(story.tx, turn, head, place.depth, columns).map_err(failed)?;
    let ordinals = insert_plans(story, id, &turn.plans, &columns.plans)?;
    insert_assets(story.tx, id, turn, columns).map_err(failed)?;
    Ok((id, ordinals))
}

/// Deletes the journal of the turn's plan and brings the copies of plans up to date. Returns what could not be written.
fn close_journal(
    story: &StoryTransaction<'_>,
    turn: &TurnRecord,
    place: TurnPlace,
    ordinals: &[u64],
    before_commit: impl FnOnce(),
) -> Result<Vec<StoryError>, StoryError> {
    let journaled = match place.has_lock {
        true => journal::delete_journal(story.tx).map_err(|source| story.failed(source))?,
        false => Vec::new(),
    };
    before_commit();
    // Before the commit: if the process dies in between, the journal still exists, and resuming or
    // dropping its plan corrects the copies. After the commit, nothing would correct them.
    let mut exports = ExportFolder::open(story.folder);
    let dropped = journaled.into_iter().filter(|ordinal| !ordinals.contains(ordinal));
    dropped.for_each(|ordinal| exports.remove(ordinal));
    for (plan, ordinal) in turn.plans.iter().zip(ordinals) {
        exports.write(*ordinal, &export_plan(plan, *ordinal, place.depth));
    }
    Ok(exports.warnings())
}

/// Inserts the plans of a turn. Returns the ordinal of each: the one under which it was journaled, or the
/// next free one.
fn insert_plans(
    story: &StoryTransaction<'_>,
    turn: TurnId,
    rows: &[PlanRow],
    columns: &[PlanColumns],
) -> Result<Vec<u64>, StoryError> {
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
    Ok(ordinals)
}
