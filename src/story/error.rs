//! The errors of the store.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    BranchName, BranchNameError, StoryName, StoryNameError, TurnId, schema::FORMAT_VERSION,
};

/// The fault of a file that SQLite cannot read.
pub(crate) const NOT_SQLITE: &str = "it is not an SQLite file";

/// An error, the story or file that it concerns, and what the player can do about it.
///
/// After any of them the story is as it was before the call, in memory and on disk.
#[derive(Debug, thiserror::Error)]
pub enum StoryError {
    #[error(transparent)]
    BadName(#[from] StoryNameError),
    /// A file of another kind is in the place of the story's folder or of a file in it.
    #[error(
        "`{path}` is {found}, it must be {expected}; move it away or choose another story's name"
    )]
    WrongKind { path: PathBuf, found: &'static str, expected: &'static str },
    #[error("cannot {action} `{path}`")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// The file belongs to another program. The store has not touched it.
    #[error("`{path}` is not a story: {what}; move it away or choose another story's name")]
    NotAStory { path: PathBuf, what: String },
    /// A newer program wrote the file, and this one would lose a part of it.
    #[error(
        "`{path}` has story format {found}, this program reads up to {FORMAT_VERSION}; use a newer narratoria to play it"
    )]
    NewerFormat { path: PathBuf, found: i64 },
    /// A story with values that this program never writes.
    #[error(
        "`{path}` is damaged: {what}; `narratoria story restore {} FILE` puts a copy in its place",
        story_of(path)
    )]
    Damaged { path: PathBuf, what: String },
    /// The log of a hosted story did not take a change, so the story does not have it either.
    #[error("the change of the story `{name}` is not stored: {what}")]
    NotLogged { name: StoryName, what: String },
    /// The turns can be read, but not the state.
    #[error(
        "the state in `{path}` cannot be read: {what}; `narratoria story repair {name}` keeps what can be read"
    )]
    StateUnreadable { path: PathBuf, name: StoryName, what: String },
    /// A new story in this folder would replace the copies of the one that was here.
    #[error(
        "`{path}` is {found}, and its folder still has {left} of a story; `narratoria story restore {name} FILE` puts a copy of the database back, `narratoria story delete {name}` moves the rest to the trash"
    )]
    DatabaseLost {
        path: PathBuf,
        found: &'static str,
        /// Names of files and folders.
        left: String,
        /// The story's name.
        name: String,
    },
    /// The disk is full, a quota or a limit is reached, or the disk fails.
    #[error(
        "`{path}` cannot be written, the disk may be full; make room and try again, the story is as it was before"
    )]
    NotWritten { path: PathBuf, source: rusqlite::Error },
    #[error(
        "`{path}` or its folder is read-only; make both writable to play the story, `narratoria story show` and the other readers need no more"
    )]
    ReadOnly { path: PathBuf },
    /// Another process plays or changes the story.
    #[error(
        "the story `{name}` is open elsewhere ({holder}); leave it there first, or play another story with `narratoria run --story NAME`"
    )]
    PlayedElsewhere {
        name: StoryName,
        /// The process, and since when it has played the story.
        holder: String,
    },
    /// Another process is writing, and was not done within `BUSY_MAX`.
    #[error("`{path}` is in use by another program; close that and try again")]
    Busy { path: PathBuf },
    /// Another process has committed a turn since this one read the head.
    #[error(
        "the story `{name}` was played on elsewhere, so this turn is not kept; start again to go on from there"
    )]
    HeadMoved { name: StoryName },
    /// The time of a turn depends on the size of the state, so the size has a limit.
    #[error(
        "the turn would make the story's state {bytes} bytes long, the limit is {limit}; a skill must delete or replace what it no longer needs"
    )]
    StateTooBig {
        /// As compact JSON.
        bytes: usize,
        /// [`STATE_BYTES_MAX`](narratoria_protocol::STATE_BYTES_MAX) or [`STATE_FILE_BYTES_MAX`](crate::STATE_FILE_BYTES_MAX).
        limit: usize,
    },
    /// One turn must not fill the disk.
    #[error("the turn's record is {bytes} bytes long, the limit is {limit}")]
    TurnTooBig {
        /// The bytes of all columns of the turn together.
        bytes: usize,
        /// [`TURN_BYTES_MAX`](crate::TURN_BYTES_MAX).
        limit: usize,
    },
    #[error("the prompt is {bytes} bytes long, the limit is {limit}; shorten it")]
    PromptTooLong {
        bytes: usize,
        /// [`TURN_PROMPT_BYTES_MAX`](crate::TURN_PROMPT_BYTES_MAX).
        limit: usize,
    },
    /// JSON that is nested too deep can be written but not read back.
    #[error("{what} nests deeper than {limit} levels")]
    TooDeep {
        /// The part of the turn.
        what: &'static str,
        /// [`STATE_DEPTH_MAX`](narratoria_protocol::STATE_DEPTH_MAX).
        limit: usize,
    },
    #[error("the plan `{id}` is already in the story; a new plan needs a new id")]
    PlanIdTaken { id: String },
    /// The campaign of a story is chosen before its first turn.
    #[error(
        "the story `{name}` has begun, and a campaign begins a story; `narratoria campaign play NAME --story ANOTHER` begins one under another name"
    )]
    HasBegun { name: StoryName },
    #[error(transparent)]
    BadBranchName(#[from] BranchNameError),
    #[error("the story `{name}` has no branch `{branch}`; it has {known}")]
    UnknownBranch { name: StoryName, branch: BranchName, known: String },
    #[error("the story `{name}` has a branch `{branch}` already; take another name")]
    BranchTaken { name: StoryName, branch: BranchName },
    #[error("the branch `{branch}` is the one that is played; switch to another one first")]
    BranchPlayed { branch: BranchName },
    #[error("a story has at most {limit} branches; delete one first")]
    TooManyBranches { limit: usize },
    #[error("cannot undo {turns}: the story `{name}` has {there} turns before this point")]
    NothingToUndo { name: StoryName, turns: u64, there: u64 },
    #[error("cannot redo {turns}: {there} turns of the story `{name}` were undone at this point")]
    NothingToRedo { name: StoryName, turns: u64, there: u64 },
    #[error("the story `{name}` has no turn {turn}")]
    UnknownTurn { name: StoryName, turn: TurnId },
    /// A process ended while it ran a plan, and the journal has the finished steps.
    #[error(
        "the plan `{plan}` (\"{prompt}\") was cut off; `narratoria plan resume` goes on with it, `narratoria plan resume --drop` gives it up"
    )]
    PlanUnfinished {
        /// Its id.
        plan: String,
        /// Cut short.
        prompt: String,
    },
    /// An unfinished plan that continues an older turn than the head.
    #[error(
        "the plan `{plan}` (\"{prompt}\") was cut off, and the story has moved on without it; `narratoria plan resume --drop` gives it up"
    )]
    PlanStale {
        /// Its id.
        plan: String,
        /// Cut short.
        prompt: String,
    },
    /// The story's plan is running, in this process or in another.
    #[error("a plan of the story `{name}` is running elsewhere; wait for its end or stop it")]
    PlanRunning { name: StoryName },
    /// The journal has values that this program never writes. The story itself is intact.
    #[error(
        "the plan in progress in `{path}` is damaged: {what}; `narratoria plan resume --drop` gives it up"
    )]
    JournalDamaged { path: PathBuf, what: String },
    /// The step belongs to a plan that is not the one in progress.
    #[error(
        "step `{tool_id}` is of the plan `{plan}`, which is not the one in progress in the story `{name}`"
    )]
    NotJournaled { name: StoryName, plan: String, tool_id: String },
    /// A longer journal could not be read back.
    #[error("the plan in progress has {count} {what}, the limit is {limit}")]
    JournalTooLong {
        /// `plans` or `steps`.
        what: &'static str,
        count: usize,
        limit: usize,
    },
    /// All stores are in memory while a plan runs, so their size has a limit.
    #[error(
        "the turn would make the skills' stores {bytes} bytes long, the limit is {limit} for a story; the largest write is to `{key}` of `{skill}`, which must delete or replace what it no longer needs"
    )]
    StoresTooBig {
        /// The bytes of all names, keys and values.
        bytes: usize,
        /// [`STORES_BYTES_MAX`](narratoria_protocol::STORES_BYTES_MAX).
        limit: usize,
        /// The skill with the largest write of the turn.
        skill: String,
        key: String,
    },
    /// A turn would store an entity that is incomplete, or whose name is taken.
    #[error("the entity `{id}` cannot be stored: {why}")]
    EntityRefused {
        /// As given, cut short.
        id: String,
        why: String,
    },
    #[error(
        "the story would have {count} entities of the kind `{kind}`, the limit is {limit}; remove some first: `/memory forget ID`, `/memory unpin ID`"
    )]
    TooManyEntities { kind: &'static str, count: usize, limit: usize },
    #[error("the story's entities would be {bytes} bytes long, the limit is {limit}")]
    EntitiesTooBig {
        /// The bytes of all of them as JSON.
        bytes: usize,
        /// [`ENTITIES_BYTES_MAX`](narratoria_protocol::ENTITIES_BYTES_MAX).
        limit: usize,
    },
    #[error("the story `{name}` has no plan `{which}`: {instead}")]
    UnknownPlan {
        name: StoryName,
        /// As given, cut short.
        which: String,
        /// The last plan, and the forms that `which` may have.
        instead: String,
    },
    #[error("`{which}` is the beginning of more than one plan: {ids}; write more of it")]
    AmbiguousPlan {
        which: String,
        /// The first few of the plans.
        ids: String,
    },
    #[error("there is no story `{name}` in `{root}`: {instead}")]
    UnknownStory {
        name: StoryName,
        root: PathBuf,
        /// The nearest name, or some existing ones.
        instead: String,
    },
    /// Any other error of SQLite, such as a full or failing disk.
    #[error("cannot {action} `{path}`")]
    Sqlite { action: &'static str, path: PathBuf, source: rusqlite::Error },
}

impl StoryError {
    /// Translates an error of SQLite into its meaning for a player.
    pub(crate) fn from_sqlite(
        action: &'static str,
        path: &Path,
        source: rusqlite::Error,
    ) -> StoryError {
        use rusqlite::{Error, ErrorCode, ffi::SQLITE_ERROR};
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                return StoryError::NotAStory { path, what: NOT_SQLITE.to_owned() };
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                return StoryError::Busy { path };
            }
            Some(ErrorCode::ReadOnly) => return StoryError::ReadOnly { path },
            Some(ErrorCode::DiskFull) => return StoryError::NotWritten { path, source },
            Some(ErrorCode::SystemIoFailure) if is_write_failure(&source) => {
                return StoryError::NotWritten { path, source };
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                return StoryError::Damaged { path, what: source.to_string() };
            }
            // Only a statement that runs away is interrupted.
            Some(ErrorCode::OperationInterrupted) => {
                return StoryError::Damaged { path, what: "a query of it does not end".to_owned() };
            }
            _ => {}
        }
        match source {
            Error::FromSqlConversionFailure(_, _, why) => {
                StoryError::Damaged { path, what: why.to_string() }
            }
            Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => StoryError::Damaged { path, what: source.to_string() },
            Error::QueryReturnedNoRows => StoryError::Damaged {
                path,
                what: "a row that every story has is missing".to_owned(),
            },
            // The statements of this program match the format, so the file must differ from it.
            Error::SqliteFailure(
                rusqlite::ffi::Error { extended_code: SQLITE_ERROR, .. },
                Some(what),
            )
            | Error::SqlInputError { msg: what, .. } => StoryError::Damaged { path, what },
            source => StoryError::Sqlite { action, path, source },
        }
    }
}

/// Returns the name of the story whose folder has the file.
fn story_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().into_owned()
}

/// Returns true if the system refused to write: a limit on the length of files, a quota, or a failing disk.
fn is_write_failure(source: &rusqlite::Error) -> bool {
    use rusqlite::ffi;
    const CODES: [i32; 7] = [
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_IOERR_DIR_FSYNC,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_IOERR_SHMOPEN,
        ffi::SQLITE_IOERR_SHMSIZE,
        ffi::SQLITE_IOERR_SHMMAP,
    ];
    let code = match source {
        rusqlite::Error::SqliteFailure(why, _) => why.extended_code,
        _ => return false,
    };
    CODES.contains(&code)
}
