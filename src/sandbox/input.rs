//! The input of one invocation: the request, the limits, and everything that is granted.

use std::{path::PathBuf, sync::Arc, time::Duration};

use narratoria_protocol::StoreMap;
use narratoria_skills::{Script, ScriptLimits};

use crate::{
    http::PreparedAnswers, stdin::Answers, story_entities::EntityInput,
    text_comparison::TextComparer, text_model::TextModelClient, turn_disk::TurnDiskShare,
};

pub struct InvocationInput {
    /// The program's first argument, by which a component with several scripts picks one. An empty name gives no
    /// argument.
    pub script: String,
    /// The first bytes of stdin; answers to questions follow.
    pub stdin: Vec<u8>,
    /// The only source of chance.
    pub seed: u64,
    pub limits: InvocationLimits,
    /// Granted environment variables with their values.
    pub env: Vec<(String, String)>,
    /// Granted folders.
    pub preopens: Vec<Preopen>,
    /// The space left in them together, if it is less than the sandbox's own limits.
    pub disk_room: DiskRoom,
    /// The share in what all scripts of its turn may write together; `None` outside a turn.
    pub turn_disk: Option<TurnDiskShare>,
    /// With the `store` grant: the entries that earlier invocations of the skill stored. `None` is an empty
    /// store, and the caller may drop its changes: a script runs outside a story as it does in a new one.
    pub store: Option<Arc<StoreMap>>,
    /// With the `memory` grant: the texts that the story remembers. `None` as with `store`.
    pub memory: Option<Arc<StoreMap>>,
    /// With the `memory` grant: the story's entities and memories.
    pub entities: Option<EntityInput>,
    /// Answers in place of those of hosts, for addresses that the `http` grant allows.
    pub prepared_answers: PreparedAnswers,
    /// With the `llm` grant. `None` is a host without a language model.
    pub text_model: Option<TextModelClient>,
    /// With the `llm` grant. `None` is a host without a model that compares texts.
    pub text_comparer: Option<Arc<dyn TextComparer>>,
    /// Answers to the script's questions. Without them a script that asks reads the end of its stdin.
    pub answers: Option<Answers>,
}

impl InvocationInput {
    /// Returns an input that names no script, grants nothing and answers no question.
    pub fn new(stdin: Vec<u8>, seed: u64, limits: InvocationLimits) -> InvocationInput {
        InvocationInput {
            script: String::new(),
            stdin,
            seed,
            limits,
            env: Vec::new(),
            preopens: Vec::new(),
            disk_room: DiskRoom::UNLIMITED,
            turn_disk: None,
            store: None,
            memory: None,
            entities: None,
            prepared_answers: PreparedAnswers::default(),
            text_model: None,
            text_comparer: None,
            answers: None,
        }
    }
}

/// Limits of one invocation. Each of them always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvocationLimits {
    /// Wall clock from instantiation on; time spent waiting for a slot or for an answer is not counted.
    pub time: Duration,
    /// Units of wasmtime fuel.
    pub fuel: u64,
    /// The bytes of all memories and tables together.
    pub memory_bytes: u64,
    /// The bytes of the whole invocation.
    pub stdout_bytes: u64,
}

impl InvocationLimits {
    /// The limits of a script's manifest, which the host policy has already lowered.
    pub fn for_script(script: &Script) -> InvocationLimits {
        let ScriptLimits { fuel, memory_bytes, stdout_bytes } = script.limits;
        InvocationLimits { time: script.timeout, fuel, memory_bytes, stdout_bytes }
    }
}

/// A folder of the host that the guest sees under another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preopen {
    pub host: PathBuf,
    /// The name that the guest sees, such as `/assets`.
    pub guest: String,
    /// True if the guest may change the folder.
    pub writable: bool,
}

/// The space left in folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskRoom {
    pub bytes: u64,
    /// The number of files, folders and links.
    pub entries: usize,
}

impl DiskRoom {
    /// Leaves only the sandbox's own limits.
    pub const UNLIMITED: DiskRoom = DiskRoom { bytes: u64::MAX, entries: usize::MAX };
}
