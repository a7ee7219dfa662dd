//! A hub on this machine, with the part of the protocol that a download uses: the description of a repository, files by
//! commit with redirects and ranges, and injected faults.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use sha2::{Digest, Sha256};

pub const REPO: &str = "zoe/Tiny-GGUF";
pub const FILE: &str = "tiny-Q4.gguf";
pub const NAME: &str = "zoe/Tiny-GGUF/tiny-Q4.gguf";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HubRequestKind {
    /// The description of the repository.
    Info,
    /// The file.
    File,
}

/// A fault of one request.
#[derive(Debug, Clone)]
pub enum InjectedFault {
    /// Another answer, with more header lines.
    Answer(u16, &'static [&'static str], &'static str),
    /// The connection ends after this many bytes of the body.
    Break(usize),
    /// The body stops after this many bytes, until the client closes the connection or the test calls
    /// [`FakeHub::release`].
    Stall(usize),
    /// The server ignores the range and sends the whole file.
    NoRange,
    /// The body has this length.
    Length(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    pub line: String,
    pub range: Option<String>,
    pub authorization: Option<String>,
}

/// A hub with one repository of one file.
pub struct FakeHub {
    address: SocketAddr,
    state: Arc<Mutex<HubState>>,
    /// Gets a message for each stall.
    stalled: Mutex<Receiver<()>>,
    /// Gets a message when the client closes a stalled connection.
    left: Mutex<Receiver<()>>,
    is_over: Arc<AtomicBool>,
}

pub struct HubSetup {
    pub files: BTreeMap<String, Vec<u8>>,
    /// Changes with every commit.
    pub commit: String,
    /// Wrong values that it lists, if set.
    pub digest: Option<String>,
    pub size: Option<u64>,
    pub has_digests: bool,
    /// Redirects requests of files to another address, as the real hub does.
    pub redirects: bool,
    /// Redirects to another server, such as `http://localhost:80`.
    pub other_server: Option<String>,
    /// Lists files as stored in Xet too, which has a protocol of its own.
    pub has_xet: bool,
    /// Refuses requests without this token.
    pub token: Option<&'static str>,
}

struct HubState {
    setup: HubSetup,
    faults: Vec<(HubRequestKind, InjectedFault)>,
    requests: Vec<RecordedRequest>,
    stalled: Sender<()>,
    left: Sender<()>,
    waiting: Vec<Sender<()>>,
}

struct HubRequest {
    method: String,
    path: String,
    range: Option<(usize, usize)>,
    authorization: Option<String>,
}

impl FakeHub {
    pub fn start(bytes: Vec<u8>) -> FakeHub {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (send, stalled) = mpsc::channel();
        let (send_left, left) = mpsc::channel();
        let others =
            [("README.md", "# Tiny"), ("tiny-Q8.gguf", "GGUF8"), ("tiny-Q2.gguf", "GGUF2")];
        let mut files: BTreeMap<String, Vec<u8>> =
            others.map(|(name, text)| (name.to_owned(), text.into())).into();
        files.insert(FILE.to_owned(), bytes);
        let setup = HubSetup {
            files,
            commit: "c0ffee".repeat(6) + "0001",
            digest: None,
            size: None,
            has_digests: true,
            redirects: true,
            other_server: None,
            has_xet: false,
            token: None,
        };
        let state = Arc::new(Mutex::new(HubState {
            setup,
            faults: Vec::new(),
            requests: Vec::new(),
            stalled: send,
            left: send_left,
            waiting: Vec::new(),
        }));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let state = Arc::clone(&shared);
                // A client that closes its connection early ends only this thread.
                thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        let (stalled, left) = (Mutex::new(stalled), Mutex::new(left));
        FakeHub { address, state, stalled, left, is_over }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap()
    }

    /// Injects a fault into the next request of this kind that has none.
    pub fn inject_fault(&self, what_for: HubRequestKind, fault: InjectedFault) {
        self.state().faults.push((what_for, fault));
    }

    pub fn set(&self, change: impl FnOnce(&mut HubSetup)) {
        change(&mut self.state().setup);
    }

    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.clone()
    }

    /// The requested ranges of the file, in order.
    pub fn ranges(&self) -> Vec<String> {
        let requests = self.requests();
        let files = requests.iter().filter(|request| request.line.starts_with("GET /cdn/"));
        files.map(|request| request.range.clone().unwrap_or_default()).collect()
    }

