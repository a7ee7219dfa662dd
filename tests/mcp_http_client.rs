//! A client's side of `/mcp` behind `narratoria serve --mcp`, over plain sockets: each test says what it sends, to the byte.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
};

use serde_json::{Value, json};

use crate::{
    mcp_client::{McpCalls, REVISIONS, form_answer, with_meta},
    player_machine::{PlayerMachine, RunningCommand, TIMEOUT},
};

pub(crate) const JSON: &str = "Content-Type: application/json";
pub(crate) const BOTH: &str = "Accept: application/json, text/event-stream";

/// A server that lets programs in.
pub(crate) struct McpHttpServer {
    command: RunningCommand,
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) token_file: PathBuf,
    /// The secret of the page's address.
    pub(crate) page_token: String,
    /// What it has printed.
    pub(crate) printed: String,
}

/// An answer whose body may still be on its way.
pub(crate) struct McpAnswer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    body: BufReader<TcpStream>,
}

impl McpHttpServer {
    pub(crate) fn start(machine: &PlayerMachine, more: &[&str]) -> McpHttpServer {
        let args = ["serve", "--port", "0", "--no-open", "--format", "json", "--mcp"];
        let mut command = machine.start(&[&args, more].concat());
        let printed = command.stdout_line();
        let said: Value =
            serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
        let url = said["mcp"]["url"].as_str().unwrap();
        let port = url.strip_prefix("http://127.0.0.1:").unwrap().strip_suffix("/mcp").unwrap();
        let port = port.parse().unwrap();
        let token_file = PathBuf::from(said["mcp"]["tokenFile"].as_str().unwrap());
        let token = fs::read_to_string(&token_file).unwrap().trim_end().to_owned();
        let page_token = said["url"].as_str().unwrap().split_once("#t=").unwrap().1.to_owned();
        McpHttpServer { command, port, token, token_file, page_token, printed }
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// Sends a request with these headers and `Host`, and reads the head of the answer. HTTP/1.0 wants no chunks.
    pub(crate) fn send(&self, method: &str, headers: &[&str], body: &[u8]) -> McpAnswer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let length = format!("Content-Length: {}", body.len());
        self.send_raw(method, "/mcp", &[&[host.as_str(), length.as_str()], headers].concat(), body)
    }

    /// Sends a request with exactly these headers.
    pub(crate) fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> McpAnswer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let head = format!("{method} {path} HTTP/1.0\r\n{}\r\n\r\n", headers.join("\r\n"));
        // The server may refuse before it has read everything.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut body = BufReader::new(stream);
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") {
            assert!(body.read_line(&mut headers).unwrap() > 0, "no head: {headers}");
        }
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        McpAnswer { status, headers, body }
    }

    /// Ends the server; returns its exit code and what it wrote to stderr.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        self.command.signal("INT");
        let (exit, _, stderr) = self.command.end();
        (exit, stderr)
    }
}

impl McpAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The rest of the body.
    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).unwrap();
        text
    }

    /// The next message of a stream. Returns `None` at its end.
    pub(crate) fn message(&mut self) -> Option<Value> {
        if self.header("content-type") == Some("application/json") {
            let mut text = String::new();
            self.body.read_to_string(&mut text).unwrap();
            return serde_json::from_str(&text).ok();
        }
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let data = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty());
            if let Some(data) = data {
                let message = serde_json::from_str(data);
                return Some(message.unwrap_or_else(|error| panic!("{error}: {data}")));
            }
        }
    }
}

/// A client of such a server, and its session in the revisions that have one.
pub(crate) struct McpHttpClient<'s> {
    pub(crate) server: &'s McpHttpServer,
    revision: &'static str,
    capabilities: Value,
    pub(crate) session: Option<String>,
    calls: u64,
    /// Answers forms, the first one first.
    pub(crate) forms: Vec<Value>,
}

impl McpHttpClient<'_> {
    /// Begins as the revision says.
    pub(crate) fn start<'s>(
        server: &'s McpHttpServer,
        revision: &'static str,
        capabilities: Value,
    ) -> McpHttpClient<'s> {
        let (session, forms) = (None, Vec::new());
        let mut client = McpHttpClient { server, revision, capabilities, session, calls: 0, forms };
        if client.is_current() {
            let found = client.result("server/discover", json!({}));
            assert!(found["supportedVersions"].as_array().unwrap().len() == 3, "{found}");
            return client;
        }
        let info = json!({"name": "test", "version": "1"});
        let begin = json!({
            "protocolVersion": revision, "capabilities": client.capabilities, "clientInfo": info,
        });
        let (id, mut answer) = client.ask("initialize", begin);
        client.session = answer.header("mcp-session-id").map(str::to_owned);
        let begun = client.answer(id, &mut answer);
        assert_eq!(begun["result"]["protocolVersion"], revision, "{begun}");
        let news = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&news).status, 202);
        client
    }

    fn is_current(&self) -> bool {
        self.revision == REVISIONS[0]
    }

    /// The headers of every request but those about its body.
    pub(crate) fn headers(&self) -> Vec<String> {
        let mut headers = vec![self.server.bearer(), BOTH.to_owned()];
        if self.session.is_some() || self.is_current() {
            headers.push(format!("MCP-Protocol-Version: {}", self.revision));
        }
        headers.extend(self.session.iter().map(|id| format!("Mcp-Session-Id: {id}")));
        headers
    }

    pub(crate) fn post(&self, message: &Value) -> McpAnswer {
        let mut headers = self.headers();
        headers.push(JSON.to_owned());
        if self.is_current() {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let params = &message["params"];
            let name = ["name", "uri", "taskId"].iter().find_map(|key| text(&params[key]));
            headers.extend(text(&message["method"]).map(|method| format!("Mcp-Method: {method}")));
            headers.extend(name.map(|name| format!("Mcp-Name: {name}")));
        }
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        self.server.send("POST", &headers, message.to_string().as_bytes())
    }

    /// A stream that waits for news of the session.
    pub(crate) fn listen(&self) -> McpAnswer {
        let headers = self.headers();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        self.server.send("GET", &headers, b"")
    }

    /// Sends a request; returns its id, and the answer as far as it is there.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> (u64, McpAnswer) {
        self.calls += 1;
        let (id, params) = (self.calls, with_meta(self.revision, &self.capabilities, params));
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (id, self.post(&message))
    }

    /// Reads up to the answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64, answer: &mut McpAnswer) -> Value {
        loop {
            let message =
                answer.message().unwrap_or_else(|| panic!("no answer: {}", answer.headers));
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            if message["method"] == "elicitation/create" {
                let answer = form_answer(&message, &mut self.forms);
                assert_eq!(self.post(&answer).status, 202);
            }
        }
    }

    /// Ends the session; returns the status.
    pub(crate) fn end(&self) -> u16 {
        let headers = self.headers();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        self.server.send("DELETE", &headers, b"").status
    }
}

impl McpCalls for McpHttpClient<'_> {
    fn exchange(&mut self, method: &str, params: Value) -> Value {
        let (id, mut answer) = self.ask(method, params);
        self.answer(id, &mut answer)
    }
}
