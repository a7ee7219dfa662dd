//! `narratoria serve --mcp`: programs play the stories of the page over HTTP, and nobody else reaches their path.

use std::{fs, io::Write as _, net::TcpStream, thread, time::Duration};

use narratoria_mcp::limits::{MCP_LINE_BYTES_MAX, MCP_REQUESTS_MAX, MCP_SESSIONS_MAX};
use serde_json::{Value, json};

use crate::{
    mcp_client::{McpCalls, REVISIONS},
    mcp_http_client::{BOTH, JSON, McpHttpClient, McpHttpServer},
    player_machine::{PlayerMachine, plan},
};

const LEXICAL: [&str; 2] = ["--planner", "lexical"];
const TODAY: &str = REVISIONS[0];
const OLDER: &str = REVISIONS[1];

fn approve() -> Value {
    json!({"action": "accept", "content": {"decision": "approve"}})
}

/// Every turn burns a door down, if that is approved.
fn burning() -> (PlayerMachine, [&'static str; 4]) {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = plan(json!([{
        "toolId": "burn", "toolPath": "mirror/act", "input": {"what": "the door"},
        "requiresApproval": true, "description": "Burn the door down",
    }]));
    machine.write("script.json", format!("[{tools}, {tools}, {tools}, {tools}]"));
    (machine, ["--skills", "skills", "--planner", "scripted:script.json"])
}

/// Whether the step of the last turn was denied, by the story itself.
#[track_caller]
fn is_denied(client: &mut McpHttpClient<'_>, story: &str) -> bool {
    let plan = client.tool("story_read", json!({"story": story, "about": "plan"})).to_string();
    assert!(plan.contains("\"denied\"") || plan.contains("\"success\""), "{plan}");
    plan.contains("\"denied\"")
}

#[test]
fn a_client_of_each_revision_plays_three_turns_over_http() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    for revision in REVISIONS {
        let mut client = McpHttpClient::start(&server, revision, json!({}));
        let tools = client.result("tools/list", json!({}));
        assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "eval"));
        let story = format!("reading-{revision}");
        let new = json!({"campaign": "last-reading", "name": story});
        let begun = client.tool("story_new", new);
        let opening = begun["told"][0]["narration"].as_str().unwrap();
        assert!(opening.contains("The bus put you down"), "{begun}");
        for (nth, text) in ["go north", "look", "go south"].into_iter().enumerate() {
            let line = json!({"story": story, "text": text, "after": nth + 1});
            let turn = client.tool("story_turn", line);
            assert_eq!(turn["turns"], nth + 2, "{turn}");
            assert_eq!(turn["told"].as_array().unwrap().last().unwrap()["prompt"], text);
        }
        let uri = format!("narratoria://stories/{story}");
        let read = client.result("resources/read", json!({"uri": uri}));
        assert!(read["contents"][0]["text"].as_str().unwrap().contains("go south"), "{read}");
        // Only the older revisions have sessions, and an ended one is known no longer.
        assert_eq!(client.session.is_some(), revision != TODAY);
        if revision != TODAY {
            assert_eq!(client.end(), 204);
            let list = json!({"jsonrpc": "2.0", "id": 99, "method": "tools/list"});
            assert_eq!(client.post(&list).status, 404);
            assert_eq!(client.listen().status, 404);
        }
    }
    assert_eq!(server.end(), (Some(0), String::new()));
    let log = machine.run(&["story", "log", "reading-2025-06-18", "--format", "json"], "");
    assert!(log.stdout.contains("go north"), "{log:?}");
}

