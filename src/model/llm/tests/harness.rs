//! Models, chats and jobs for tests.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, mpsc},
    time::{Duration, Instant},
};

use narratoria_models::MemoryShape;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::*;

/// Longer than any test.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// The file of the model with this seed, in a folder that is removed with the process.
pub(super) fn file(seed: u64) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    static FILES: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().unwrap());
    let path = folder.path().join(format!("tiny-{seed}.gguf"));
    let mut files = FILES.lock().unwrap();
    if !files.contains(&seed) {
        narratoria_models::tiny(&path, seed).unwrap();
        files.push(seed);
    }
    path
}

pub(super) fn options() -> LoadOptions {
    LoadOptions {
        threads: NonZeroUsize::MIN,
        context_tokens: CONTEXT_TOKENS_MAX,
        prefix_folder: None,
    }
}

/// A new model that remembers in this way.
pub(super) fn model_of_shape(memory: MemoryShape, options: &LoadOptions) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shaped.gguf");
    narratoria_models::tiny_of_shape(&path, memory, 1).unwrap();
    Model::load(&path, options).unwrap()
}

/// A new model with this seed.
pub(super) fn model(seed: u64) -> Model {
    Model::load(&file(seed), &options()).unwrap()
}

/// A chat of messages like `system: text`. The text before `/disk/` has the lifetime `Disk`, the text before
/// `/session/` the lifetime `Session`.
pub(super) fn chat(messages: &[&str]) -> Chat {
    let message = |message: &&str| {
        let (role, text) = message.split_once(": ").unwrap();
        let role = match role {
            "system" => ChatRole::System,
            "user" => ChatRole::User,
            _ => ChatRole::Assistant,
        };
        let mut parts = Vec::new();
        let mut rest = text;
        for (mark, lifetime) in
            [("/disk/", PrefixLifetime::Disk), ("/session/", PrefixLifetime::Session)]
        {
            if let Some((before, after)) = rest.split_once(mark) {
                parts.push(MessagePart { text: before.to_owned(), lifetime });
                rest = after;
            }
        }
        parts.push(MessagePart { text: rest.to_owned(), lifetime: PrefixLifetime::Job });
        ChatMessage { role, parts }
    };
    Chat { messages: messages.iter().map(message).collect() }
}

pub(super) fn job(chat: Chat) -> GenerateJob {
    GenerateJob {
        client: "planner".to_owned(),
        lane: Lane::Plan,
        chat,
        grammar: None,
        tokens_max: 40,
        sampling: Sampling::Random { temperature: 1.0, seed: 7 },
        deadline: Instant::now() + LONG,
        cancel: CancellationToken::new(),
    }
}

/// A plan, similar to the real grammar.
pub(super) fn grammar() -> Grammar {
    let step = |name: &str, slot: Value| {
        json!({
            "type": "array",
            "prefixItems": [{"const": name}, slot, {"type": "array", "maxItems": 1, "items": {"enum": [0, 1]}}],
            "minItems": 3, "items": false,
        })
    };
    let text = json!({"type": ["string", "null"], "maxLength": 12});
    let number = json!({"type": "integer", "minimum": -9, "maximum": 99});
    let schema = json!({
        "type": "object",
        "properties": {
            "steps": {
                "type": "array", "minItems": 1, "maxItems": 3,
                "items": {"anyOf": [step("storyteller/narrate", text), step("dice-roller/roll-dice", number)]},
            },
            "narrative": {"type": "string", "maxLength": 20},
        },
        "required": ["steps", "narrative"],
        "additionalProperties": false,
    });
    Grammar { schema: Arc::new(schema) }
}

pub(super) fn under_grammar(chat: Chat) -> GenerateJob {
    GenerateJob { grammar: Some(grammar()), tokens_max: 400, ..job(chat) }
}

/// Waits for a future without any runtime.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// The result, and the pieces that the sink got.
pub(super) fn write(
    model: &Model,
    job: GenerateJob,
) -> (Result<GeneratedText, GenerateError>, Vec<String>) {
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&pieces);
    let sink: GeneratedTextSink =
        Box::new(move |text| collected.lock().unwrap().push(text.to_owned()));
    let result = wait(model.generate(job, sink));
    let pieces = pieces.lock().unwrap().clone();
    (result, pieces)
}

/// The text of a job that must succeed.
#[track_caller]
pub(super) fn text(model: &Model, job: GenerateJob) -> GeneratedText {
    write(model, job).0.unwrap()
}

/// A sink that signals its first piece and then blocks until it is released.
pub(super) fn gated_sink() -> (GeneratedTextSink, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (send_first, first) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let mut is_first = true;
    let sink = move |_: &str| {
        if std::mem::take(&mut is_first) {
            let _ = send_first.send(());
            let _ = released.recv_timeout(LONG);
        }
    };
    (Box::new(sink), first, release)
}

pub(super) fn discard_text() -> GeneratedTextSink {
    Box::new(|_| ())
}
