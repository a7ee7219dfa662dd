//! A server of models on this machine: llama-server, Ollama, LM Studio or another with OpenAI's protocol, with the part of
//! each that the program uses. It writes prepared texts, and does every harm that a test asks for.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// The model that every fake server has.
pub const SERVED_MODEL: &str = "tiny:1b";

/// Longest wait of a test for something that happens at once.
const PATIENCE: Duration = Duration::from_secs(20);
/// Pause between two bytes of a server that drips.
const DRIP_PAUSE: Duration = Duration::from_millis(5);
/// Bytes of a flood, many times what any client should read.
const FLOOD_BYTES: usize = 256 << 20;

/// The protocol that a fake server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeServerKind {
    LlamaServer,
    Ollama,
    LmStudio,
    OpenAi,
}

/// Harm that a server does in place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misdeed {
    /// An error with this status.
    Status(u16),
    /// A redirect to this address.
    Redirect(SocketAddr),
    /// A single byte from time to time, and never a line.
    Drip,
    /// No byte at all, not even of the head.
    Hang,
    /// A correct beginning, then nothing.
    HangInTheMiddle,
    /// Lines without end.
    Flood,
    /// One line without end.
    FloodLine,
    /// A head without end.
    FloodHead,
    /// It announces more bytes than it sends.
    LongLength,
    /// It announces fewer bytes than it sends.
    ShortLength,
    /// Lines that are no JSON.
    BrokenJson,
    /// A correct beginning, then the end of the connection.
    CloseInTheMiddle,
    /// A correct beginning, then an error in the stream.
    ErrorInTheMiddle,
}

/// How a fake server answers.
#[derive(Debug, Clone)]
pub struct FakeServerSetup {
    pub kind: FakeServerKind,
    pub models: Vec<String>,
    /// It writes under a schema.
    pub obeys: bool,
    /// It refuses a schema with status 400.
    pub refuses_schemas: bool,
    /// It refuses fields that are no part of OpenAI's protocol with status 400.
    pub refuses_extensions: bool,
    /// It gives the probabilities of tokens.
    pub has_probabilities: bool,
    /// Its text where there is no schema or it ignores one.
    pub text: String,
    /// Its text arrives where thoughts belong.
    pub writes_into_thoughts: bool,
    /// It reports that the text was cut.
    pub cuts: bool,
    /// For requests of texts.
    pub misdeed: Option<Misdeed>,
    /// For all other requests.
    pub probe_misdeed: Option<Misdeed>,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRequest {
    pub path: String,
    /// Null for a GET.
    pub body: Value,
}

/// A server of models, which ends when it is dropped.
pub struct FakeModelServer {
    address: SocketAddr,
    state: Arc<Mutex<FakeServerState>>,
    left: Mutex<Receiver<()>>,
    is_over: Arc<AtomicBool>,
}

struct FakeServerState {
    setup: FakeServerSetup,
    requests: Vec<ServerRequest>,
    left: Sender<()>,
}

impl FakeModelServer {
    pub fn start(kind: FakeServerKind) -> FakeModelServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (send_left, left) = mpsc::channel();
        let setup = FakeServerSetup {
            kind,
            models: vec![SERVED_MODEL.to_owned()],
            obeys: true,
            refuses_schemas: false,
            refuses_extensions: false,
            has_probabilities: true,
            text: "The door opens.".to_owned(),
            writes_into_thoughts: false,
            cuts: false,
            misdeed: None,
            probe_misdeed: None,
        };
        let state = FakeServerState { setup, requests: Vec::new(), left: send_left };
        let state = Arc::new(Mutex::new(state));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let (state, over) = (Arc::clone(&shared), Arc::clone(&over));
                thread::spawn(move || drop(serve(stream, &state, &over)));
            }
        });
        FakeModelServer { address, state, left: Mutex::new(left), is_over }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set(&self, change: impl FnOnce(&mut FakeServerSetup)) {
        change(&mut self.state().setup);
    }

    pub fn requests(&self) -> Vec<ServerRequest> {
        self.state().requests.clone()
    }

    /// The body of the last request to this path.
    pub fn last_body(&self, path: &str) -> Value {
        let requests = self.requests();
        let found = requests.into_iter().rev().find(|request| request.path == path);
        found.map(|request| request.body).unwrap_or_default()
    }

    /// Waits until a client has closed a connection that had no complete answer.
    pub fn await_left(&self) {
        self.left.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    }

    fn state(&self) -> MutexGuard<'_, FakeServerState> {
        self.state.lock().unwrap()
    }
}

