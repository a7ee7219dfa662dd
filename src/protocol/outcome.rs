//! How an invocation ended. Plain data, so that the crates above handle it without wasmtime.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::{DecodeError, Message, Object};

/// Output of a script while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum InvocationOutput {
    /// An event that the script wrote.
    Event(Message),
    /// Text that a model writes for the script and that the player reads as it comes: the next piece, to be appended
    /// to the pieces before. It enters the story only as part of the script's output, if the script puts it there.
    Narration(String),
}

/// Receives a script's output while the script runs.
pub type InvocationOutputSink = Box<dyn FnMut(InvocationOutput) + Send>;

/// The key in [`Stores`] of the story's memory, which all skills share. It is not a valid skill name.
pub const MEMORY_OWNER: &str = "(memory)";

/// All stores of a story together: names of skills, keys and values. A skill that remembers an adventure
/// needs some tens of KiB. All stores are in memory while a plan runs.
pub const STORES_BYTES_MAX: usize = 16 << 20;

/// The part of these bytes that is reserved for the story's memory and the built-in skills, so that a story that other
/// skills have filled can go on.
pub const STORES_BUILT_IN_BYTES_MAX: usize = 2 << 20;

/// The store of each skill that has written one, by skill name.
pub type Stores = BTreeMap<String, StoreMap>;

/// The key-value data that a skill keeps in this story from one turn to the next.
pub type StoreMap = BTreeMap<String, String>;

/// The store that a write changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The store of the script's skill: the `store` grant.
    #[default]
    Skill,
    /// The story's memory, which all its skills share: the `memory` grant.
    Story,
    /// The story's entities, keyed by their ids: the `memory` grant. A value is their JSON.
    Entities,
}

impl Owner {
    fn is_skill(&self) -> bool {
        *self == Owner::Skill
    }
}

/// One change of a store. It counts only if the attempt succeeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreWrite {
    /// The store. Journals of older versions leave it out: the skill's.
    #[serde(default, skip_serializing_if = "Owner::is_skill")]
    pub owner: Owner,
    /// The entry's key.
    pub key: String,
    /// The new value; `None` deletes the entry.
    pub value: Option<String>,
}

/// One finished attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct InvocationOutcome {
    /// How it ended.
    pub ending: InvocationEnding,
    /// The resources it used.
    pub usage: ResourceUsage,
    /// The end of its stderr, at most `STDERR_TAIL_BYTES_MAX`, control characters escaped. If it is not all of it, a first
    /// line says how many bytes are left off.
    pub stderr_tail: String,
    /// Changes of its skill's store, then of the story's memory, then of its entities, one for each key, sorted by key;
    /// none if the host refused to start it.
    pub writes: Vec<StoreWrite>,
    /// Files that it has written and that are there at its end, in order of their names: as the script names them, such as
    /// `/data/diary.txt`, or as the runner of the script names them for its caller.
    pub files: Vec<String>,
}

