//! A browser's side of `narratoria serve`, over plain sockets: each test says what it sends, to the byte.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, RunningCommand, TIMEOUT};

/// The header of a body of JSON.
const JSON_BODY: &str = "Content-Type: application/json\r\n";

/// A server in play, and a browser that has its cookie.
pub(crate) struct PageServer {
    command: RunningCommand,
    port: u16,
    cookie: String,
    /// A line of the head that a proxy adds.
    of_proxy: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct PageAnswer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

impl PageAnswer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The cookie that a browser keeps of it.
    #[track_caller]
    fn cookie(&self) -> String {
        let cookie = self.headers.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next())?
        });
        cookie.expect("the server sets a cookie").to_owned()
    }
}

/// The events of a story.
pub(crate) struct PageEvents {
    lines: BufReader<TcpStream>,
    /// The id of the last event.
    pub(crate) at: String,
}

impl PageServer {
    pub(crate) fn start(machine: &PlayerMachine, more: &[&str]) -> PageServer {
        let (mut server, token) = PageServer::start_without_session(machine, more);
        let answer = server.post("/api/session", &json!({"token": token}));
        assert_eq!(answer.status, 204, "{answer:?}");
        server.cookie = answer.cookie();
        server
    }

    /// A server that knows no browser yet, and the token that it has printed.
    pub(crate) fn start_without_session(
        machine: &PlayerMachine,
        more: &[&str],
    ) -> (PageServer, String) {
        let args = [&["serve", "--port", "0", "--no-open", "--format", "json"], more].concat();
        let mut command = machine.start(&args);
        let url = command.stdout_line();
        let url: Value =
            serde_json::from_str(&url).unwrap_or_else(|error| panic!("{error}: {url}"));
        let url = url["url"].as_str().unwrap().to_owned();
        let (address, token) = url.split_once("/#t=").unwrap();
        let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
        let (cookie, of_proxy) = (String::new(), String::new());
        (PageServer { command, port, cookie, of_proxy }, token.to_owned())
    }

    /// Asks from now on as a proxy does for a player.
    pub(crate) fn become_player(&mut self, header: &str) {
        self.of_proxy = format!("{header}\r\n");
    }

    /// Opens a link, as a browser does that knows nothing else of the server.
    pub(crate) fn become_reader(&mut self, token: &str) {
        self.cookie.clear();
        let answer = self.post("/api/session", &json!({"link": token}));
        assert_eq!(answer.status, 200, "{answer:?}");
        self.cookie = answer.cookie();
    }

    /// Kills the server as a power cut would.
    pub(crate) fn kill(self) {
        self.command.signal("KILL");
        self.command.end();
    }

    /// Asks the server to end. Returns its exit code and how long that took.
    pub(crate) fn terminate(self) -> (Option<i32>, Duration) {
        self.command.signal("TERM");
        let (code, took, _) = self.command.end();
        (code, took)
    }

    /// Waits until the server has ended by itself, or was killed.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait(self) {
        self.command.end();
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> u32 {
        self.command.pid()
    }

    pub(crate) fn get(&self, path: &str) -> PageAnswer {
        self.send("GET", path, "", b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> PageAnswer {
        let body = body.to_string();
        self.send("POST", path, JSON_BODY, body.as_bytes())
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> PageAnswer {
        let body = body.to_string();
        self.send("PUT", path, JSON_BODY, body.as_bytes())
    }

    pub(crate) fn upload(&self, path: &str, body: &[u8]) -> PageAnswer {
        self.send("POST", path, "Content-Type: application/octet-stream\r\n", body)
    }

    /// Makes a story and returns its name.
    #[track_caller]
    pub(crate) fn create(&self, new: Value) -> String {
        let mut body = json!({"requestId": "create"});
        body.as_object_mut().unwrap().extend(new.as_object().unwrap().clone());
        let answer = self.post("/api/stories", &body);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["story"].as_str().unwrap().to_owned()
    }

    /// Sends a line and returns the status.
    pub(crate) fn line(&self, story: &str, id: &str, after: u64, text: &str) -> u16 {
        self.line_or_end(story, id, after, text).expect("the server answers")
    }

    /// As [`PageServer::line`]; `None` if the server ends before it has answered.
    pub(crate) fn line_or_end(&self, story: &str, id: &str, after: u64, text: &str) -> Option<u16> {
        let body = json!({"requestId": id, "after": after, "text": text}).to_string();
        let path = format!("/api/stories/{story}/lines");
        let answer = self.try_send("POST", &path, JSON_BODY, body.as_bytes());
        answer.map(|answer| answer.status)
    }

    /// A document about a story, such as `told?count=3`.
    #[track_caller]
    pub(crate) fn document(&self, story: &str, wanted: &str) -> Value {
        let answer = self.get(&format!("/api/stories/{story}/documents/{wanted}"));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Follows a story from an event, or from now.
    pub(crate) fn events(&self, story: &str, from: Option<&str>) -> PageEvents {
        let mut stream = self.connect();
        let from = from.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let path = format!("/api/stories/{story}/events");
        stream.write_all(self.head("GET", &path, &from).as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        PageEvents { lines: BufReader::new(stream), at: String::new() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    fn head(&self, method: &str, path: &str, more: &str) -> String {
        let cookie = match self.cookie.as_str() {
            "" => String::new(),
            cookie => format!("Cookie: {cookie}\r\n"),
        };
        let (port, of_proxy) = (self.port, &self.of_proxy);
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
             Sec-Fetch-Site: same-origin\r\n{cookie}{of_proxy}{more}"
        )
    }

    fn send(&self, method: &str, path: &str, more: &str, body: &[u8]) -> PageAnswer {
        self.try_send(method, path, more, body).expect("the server answers")
    }

    /// `None` if the server ends before it has answered.
    fn try_send(&self, method: &str, path: &str, more: &str, body: &[u8]) -> Option<PageAnswer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let more = format!("Connection: close\r\nContent-Length: {}\r\n{more}\r\n", body.len());
        stream.write_all(self.head(method, path, &more).as_bytes()).ok()?;
        stream.write_all(body).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
        let headers = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Some(PageAnswer { status, headers, body: answer[end + 4..].to_vec() })
    }
}

impl PageEvents {
    /// The next event: its kind, and its data.
    #[track_caller]
    pub(crate) fn next(&mut self) -> (String, Value) {
        self.next_or_end().expect("the stream goes on")
    }

    /// As [`PageEvents::next`]; `None` if the server has ended.
    pub(crate) fn next_or_end(&mut self) -> Option<(String, Value)> {
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(':') {
                Some(("event", rest)) => kind = rest.trim().to_owned(),
                Some(("id", rest)) => self.at = rest.trim().to_owned(),
                Some(("data", rest)) => data += rest.trim(),
                _ if line.is_empty() && !kind.is_empty() => {
                    let value = serde_json::from_str(&data).unwrap_or(Value::Null);
                    return Some((kind, value));
                }
                _ => {}
            }
        }
    }

    /// Reads up to an event of this kind, and returns its data.
    #[track_caller]
    pub(crate) fn until(&mut self, wanted: &str) -> Value {
        loop {
            let (kind, data) = self.next();
            if kind == wanted {
                return data;
            }
        }
    }

    /// Reads up to an update of this type.
    #[track_caller]
    pub(crate) fn until_update(&mut self, wanted: &str) -> Value {
        loop {
            let update = self.until("update");
            if update["type"] == wanted {
                return update;
            }
        }
    }
}
