//! An open story: its database, its head and its state. Opens it and runs transactions on it; the modules
//! that extend [`Story`] read and write the tables.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use rusqlite::{Connection, Row, ToSql, Transaction};

use crate::{
    BranchName, StoryError, StoryName, TurnId, TurnRecord, columns,
    encode::PlanColumns,
    fold::StateFold,
    folder::{self, DB_FILE, FOLDER},
    format::{self, Durability},
    listing::{empty_story_error, unknown_story_error},
    lock::{PlanLock, PlayLock},
    meaning_search::MeaningSearch,
    number_bounds::check_counters,
    older_records,
    recent_runs::RecentRuns,
    transaction_log::{LoggedStory, TransactionLog},
    unwritable::Unwritable,
};
use narratoria_protocol::StoryState;

/// Longest text of a state that is read and written: twice what skills may fill, so that a story of an older program,
/// whose skills could fill all of it, can be continued.
pub const STATE_FILE_BYTES_MAX: usize = 16 << 20;

/// An open story.
///
/// Invariant: `head` is the turn of `branch`, and `turns` and `state` are those of `head`, as the file has them. They change only after a
/// transaction is committed.
#[derive(Debug)]
pub struct Story {
    conn: Connection,
    db: PathBuf,
    folder: PathBuf,
    name: StoryName,
    branch: BranchName,
    head: Option<TurnId>,
    turns: u64,
    seed: u64,
    state: StoryState,
    /// How long scripts took in the newest plans.
    recent_runs: RecentRuns,
    /// Held from the start of a plan to the end of its turn.
    lock: Option<PlanLock>,
    /// Held by a process that plays the story.
    play_lock: Option<PlayLock>,
    /// Why the story cannot be written; `None` if it can be played.
    unwritable: Option<Unwritable>,
    /// Finds memories by their meaning, if there is a model for it.
    meaning: Option<Arc<dyn MeaningSearch>>,
    /// Takes every change before it is committed, if the story is hosted.
    log: Option<Box<dyn TransactionLog>>,
}

/// A write transaction on the story's database.
pub(crate) struct StoryTransaction<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    pub(crate) db: &'a Path,
    pub(crate) folder: &'a Path,
    pub(crate) name: &'a StoryName,
    /// The branch and its head as this process last read them.
    known_head: (&'a BranchName, Option<TurnId>),
}

impl Story {
    /// Opens the story `name` under `root` at its head, or creates it.
    ///
    /// A new story stores `opened_at` and `seed`; an existing one has its own.
    pub fn open(
        root: &Path,
        name: &StoryName,
        opened_at: Timestamp,
        seed: u64,
    ) -> Result<Story, StoryError> {
        let folder = root.join(name.as_str());
        folder::create(root, &folder)?;
        let db = folder.join(DB_FILE);
        let conn = format::open(&db, opened_at, seed)?;
        older_records::put_aside(&conn, &db, &folder)?;
        Story::resume(conn, db, folder, name)
    }

    /// Opens an existing story, for queries or to resume its plan. Creates nothing.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::UnknownStory`] if it does not exist.
    pub fn open_existing(root: &Path, name: &StoryName) -> Result<Story, StoryError> {
        let (conn, db, folder, unwritable) = connect_existing(root, name)?;
        let story = Story::resume(conn, db, folder, name)?;
        Ok(Story { unwritable, ..story })
    }

    /// Opens an existing story even if its state is damaged; `read` reads what is readable.
    pub(crate) fn open_damaged<T>(
        root: &Path,
        name: &StoryName,
        read: impl FnOnce(&StateFold) -> (StoryState, T),
    ) -> Result<(Story, T), StoryError> {
        let (conn, db, folder, unwritable) = connect_existing(root, name)?;
        let (story, fold) = Story::resume_with(conn, db, folder, name)?;
        let (state, read) = read(&fold);
        Ok((Story { state, unwritable, ..story }, read))
    }

    /// Keeps other processes from playing or changing the story until this value is dropped. They may still read it.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlayedElsewhere`] with the process that already does; [`StoryError::ReadOnly`].
    pub fn hold(&mut self, since: Timestamp) -> Result<(), StoryError> {
        // On a full disk a story can still be renamed or deleted.
        if let Some(Unwritable::ReadOnly) = self.unwritable {
            return self.check_writable();
        }
        if self.play_lock.is_none() {
            self.play_lock = Some(PlayLock::acquire(&self.folder, &self.name, since)?);
        }
        Ok(())
    }

    fn check_writable(&self) -> Result<(), StoryError> {
        self.unwritable.map_or(Ok(()), |why| Err(why.error(&self.db)))
    }

    pub(crate) fn set_log(&mut self, log: Box<dyn TransactionLog>) {
        self.log = Some(log);
    }

    pub(crate) fn detach_log(&mut self) {
        self.log = None;
    }

    pub(crate) fn set_meaning(&mut self, meaning: Arc<dyn MeaningSearch>) {
        self.meaning = Some(meaning);
    }

