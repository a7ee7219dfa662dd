//! One open story: opens it where it was left, and adds turns to it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, Transaction, ffi};

use super::{
    PlanRow, STATE_BYTES_MAX, StoryError, StoryName, StoryState, TurnId, TurnRecord,
    encode::{PlanColumns, encode},
    export, format,
    insert::{PlanTable, insert_assets, insert_plan, insert_turn, move_head},
    journal,
    listing::{empty_story_error, unknown_story_error},
    lock::PlanLock,
    plans, skill_store,
};

/// A turn of a depth that this number divides leaves a snapshot, so that [`Story::state_at`] merges the
/// patches of at most that many turns, while the snapshots cost a small part of what the turns do.
pub const SNAPSHOT_EVERY: u64 = 32;

/// In the story's folder.
pub(super) const DB_FILE: &str = "story.db";

/// An open story.
///
/// Invariant: `turns` and `state` are those of `head`, as the file has them. They change only after a
/// transaction has been committed.
#[derive(Debug)]
pub struct Story {
    pub(super) conn: Connection,
    pub(super) db: PathBuf,
    pub(super) name: StoryName,
    pub(super) head: Option<TurnId>,
    pub(super) folder: PathBuf,
    /// Held from the beginning of a plan to the end of its turn.
    pub(super) lock: Option<PlanLock>,
    pub(super) turns: u64,
    seed: u64,
    state: StoryState,
}

/// A turn that is kept.
#[derive(Debug)]
pub struct CommittedTurn {
    /// Which.
    pub turn: TurnId,
    /// What could not be done beside it: a mirror that was not written. The turn is kept all the same.
    pub warnings: Vec<StoryError>,
}

impl Story {
    /// Opens the story `name` under `root` where it was left, or begins it.
    ///
    /// `opened_at` and `seed` are kept if the story begins now; one that is there has its own.
    pub fn open(
        root: &Path,
        name: &StoryName,
        opened_at: Timestamp,
        seed: u64,
    ) -> Result<Story, StoryError> {
        let folder = root.join(name.as_str());
        make_folder(root, &folder)?;
        let db = folder.join(DB_FILE);
        let conn = format::open(&db, opened_at, seed)?;
        Story::resume(conn, db, folder, name)
    }

    /// Opens a story that is there, and makes nothing: for questions, and for going on with its plan.
    ///
    /// # Errors
    ///
    /// [`StoryError::UnknownStory`] when it is not there.
    pub fn open_existing(root: &Path, name: &StoryName) -> Result<Story, StoryError> {
        let folder = root.join(name.as_str());
        let db = folder.join(DB_FILE);
        match format::kind(&folder)? {
            Some(format::FOLDER) => {}
            Some(found) => {
                let path = folder;
                return Err(StoryError::WrongKind { path, found, expected: format::FOLDER });
            }
            None => return Err(unknown_story_error(root, name)),
        }
        if format::kind(&db)?.is_none() {
            return Err(unknown_story_error(root, name));
        }
        // A process that ended while it began the story leaves an empty file.
        let Some(conn) = format::open_existing(&db)? else {
            return Err(empty_story_error(root, name));
        };
        Story::resume(conn, db, folder, name)
    }

    /// Adds a turn after the head and moves the head to it: all of it, or nothing. The journal of the
    /// turn's plan ends with it.
    ///
    /// # Errors
    ///
    /// [`StoryError::Moved`] when another process has added one since this story was opened;
    /// [`StoryError::Unfinished`] and [`StoryError::PlanRunning`] when the journal is of a plan that this
    /// story has not begun; the limits; and what the file system does.
    pub fn commit(&mut self, turn: &TurnRecord) -> Result<CommittedTurn, StoryError> {
        self.commit_after(turn, || ())
    }

