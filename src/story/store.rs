//! One open story: opens it where it was left, and adds turns to it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, ffi, params};

use super::{
    PlanRow, State, StoryError, StoryName, TurnId, TurnRecord,
    encode::{PlanTexts, Texts, encode},
    format,
    state::STATE_BYTES_MAX,
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
    folder: PathBuf,
    seed: u64,
    turns: u64,
    state: State,
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
        let mut story = Story {
            conn,
            db,
            name: name.clone(),
            head: None,
            folder,
            seed: 0,
            turns: 0,
            state: State::default(),
        };
        story.resume()?;
        Ok(story)
    }

    /// Adds a turn after the head and moves the head to it: all of it, or nothing.
    ///
    /// # Errors
    ///
    /// [`StoryError::Moved`] when another process has added one since this story was opened; the limits;
    /// and what the file system does.
    pub fn commit(&mut self, turn: &TurnRecord) -> Result<TurnId, StoryError> {
        self.commit_after(turn, || ())
    }

    /// [`Story::commit`], with something to do when all is written and nothing is committed: the moment
    /// at which a crash would hurt most.
    pub(super) fn commit_after(
        &mut self,
        turn: &TurnRecord,
        before_commit: impl FnOnce(),
    ) -> Result<TurnId, StoryError> {
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

        let db = &self.db;
        let failed = |source| StoryError::from_sqlite("write", db, source);
        let tx = format::begin(&mut self.conn).map_err(failed)?;
        // Also the version: a newer program may have brought the file up to date under our feet.
        format::version(&tx, db)?;
        let head = tx.query_one("SELECT turn FROM head", [], |row| row.get(0)).map_err(failed)?;
        if head != self.head.map(TurnId::get) {
            return Err(StoryError::Moved { name: self.name.clone() });
        }
        let id = insert_turn(&tx, turn, head, turns, &texts).map_err(failed)?;
        for (plan, texts) in turn.plans.iter().zip(&texts.plans) {
            insert_plan(&tx, id, plan, texts).map_err(|source| match &source {
                rusqlite::Error::SqliteFailure(why, _)
                    if why.extended_code == ffi::SQLITE_CONSTRAINT_PRIMARYKEY =>
                {
                    StoryError::PlanTaken { id: plan.id.clone() }
                }
                _ => failed(source),
            })?;
        }
        insert_assets(&tx, id, turn, &texts).map_err(failed)?;
        move_head(&tx, id, turns, &state_text).map_err(failed)?;
        before_commit();
        tx.commit().map_err(failed)?;

        self.head = Some(id);
        self.turns = turns;
        self.state = state;
        Ok(id)
    }

    /// The state after the last turn.
    pub fn state(&self) -> &State {
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
    fn resume(&mut self) -> Result<(), StoryError> {
        let db = &self.db;
        let failed = |source| StoryError::from_sqlite("read", db, source);
        let damaged = |what| StoryError::Damaged { path: db.clone(), what };
        let seed: String = self
            .conn
            .query_one("SELECT value FROM meta WHERE key = 'seed'", [], |row| row.get(0))
            .map_err(failed)?;
        let sql = "SELECT head.turn, coalesce(turns.depth, 0), head.state
                   FROM head LEFT JOIN turns ON turns.id = head.turn";
        let (head, depth, state): (Option<i64>, i64, String) = self
            .conn
            .query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(failed)?;
        if state.len() > STATE_BYTES_MAX {
            let bytes = state.len();
            return Err(damaged(format!(
                "its state is {bytes} bytes long, the limit is {STATE_BYTES_MAX}"
            )));
        }
        self.seed = seed.parse().map_err(|_| damaged(format!("its seed is `{seed}`")))?;
        self.head = head.map(TurnId);
        self.turns = depth.try_into().map_err(|_| damaged(format!("its depth is {depth}")))?;
        self.state =
            State::parse(&state).map_err(|error| damaged(format!("its state: {error}")))?;
        Ok(())
    }
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

fn insert_turn(
    tx: &Transaction<'_>,
    turn: &TurnRecord,
    parent: Option<i64>,
    depth: u64,
    texts: &Texts,
) -> rusqlite::Result<TurnId> {
    let sql = "
        INSERT INTO turns
            (parent, depth, prompt, narration, outcome, choices, patch, started_at, finished_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    tx.prepare_cached(sql)?.execute(params![
        parent,
        depth.cast_signed(),
        turn.prompt,
        turn.narration,
        turn.outcome.as_str(),
        texts.choices,
        texts.patches,
        turn.started_at.to_string(),
        turn.finished_at.to_string(),
    ])?;
    Ok(TurnId(tx.last_insert_rowid()))
}

fn insert_plan(
    tx: &Transaction<'_>,
    turn: TurnId,
    plan: &PlanRow,
    texts: &PlanTexts,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO plans
            (id, turn, attempt, parent_plan_id, planner, status, plan, result, errors, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    tx.prepare_cached(sql)?.execute(params![
        plan.id,
        turn.get(),
        plan.attempt,
        plan.parent_plan_id,
        plan.planner,
        plan.status.as_str(),
        texts.plan,
        texts.result,
        texts.errors,
        plan.created_at.to_string(),
    ])?;
    Ok(())
}

fn insert_assets(
    tx: &Transaction<'_>,
    id: TurnId,
    turn: &TurnRecord,
    texts: &Texts,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO assets (turn, plan, tool_id, asset_id, kind, media_type, path, metadata)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = tx.prepare_cached(sql)?;
    for (asset, metadata) in turn.assets.iter().zip(&texts.asset_metadata) {
        insert.execute(params![
            id.get(),
            asset.plan,
            asset.tool_id,
            asset.asset_id,
            asset.kind,
            asset.media_type,
            asset.path,
            metadata,
        ])?;
    }
    Ok(())
}

fn move_head(
    tx: &Transaction<'_>,
    turn: TurnId,
    depth: u64,
    state_text: &str,
) -> rusqlite::Result<()> {
    let to = params![turn.get(), state_text];
    tx.prepare_cached("UPDATE head SET turn = ?1, state = ?2")?.execute(to)?;
    if depth.is_multiple_of(SNAPSHOT_EVERY) {
        tx.prepare_cached("INSERT INTO snapshots (turn, state) VALUES (?1, ?2)")?.execute(to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command};

    use serde_json::{Value, json};

    use super::*;
    use crate::story::TurnOutcome;

    /// In the child of the crash test: where the story is.
    const CRASH_IN: &str = "NARRATORIA_TEST_CRASH_IN";

    fn turn(prompt: &str, narration: String) -> TurnRecord {
        TurnRecord {
            prompt: prompt.to_owned(),
            narration,
            outcome: TurnOutcome::Told,
            choices: Vec::new(),
            patches: vec![json!({"last": prompt}).as_object().unwrap().clone()],
            plans: Vec::new(),
            assets: Vec::new(),
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
        let itself = "story::store::tests::a_crash_in_mid_turn_leaves_the_story_as_it_was";
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
        assert_eq!(story.recent(9).unwrap().len(), 1);
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
            assert_eq!((story.turns(), story.state()), (0, &State::default()));
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
