//! A server for a test, and a client that sends what it is told to.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::scripted_host::ScriptedHost;
use crate::{
    ProgramAccess, ServeError, ServeOptions, ServeTimes, Server, StoriesInPlay, asked::ServerParts,
    login::run_name,
};

/// A test that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("it hangs")
}

/// Waits until something holds that no event tells.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    within(async {
        while !holds() {
            sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
}

pub(crate) fn options(times: ServeTimes) -> ServeOptions {
    ServeOptions {
        token: TOKEN.to_owned(),
        version: "1.2.3".to_owned(),
        port: 0,
        listen: None,
        names: Vec::new(),
        password: None,
        players: None,
        operations: None,
        times,
    }
}

pub(crate) struct TestServer {
    pub(crate) host: Arc<ScriptedHost>,
    pub(crate) parts: Arc<ServerParts>,
    pub(crate) port: u16,
    pub(crate) url: String,
    pub(crate) cookie: String,
    pub(crate) shutdown: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), ServeError>>,
}

impl TestServer {
    pub(crate) async fn start() -> TestServer {
        TestServer::with(options(ServeTimes::default())).await
    }

    pub(crate) async fn with_times(times: ServeTimes) -> TestServer {
        TestServer::with(options(times)).await
    }

    pub(crate) async fn with(options: ServeOptions) -> TestServer {
        TestServer::with_programs(options, None).await
    }

    pub(crate) async fn with_programs(
        options: ServeOptions,
        programs: Option<ProgramAccess>,
    ) -> TestServer {
        let token = options.token.clone();
        let mut server = TestServer::without_session(options, programs).await;
        let login = json!({ "token": token }).to_string();
        let reply = server.send("POST /api/session", &[JSON], login.as_bytes()).await;
        assert_eq!(reply.status, 204, "{reply:?}");
        server.cookie = reply.cookie();
        server
    }

    /// A server, and a client without a cookie.
    pub(crate) async fn without_session(
        options: ServeOptions,
        programs: Option<ProgramAccess>,
    ) -> TestServer {
        let host = Arc::new(ScriptedHost::default());
        let stories = StoriesInPlay::new(host.clone(), &run_name(&options.token));
        let server = Server::bind_shared(options, &stories, programs).await.unwrap();
        let (parts, url, port) = (server.parts(), server.url(), server.address().port());
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(server.run(shutdown.clone()));
        let cookie = String::new();
        TestServer { host, parts, port, url, cookie, shutdown, task }
    }

    pub(crate) fn host_name(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        within(TcpStream::connect(("127.0.0.1", self.port))).await.unwrap()
    }

    /// Sends a request with these headers and no others but `Host`.
    pub(crate) async fn send(&self, line: &str, headers: &[&str], body: &[u8]) -> HttpReply {
        let host = format!("host: {}", self.host_name());
        let length = format!("content-length: {}", body.len());
        let mut all = vec![host.as_str(), length.as_str()];
        all.extend(headers);
        self.send_raw(line, &all, body).await
    }

    /// Sends a request with exactly these headers.
    pub(crate) async fn send_raw(&self, line: &str, headers: &[&str], body: &[u8]) -> HttpReply {
        let mut stream = self.connect().await;
        let mut head = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        headers.iter().for_each(|header| head += &format!("{header}\r\n"));
        head += "\r\n";
        // The server may refuse before it has read everything.
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(body).await;
        HttpReply::read(&mut stream).await
    }