    /// [`Story::commit`], with something to do when all is written and nothing is committed: the moment
    /// at which a crash would hurt most.
    pub(super) fn commit_after(
        &mut self,
        turn: &TurnRecord,
        before_commit: impl FnOnce(),
    ) -> Result<CommittedTurn, StoryError> {
        let texts = encode(turn)?;
        let mut state = self.state.clone();
        for patch in &turn.patches {
            state.apply(patch);
        }
        let state_text = state.to_json();
        if state_text.len() > STATE_BYTES_MAX {
            let bytes = state_text.len();
            return Err(StoryError::StateTooBig { bytes, limit: STATE_BYTES_MAX });
        }
        let turns = self.turns + 1;

        let (db, name, owned) = (&self.db, &self.name, self.lock.is_some());
        let failed = |source| StoryError::from_sqlite("write", db, source);
        let tx = format::begin(&mut self.conn).map_err(failed)?;
        // Also the version: a newer program may have brought the file up to date under our feet.
        format::version(&tx, db)?;
        let head = check_head(&tx, db, name, self.head)?;
        if !owned {
            journal::check_no_unfinished_plan(&tx, db, &self.folder, name, head)?;
        }
        let id = insert_turn(&tx, turn, head, turns, &texts).map_err(failed)?;
        let ordinals = insert_plans(&tx, db, id, &turn.plans, &texts.plans)?;
        insert_assets(&tx, id, turn, &texts).map_err(failed)?;
        skill_store::write_stores(&tx, db, id, &turn.store_writes)?;
        move_head(&tx, id, turns, &state_text).map_err(failed)?;
        let dropped =
            if owned { journal::delete_journal(&tx).map_err(failed)? } else { Vec::new() };
        before_commit();
        // Before the turn is kept: should the process end in between, its journal is still there, and
        // whoever goes on with that or drops it puts the copies right. Afterwards nobody would.
        let dropped = dropped.into_iter().filter(|ordinal| !ordinals.contains(ordinal));
        let mut exports = export::ExportFolder::open(&self.folder);
        dropped.for_each(|ordinal| exports.remove(ordinal));
        for (plan, ordinal) in turn.plans.iter().zip(&ordinals) {
            exports.write(*ordinal, &export::export_plan(plan, *ordinal, turns));
        }
        tx.commit().map_err(failed)?;

        self.head = Some(id);
        self.turns = turns;
        self.state = state;
        self.lock = None;
        Ok(CommittedTurn { turn: id, warnings: exports.warnings() })
    }

    /// The state after the last turn.
    pub fn state(&self) -> &StoryState {
        &self.state
    }

    /// How many turns lead from the beginning to here.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The last turn; none before the first.
    pub fn head(&self) -> Option<TurnId> {
        self.head
    }

    /// The number that the story was begun with, from which its dice follow.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What it is called.
    pub fn name(&self) -> &StoryName {
        &self.name
    }

    /// Where it and its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes seed, head and state from the file.
    fn resume(
        conn: Connection,
        db: PathBuf,
        folder: PathBuf,
        name: &StoryName,
    ) -> Result<Story, StoryError> {
        let failed = |source| StoryError::from_sqlite("read", &db, source);
        let damaged = |what| StoryError::Damaged { path: db.clone(), what };
        let seed: String = conn
            .query_one("SELECT value FROM meta WHERE key = 'seed'", [], |row| row.get(0))
            .map_err(failed)?;
        let sql = "SELECT head.turn, coalesce(turns.depth, 0), head.state
                   FROM head LEFT JOIN turns ON turns.id = head.turn";
        let (head, depth, state): (Option<i64>, i64, String) = conn
            .query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(failed)?;
        if state.len() > STATE_BYTES_MAX {
            let bytes = state.len();
            return Err(damaged(format!(
                "its state is {bytes} bytes long, the limit is {STATE_BYTES_MAX}"
            )));
        }
        let seed = seed.parse().map_err(|_| damaged(format!("its seed is `{seed}`")))?;
        let turns = depth.try_into().map_err(|_| damaged(format!("its depth is {depth}")))?;
        let state =
            StoryState::parse(&state).map_err(|error| damaged(format!("its state: {error}")))?;
        let (head, name) = (head.map(TurnId), name.clone());
        Ok(Story { conn, db, name, head, folder, lock: None, turns, seed, state })
    }
}

/// The head, if it is the one that the caller knows.
pub(super) fn check_head(
    tx: &Transaction<'_>,
    db: &Path,
    name: &StoryName,
    known: Option<TurnId>,
) -> Result<Option<i64>, StoryError> {
    let head = tx
        .query_one("SELECT turn FROM head", [], |row| row.get(0))
        .map_err(|source| StoryError::from_sqlite("read", db, source))?;
    match head == known.map(TurnId::get) {
        true => Ok(head),
        false => Err(StoryError::HeadMoved { name: name.clone() }),
    }
}

/// Writes the plans of a turn and says which ordinal each has: the one under which it was journaled, or
/// the next.
fn insert_plans(
    tx: &Transaction<'_>,
    db: &Path,
    turn: TurnId,
    rows: &[PlanRow],
    texts: &[PlanColumns],
) -> Result<Vec<u64>, StoryError> {
    let failed = |source| StoryError::from_sqlite("write", db, source);
    let ordinals =
        plans::assign_ordinals(tx, rows.iter().map(|plan| plan.id.as_str())).map_err(failed)?;
    for ((plan, texts), ordinal) in rows.iter().zip(texts).zip(&ordinals) {
        insert_plan(tx, &PlanTable::Plans(turn), *ordinal, plan, texts).map_err(|source| {
            match &source {
                rusqlite::Error::SqliteFailure(why, _)
                    if why.code == ErrorCode::ConstraintViolation
                        && why.extended_code != ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
                {
                    StoryError::PlanIdTaken { id: plan.id.clone() }
                }
                _ => failed(source),
            }
        })?;
    }
    Ok(ordinals)
}

