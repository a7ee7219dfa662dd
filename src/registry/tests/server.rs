//! The registry itself.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use narratoria_protocol::digest::sha256;

use crate::OciReference;

/// The repository that the tests use.
const PATH: &str = "/v2/team/weather/";

#[derive(Debug, Clone)]
pub(super) struct SeenRequest {
    pub(super) method: String,
    /// With its query.
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

#[derive(Default)]
struct Kept {
    blobs: BTreeMap<String, Vec<u8>>,
    /// By tag and by digest.
    manifests: BTreeMap<String, Vec<u8>>,
    /// Responses that are sent first, each once, to requests that begin so.
    prepared: Vec<(String, Vec<u8>)>,
    /// Uploads by their numbers; `None` if one is over or forgotten.
    uploads: Vec<Option<Vec<u8>>>,
    /// Requests that break, each once: how they begin, and how much of their body arrives. After all of it, the answer is lost.
    breaks: Vec<(String, usize)>,
    upload_rules: UploadRules,
    /// What a request has to show, and where it gets it.
    authorization: Option<(String, String)>,
    has_referrers: bool,
    seen: Vec<SeenRequest>,
}

/// How a registry deals with uploads.
#[derive(Clone, Copy, Default)]
pub(super) struct UploadRules {
    /// Forgets an upload of which a request broke, as Docker's does.
    pub(super) forgets: bool,
    /// Takes what came of a request that broke.
    pub(super) keeps_parts: bool,
    /// Refuses chunks.
    pub(super) wants_whole: bool,
    /// Answers chunks with a length that stands still, as Amazon's has done.
    pub(super) miscounts: bool,
    /// Says that it takes no smaller chunks, unless that is zero.
    pub(super) chunk_min: usize,
}

pub(super) struct FakeRegistry {
    address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
}

impl FakeRegistry {
    pub(super) fn start() -> FakeRegistry {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (address, kept) = (listener.local_addr().unwrap(), Arc::new(Mutex::default()));
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&shared);
                // A client may leave early.
                thread::spawn(move || drop(answer(stream, &kept)));
            }
        });
        FakeRegistry { address, kept }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn reference(&self, behind: &str) -> OciReference {
        OciReference::parse(&format!("oci://{}/team/weather{behind}", self.address)).unwrap()
    }

    /// Sends this to the next request that begins so, such as `GET manifests/1.2.0`.
    pub(super) fn prepare(&self, request: &str, response: Vec<u8>) {
        let (method, path) = request.split_once(' ').unwrap();
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{PATH}{path}") };
        self.kept().prepared.push((format!("{method} {whole}"), response));
    }

    /// Lets the next request that begins so break after that many bytes of its body.
    pub(super) fn break_after(&self, request: &str, bytes: usize) {
        let (method, path) = request.split_once(' ').unwrap();
        self.kept().breaks.push((format!("{method} {PATH}{path}"), bytes));
    }

    pub(super) fn with_uploads(self, rules: UploadRules) -> FakeRegistry {
        self.kept().upload_rules = rules;
        self
    }

    pub(super) fn blob(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.kept().blobs.get(&format!("sha256:{}", sha256(bytes))).cloned()
    }

    /// Wants this header from now on, and names this challenge to those who lack it.
    pub(super) fn lock(&self, authorization: &str, challenge: &str) {
        self.kept().authorization = Some((authorization.to_owned(), challenge.to_owned()));
    }

    pub(super) fn with_referrers(self) -> FakeRegistry {
        self.kept().has_referrers = true;
        self
    }

    pub(super) fn put_manifest(&self, by: &str, bytes: &[u8]) {
        let mut kept = self.kept();
        kept.manifests.insert(format!("sha256:{}", sha256(bytes)), bytes.to_vec());
        kept.manifests.insert(by.to_owned(), bytes.to_vec());
    }

    pub(super) fn put_blob(&self, bytes: &[u8]) {
        self.kept().blobs.insert(format!("sha256:{}", sha256(bytes)), bytes.to_vec());
    }

    pub(super) fn manifest(&self, by: &str) -> Option<Vec<u8>> {
        self.kept().manifests.get(by).cloned()
    }

    pub(super) fn forget_requests(&self) {
        self.kept().seen.clear();
    }

    pub(super) fn requests(&self) -> Vec<SeenRequest> {
        self.kept().seen.clone()
    }

    /// The lines of all requests since the last time.
    pub(super) fn lines(&self) -> Vec<String> {
        let seen = std::mem::take(&mut self.kept().seen);
        let line =
            |seen: SeenRequest| format!("{} {}", seen.method, seen.path.trim_start_matches(PATH));
        seen.into_iter().map(line).collect()
    }
}