impl InvocationOutcome {
    /// The outcome of an invocation that the host has not started.
    pub fn not_started(error: InvocationError) -> InvocationOutcome {
        InvocationOutcome {
            ending: InvocationEnding::Aborted(error),
            usage: ResourceUsage::default(),
            stderr_tail: String::new(),
            writes: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum InvocationEnding {
    /// The script wrote `done` with `ok: true` and exited with 0.
    Done {
        /// One line for people.
        summary: Option<String>,
        /// The value that dependent steps read.
        output: Object,
    },
    /// The script wrote `done` with `ok: false` and exited with 0: its own failure.
    Failed {
        /// One line for people: the summary, otherwise the last `error` event's message.
        summary: Option<String>,
        /// The last `error` event's code, if there was one.
        error_code: Option<String>,
        /// The output that came with `done` all the same.
        output: Object,
    },
    /// The host ended it, or it broke a rule.
    Aborted(InvocationError),
}

/// The resources that an attempt used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// Units of wasmtime fuel.
    pub fuel: u64,
    /// Highest total over all linear memories and tables, in bytes.
    pub memory_bytes_peak: u64,
    /// Bytes written to stdout.
    pub stdout_bytes: u64,
    /// Wall clock, without the time in the queue and without the wait for a person's answer.
    pub elapsed: Duration,
    /// Requests over HTTP that failed on the way: no answer, no connection, no such name.
    pub network_failures: u32,
}

/// Why the host ended an invocation. People and planners read the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum InvocationError {
    /// A line broke the wire's rules, or `done` was missing, or something followed it.
    #[error("broke the protocol: {0}")]
    Protocol(#[source] DecodeError),
    /// The wall clock ran out.
    #[error("ran past its time limit of {} ms", limit.as_millis())]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The fuel ran out.
    #[error("used up its fuel of {limit} instructions")]
    OutOfFuel {
        /// The limit.
        limit: u64,
    },
    /// Memories and tables together would have grown too large.
    #[error("asked for more memory than its limit of {limit} bytes")]
    OutOfMemory {
        /// The total that it asked for.
        wanted: u64,
        /// The limit.
        limit: u64,
    },
    /// Too much on stdout.
    #[error("wrote more than {limit} bytes to stdout")]
    StdoutFull {
        /// The limit.
        limit: u64,
    },
    /// Too many bytes for its folders.
    #[error(
        "wrote more to its folders than the {limit} bytes of an invocation, or than they have room for"
    )]
    DiskFull {
        /// The sandbox's `DISK_WRITTEN_BYTES_MAX`.
        limit: u64,
    },
    /// Too many bytes for the folders of all scripts of a turn.
    #[error(
        "would raise the bytes that the scripts of this turn have written to disk to {bytes}; `{script}` may raise them to {limit}"
    )]
    TurnDiskFull {
        /// `<skill>/<script>`.
        script: String,
        /// The sum.
        bytes: u64,
        /// Bytes that the sandbox's `TURN_DISK_BYTES_MAX` leaves for scripts of this kind.
        limit: u64,
    },
    /// Too many files in its folders.
    #[error("made more files and folders than the {limit} that its folders may have")]
    TooManyFiles {
        /// The sandbox's `DISK_ENTRIES_MAX`.
        limit: usize,
    },
    /// Folders in folders in folders.
    #[error("nested folders deeper than {limit} levels")]
    FoldersTooDeep {
        /// The sandbox's `FOLDER_DEPTH_MAX`.
        limit: usize,
    },
    /// Too many files at once.
    #[error("held more than {limit} files open at once")]
    TooManyOpenFiles {
        /// The sandbox's `FILES_OPEN_MAX`.
        limit: usize,
    },
    /// Too many questions.
    #[error("asked more than {limit} questions")]
    TooManyAsks {
        /// [`ASKS_MAX`](super::ASKS_MAX).
        limit: u32,
    },
    /// Too many other invocations wait to run. The guest did nothing wrong.
    #[error("could not run: {limit} others wait already")]
    HostBusy {
        /// The sandbox's `WAITING_MAX`.
        limit: usize,
    },
    /// A trap in the guest's own code.
    #[error("trapped: {what}")]
    Trapped {
        /// wasmtime's name for the trap.
        what: String,
    },
    /// A non-zero exit is a failure whatever events came before (docs/architecture.md, "The wire").
    #[error("exited with a failure status{}", if *after_done_ok { " after saying `done` with `ok: true`" } else { "" })]
    ExitFailure {
        /// True if the script had reported success.
        after_done_ok: bool,
    },
}

impl InvocationError {
    /// The error's stable, machine-readable code.
    pub fn code(&self) -> &'static str {
        match self {
            InvocationError::Protocol(_) => "PROTOCOL_ERROR",
            InvocationError::TimedOut { .. } => "TOOL_TIMEOUT",
            InvocationError::OutOfFuel { .. } => "FUEL_EXHAUSTED",
            InvocationError::OutOfMemory { .. } => "MEMORY_EXCEEDED",
            InvocationError::StdoutFull { .. } => "STDOUT_EXCEEDED",
            InvocationError::DiskFull { .. } => "DISK_EXCEEDED",
            InvocationError::TurnDiskFull { .. } => "TURN_DISK_EXCEEDED",
            InvocationError::TooManyFiles { .. } => "TOO_MANY_FILES",
            InvocationError::FoldersTooDeep { .. } => "FOLDERS_TOO_DEEP",
            InvocationError::TooManyOpenFiles { .. } => "TOO_MANY_OPEN_FILES",
            InvocationError::TooManyAsks { .. } => "TOO_MANY_ASKS",
            InvocationError::HostBusy { .. } => "HOST_BUSY",
            InvocationError::Trapped { .. } => "TRAP",
            InvocationError::ExitFailure { .. } => "EXIT_FAILURE",
        }
    }
}