    pub(crate) fn meaning(&self) -> Option<&dyn MeaningSearch> {
        self.meaning.as_deref()
    }

    pub(crate) fn shared_meaning(&self) -> Option<Arc<dyn MeaningSearch>> {
        self.meaning.clone()
    }

    /// Returns true if this value has begun or resumed a plan whose turn is unfinished.
    pub fn holds_plan(&self) -> bool {
        self.has_lock()
    }

    /// The state after the last turn.
    pub fn state(&self) -> &StoryState {
        &self.state
    }

    /// The number of turns from the beginning to the head.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The last turn; `None` before the first.
    pub fn head(&self) -> Option<TurnId> {
        self.head
    }

    /// Returns the current branch.
    pub fn branch(&self) -> &BranchName {
        &self.branch
    }

    /// The story's seed, from which the seeds of all turns follow.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn name(&self) -> &StoryName {
        &self.name
    }

    /// The folder with the database and the other files of the story.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn recent_runs(&self) -> &RecentRuns {
        &self.recent_runs
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }

    pub(crate) fn db(&self) -> &Path {
        &self.db
    }

    /// Reads all rows of a query, see [`columns::rows`].
    pub(crate) fn rows<T>(
        &self,
        what: &str,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoryError> {
        columns::rows(&self.conn, &self.db, what, sql, params, read)
    }

    /// Runs `work` in a write transaction, and commits if it succeeds.
    pub(crate) fn write<T>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&StoryTransaction<'_>) -> Result<T, StoryError>,
    ) -> Result<T, StoryError> {
        self.check_writable()?;
        let Story { conn, db, folder, name, branch, head, log, .. } = self;
        let (db, folder, name) = (db.as_path(), folder.as_path(), &*name);
        let known_head = (&*branch, *head);
        let work =
            |tx: &Transaction<'_>| work(&StoryTransaction { tx, db, folder, name, known_head });
        match log {
            None => format::write(conn, db, durability, work),
            Some(log) => {
                let story = LoggedStory { db, folder, name };
                // The log keeps the change through a power failure, so the file need not.
                let written = format::write(conn, db, Durability::Process, |tx| {
                    log.begin(tx, story)?;
                    let done = work(tx)?;
                    log.admit(tx, story)?;
                    Ok(done)
                });
                log.ended(written.is_ok());
                written
            }
        }
    }

    /// Moves on to a committed turn, and releases the lock of its plan.
    pub(crate) fn advance(
        &mut self,
        head: TurnId,
        turns: u64,
        turn: &TurnRecord,
        plans: &[PlanColumns],
    ) {
        (self.head, self.turns) = (Some(head), turns);
        turn.patches.iter().for_each(|patch| self.state.apply(patch));
        let results = turn.plans.iter().zip(plans).filter_map(|(plan, columns)| {
            Some((plan.result.as_ref()?, columns.result.as_ref()?.len()))
        });
        self.recent_runs.add(results);
        self.release_lock();
    }

    /// Releases the lock of a plan whose turn has ended.
    pub(crate) fn release_lock(&mut self) {
        self.lock = None;
    }

    /// Moves to a turn that has become the head in the file.
    pub(crate) fn set_head(&mut self, head: Option<TurnId>, turns: u64, state: StoryState) {
        self.head = head;
        self.turns = turns;
        self.state = state;
    }

    /// Sets the branch that has become the current one in the file.
    pub(crate) fn set_branch(&mut self, branch: BranchName) {
        self.branch = branch;
    }

    /// Runs statements on the branches in one transaction, if no other process has moved the head.
    pub(crate) fn change_branches(
        &mut self,
        statements: &[(&str, &[&dyn ToSql])],
    ) -> Result<(), StoryError> {
        self.write(Durability::Disk, |story| {
            story.check_head()?;
            for (sql, params) in statements {
                story.tx.execute(sql, *params).map_err(|source| story.failed(source))?;
            }
            Ok(())
        })
    }

    /// True if this story holds the lock of the running plan.
    pub(crate) fn has_lock(&self) -> bool {
        self.lock.is_some()
    }

    /// Takes the lock out of the story, or acquires it if the story does not hold it.
    pub(crate) fn take_lock(&mut self) -> Result<PlanLock, StoryError> {
        match self.lock.take() {
            Some(lock) => Ok(lock),
            None => PlanLock::acquire(&self.folder, &self.name),
        }
    }

    pub(crate) fn put_lock(&mut self, lock: PlanLock) {
        self.lock = Some(lock);
    }

    pub(crate) fn damaged(&self, what: String) -> StoryError {
        StoryError::Damaged { path: self.db.clone(), what }
    }

    pub(crate) fn unknown_turn(&self, turn: TurnId) -> StoryError {
        StoryError::UnknownTurn { name: self.name.clone(), turn }
    }

    /// Reads seed, head and state from the file.
    fn resume(
        conn: Connection,
        db: PathBuf,
        folder: PathBuf,
        name: &StoryName,
    ) -> Result<Story, StoryError> {
        check_counters(&conn, &db)?;
        let (story, fold) = Story::resume_with(conn, db, folder, name)?;
        let bytes = fold.snapshot.as_ref().map_or(0, String::len);
        if bytes > STATE_FILE_BYTES_MAX {
            return Err(story.unreadable(format!(
                "it is {bytes} bytes long, the limit is {STATE_FILE_BYTES_MAX}"
            )));
        }
        let state = fold.state().map_err(|fault| story.unreadable(fault.what))?;
        Ok(Story { state, ..story })
    }

    pub(crate) fn unreadable(&self, what: String) -> StoryError {
        StoryError::StateUnreadable { path: self.db.clone(), name: self.name.clone(), what }
    }

    /// Reads a story without its state, and the texts of the state.
    fn resume_with(
        conn: Connection,
        db: PathBuf,
        folder: PathBuf,
        name: &StoryName,
    ) -> Result<(Story, StateFold), StoryError> {
        let failed = |source| StoryError::from_sqlite("read", &db, source);
        let damaged = |what| StoryError::Damaged { path: db.clone(), what };
        let seed: String = conn
            .query_one("SELECT value FROM meta WHERE key = 'seed'", [], |row| row.get(0))
            .map_err(failed)?;
        let sql = "SELECT head.branch, head.turn, coalesce(turns.depth, 0)
                   FROM head LEFT JOIN turns ON turns.id = head.turn";
        let (branch, head, depth): (String, Option<i64>, i64) = conn
            .query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(failed)?;
        let seed = seed.parse().map_err(|_| damaged(format!("its seed is `{seed}`")))?;
        let turns = depth.try_into().map_err(|_| damaged(format!("its depth is {depth}")))?;
        let (head, branch) = (head.map(TurnId), BranchName::stored(branch));
        let fold = StateFold::read(&conn, &db, head)?;
        let fold = fold.ok_or_else(|| damaged("its last turn is missing".to_owned()))?;
        let (name, state) = (name.clone(), StoryState::default());
        let recent_runs = RecentRuns::default();
        let (lock, play_lock) = (None, None);
        let story = Story {
            conn,
            db,
            folder,
            name,
            branch,
            head,
            turns,
            seed,
            state,
            recent_runs,
            lock,
            play_lock,
            unwritable: None,
            meaning: None,
            log: None,
        };
        Ok((story, fold))
    }
}