impl Drop for FakeModelServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the listener, which then checks `is_over`.
        drop(TcpStream::connect(self.address));
    }
}

/// Serves the one request of a connection.
fn serve(
    mut stream: TcpStream,
    state: &Mutex<FakeServerState>,
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    let Some(request) = read_request(&stream)? else { return Ok(()) };
    let (setup, left) = {
        let mut state = state.lock().unwrap();
        state.requests.push(request.clone());
        (state.setup.clone(), state.left.clone())
    };
    let is_text = ["/completion", "/api/chat", "/v1/chat/completions"].contains(&&*request.path);
    let misdeed = if is_text { setup.misdeed } else { setup.probe_misdeed };
    let (status, lines) = reply(&setup, &request);
    let Some(misdeed) = misdeed else {
        return stream.write_all(&[head(status, ""), lines.concat()].concat().into_bytes());
    };
    let done = harm(&mut stream, misdeed, &lines, is_over);
    if done.is_err() || is_waiting(misdeed) {
        // The client has gone, or it goes now.
        let _ = stream.read(&mut [0]);
        let _ = left.send(());
    }
    done
}

/// After these the client must close the connection.
fn is_waiting(misdeed: Misdeed) -> bool {
    matches!(misdeed, Misdeed::Hang | Misdeed::HangInTheMiddle)
}

fn head(status: u16, more: &str) -> String {
    format!("HTTP/1.1 {status} Whatever\r\nconnection: close\r\n{more}\r\n")
}

fn harm(
    stream: &mut TcpStream,
    misdeed: Misdeed,
    lines: &[String],
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    let whole = lines.concat();
    let beginning = lines.first().cloned().unwrap_or_default();
    let mut send = |text: &str| stream.write_all(text.as_bytes());
    match misdeed {
        Misdeed::Status(status) => {
            send(&head(status, ""))?;
            send(r#"{"error": {"message": "out of memory"}}"#)
        }
        Misdeed::Redirect(to) => send(&head(307, &format!("location: http://{to}/\r\n"))),
        Misdeed::Drip => {
            send(&head(200, ""))?;
            while !is_over.load(Ordering::Relaxed) {
                send(" ")?;
                thread::park_timeout(DRIP_PAUSE);
            }
            Ok(())
        }
        Misdeed::Hang => Ok(()),
        Misdeed::HangInTheMiddle | Misdeed::CloseInTheMiddle => {
            send(&head(200, ""))?;
            send(&beginning)
        }
        Misdeed::Flood => {
            send(&head(200, ""))?;
            repeat(&mut send, &beginning)
        }
        Misdeed::FloodLine => {
            send(&head(200, ""))?;
            send("data: {\"content\": \"")?;
            repeat(&mut send, &"x".repeat(1 << 16))
        }
        Misdeed::FloodHead => {
            send("HTTP/1.1 200 OK\r\n")?;
            repeat(&mut send, &format!("x-more: {}\r\n", "x".repeat(1 << 10)))
        }
        Misdeed::LongLength => {
            send(&head(200, &format!("content-length: {}\r\n", whole.len() + 1_000)))?;
            send(&beginning)
        }
        Misdeed::ShortLength => {
            send(&head(200, &format!("content-length: {}\r\n", beginning.len() / 2)))?;
            send(&whole)
        }
        Misdeed::BrokenJson => {
            send(&head(200, ""))?;
            send("data: {\"content\": \"The door\n\ndata: }{\n")
        }
        Misdeed::ErrorInTheMiddle => {
            send(&head(200, ""))?;
            send(&beginning)?;
            send("data: {\"error\": {\"message\": \"out of memory\"}}\n\n")
        }
    }
}

fn repeat(send: &mut impl FnMut(&str) -> std::io::Result<()>, text: &str) -> std::io::Result<()> {
    for _ in 0..FLOOD_BYTES / text.len() {
        send(text)?;
    }
    Ok(())
}

fn read_request(stream: &TcpStream) -> std::io::Result<Option<ServerRequest>> {
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first)?;
    let Some(path) = first.split_whitespace().nth(1).map(str::to_owned) else { return Ok(None) };
    let mut length = 0;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body)?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Ok(Some(ServerRequest { path, body }))
}