fn make_folder(root: &Path, folder: &Path) -> Result<(), StoryError> {
    let failed = |path: &Path, source| {
        let path = path.to_owned();
        Err(StoryError::Io { action: "create the folder", path, source })
    };
    if let Err(error) = fs::create_dir_all(root) {
        return failed(root, error);
    }
    match format::kind(folder)? {
        Some(format::FOLDER) => Ok(()),
        Some(found) => {
            let path = folder.to_owned();
            Err(StoryError::WrongKind { path, found, expected: format::FOLDER })
        }
        None => match fs::create_dir(folder) {
            // Another process begins the same story.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => failed(folder, error),
            Ok(()) => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command};

    use serde_json::{Value, json};

    use super::*;
    use crate::TurnOutcome;

    /// In the child of the crash test: where the story is.
    const CRASH_IN: &str = "NARRATORIA_TEST_CRASH_IN";

    fn turn(prompt: &str, narration: String) -> TurnRecord {
        TurnRecord {
            prompt: prompt.to_owned(),
            narration,
            outcome: TurnOutcome::Narrated,
            choices: Vec::new(),
            patches: vec![json!({"last": prompt}).as_object().unwrap().clone()],
            plans: Vec::new(),
            assets: Vec::new(),
            store_writes: Vec::new(),
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn open(root: &Path) -> Story {
        let name = StoryName::parse("crash").unwrap();
        Story::open(root, &name, Timestamp::UNIX_EPOCH, 7).unwrap()
    }

    /// DESIGN §6: a crash in mid-turn leaves the story as it was before it.
    ///
    /// Runs itself a second time, as a process that dies when everything is written and nothing is
    /// committed. The turn is larger than SQLite's cache, so that most of it is in the file by then.
    #[test]
    fn a_crash_in_mid_turn_leaves_the_story_as_it_was() {
        let crashing = || turn("two", "long ".repeat(2 << 20));
        if let Some(root) = env::var_os(CRASH_IN) {
            open(Path::new(&root)).commit_after(&crashing(), || std::process::abort()).unwrap();
            unreachable!("the process has ended");
        }

        let root = tempfile::tempdir().unwrap();
        open(root.path()).commit(&turn("one", String::new())).unwrap();
        let itself = "store::tests::a_crash_in_mid_turn_leaves_the_story_as_it_was";
        let child = Command::new(env::current_exe().unwrap())
            .args([itself, "--exact", "--nocapture"])
            .env(CRASH_IN, root.path())
            .output()
            .unwrap();
        assert!(!child.status.success());
        #[cfg(unix)]
        assert_eq!(child.status.code(), None, "a signal ended it");
        assert!(!String::from_utf8_lossy(&child.stderr).contains("panicked"), "{child:?}");
        let half = fs::metadata(root.path().join("crash/story.db-wal")).unwrap().len();
        assert!(half > 4 << 20, "the crash came before the turn was written: {half} bytes");

        let mut story = open(root.path());
        assert_eq!(story.turns(), 1);
        assert_eq!(Value::Object(story.state().as_object().clone()), json!({"last": "one"}));
        assert_eq!(story.recent_turns(9).unwrap().len(), 1);
        // And it goes on from there.
        story.commit(&crashing()).unwrap();
        assert_eq!(open(root.path()).turns(), 2);
    }

    #[test]
    fn a_turn_that_cannot_be_written_now_can_be_written_later() {
        let root = tempfile::tempdir().unwrap();
        let (mut story, mut other) = (open(root.path()), open(root.path()));
        let refused = |story: &mut Story| {
            let error = story.commit(&turn("one", String::new())).unwrap_err().to_string();
            assert_eq!((story.turns(), story.state()), (0, &StoryState::default()));
            error.replace(&root.path().display().to_string(), "ROOT")
        };
        story.conn.busy_timeout(std::time::Duration::ZERO).unwrap();
        let writing = format::begin(&mut other.conn).unwrap();
        insta::assert_snapshot!(refused(&mut story), @"`ROOT/crash/story.db` is in use by another program; close that and try again");
        drop(writing);
        story.conn.pragma_update(None, "query_only", true).unwrap();
        insta::assert_snapshot!(refused(&mut story), @"`ROOT/crash/story.db` is read-only; make it writable to play it");
        story.conn.pragma_update(None, "query_only", false).unwrap();
        story.commit(&turn("one", String::new())).unwrap();
        assert_eq!(open(root.path()).turns(), 1);
    }
}