    /// Waits until a response has stalled.
    pub fn await_stall(&self) {
        self.stalled.lock().unwrap().recv().unwrap();
    }

    /// Waits until the client closes a stalled connection.
    pub fn await_left(&self) {
        self.left.lock().unwrap().recv().unwrap();
    }

    /// Continues all stalled responses.
    pub fn release(&self) {
        self.state().waiting.drain(..).for_each(|waiting| {
            let _ = waiting.send(());
        });
    }
}

impl Drop for FakeHub {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the listener, which then checks `is_over`.
        drop(TcpStream::connect(self.address));
    }
}

/// Serves the one request of a connection.
fn serve(mut stream: TcpStream, state: &Mutex<HubState>) -> std::io::Result<()> {
    let Some(request) = read_request(&stream)? else { return Ok(()) };
    let reply = {
        let mut state = state.lock().unwrap();
        reply(&mut state, &request)
    };
    let HubReply { status, headers, body, fault } = reply;
    let mut head = format!("HTTP/1.1 {status} Whatever\r\nconnection: close\r\n");
    for line in headers {
        write!(head, "{line}\r\n").unwrap();
    }
    let mut body = body;
    if let Some(InjectedFault::Length(length)) = fault {
        body.resize(length, b'x');
    }
    write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
    stream.write_all(head.as_bytes())?;
    match fault {
        Some(InjectedFault::Break(after)) => stream.write_all(&body[..after.min(body.len())]),
        Some(InjectedFault::Stall(after)) => {
            let (now, later) = body.split_at(after.min(body.len()));
            stream.write_all(now)?;
            let (send, released) = mpsc::channel();
            let (stalled, left) = {
                let mut state = state.lock().unwrap();
                state.waiting.push(send.clone());
                (state.stalled.clone(), state.left.clone())
            };
            let _ = stalled.send(());
            // A client that closes the connection ends the stall too.
            let mut other = stream.try_clone()?;
            thread::spawn(move || {
                let _ = other.read(&mut [0]);
                let _ = left.send(());
                let _ = send.send(());
            });
            let _ = released.recv();
            stream.write_all(later)
        }
        _ => stream.write_all(&body),
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<Option<HubRequest>> {
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first)?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (mut range, mut authorization) = (None, None);
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.to_owned()),
            "range" => {
                let (from, to) = value.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
                range = Some((from.parse().unwrap(), to.parse().unwrap()));
            }
            _ => {}
        }
    }
    let (method, path) = (method.to_owned(), path.to_owned());
    Ok(Some(HubRequest { method, path, range, authorization }))
}

struct HubReply {
    status: u16,
    headers: Vec<String>,
    body: Vec<u8>,
    fault: Option<InjectedFault>,
}

fn answer(status: u16, body: impl Into<Vec<u8>>) -> HubReply {
    HubReply { status, headers: Vec::new(), body: body.into(), fault: None }
}

fn reply(state: &mut HubState, request: &HubRequest) -> HubReply {
    state.requests.push(RecordedRequest {
        line: format!("{} {}", request.method, request.path),
        range: request.range.map(|(from, to)| format!("{from}-{to}")),
        authorization: request.authorization.clone(),
    });
    let is_info = request.path.starts_with("/api/");
    // A fault of a file applies to the response with its bytes, not to the redirect before it.
    let is_body = is_info || !(state.setup.redirects && is_resolve(request));
    let what_for = if is_info { HubRequestKind::Info } else { HubRequestKind::File };
    let at = state.faults.iter().position(|(other, _)| is_body && *other == what_for);
    let fault = at.map(|at| state.faults.remove(at).1);
    if let Some(InjectedFault::Answer(status, headers, body)) = fault {
        let headers = headers.iter().map(|line| (*line).to_owned()).collect();
        return HubReply { headers, ..answer(status, body) };
    }
    let wanted = state.setup.token.map(|token| format!("Bearer {token}"));
    if wanted.is_some() && wanted != request.authorization {
        let why = r#"{"error": "Invalid username or password."}"#;
        return answer(401, why);
    }
    let setup = &state.setup;
    let reply = if is_info { info(setup, request) } else { file(setup, request, fault.as_ref()) };
    HubReply { fault, ..reply }
}

