//! A client's side of `narratoria mcp`, over plain lines: each test says what it sends.

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, RunningCommand};

/// The revisions that the server speaks, the current one first.
pub(crate) const REVISIONS: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/// A server, and the client that has started it.
pub(crate) struct McpClient {
    command: RunningCommand,
    revision: &'static str,
    capabilities: Value,
    calls: u64,
    /// What the server has sent besides answers.
    pub(crate) news: Vec<Value>,
    /// Answers forms, the first one first.
    forms: Vec<Value>,
}

/// What clients ask, whatever their way to the server.
pub(crate) trait McpCalls {
    /// The message that answers a request.
    #[track_caller]
    fn exchange(&mut self, method: &str, params: Value) -> Value;

    /// The result of a request.
    #[track_caller]
    fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.exchange(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a request.
    #[track_caller]
    fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.exchange(method, params);
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// The result of a tool, whatever kind it has.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The document that a tool returns.
    #[track_caller]
    fn tool(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        assert!(result["structuredContent"].is_object(), "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The words with which a tool refuses.
    #[track_caller]
    fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// The parameters with what each request says of its client in the current revision.
pub(crate) fn with_meta(revision: &str, capabilities: &Value, mut params: Value) -> Value {
    if revision == REVISIONS[0] {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
    }
    params
}

/// The answer to a form that the server sends as a request: the first one of these.
#[track_caller]
pub(crate) fn form_answer(form: &Value, answers: &mut Vec<Value>) -> Value {
    assert!(!answers.is_empty(), "nobody answers {form}");
    json!({"jsonrpc": "2.0", "id": form["id"], "result": answers.remove(0)})
}

impl McpCalls for McpClient {
    fn exchange(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }
}

impl McpClient {
    /// Starts a server, and begins as the revision says.
    pub(crate) fn start(
        machine: &PlayerMachine,
        revision: &'static str,
        capabilities: Value,
        more: &[&str],
    ) -> McpClient {
        let command = machine.start(&[&["mcp"], more].concat());
        let (news, forms) = (Vec::new(), Vec::new());
        let mut client = McpClient { command, revision, capabilities, calls: 0, news, forms };
        if client.is_current() {
            let found = client.result("server/discover", json!({}));
            assert!(found["supportedVersions"].as_array().unwrap().len() == 3, "{found}");
            return client;
        }
        let info = json!({"name": "test", "version": "1"});
        let begin = json!({
            "protocolVersion": revision, "capabilities": client.capabilities, "clientInfo": info,
        });
        let begun = client.result("initialize", begin);
        assert_eq!(begun["protocolVersion"], revision, "{begun}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn is_current(&self) -> bool {
        self.revision == REVISIONS[0]
    }

    /// Answers the next forms that the server sends as requests.
    pub(crate) fn answer_forms(&mut self, answers: &[Value]) {
        self.forms = answers.to_vec();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.command.type_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        self.command.type_line(line);
    }

    /// The next message of the server.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.command.stdout_line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let (id, params) = (self.calls, with_meta(self.revision, &self.capabilities, params));
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Reads up to the answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            if message["method"] == "elicitation/create" {
                let answer = form_answer(&message, &mut self.forms);
                self.send(&answer);
            }
            self.news.push(message);
        }
    }

    /// Ends the connection; returns the exit code and what the server wrote to stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.command.close_stdin();
        let (exit, _, stderr) = self.command.end();
        (exit, stderr)
    }
}
