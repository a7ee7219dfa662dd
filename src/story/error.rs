//! Every way in which the store can fail to do its job.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    StoryName, TurnId,
    format::{FORMAT_VERSION, NOT_SQLITE},
    name::NAME_CHARS_MAX,
};

/// What is wrong, with which story, and the way out.
///
/// After any of them the story is as it was before the call, in memory and on disk.
#[derive(Debug, thiserror::Error)]
pub enum StoryError {
    /// Not a name that every file system takes.
    #[error(
        "`{name}` is not a story's name: it must be 1 to {NAME_CHARS_MAX} of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `{suggestion}` would do"
    )]
    BadName {
        /// Cut short, without control characters.
        name: String,
        /// A name that is one.
        suggestion: String,
    },
    /// Something else is where the story's folder, or a file in it, should be.
    #[error(
        "`{path}` is {found}, it must be {expected}; move it away or choose another story's name"
    )]
    WrongKind {
        /// Where.
        path: PathBuf,
        /// What is there.
        found: &'static str,
        /// What should be.
        expected: &'static str,
    },
    /// The file system said no.
    #[error("cannot {action} `{path}`")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file of something else. It has not been touched.
    #[error("`{path}` is not a story: {what}; move it away or choose another story's name")]
    NotAStory {
        /// Where.
        path: PathBuf,
        /// What it is instead.
        what: String,
    },
    /// Written by a newer program, which knows things that this one would lose.
    #[error(
        "`{path}` has story format {found}, this program reads up to {FORMAT_VERSION}; use a newer narratoria to play it"
    )]
    NewerFormat {
        /// Where.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// A story, but not as this program writes it.
    #[error("`{path}` is damaged: {what}; restore it from a copy or choose another story's name")]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// The file may not be written to, and play writes.
    #[error("`{path}` is read-only; make it writable to play it")]
    ReadOnly {
        /// Where.
        path: PathBuf,
    },
    /// Another process is writing, and was not done within [`super::BUSY_MAX`].
    #[error("`{path}` is in use by another program; close that and try again")]
    Busy {
        /// Where.
        path: PathBuf,
    },
    /// Another process committed a turn since this one looked.
    #[error(
        "the story `{name}` was played on elsewhere, so this turn is not kept; start again to go on from there"
    )]
    HeadMoved {
        /// Which story.
        name: StoryName,
    },
    /// A state that grows without end would make every turn slower.
    #[error(
        "the turn would make the story's state {bytes} bytes long, the limit is {limit}; a skill must delete or replace what it no longer needs"
    )]
    StateTooBig {
        /// As compact JSON.
        bytes: usize,
        /// [`super::STATE_BYTES_MAX`].
        limit: usize,
    },
    /// One turn may not fill the disk.
    #[error("the turn's record is {bytes} bytes long, the limit is {limit}")]
    TurnTooBig {
        /// Everything that the turn stores, together.
        bytes: usize,
        /// [`super::TURN_BYTES_MAX`].
        limit: usize,
    },
    /// More than anybody types.
    #[error("the prompt is {bytes} bytes long, the limit is {limit}; shorten it")]
    PromptTooLong {
        /// In UTF-8.
        bytes: usize,
        /// [`super::PROMPT_BYTES_MAX`].
        limit: usize,
    },
    /// Could be written, but never read again.
    #[error("{what} nests deeper than {limit} levels")]
    TooDeep {
        /// Which part of the turn.
        what: &'static str,
        /// [`super::DEPTH_MAX`].
        limit: usize,
    },
    /// A plan's id names it for ever.
    #[error("the plan `{id}` is already in the story; a new plan needs a new id")]
    PlanIdTaken {
        /// The id.
        id: String,
    },
    /// No such turn.
    #[error("the story `{name}` has no turn {turn}")]
    UnknownTurn {
        /// Which story.
        name: StoryName,
        /// Which turn.
        turn: TurnId,
    },
    /// A plan was cut off in mid-run, and what it has done is kept.
    #[error(
        "the plan `{plan}` (\"{prompt}\") was cut off; `narratoria plan resume` goes on with it, `narratoria plan resume --drop` gives it up"
    )]
    PlanUnfinished {
        /// Its id.
        plan: String,
        /// What the player had typed, cut short.
        prompt: String,
    },
    /// As before, but the story has gone another way since.
    #[error(
        "the plan `{plan}` (\"{prompt}\") was cut off, and the story has moved on without it; `narratoria plan resume --drop` gives it up"
    )]
    PlanStale {
        /// Its id.
        plan: String,
        /// What the player had typed, cut short.
        prompt: String,
    },
    /// The story's plan is being run right now, here or in another process.
    #[error("a plan of the story `{name}` is running elsewhere; wait for its end or stop it")]
    PlanRunning {
        /// Which story.
        name: StoryName,
    },
    /// What was written of a running plan makes no sense. The story itself does.
    #[error(
        "the plan in progress in `{path}` is damaged: {what}; `narratoria plan resume --drop` gives it up"
    )]
    JournalDamaged {
        /// Where.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// A step of a plan that was never begun, or of another.
    #[error(
        "step `{tool_id}` is of the plan `{plan}`, which is not the one in progress in the story `{name}`"
    )]
    NotJournaled {
        /// Which story.
        name: StoryName,
        /// The plan.
        plan: String,
        /// The step.
        tool_id: String,
    },
    /// A turn that nobody could read again.
    #[error("the plan in progress has {count} {what}, the limit is {limit}")]
    JournalTooLong {
        /// Plans, or steps.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most there may be.
        limit: usize,
    },
    /// The stores of all skills together may not grow without end either.
    #[error(
        "the turn would make the skills' stores {bytes} bytes long, the limit is {limit} for a story; the largest write is to `{key}` of `{skill}`, which must delete or replace what it no longer needs"
    )]
    StoresTooBig {
        /// Names, keys and values of all of them.
        bytes: usize,
        /// [`super::STORE_BYTES_MAX`].
        limit: usize,
        /// Whose write is the largest of the turn.
        skill: String,
        /// Which.
        key: String,
    },
    /// No such plan.
    #[error("the story `{name}` has no plan `{which}`: {instead}")]
    UnknownPlan {
        /// Which story.
        name: StoryName,
        /// What was asked for, cut short.
        which: String,
        /// What there is, or what would be understood.
        instead: String,
    },
    /// More than one plan's id begins so.
    #[error("`{which}` is the beginning of more than one plan: {ids}; write more of it")]
    AmbiguousPlan {
        /// What was asked for.
        which: String,
        /// The first few of them.
        ids: String,
    },
    /// No such story.
    #[error("there is no story `{name}` in `{root}`: {instead}")]
    UnknownStory {
        /// What was asked for.
        name: StoryName,
        /// Where it was looked for.
        root: PathBuf,
        /// The nearest name, or those there are.
        instead: String,
    },
    /// Anything else that SQLite says: a full disk, a failing one.
    #[error("cannot {action} `{path}`")]
    Sqlite {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl StoryError {
    /// Gives SQLite's answer the meaning that it has for a player.
    pub(super) fn from_sqlite(
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
            Some(ErrorCode::DatabaseCorrupt) => {
                return StoryError::Damaged { path, what: source.to_string() };
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
            // Our statements fit the format, so the file does not.
            Error::SqliteFailure(
                rusqlite::ffi::Error { extended_code: SQLITE_ERROR, .. },
                Some(what),
            )
            | Error::SqlInputError { msg: what, .. } => StoryError::Damaged { path, what },
            source => StoryError::Sqlite { action, path, source },
        }
    }
}
