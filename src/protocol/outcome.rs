//! How an invocation ended. Plain data, so that everybody above can speak of it without wasmtime.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::{DecodeError, Message, Object};

/// What a script says while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum InvocationOutput {
    /// It wrote an event.
    Event(Message),
    /// It has a model write for the player, who may read it as it comes: to be appended to what it has said
    /// aloud before. Counts only as the part of its output that it becomes, if it does.
    Narration(String),
}

/// Hears what the script says, as it says it.
pub type InvocationOutputSink = Box<dyn FnMut(InvocationOutput) + Send>;

/// Whose store the story's memory is, which all skills share. No skill can be called so.
pub const MEMORY_OWNER: &str = "(memory)";

/// A store for each skill that has written one.
pub type Stores = BTreeMap<String, StoreMap>;

/// What a script keeps from one turn to the next: its skill's part of the story's key-value data.
pub type StoreMap = BTreeMap<String, String>;

/// Whose entries a write changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// Those of the script's skill: the `store` grant.
    #[default]
    Skill,
    /// Those of the story, which all its skills share: the `memory` grant.
    Story,
}

impl Owner {
    fn is_skill(&self) -> bool {
        *self == Owner::Skill
    }
}

/// One change of what is kept from turn to turn. Counts only if the attempt ends well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreWrite {
    /// Whose entry. Journals of older versions do not say: the skill's.
    #[serde(default, skip_serializing_if = "Owner::is_skill")]
    pub owner: Owner,
    /// Which entry.
    pub key: String,
    /// None deletes it.
    pub value: Option<String>,
}

/// One attempt, over.
#[derive(Debug, Clone, PartialEq)]
pub struct InvocationOutcome {
    /// How it ended.
    pub ending: InvocationEnding,
    /// What it cost.
    pub usage: ResourceUsage,
    /// The last of what it wrote to stderr, at most `STDERR_TAIL_BYTES_MAX`, control characters escaped.
    pub stderr_tail: String,
    /// Changes of its skill's store and then of the story's memory, one for each key, sorted by key; none where
    /// it ended by a refusal before it began.
    pub writes: Vec<StoreWrite>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
pub enum InvocationEnding {
    /// It said `done` with `ok: true`, and exited with 0.
    Done {
        /// One line for people.
        summary: Option<String>,
        /// What dependents read.
        output: Object,
    },
    /// It said `done` with `ok: false`, and exited with 0: the script's own failure.
    Failed {
        /// One line for people: the summary, else the last `error` event's message.
        summary: Option<String>,
        /// The last `error` event's code, if there was one.
        error_code: Option<String>,
        /// What it had to say all the same.
        output: Object,
    },
    /// The host ended it, or it ended against the rules.
    Aborted(InvocationError),
}

/// What an attempt cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResourceUsage {
    /// Units of wasmtime fuel.
    pub fuel: u64,
    /// Highest total over all linear memories and tables, in bytes.
    pub memory_bytes_peak: u64,
    /// Bytes written to stdout.
    pub stdout_bytes: u64,
    /// Wall clock, without queueing for a slot and without waiting for a person's answer.
    pub elapsed: Duration,
}

/// Why the host refused what a script did. The text is what people and planners read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
        /// Total it would have had.
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
        /// [`DISK_WRITTEN_BYTES_MAX`](super::DISK_WRITTEN_BYTES_MAX).
        limit: u64,
    },
    /// Too many files in its folders.
    #[error("made more files and folders than the {limit} that its folders may have")]
    TooManyFiles {
        /// [`DISK_ENTRIES_MAX`](super::DISK_ENTRIES_MAX).
        limit: usize,
    },
    /// Too many files at once.
    #[error("held more than {limit} files open at once")]
    TooManyOpenFiles {
        /// [`FILES_OPEN_MAX`](super::FILES_OPEN_MAX).
        limit: usize,
    },
    /// Too many questions.
    #[error("asked more than {limit} questions")]
    TooManyAsks {
        /// [`ASKS_MAX`](narratoria_protocol::ASKS_MAX).
        limit: u32,
    },
    /// Too many others wait to run. Nothing that the guest did.
    #[error("could not run: {limit} others wait already")]
    HostBusy {
        /// [`super::WAITING_MAX`].
        limit: usize,
    },
    /// A trap in the guest's own code.
    #[error("trapped: {what}")]
    Trapped {
        /// wasmtime's word for it.
        what: String,
    },
    /// A non-zero exit is a failure whatever was said before (DESIGN §2).
    #[error("exited with a failure status{}", if *after_done_ok { " after saying `done` with `ok: true`" } else { "" })]
    ExitFailure {
        /// Whether it had claimed success.
        after_done_ok: bool,
    },
}

impl InvocationError {
    /// Stable, machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            InvocationError::Protocol(_) => "PROTOCOL_ERROR",
            InvocationError::TimedOut { .. } => "TOOL_TIMEOUT",
            InvocationError::OutOfFuel { .. } => "FUEL_EXHAUSTED",
            InvocationError::OutOfMemory { .. } => "MEMORY_EXCEEDED",
            InvocationError::StdoutFull { .. } => "STDOUT_EXCEEDED",
            InvocationError::DiskFull { .. } => "DISK_EXCEEDED",
            InvocationError::TooManyFiles { .. } => "TOO_MANY_FILES",
            InvocationError::TooManyOpenFiles { .. } => "TOO_MANY_OPEN_FILES",
            InvocationError::TooManyAsks { .. } => "TOO_MANY_ASKS",
            InvocationError::HostBusy { .. } => "HOST_BUSY",
            InvocationError::Trapped { .. } => "TRAP",
            InvocationError::ExitFailure { .. } => "EXIT_FAILURE",
        }
    }
}
