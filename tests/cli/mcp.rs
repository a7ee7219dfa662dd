//! `narratoria mcp`: programs of others play stories and use the author's tools, and what a player grants holds for them.

use std::{fs, thread, time::Duration};

use narratoria_mcp::limits::{MCP_CALLS_MAX, MCP_LINE_BYTES_MAX};
use serde_json::{Value, json};

use crate::{
    mcp_client::{McpCalls, McpClient, REVISIONS},
    player_machine::{PlayerMachine, plan},
};

const LEXICAL: [&str; 2] = ["--planner", "lexical"];
const TODAY: &str = REVISIONS[0];

/// A client that shows forms.
fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn tasks() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

fn approve() -> Value {
    json!({"action": "accept", "content": {"decision": "approve"}})
}

/// Every turn of its stories is a plan of these tools.
fn scripted(tools: Value) -> (PlayerMachine, [&'static str; 4]) {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.package("gate", "asks");
    let tools = plan(tools);
    machine.write("script.json", format!("[{tools}, {tools}, {tools}, {tools}]"));
    (machine, ["--skills", "skills", "--planner", "scripted:script.json"])
}

/// Every turn burns a door down, if that is approved.
fn burning() -> (PlayerMachine, [&'static str; 4]) {
    scripted(json!([{
        "toolId": "burn", "toolPath": "mirror/act", "input": {"what": "the door"},
        "requiresApproval": true, "description": "Burn the door down",
    }]))
}

/// What became of the step of the last turn, by the story itself.
#[track_caller]
fn step_state(client: &mut McpClient, story: &str) -> String {
    let plan = client.tool("story_read", json!({"story": story, "about": "plan"}));
    let text = plan.to_string();
    match text.contains("\"denied\"") {
        true => "denied".to_owned(),
        false => {
            assert!(text.contains("\"success\""), "{plan:#}");
            "success".to_owned()
        }
    }
}

fn begin(client: &mut McpClient, story: &str) {
    let begun = client.tool("story_new", json!({"premise": "none", "name": story}));
    assert_eq!(begun["story"], story);
}

#[test]
fn a_client_of_each_revision_plays_a_story() {
    let machine = PlayerMachine::new();
    for revision in REVISIONS {
        let mut client = McpClient::start(&machine, revision, json!({}), &LEXICAL);
        let tools = client.result("tools/list", json!({}));
        assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "eval"));
        let name = format!("reading-{revision}");
        let begun = client.tool("story_new", json!({"campaign": "last-reading", "name": name}));
        let opening = begun["told"][0]["narration"].as_str().unwrap();
        assert!(opening.contains("The bus put you down"), "{begun}");
        let turn = client.call("story_turn", json!({"story": name, "text": "go north"}));
        let told = turn["content"][0]["text"].as_str().unwrap();
        assert!(told.starts_with("You go north to the record room."), "{turn}");
        assert_eq!(turn.get("resultType").is_some(), revision == TODAY, "{turn}");
        let document = &turn["structuredContent"];
        assert_eq!(
            (&document["turns"], &document["title"]),
            (&json!(2), &json!("The Last Reading"))
        );
        assert!(document["choices"].as_array().unwrap().len() > 1, "{document}");
        // The same line twice is one turn; one that follows another turn is none.
        let again = json!({"story": name, "text": "look", "requestId": "one", "after": 2});
        assert_eq!(client.tool("story_turn", again.clone())["turns"], 3);
        assert_eq!(client.tool("story_turn", again)["turns"], 3);
        let late = json!({"story": name, "text": "look", "after": 1});
        let refusal = client.refusal("story_turn", late);
        assert!(refusal.contains("follows turn 1, and the story has 3 turns"), "{refusal}");
        let back = client.tool("story_undo", json!({"story": name, "turns": 2}));
        assert_eq!((&back["turns"], &back["moved"]["turns"]), (&json!(1), &json!(1)), "{back}");
        let on = client.tool("story_redo", json!({"story": name}));
        assert_eq!(on["turns"], 2, "{on}");
        let why = client.tool("story_read", json!({"story": name, "about": "why"}));
        assert_eq!(why["prompt"], "go north");
        let waited = client.tool("story_wait", json!({"story": name}));
        assert_eq!(waited["told"][0]["prompt"], "go north", "{waited}");
        assert_eq!(client.tool("story_close", json!({"story": name}))["closed"], true);
        assert_eq!(client.end(), (Some(0), String::new()));
    }
    // What was played is the player's.
    let log = machine.run(&["story", "log", "reading-2026-07-28", "--format", "json"], "");
    assert!(log.stdout.contains("go north"), "{log:?}");
}