#[test]
fn a_player_is_asked_over_http_as_over_pipes() {
    let (machine, args) = burning();
    let server = McpHttpServer::start(&machine, &args);
    for revision in &REVISIONS[1..] {
        let mut client = McpHttpClient::start(&server, revision, json!({"elicitation": {}}));
        let story = format!("door-{revision}");
        client.tool("story_new", json!({"premise": "none", "name": story}));
        for (answer, denied) in [(approve(), false), (json!({"action": "cancel"}), true)] {
            client.forms = vec![answer];
            client.tool("story_turn", json!({"story": story, "text": "I burn it"}));
            assert_eq!(is_denied(&mut client, &story), denied);
        }
    }
    let forms = json!({"elicitation": {"form": {}}});
    let mut client = McpHttpClient::start(&server, TODAY, forms);
    client.tool("story_new", json!({"premise": "none", "name": "door"}));
    let line = json!({"story": "door", "text": "I burn it"});
    let asked = client.call("story_turn", line.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let answer = json!({
        "name": "story_turn", "arguments": line, "requestState": asked["requestState"],
        "inputResponses": {"burn": approve()},
    });
    let told = client.result("tools/call", answer);
    assert_eq!(told["structuredContent"]["turns"], 1, "{told}");
    assert!(!is_denied(&mut client, "door"));
    // A client without forms gets nothing approved here either.
    let mut client = McpHttpClient::start(&server, TODAY, json!({}));
    client.tool("story_turn", json!({"story": "door", "text": "I burn it"}));
    assert!(is_denied(&mut client, "door"));
    assert_eq!(server.end().0, Some(0));
}

/// The turn stays open, and another client brings the answer.
#[test]
fn a_session_that_ends_before_its_player_has_answered_decides_nothing() {
    let (machine, args) = burning();
    let server = McpHttpServer::start(&machine, &args);
    let mut client = McpHttpClient::start(&server, OLDER, json!({"elicitation": {}}));
    client.tool("story_new", json!({"premise": "none", "name": "door"}));
    let line = json!({"name": "story_turn", "arguments": {"story": "door", "text": "I burn it"}});
    let (_, mut answer) = client.ask("tools/call", line);
    while answer.message().unwrap()["method"] != "elicitation/create" {}
    assert_eq!(client.end(), 204);
    let forms = json!({"elicitation": {"form": {}}});
    let mut other = McpHttpClient::start(&server, TODAY, forms);
    let waits = json!({"name": "story_wait", "arguments": {"story": "door"}});
    let asked = other.result("tools/call", waits.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut answered = waits;
    answered["requestState"] = asked["requestState"].clone();
    answered["inputResponses"] = json!({"burn": approve()});
    other.result("tools/call", answered);
    assert!(!is_denied(&mut other, "door"));
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_check_is_a_task_over_http_too_and_any_connection_asks_for_it() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = McpHttpClient::start(&server, TODAY, tasks);
    let check = json!({"campaign": "last-reading", "walks": 2, "turns": 5});
    let created = client.call("campaign_check", check.clone());
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    let task = json!({"taskId": created["taskId"]});
    let mut state = client.result("tasks/get", task.clone());
    while state["status"] == "working" {
        thread::sleep(Duration::from_millis(50));
        state = client.result("tasks/get", task.clone());
    }
    assert_eq!(state["result"]["structuredContent"]["exitCode"], 0, "{state}");
    let mut older = McpHttpClient::start(&server, OLDER, json!({}));
    assert_eq!(older.tool("campaign_check", check)["exitCode"], 0);
    assert_eq!(server.end().0, Some(0));
}

/// Two writers of one story would lose turns.
#[test]
fn the_page_and_a_program_play_the_same_stories() {
    let (machine, args) = burning();
    let server = McpHttpServer::start(&machine, &args);
    let page_host = format!("Host: 127.0.0.1:{}", server.port);
    let page = |method: &str, path: &str, more: &str, body: &Value| {
        let body = body.to_string();
        let length = format!("Content-Length: {}", body.len());
        let headers: Vec<&str> = [&page_host, &length, JSON, more]
            .into_iter()
            .filter(|header| !header.is_empty())
            .collect();
        server.send_raw(method, path, &headers, body.as_bytes())
    };
    let login = page("POST", "/api/session", "", &json!({"token": server.page_token}));
    let cookie =
        format!("Cookie: {}", login.header("set-cookie").unwrap().split(';').next().unwrap());
    let mut client = McpHttpClient::start(&server, TODAY, json!({"elicitation": {"form": {}}}));
    client.tool("story_new", json!({"premise": "none", "name": "door"}));
    let asked = client.call("story_turn", json!({"story": "door", "text": "I burn it"}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    // The page sees the step of the program, may not speak into its turn, and may decide it.
    let line = json!({"requestId": "one", "after": 0, "text": "I wait"});
    let busy = page("POST", "/api/stories/door/lines", &cookie, &line);
    assert_eq!(busy.status, 409);
    assert!(busy.text().contains("a turn of this story is running"));
    let decision = json!({"toolId": "burn", "decision": "approve"});
    let decided = page("POST", "/api/stories/door/decisions", &cookie, &decision);
    assert!(decided.status < 300, "{}", decided.text());
    let told = client.tool("story_wait", json!({"story": "door"}));
    assert_eq!(told["turns"], 1, "{told}");
    assert!(!is_denied(&mut client, "door"));
    let snapshot = page("GET", "/api/stories/door", &cookie, &json!({})).text();
    assert!(snapshot.contains("I burn it"), "{snapshot}");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn nobody_without_the_token_of_the_file_reaches_the_path() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    assert!(!server.printed.contains(&server.token), "the token stands in the file alone");
    let list = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    let bearer = server.bearer();
    let page = format!("Authorization: Bearer {}", server.page_token);
    for headers in [&[JSON, BOTH][..], &[JSON, BOTH, &page], &[JSON, BOTH, "Cookie: narratoria=1"]]
    {
        let answer = server.send("POST", headers, list);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")));
    }
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    for browser in [
        &["Origin: http://evil.example"][..],
        &["Origin: null"],
        &["Sec-Fetch-Site: cross-site"],
        &[&own, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"],
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let headers = [browser, &[JSON, BOTH, &bearer]].concat();
            assert_eq!(server.send(method, &headers, list).status, 403, "{method} {browser:?}");
        }
    }
    for host in ["evil.example", "localhost", "127.0.0.1:1"] {
        let host = format!("Host: {host}");
        let length = format!("Content-Length: {}", list.len());
        let headers = [host.as_str(), &length, JSON, BOTH, &bearer];
        assert_eq!(server.send_raw("POST", "/mcp", &headers, list).status, 403, "{host}");
    }
    assert_eq!(server.end().0, Some(0));
    // Without `--mcp` there is nothing.
    let args = ["serve", "--port", "0", "--no-open", "--format", "json", "--planner", "lexical"];
    let mut command = machine.start(&args);
    let said: Value = serde_json::from_str(&command.stdout_line()).unwrap();
    assert!(said.get("mcp").is_none(), "{said}");
    let port = said["url"].as_str().unwrap().split(['/', ':']).nth(4).unwrap();
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let head = format!("GET /mcp HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{bearer}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let answer = std::io::read_to_string(stream).unwrap();
    assert!(answer.contains("404 Not Found") && answer.contains("serve --mcp"), "{answer}");
    command.signal("INT");
    assert_eq!(command.end().0, Some(0));
}

#[test]
fn the_token_is_drawn_once_and_its_file_is_its_owner_s_alone() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    let (file, token) = (server.token_file.clone(), server.token.clone());
    assert!(token.len() == 32 && token.chars().all(|c| c.is_ascii_hexdigit()), "{token}");
    assert_eq!(server.end().0, Some(0));
    let server = McpHttpServer::start(&machine, &LEXICAL);
    assert_eq!(server.token, token, "programs keep it in their settings");
    assert_eq!(server.end().0, Some(0));
    let args = ["serve", "--port", "0", "--no-open", "--mcp", "--planner", "lexical"];
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = machine.run(&args, "");
        assert!(refused.stderr.contains("can be read or written by others"), "{refused:?}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::write(&file, "secret\n").unwrap();
    let refused = machine.run(&args, "");
    assert!(refused.stderr.contains("has no token that the program has drawn"), "{refused:?}");
    assert_eq!(refused.exit, Some(2), "{refused:?}");
}

#[test]
fn what_is_no_message_is_refused_over_http_and_costs_nothing() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    let bearer = server.bearer();
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("", -32600),
        ("7", -32600),
        (deep.as_str(), -32700),
        (r#"{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "ping"}"#, -32700),
        (r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600),
        (r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, -32600),
    ] {
        let mut answer = server.send("POST", &[JSON, BOTH, &bearer], body.as_bytes());
        assert_eq!(answer.status, 400, "{body}");
        let message = answer.message().unwrap();
        assert_eq!(message["error"]["code"], code, "{body}: {message}");
    }
    let length = format!("Content-Length: {}", MCP_LINE_BYTES_MAX + 1);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let huge = [host.as_str(), &length, JSON, BOTH, &bearer];
    assert_eq!(server.send_raw("POST", "/mcp", &huge, b"{").status, 413);
    // Nothing of a session that nobody has.
    let list = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    assert_eq!(server.send("POST", &[JSON, BOTH, &bearer], list).status, 400);
    let nobody = "Mcp-Session-Id: 00000000-0000-0000-0000-000000000000";
    assert_eq!(server.send("POST", &[JSON, BOTH, &bearer, nobody], list).status, 404);
    let mut client = McpHttpClient::start(&server, TODAY, json!({}));
    assert!(client.tool("story_list", json!({}))["stories"].is_array());
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn more_streams_and_sessions_than_may_be_are_refused_or_end_the_oldest() {
    let machine = PlayerMachine::new();
    let server = McpHttpServer::start(&machine, &LEXICAL);
    let first = McpHttpClient::start(&server, OLDER, json!({}));
    // A session has no more streams than half of them.
    let second = McpHttpClient::start(&server, OLDER, json!({}));
    let both = [&first, &second].into_iter().cycle();
    let streams: Vec<_> = both.take(MCP_REQUESTS_MAX).map(McpHttpClient::listen).collect();
    assert!(streams.iter().all(|stream| stream.status == 200));
    let mut beyond = first.listen();
    assert_eq!(beyond.status, 429);
    assert_eq!(beyond.message().unwrap()["error"]["code"], -32000);
    drop(streams);
    // The server notices soon that they have gone.
    while first.listen().status != 200 {
        thread::sleep(Duration::from_millis(50));
    }
    let others = 2..MCP_SESSIONS_MAX;
    let sessions: Vec<_> =
        others.map(|_| McpHttpClient::start(&server, OLDER, json!({}))).collect();
    assert_eq!(first.listen().status, 200);
    let _one_more = McpHttpClient::start(&server, OLDER, json!({}));
    assert_eq!(second.listen().status, 404, "it was not used for longest");
    assert_eq!(sessions[0].listen().status, 200);
    assert_eq!(first.listen().status, 200);
    assert_eq!(server.end().0, Some(0));
}