pub(super) fn response(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{header}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// A whole response.
pub(super) fn ok(body: &[u8]) -> Vec<u8> {
    response("200 OK", &format!("content-length: {}", body.len()), body)
}

pub(super) fn nothing(status: &str, header: &str) -> Vec<u8> {
    response(status, &format!("content-length: 0\r\n{header}"), b"")
}

fn answer(mut stream: TcpStream, kept: &Mutex<Kept>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let line = first.rsplit_once(' ').map_or("", |(line, _)| line);
    let broken = kept.lock().unwrap().break_of(line);
    let mut body = vec![0; broken.unwrap_or(length).min(length)];
    reader.read_exact(&mut body)?;
    let mut words = first.split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let seen = SeenRequest { method: word(), path: word(), headers, body };
    if let Some(bytes) = broken {
        let mut kept = kept.lock().unwrap();
        kept.seen.push(seen.clone());
        match bytes < length {
            true => kept.lose(&seen),
            // Everything came, and the answer is lost.
            false => drop(kept.respond(&seen)),
        }
        return Ok(());
    }
    let response = {
        let mut kept = kept.lock().unwrap();
        kept.seen.push(seen.clone());
        kept.respond(&seen)
    };
    stream.write_all(&response)?;
    stream.flush()
}

impl Kept {
    fn respond(&mut self, seen: &SeenRequest) -> Vec<u8> {
        let line = format!("{} {}", seen.method, seen.path);
        if let Some(at) = self.prepared.iter().position(|(begin, _)| line.starts_with(begin)) {
            return self.prepared.remove(at).1;
        }
        if let Some((wanted, challenge)) = &self.authorization
            && seen.headers.get("authorization") != Some(wanted)
        {
            return nothing("401 Unauthorized", &format!("www-authenticate: {challenge}"));
        }
        let not_found = || nothing("404 Not Found", "x-a: b");
        let Some(path) = seen.path.strip_prefix(PATH) else { return not_found() };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        match (seen.method.as_str(), path.split_once('/').unwrap_or((path, ""))) {
            ("PUT", ("manifests", by)) => {
                let digest = format!("sha256:{}", sha256(&seen.body));
                self.manifests.insert(digest.clone(), seen.body.clone());
                self.manifests.insert(by.to_owned(), seen.body.clone());
                let mark = if self.has_referrers { "oci-subject: x\r\n" } else { "" };
                nothing("201 Created", &format!("{mark}docker-content-digest: {digest}"))
            }
            ("GET", ("manifests", by)) => match self.manifests.get(by) {
                Some(bytes) => ok(bytes),
                None => not_found(),
            },
            ("GET" | "HEAD", ("blobs", digest)) if !digest.starts_with("uploads/") => {
                match self.blobs.get(digest) {
                    Some(bytes) if seen.method == "GET" => ok(bytes),
                    Some(_) => nothing("200 OK", "x-a: b"),
                    None => not_found(),
                }
            }
            ("POST", ("blobs", "uploads/")) => {
                self.uploads.push(Some(Vec::new()));
                let upload = self.uploads.len() - 1;
                let smallest = match self.upload_rules.chunk_min {
                    0 => String::new(),
                    smallest => format!("\r\noci-chunk-min-length: {smallest}"),
                };
                let at = format!("location: {PATH}blobs/uploads/{upload}?state=x");
                nothing("202 Accepted", &format!("{at}{smallest}"))
            }
            (method, ("blobs", upload)) if upload.starts_with("uploads/") => {
                let number = upload.trim_start_matches("uploads/").parse().unwrap();
                match self.uploads.get(number) {
                    Some(Some(_)) if query.contains("state=x") => {
                        self.upload(method, number, query, seen)
                    }
                    _ => not_found(),
                }
            }
            ("GET", ("tags", "list")) => {
                let tags: Vec<&String> =
                    self.manifests.keys().filter(|by| !by.starts_with("sha256")).collect();
                ok(serde_json::json!({"name": "team/weather", "tags": tags}).to_string().as_bytes())
            }
            ("GET", ("referrers", subject)) if self.has_referrers => ok(&self.referrers(subject)),
            _ => not_found(),
        }
    }

    fn upload(&mut self, method: &str, number: usize, query: &str, seen: &SeenRequest) -> Vec<u8> {
        let upload = self.uploads[number].as_mut().unwrap();
        let headers = |upload: &Vec<u8>| {
            let at = format!("location: {PATH}blobs/uploads/{number}?state=x");
            format!("{at}\r\nrange: 0-{}", upload.len().saturating_sub(1))
        };
        match method {
            "PATCH" if self.upload_rules.wants_whole => nothing("405 No Chunks", "x-a: b"),
            "PATCH" => {
                let range = format!("{}-{}", upload.len(), upload.len() + seen.body.len() - 1);
                if seen.headers.get("content-range") != Some(&range) {
                    return nothing("416 Out Of Order", &headers(upload));
                }
                let before = headers(upload);
                upload.extend(&seen.body);
                let said = if self.upload_rules.miscounts { before } else { headers(upload) };
                nothing("202 Accepted", &said)
            }
            "PUT" => {
                upload.extend(&seen.body);
                let digest = format!("sha256:{}", sha256(upload));
                if !query.replace("%3A", ":").ends_with(&digest) {
                    return nothing("400 Bad Request", "x-a: b");
                }
                self.blobs.insert(digest, std::mem::take(upload));
                self.uploads[number] = None;
                nothing("201 Created", "x-a: b")
            }
            _ => nothing("204 No Content", &headers(upload)),
        }
    }

    /// How much of the body of this request arrives.
    fn break_of(&mut self, line: &str) -> Option<usize> {
        let at = self.breaks.iter().position(|(begin, _)| line.starts_with(begin))?;
        Some(self.breaks.remove(at).1)
    }

    /// Has only a part of a request.
    fn lose(&mut self, seen: &SeenRequest) {
        let number = seen.path.split("uploads/").nth(1).and_then(|rest| rest.split('?').next());
        let number: usize = number.and_then(|number| number.parse().ok()).unwrap_or_default();
        let rules = self.upload_rules;
        match self.uploads.get_mut(number) {
            Some(upload) if rules.forgets => *upload = None,
            Some(Some(upload)) if rules.keeps_parts => upload.extend(&seen.body),
            _ => {}
        }
    }

    fn referrers(&self, subject: &str) -> Vec<u8> {
        let of_subject = |bytes: &&Vec<u8>| {
            let text = String::from_utf8_lossy(bytes);
            text.contains("\"subject\":{\"mediaType\":") && text.contains(subject)
        };
        let entry = |bytes: &Vec<u8>| {
            let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            serde_json::json!({
                "mediaType": manifest["mediaType"], "digest": format!("sha256:{}", sha256(bytes)),
                "size": bytes.len(), "artifactType": manifest["artifactType"],
            })
        };
        let by_digest = self.manifests.iter().filter(|(by, _)| by.starts_with("sha256:"));
        let entries: Vec<_> =
            by_digest.map(|(_, bytes)| bytes).filter(of_subject).map(entry).collect();
        serde_json::json!({"schemaVersion": 2, "manifests": entries}).to_string().into_bytes()
    }
}