#[test]
fn a_step_is_approved_by_a_form_and_by_nothing_else() {
    let (machine, args) = burning();
    let mut client = McpClient::start(&machine, TODAY, forms(), &args);
    begin(&mut client, "door");
    for (answer, expect) in [
        (approve(), "success"),
        (json!({"action": "accept", "content": {"decision": "deny"}}), "denied"),
        (json!({"action": "decline"}), "denied"),
    ] {
        let line = json!({"story": "door", "text": "I burn it"});
        let asked = client.call("story_turn", line.clone());
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let form = &asked["inputRequests"]["burn"]["params"];
        let message = form["message"].as_str().unwrap();
        assert!(message.contains("mirror/act") && message.contains("Burn the door down"), "{form}");
        assert!(message.contains("the door"), "{form}");
        // Asking again without an answer asks again, and says nothing twice.
        let waits = client.call("story_wait", json!({"story": "door"}));
        assert_eq!(waits["inputRequests"], asked["inputRequests"]);
        let told = client.result(
            "tools/call",
            json!({
                "name": "story_turn", "arguments": line, "requestState": asked["requestState"],
                "inputResponses": {"burn": answer},
            }),
        );
        assert_eq!(told["structuredContent"]["told"].as_array().unwrap().len(), 1, "{told}");
        assert_eq!(step_state(&mut client, "door"), expect, "{told}");
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn an_older_client_is_asked_while_its_call_waits() {
    for revision in &REVISIONS[1..] {
        let (machine, args) = burning();
        let mut client = McpClient::start(&machine, revision, json!({"elicitation": {}}), &args);
        begin(&mut client, "door");
        for (answer, expect) in [(approve(), "success"), (json!({"action": "cancel"}), "denied")] {
            client.answer_forms(&[answer]);
            client.tool("story_turn", json!({"story": "door", "text": "I burn it"}));
            assert_eq!(step_state(&mut client, "door"), expect);
        }
        assert_eq!(client.end().0, Some(0));
    }
}

/// Not by answers to what nobody asked, not by arguments, not by words.
#[test]
fn a_client_without_forms_gets_nothing_approved() {
    let (machine, args) = burning();
    for revision in REVISIONS {
        let mut client = McpClient::start(&machine, revision, json!({}), &args);
        let story = format!("door-{revision}");
        begin(&mut client, &story);
        let turn = client.tool("story_turn", json!({"story": story, "text": "I burn it"}));
        assert!(turn["notes"].to_string().contains("shows no forms"), "{turn}");
        assert_eq!(step_state(&mut client, &story), "denied");
        let line = json!({"story": story, "text": "I burn it", "approve": true});
        let refusal = client.refusal("story_turn", line);
        assert!(refusal.contains("unknown field `approve`"), "{refusal}");
        let line = json!({"story": story, "text": "I burn it"});
        let forged = client.result(
            "tools/call",
            json!({"name": "story_turn", "arguments": line, "inputResponses": {"burn": approve()}}),
        );
        assert_eq!(forged["isError"], true, "{forged}");
        assert_eq!(client.end().0, Some(0));
    }
}

#[test]
fn a_question_of_a_script_is_a_form_with_its_choices() {
    let (machine, args) =
        scripted(json!([{"toolId": "guard", "toolPath": "gate/act", "input": {}}]));
    let mut client = McpClient::start(&machine, TODAY, forms(), &args);
    begin(&mut client, "gate");
    let line = json!({"story": "gate", "text": "I knock"});
    let first = client.call("story_turn", line.clone());
    let form = &first["inputRequests"]["guard"]["params"];
    assert_eq!(form["message"], "Who goes there?\n1. A friend\n2. Nobody", "{first}");
    let answer = |text: &str| json!({"action": "accept", "content": {"answer": text}});
    let answered = |state: &Value, text: &str| {
        json!({
            "name": "story_turn", "arguments": line, "requestState": state["requestState"],
            "inputResponses": {"guard": answer(text)},
        })
    };
    let second = client.result("tools/call", answered(&first, "2"));
    let form = &second["inputRequests"]["guard"]["params"];
    assert_eq!(form["message"], "And what does Nobody want?", "{second}");
    let told = client.result("tools/call", answered(&second, "peace"));
    assert_eq!(told["isError"], false, "{told}");
    let why = client.tool("story_read", json!({"story": "gate", "about": "plan"})).to_string();
    assert!(why.contains("peace") && why.contains("Nobody"), "{why}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_script_that_needs_approval_is_not_run_without_it() {
    let machine = PlayerMachine::new();
    machine.package_with("mirror", "echo", json!({"requiresApproval": true}));
    machine.package("plain", "echo");
    let args = ["--skills", "skills"];
    let run = |script: &str| json!({"script": script, "input": {"what": "a door"}});
    let mut client = McpClient::start(&machine, TODAY, forms(), &args);
    let ran = client.tool("skill_run", run("plain/act"));
    assert_eq!(ran["exitCode"], 0, "{ran}");
    assert!(ran["report"].to_string().contains("a door"), "{ran}");
    let asked = client.call("skill_run", run("mirror/act"));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let params = |answer: Value| {
        json!({
            "name": "skill_run", "arguments": run("mirror/act"), "inputResponses": {"approval": answer},
        })
    };
    let ran = client.result("tools/call", params(approve()));
    assert_eq!(ran["structuredContent"]["exitCode"], 0, "{ran}");
    let denied = client.result("tools/call", params(json!({"action": "decline"})));
    assert_eq!(denied["isError"], true, "{denied}");
    let refusal = client.refusal("skill_run", json!({"script": "nobody/act"}));
    assert!(refusal.contains("there is no skill `nobody`"), "{refusal}");
    assert_eq!(client.end().0, Some(0));
    let mut client = McpClient::start(&machine, TODAY, json!({}), &args);
    let refusal = client.refusal("skill_run", run("mirror/act"));
    assert!(refusal.contains("needs the player's approval, and has none"), "{refusal}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_check_is_a_task_for_clients_that_have_tasks() {
    let machine = PlayerMachine::new();
    let check = json!({
        "name": "campaign_check", "arguments": {"campaign": "last-reading", "walks": 2, "turns": 5},
    });
    let mut client = McpClient::start(&machine, TODAY, tasks(), &LEXICAL);
    let created = client.result("tools/call", check.clone());
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    let task = json!({"taskId": created["taskId"]});
    let mut state = client.result("tasks/get", task.clone());
    while state["status"] == "working" {
        thread::sleep(Duration::from_millis(50));
        state = client.result("tasks/get", task.clone());
    }
    assert_eq!(state["status"], "completed", "{state}");
    let document = &state["result"]["structuredContent"];
    assert_eq!(document["exitCode"], 0, "{state}");
    let schema = include_str!("../../contracts/campaign-check-report.schema.json");
    let schema = narratoria_skills::Schema::build(serde_json::from_str(schema).unwrap()).unwrap();
    assert_eq!(schema.mismatches(&document["report"]), []);

    // A task that is cancelled ends, and its process with it.
    let mut long = check.clone();
    long["arguments"] = json!({"campaign": "last-reading", "walks": 500, "seconds": 300});
    let created = client.result("tools/call", long);
    let task = json!({"taskId": created["taskId"]});
    client.result("tasks/cancel", task.clone());
    let mut state = client.result("tasks/get", task.clone());
    while state["status"] == "working" {
        thread::sleep(Duration::from_millis(20));
        state = client.result("tasks/get", task.clone());
    }
    assert_eq!(state["status"], "cancelled", "{state}");
    assert_eq!(client.error("tasks/get", json!({"taskId": "nobody"}))["code"], -32602);
    assert_eq!(client.end().0, Some(0));

    // For others the call waits for it.
    let mut client = McpClient::start(&machine, REVISIONS[1], json!({}), &LEXICAL);
    let checked = client.result("tools/call", check);
    assert_eq!(checked["structuredContent"]["exitCode"], 0, "{checked}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn packages_and_sets_of_sentences_are_measured_as_by_a_player() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let case = json!({
        "id": "two", "kind": "dice", "sentence": "roll 2d6", "accept": [["dice-roller", "storyteller"]],
    });
    machine.write("cases.jsonl", format!("{case}\n"));
    let args = ["--folder", ".", "--skills", "skills", "--planner", "lexical"];
    let mut client = McpClient::start(&machine, TODAY, json!({}), &args);
    let inspected = client.tool("skill_inspect", json!({"package": "skills/mirror"}));
    assert_eq!(inspected["report"]["name"], "mirror", "{inspected}");
    let built_in = client.tool("skill_inspect", json!({"package": "dice-roller"}));
    assert_eq!(built_in["report"]["origin"], "built-in", "{built_in}");
    let by_cases = client.call("eval", json!({"cases": [case]}));
    let by_file = client.call("eval", json!({"file": "cases.jsonl"}));
    for evaluated in [by_cases, by_file] {
        assert_eq!(evaluated["structuredContent"]["report"]["cases"], 1, "{evaluated}");
    }
    let listed = client.tool("skill_list", json!({}));
    assert!(listed.to_string().contains("\"mirror\""), "{listed}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_client_names_nothing_outside_the_folder_that_the_player_gives() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    fs::create_dir_all(machine.path().join("given")).unwrap();
    machine.write("secret.jsonl", "{\"sentence\": \"the password is north\"}\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.jsonl", machine.path().join("given/link")).unwrap();
    for folder in [&["--folder", "given"][..], &[]] {
        let args = [folder, &LEXICAL].concat();
        let mut client = McpClient::start(&machine, TODAY, json!({}), &args);
        for path in
            ["../secret.jsonl", "/etc/passwd", "link", "skills/../../secret.jsonl", "nothing"]
        {
            let refusal = client.refusal("eval", json!({"file": path}));
            assert!(
                refusal.contains("is no path in the folder of this server"),
                "{path}: {refusal}"
            );
        }
        for path in ["../skills/mirror", "./../skills/mirror", "/etc", "."] {
            let packages = json!({"packages": [path]});
            for (tool, arguments) in [
                ("skill_check", packages),
                ("skill_inspect", json!({"package": path})),
                ("campaign_check", json!({"campaign": path})),
                ("story_new", json!({"campaign": path})),
            ] {
                // The folder itself is a folder of packages, and no campaign.
                if path == "." && !folder.is_empty() {
                    continue;
                }
                let refusal = client.refusal(tool, arguments);
                assert!(refusal.contains("is no path in the folder"), "{tool} {path}: {refusal}");
            }
        }
        // A name is no file of the place where the server was started, and no option.
        for name in ["skills", "--help", "-"] {
            let refusal = client.refusal("skill_inspect", json!({"package": name}));
            assert!(refusal.contains("there is no package"), "{name}: {refusal}");
            let refusal = client.refusal("campaign_check", json!({"campaign": name}));
            assert!(refusal.contains("there is no campaign"), "{name}: {refusal}");
        }
        assert_eq!(client.end().0, Some(0));
    }
}

#[test]
fn stories_and_skills_are_resources_and_no_address_leads_elsewhere() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.write("skills/mirror/config.json", "{\"key\": \"secret\"}");
    let args = ["--skills", "skills", "--planner", "lexical"];
    let mut client = McpClient::start(&machine, TODAY, json!({}), &args);
    client.tool("story_new", json!({"campaign": "last-reading", "name": "reading"}));
    let listed = client.result("resources/list", json!({}));
    let uris: Vec<&str> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    for uri in [
        "narratoria://stories/reading",
        "narratoria://stories/reading/assets",
        "skill://mirror/SKILL.md",
    ] {
        assert!(uris.contains(&uri), "{uri} is not in {uris:?}");
    }
    for uri in &uris {
        let read = client.result("resources/read", json!({"uri": uri}));
        assert_eq!(read["contents"][0]["uri"], **uri, "{read}");
    }
    let read =
        client.result("resources/read", json!({"uri": "narratoria://stories/reading/state"}));
    let state: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert!(state.to_string().contains("\"world\""), "{state}");
    let skills = client.result("skills/list", json!({}));
    let skills = skills["skills"].as_array().unwrap();
    let mirror = skills.iter().find(|it| it["uri"] == "skill://mirror/SKILL.md").unwrap();
    let got = client.result("skills/get", json!({"uri": "skill://mirror/SKILL.md"}));
    assert_eq!(&got["skill"], mirror);
    for file in mirror["resources"].as_array().unwrap() {
        let read = client.result("resources/read", json!({"uri": file["uri"]}));
        assert_eq!(read["contents"][0]["uri"], file["uri"]);
    }
    assert!(!mirror.to_string().contains("config.json"), "{mirror}");
    for uri in [
        "skill://mirror/config.json",
        "skill://mirror/../../secret",
        "skill://mirror/%2e%2e/%2e%2e/secret",
        "skill://nobody/SKILL.md",
        "narratoria://stories/../secret",
        "narratoria://stories/reading/assets/..%2F..%2Fstory.db",
        "narratoria://stories/nobody",
        "file:///etc/passwd",
    ] {
        assert_eq!(client.error("resources/read", json!({"uri": uri}))["code"], -32602, "{uri}");
    }
    assert_eq!(
        client.error("skills/get", json!({"uri": "skill://nobody/SKILL.md"}))["code"],
        -32602
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn what_is_no_message_is_refused_and_costs_nothing() {
    let machine = PlayerMachine::new();
    let mut client = McpClient::start(&machine, TODAY, json!({}), &LEXICAL);
    for (line, code) in [
        ("no json", -32700),
        ("{\"jsonrpc\": \"2.0\", \"id\": 7, \"id\": 8, \"method\": \"ping\"}", -32700),
        ("[]", -32600),
        ("7", -32600),
        ("{\"jsonrpc\": \"1.0\", \"id\": 7, \"method\": \"ping\"}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}", -32600),
    ] {
        client.send_line(line);
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    client.send_line(&deep);
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.send_line(&"x".repeat(MCP_LINE_BYTES_MAX + 1));
    let answer = client.receive();
    assert!(answer["error"]["message"].as_str().unwrap().contains("more than"), "{answer}");
    // A notification that nobody knows is none of ours, and blank lines are nothing.
    client.send_line("");
    client.send_line("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/mood\", \"params\": {}}");
    assert_eq!(client.error("stories/steal", json!({}))["code"], -32601);
    assert_eq!(client.error("tools/call", json!({"name": "sing"}))["code"], -32602);
    let begun = client.tool("story_new", json!({"premise": "none", "name": "calm"}));
    assert_eq!(begun["story"], "calm");
    // The log notes the refusals.
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_call_that_is_cancelled_stops_its_turn_and_the_next_one_plays() {
    let (machine, args) = burning();
    let mut client = McpClient::start(&machine, REVISIONS[1], json!({"elicitation": {}}), &args);
    begin(&mut client, "door");
    let line = json!({"name": "story_turn", "arguments": {"story": "door", "text": "I burn it"}});
    let id = client.ask("tools/call", line);
    loop {
        let message = client.receive();
        if message["method"] == "elicitation/create" {
            break;
        }
    }
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    });
    client.send(&cancelled);
    // The stop is on its way.
    let story = json!({"uri": "narratoria://stories/door"});
    loop {
        let read = client.result("resources/read", story.clone());
        let text = read["contents"][0]["text"].as_str().unwrap();
        let snapshot: Value = serde_json::from_str(text).unwrap();
        if snapshot["ready"] == true {
            assert_eq!(snapshot["turns"], 0, "{snapshot}");
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    client.answer_forms(&[approve()]);
    let turn = client.call("story_turn", json!({"story": "door", "text": "I burn it again"}));
    let told = turn["structuredContent"]["told"].as_array().unwrap();
    assert_eq!(told.last().unwrap()["prompt"], "I burn it again", "{turn}");
    assert_eq!(turn["structuredContent"]["turns"], 1, "{turn}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn more_calls_than_may_wait_are_refused_at_once() {
    let (machine, args) = burning();
    let mut client = McpClient::start(&machine, REVISIONS[1], json!({"elicitation": {}}), &args);
    begin(&mut client, "door");
    let line = json!({"name": "story_turn", "arguments": {"story": "door", "text": "I burn it"}});
    let first = client.ask("tools/call", line);
    let form = loop {
        let message = client.receive();
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    // The story waits for its player, and these wait for the story. The player is asked once.
    let wait = json!({"name": "story_wait", "arguments": {"story": "door"}});
    let waiting: Vec<u64> =
        (1..MCP_CALLS_MAX).map(|_| client.ask("tools/call", wait.clone())).collect();
    let beyond = client.ask("tools/call", wait);
    let refused = client.answer(beyond);
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": approve()}));
    let mut open: std::collections::BTreeSet<u64> = waiting.into_iter().chain([first]).collect();
    while !open.is_empty() {
        let message = client.receive();
        if let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) {
            assert!(message.get("result").is_some(), "{message}");
            open.remove(&id);
        }
    }
    assert_eq!(step_state(&mut client, "door"), "success");
    assert_eq!(client.end().0, Some(0));
}