fn is_resolve(request: &HubRequest) -> bool {
    !request.path.starts_with("/cdn/")
}

/// `GET /api/models/{owner}/{repo}/revision/main?blobs=true`.
fn info(setup: &HubSetup, request: &HubRequest) -> HubReply {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    if path == format!("/api/models/{REPO}-old/revision/main") {
        let location = format!("location: /api/models/{REPO}/revision/main?{query}");
        return HubReply { headers: vec![location], ..answer(307, "") };
    }
    if path != format!("/api/models/{REPO}/revision/main") {
        let headers = vec!["x-error-code: RepoNotFound".to_owned()];
        return HubReply { headers, ..answer(404, r#"{"error": "Repository not found"}"#) };
    }
    let siblings: Vec<serde_json::Value> =
        setup.files.iter().map(|(name, bytes)| sibling(setup, query, name, bytes)).collect();
    let info = serde_json::json!({
        "_id": "6512a8", "id": REPO, "author": "zoe", "private": false, "gated": false, "downloads": 3,
        "tags": ["gguf"], "gguf": {"total": 12}, "sha": setup.commit, "siblings": siblings,
    });
    answer(200, info.to_string())
}

fn sibling(setup: &HubSetup, query: &str, name: &str, bytes: &[u8]) -> serde_json::Value {
    if query != "blobs=true" {
        return serde_json::json!({"rfilename": name});
    }
    let digest = setup.digest.clone().unwrap_or_else(|| sha256(bytes));
    let size = setup.size.unwrap_or(bytes.len() as u64);
    let lfs = serde_json::json!({"sha256": digest, "size": size, "pointerSize": 134});
    let mut sibling = serde_json::json!({"rfilename": name, "blobId": "8e3f", "size": size});
    if name.ends_with(".gguf") && setup.has_digests {
        sibling["lfs"] = lfs;
    }
    sibling
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `/{owner}/{repo}/resolve/{commit}/{file}`, and the address that it redirects to.
fn file(setup: &HubSetup, request: &HubRequest, fault: Option<&InjectedFault>) -> HubReply {
    let place = format!("{REPO}/resolve/{}/{FILE}", setup.commit);
    let bytes = &setup.files[FILE];
    let digest = sha256(bytes);
    if request.path == format!("/{place}") && setup.redirects {
        let host = setup.other_server.as_deref().unwrap_or_default();
        let headers = vec![
            format!("location: {host}/cdn/{place}"),
            format!("x-repo-commit: {}", setup.commit),
            format!("x-linked-size: {}", bytes.len()),
            format!("x-linked-etag: \"{digest}\""),
            "accept-ranges: bytes".to_owned(),
        ];
        return HubReply { headers, ..answer(302, "Found. Redirecting") };
    }
    if let Some(rest) = request.path.strip_prefix(&format!("/{REPO}-old/")) {
        return HubReply { headers: vec![format!("location: /{REPO}/{rest}")], ..answer(307, "") };
    }
    if !request.path.ends_with(&place) {
        let headers = vec!["x-error-code: EntryNotFound".to_owned()];
        return HubReply { headers, ..answer(404, "Entry not found") };
    }
    let mut headers = vec![format!("etag: \"{digest}\""), "accept-ranges: bytes".to_owned()];
    if !setup.redirects {
        headers.push(format!("x-linked-size: {}", bytes.len()));
    }
    if setup.has_xet {
        headers.push(format!("x-xet-hash: {digest}"));
    }
    let range = request.range.filter(|_| !matches!(fault, Some(InjectedFault::NoRange)));
    match range {
        None => HubReply { headers, ..answer(200, bytes.clone()) },
        Some((from, _)) if from >= bytes.len() => answer(416, ""),
        Some((from, to)) => {
            let to = to.min(bytes.len() - 1);
            headers.push(format!("content-range: bytes {from}-{to}/{}", bytes.len()));
            HubReply { headers, ..answer(206, &bytes[from..=to]) }
        }
    }
}

/// A model file of this size with pseudo-random content, so that no two parts are equal.
pub fn model(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        // A linear congruential generator: any will do.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let mut model = b"GGUF\x03\0\0\0".to_vec();
    model.resize_with(bytes, &mut next);
    model
}