    pub(crate) async fn get(&self, path: &str) -> HttpReply {
        self.send(&format!("GET {path}"), &[&self.cookie_header()], b"").await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> HttpReply {
        self.json("POST", path, body).await
    }

    pub(crate) async fn json(&self, method: &str, path: &str, body: Value) -> HttpReply {
        let headers = [JSON, &self.cookie_header()];
        self.send(&format!("{method} {path}"), &headers, body.to_string().as_bytes()).await
    }

    /// Makes a link of the story and returns its id and the cookie of a reader.
    pub(crate) async fn reader_of(&self, story: &str) -> (String, String) {
        let link = self.post(&format!("/api/stories/{story}/links"), json!({})).await;
        assert_eq!(link.status, 201, "{link:?}");
        let link = link.json();
        let token = link["path"].as_str().unwrap().strip_prefix("/#r=").unwrap();
        let login = json!({ "link": token }).to_string();
        let reply = self.send("POST /api/session", &[JSON], login.as_bytes()).await;
        assert_eq!((reply.status, &reply.json()["story"]), (200, &json!(story)));
        (link["id"].as_str().unwrap().to_owned(), reply.cookie())
    }

    pub(crate) fn cookie_header(&self) -> String {
        format!("cookie: {}", self.cookie)
    }

    pub(crate) async fn line(&self, id: &str, after: usize, text: &str) -> HttpReply {
        let body = json!({ "requestId": id, "after": after, "text": text });
        self.post("/api/stories/tower/lines", body).await
    }

    pub(crate) async fn events(&self, query: &str) -> Events {
        self.events_of("tower", query).await.expect("a stream")
    }

    pub(crate) async fn events_of(&self, story: &str, query: &str) -> Result<Events, HttpReply> {
        let mut stream = self.connect().await;
        let (host, cookie) = (self.host_name(), self.cookie_header());
        let head = format!(
            "GET /api/stories/{story}/events{query} HTTP/1.1\r\nhost: {host}\r\n{cookie}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut reader = BufReader::new(stream);
        let head = within(read_head(&mut reader)).await;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(HttpReply::of(&head, Vec::new()));
        }
        Ok(Events { reader, text: String::new(), waiting: VecDeque::new() })
    }

    pub(crate) async fn end(self) {
        self.shutdown.cancel();
        within(self.task).await.unwrap().unwrap();
    }
}

pub(crate) const JSON: &str = "content-type: application/json";

#[derive(Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl HttpReply {
    fn of(head: &str, body: Vec<u8>) -> HttpReply {
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        HttpReply { status: status.unwrap_or_default(), headers: headers.collect(), body }
    }

    /// Reads until the other side closes, or breaks the connection.
    pub(crate) async fn read(stream: &mut TcpStream) -> HttpReply {
        let mut bytes = Vec::new();
        let _ = within(stream.read_to_end(&mut bytes)).await;
        let end = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        HttpReply::of(&head, bytes.get(end + 4..).unwrap_or_default().to_vec())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }

    /// The cookie that a browser keeps of it.
    pub(crate) fn cookie(&self) -> String {
        self.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The status with the kind of the error.
    pub(crate) fn fault(&self) -> String {
        let kind = self.json()["error"]["kind"].as_str().unwrap_or("none").to_owned();
        format!("{} {kind}", self.status)
    }
}

async fn read_head(reader: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.unwrap_or_default() <= 2 {
            return head;
        }
        head += &line;
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenEvent {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl SeenEvent {
    /// The number of the event, the last part of its id.
    pub(crate) fn number(&self) -> u64 {
        self.id.rsplit('.').next().unwrap().parse().unwrap()
    }

    /// The kind of an event, and that of an update.
    pub(crate) fn name(&self) -> String {
        match self.data["type"].as_str() {
            Some(update) => update.to_owned(),
            None => self.kind.clone(),
        }
    }
}

/// The events of a connection.
pub(crate) struct Events {
    reader: BufReader<TcpStream>,
    text: String,
    waiting: VecDeque<SeenEvent>,
}

impl Events {
    /// The next event; none after the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<SeenEvent> {
        within(async {
            while self.waiting.is_empty() {
                self.read_chunk().await?;
                while let Some((event, rest)) = self.text.split_once("\n\n") {
                    self.waiting.extend(seen(event));
                    self.text = rest.to_owned();
                }
            }
            self.waiting.pop_front()
        })
        .await
    }

    pub(crate) async fn expect(&mut self) -> SeenEvent {
        self.next().await.expect("an event")
    }

    /// The events up to one of this name.
    pub(crate) async fn up_to(&mut self, name: &str) -> Vec<SeenEvent> {
        let mut events = Vec::new();
        loop {
            events.push(self.expect().await);
            if events.last().is_some_and(|event| event.name() == name) {
                return events;
            }
        }
    }

    async fn read_chunk(&mut self) -> Option<()> {
        let mut size = String::new();
        self.reader.read_line(&mut size).await.ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk).await.ok()?;
        self.text += std::str::from_utf8(&chunk[..size]).unwrap();
        Some(())
    }
}

fn seen(event: &str) -> Option<SeenEvent> {
    let all = |name: &str| {
        let values = event.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        values.collect::<Vec<_>>().join("\n")
    };
    if !event.contains("data: ") {
        return None;
    }
    let data = serde_json::from_str(&all("data")).unwrap();
    Some(SeenEvent { id: all("id"), kind: all("event"), data })
}

pub(crate) fn names(events: &[SeenEvent]) -> Vec<String> {
    events.iter().map(SeenEvent::name).collect()
}
