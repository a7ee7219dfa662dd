//! The real client against a server on this machine.

mod hostile;
mod kinds;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{ConnectOptions, ServerAddress, ServerError};
use crate::llm::{
    Chat, ChatMessage, ChatRole, ChooseJob, GenerateError, GenerateJob, GeneratedText, Grammar,
    LabelProbabilities, Lane, MessagePart, Model, PrefixLifetime, Sampling,
};
use narratoria_models::server::{FakeModelServer, FakeServerKind, SERVED_MODEL};

/// Long enough that no test reaches it, even on a slow machine.
const LONG: Duration = Duration::from_secs(60);

const KINDS: [FakeServerKind; 4] = [
    FakeServerKind::LlamaServer,
    FakeServerKind::Ollama,
    FakeServerKind::LmStudio,
    FakeServerKind::OpenAi,
];

fn address(server: &FakeModelServer) -> ServerAddress {
    ServerAddress::parse(&server.base()).unwrap()
}

fn options(time: Duration) -> ConnectOptions {
    ConnectOptions { hosts: Vec::new(), seed: 7, time }
}

fn connect(server: &FakeModelServer) -> Result<Model, ServerError> {
    Model::connect(&address(server).with_model(SERVED_MODEL), &options(LONG))
}

/// A server of this kind and its model, which has answered its first question.
fn connected(kind: FakeServerKind) -> (FakeModelServer, Model) {
    let server = FakeModelServer::start(kind);
    let model = connect(&server).unwrap();
    (server, model)
}

fn chat(text: &str) -> Chat {
    let message = |role, text: &str| ChatMessage {
        role,
        parts: vec![MessagePart { text: text.to_owned(), lifetime: PrefixLifetime::Job }],
    };
    let messages = vec![message(ChatRole::System, "Narrate."), message(ChatRole::User, text)];
    Chat { messages }
}

fn job(schema: Option<Value>, time: Duration) -> GenerateJob {
    GenerateJob {
        client: "planner".to_owned(),
        lane: Lane::Plan,
        chat: chat("I open the door."),
        grammar: schema.map(|schema| Grammar { schema: Arc::new(schema) }),
        tokens_max: 64,
        sampling: Sampling::Greedy,
        deadline: Instant::now() + time,
        cancel: CancellationToken::new(),
    }
}

fn labels(time: Duration) -> ChooseJob {
    ChooseJob {
        client: "planner".to_owned(),
        lane: Lane::Plan,
        chat: chat("I open the door."),
        labels: vec!['Y', 'N'],
        deadline: Instant::now() + time,
        cancel: CancellationToken::new(),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// The text and what the sink got.
fn generate(model: &Model, job: GenerateJob) -> (Result<GeneratedText, GenerateError>, String) {
    let shown = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&shown);
    let on_text = Box::new(move |text: &str| sink.lock().unwrap().push_str(text));
    let result = block_on(model.generate(job, on_text));
    let shown = shown.lock().unwrap().clone();
    (result, shown)
}

fn write(model: &Model) -> Result<GeneratedText, GenerateError> {
    generate(model, job(None, LONG)).0
}

fn choose(model: &Model) -> Result<LabelProbabilities, GenerateError> {
    block_on(model.choose(labels(LONG)))
}

/// A schema whose only text is `{"k":"north"}`.
fn north() -> Value {
    json!({"type": "object", "properties": {"k": {"const": "north"}}, "required": ["k"]})
}