impl StoryTransaction<'_> {
    /// Returns the head in the file. Returns an error if another process has moved it.
    pub(crate) fn check_head(&self) -> Result<Option<i64>, StoryError> {
        let (branch, head): (String, Option<i64>) = self
            .tx
            .query_one("SELECT branch, turn FROM head", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|source| StoryError::from_sqlite("read", self.db, source))?;
        let (known_branch, known_head) = self.known_head;
        match branch == known_branch.as_str() && head == known_head.map(TurnId::get) {
            true => Ok(head),
            false => Err(StoryError::HeadMoved { name: self.name.clone() }),
        }
    }

    pub(crate) fn failed(&self, source: rusqlite::Error) -> StoryError {
        StoryError::from_sqlite("write", self.db, source)
    }
}

/// Connects to the database of an existing story. Creates nothing.
fn connect_existing(
    root: &Path,
    name: &StoryName,
) -> Result<(Connection, PathBuf, PathBuf, Option<Unwritable>), StoryError> {
    let folder = root.join(name.as_str());
    let db = folder.join(DB_FILE);
    match folder::kind(&folder)? {
        Some(FOLDER) => {}
        Some(found) => {
            let path = folder;
            return Err(StoryError::WrongKind { path, found, expected: FOLDER });
        }
        None => return Err(unknown_story_error(root, name)),
    }
    if folder::is_missing_or_empty(&db) {
        folder::check_not_lost(&db)?;
    }
    if folder::kind(&db)?.is_none() {
        return Err(unknown_story_error(root, name));
    }
    // A process that died while it created the story left an empty file.
    match format::open_existing(&db)? {
        Some((conn, unwritable)) => Ok((conn, db, folder, unwritable)),
        None => Err(empty_story_error(root, name)),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process::Command};

    use serde_json::{Value, json};

    use super::*;
    use crate::{TurnOutcome, TurnRecord};

    /// Set in the child process of the crash test: the folder of the story.
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
            seed: 7,
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn open(root: &Path) -> Story {
        let name = StoryName::parse("crash").unwrap();
        Story::open(root, &name, Timestamp::UNIX_EPOCH, 7).unwrap()
    }

    /// docs/architecture.md, "The story": a crash in mid-turn leaves the story as it was before the turn.
    ///
    /// The test runs itself a second time, as a process that dies when everything is written and nothing is
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
        // The next turn continues from there.
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
        insta::assert_snapshot!(refused(&mut story), @"`ROOT/crash/story.db` or its folder is read-only; make both writable to play the story, `narratoria story show` and the other readers need no more");
        story.conn.pragma_update(None, "query_only", false).unwrap();
        story.commit(&turn("one", String::new())).unwrap();
        assert_eq!(open(root.path()).turns(), 1);
    }
}