/// The status, and the body in lines.
fn reply(setup: &FakeServerSetup, request: &ServerRequest) -> (u16, Vec<String>) {
    let body = &request.body;
    let document = |value: Value| (200, vec![value.to_string()]);
    let list = |field: &str, entry: &dyn Fn(&str) -> Value| {
        let entries: Vec<Value> = setup.models.iter().map(|name| entry(name)).collect();
        document(json!({field: entries}))
    };
    match (setup.kind, &*request.path) {
        (FakeServerKind::LlamaServer, "/props") => document(json!({
            "default_generation_settings": {"n_ctx": 8192},
            "model_path": "/models/tiny.gguf", "build_info": "b11434", "total_slots": 1,
        })),
        (FakeServerKind::LlamaServer, "/apply-template") => {
            let messages = body["messages"].as_array().unwrap();
            let text = |message: &Value| format!("<{}>{}", message["role"], message["content"]);
            document(json!({"prompt": messages.iter().map(text).collect::<String>()}))
        }
        (FakeServerKind::LlamaServer, "/completion") => written(setup, body, &body["json_schema"]),
        (FakeServerKind::Ollama, "/api/version") => document(json!({"version": "0.35.1"})),
        (FakeServerKind::Ollama, "/api/tags") => list(
            "models",
            &|name| json!({"name": name, "size": 1_280_000_000, "details": {"family": "qwen3"}}),
        ),
        (FakeServerKind::Ollama, "/api/ps") => list("models", &|name| json!({"name": name})),
        (FakeServerKind::Ollama, "/api/chat") => written(setup, body, &body["format"]),
        (FakeServerKind::LmStudio, "/api/v0/models") => list("data", &|name| {
            json!({"id": name, "type": "llm", "arch": "qwen3", "state": "loaded",
                   "loaded_context_length": 4096})
        }),
        (FakeServerKind::LlamaServer | FakeServerKind::OpenAi, "/v1/models") => {
            list("data", &|name| json!({"id": name, "object": "model"}))
        }
        (FakeServerKind::LmStudio | FakeServerKind::OpenAi, "/v1/chat/completions") => {
            if setup.refuses_extensions && !body["chat_template_kwargs"].is_null() {
                return (400, vec![r#"{"error": {"message": "unknown field"}}"#.to_owned()]);
            }
            written(setup, body, &body["response_format"]["json_schema"]["schema"])
        }
        // It answers everything with status 200.
        (FakeServerKind::LmStudio, path) => {
            document(json!({"error": format!("Unexpected endpoint or method. (GET {path})")}))
        }
        _ => (404, vec![r#"{"error": "not found"}"#.to_owned()]),
    }
}

fn written(setup: &FakeServerSetup, body: &Value, schema: &Value) -> (u16, Vec<String>) {
    if setup.refuses_schemas && !schema.is_null() {
        return (400, vec![r#"{"error": {"message": "no schemas here"}}"#.to_owned()]);
    }
    // llama.cpp makes no grammar of a schema that is no object.
    let has_open_list = schema.to_string().contains(r#""items":false"#);
    if has_open_list && matches!(setup.kind, FakeServerKind::LlamaServer | FakeServerKind::Ollama) {
        return (400, vec![r#"{"error": {"message": "schema must be an object"}}"#.to_owned()]);
    }
    if body["stream"] == false {
        return (200, vec![probabilities(setup).to_string()]);
    }
    let text = match under_schema(schema) {
        Some(text) if setup.obeys => text,
        _ => setup.text.clone(),
    };
    // Pieces of three letters, so that marks are cut in their middle.
    let letters: Vec<char> = text.chars().collect();
    let pieces = letters.chunks(3).map(|piece| piece.iter().collect::<String>());
    let mut lines: Vec<String> = pieces.map(|piece| line(setup, &piece)).collect();
    lines.extend(last_lines(setup, letters.len().div_ceil(3)));
    (200, lines)
}

/// A text of the schema, for the few forms that tests ask for.
fn under_schema(schema: &Value) -> Option<String> {
    if let Some(values) = schema["enum"].as_array() {
        return Some(values.first()?.to_string());
    }
    let fields = schema["properties"].as_object()?;
    let value = |field: &Value| match &field["const"] {
        Value::Null => json!(null),
        value => value.clone(),
    };
    let object: Value = fields.iter().map(|(name, field)| (name.clone(), value(field))).collect();
    Some(object.to_string())
}

fn line(setup: &FakeServerSetup, piece: &str) -> String {
    let hidden = setup.writes_into_thoughts;
    match setup.kind {
        FakeServerKind::LlamaServer => {
            format!("data: {}\n\n", json!({"content": piece, "stop": false}))
        }
        FakeServerKind::Ollama => {
            let field = if hidden { "thinking" } else { "content" };
            format!("{}\n", json!({"message": {"role": "assistant", field: piece}, "done": false}))
        }
        FakeServerKind::LmStudio | FakeServerKind::OpenAi => {
            let field = if hidden { "reasoning_content" } else { "content" };
            let choice = json!({"delta": {field: piece}, "finish_reason": null});
            format!("data: {}\n\n", json!({"choices": [choice]}))
        }
    }
}

fn last_lines(setup: &FakeServerSetup, tokens: usize) -> Vec<String> {
    let reason = if setup.cuts { "length" } else { "stop" };
    match setup.kind {
        FakeServerKind::LlamaServer => vec![format!(
            "data: {}\n\n",
            json!({"content": "", "stop": true, "stop_type": if setup.cuts { "limit" } else { "eos" },
                   "timings": {"prompt_n": 20, "cache_n": 30, "predicted_n": tokens}})
        )],
        FakeServerKind::Ollama => vec![format!(
            "{}\n",
            json!({"message": {"content": ""}, "done": true, "done_reason": reason,
                   "prompt_eval_count": 50, "eval_count": tokens})
        )],
        FakeServerKind::LmStudio | FakeServerKind::OpenAi => {
            let choice = json!({"delta": {}, "finish_reason": reason});
            let usage = json!({"prompt_tokens": 50, "completion_tokens": tokens});
            vec![
                format!(": keep-alive\n\ndata: {}\n\n", json!({"choices": [choice]})),
                format!("data: {}\n\n", json!({"choices": [], "usage": usage})),
                "data: [DONE]\n\n".to_owned(),
            ]
        }
    }
}

/// Three quarters for `Y`, a quarter for `N`.
fn probabilities(setup: &FakeServerSetup) -> Value {
    let entry = |token: &str, share: f64| json!({"token": token, "logprob": share.ln()});
    let likeliest = json!([entry("Y", 0.3), entry(" Y", 0.3), entry("N", 0.2), entry("x", 0.1)]);
    let likeliest = if setup.has_probabilities { likeliest } else { Value::Null };
    match setup.kind {
        FakeServerKind::LlamaServer => json!({
            "content": "Y", "stop": true, "completion_probabilities": [{"top_logprobs": likeliest}],
        }),
        FakeServerKind::Ollama => json!({
            "message": {"content": "Y"}, "done": true, "logprobs": [{"top_logprobs": likeliest}],
        }),
        FakeServerKind::LmStudio | FakeServerKind::OpenAi => json!({
            "choices": [{"message": {"content": "Y"}, "finish_reason": "length",
                         "logprobs": {"content": [{"top_logprobs": likeliest}]}}],
        }),
    }
}
