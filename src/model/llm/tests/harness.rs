//! Models, chats and jobs for tests.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, mpsc},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::*;

/// Longer than any test.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// A folder that goes with the process, and the file of the model of a seed in it.
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

/// A model of its own.
pub(super) fn model(seed: u64) -> Model {
    Model::load(&file(seed), &options()).unwrap()
}

/// A chat of messages like `system: text`. What stands before `/disk/` in a text is kept on disk, what stands
/// before `/session/` for the session.
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
        for (mark, keep) in
            [("/disk/", PrefixLifetime::Disk), ("/session/", PrefixLifetime::Session)]
        {
            if let Some((before, after)) = rest.split_once(mark) {
                parts.push(MessagePart { text: before.to_owned(), lifetime: keep });
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

/// A plan, much as the real one is.
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

/// The text, and the pieces in which it was told.
pub(super) fn write(
    model: &Model,
    job: GenerateJob,
) -> (Result<GeneratedText, GenerateError>, Vec<String>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&told);
    let sink: GeneratedTextSink = Box::new(move |text| hear.lock().unwrap().push(text.to_owned()));
    let done = wait(model.generate(job, sink));
    let told = told.lock().unwrap().clone();
    (done, told)
}

/// The text of a job that must go well.
#[track_caller]
pub(super) fn text(model: &Model, job: GenerateJob) -> GeneratedText {
    write(model, job).0.unwrap()
}

/// A sink that says when it hears the first piece, and then waits until it is let go.
pub(super) fn gated_sink() -> (GeneratedTextSink, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (tell, told) = mpsc::channel();
    let (let_go, wait) = mpsc::channel::<()>();
    let mut is_first = true;
    let sink = move |_: &str| {
        if std::mem::take(&mut is_first) {
            let _ = tell.send(());
            let _ = wait.recv_timeout(LONG);
        }
    };
    (Box::new(sink), told, let_go)
}

pub(super) fn discard_text() -> GeneratedTextSink {
    Box::new(|_| ())
}
