//! A model that runs already: `--model http://…`, `use` in the configuration, and `model find`.

use std::fs;

use narratoria_models::{
    hub::NAME,
    server::{FakeModelServer, FakeServerKind, Misdeed},
};
use serde_json::{Value, json};

use crate::{
    page_client::PageServer,
    player_machine::PlayerMachine,
    pty::{CTRL_D, PtySession},
};

/// Text of the server that no sentence of the storyteller has.
const PROSE: &str = "Zyx opens the quiet door.";

fn server(kind: FakeServerKind) -> FakeModelServer {
    let server = FakeModelServer::start(kind);
    server.set(|setup| setup.text = PROSE.to_owned());
    server
}

/// The output of a command with the server's address replaced.
fn transcript(
    machine: &PlayerMachine,
    server: &FakeModelServer,
    args: &[&str],
    stdin: &str,
) -> String {
    let port = server.address().port().to_string();
    machine.transcript(args, stdin).replace(&port, "PORT")
}

#[test]
fn a_model_of_a_server_writes_the_prose() {
    for kind in [FakeServerKind::LlamaServer, FakeServerKind::Ollama, FakeServerKind::OpenAi] {
        let (machine, server) = (PlayerMachine::new(), server(kind));
        let address = format!("{}/tiny:1b", server.base());
        let mut command = machine.command(&["run", "--model", &address]);
        // A proxy is on another machine, as a rule.
        command.env("HTTP_PROXY", "http://127.0.0.1:9").env("ALL_PROXY", "http://127.0.0.1:9");
        let mut command = assert_cmd::Command::from_std(command);
        let output = command.write_stdin("I open the door.\n").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(PROSE), "{kind:?}: {text}\n{:?}", output.stderr);
    }
}

#[test]
fn a_player_hears_once_that_a_server_ignores_schemas() {
    let (machine, server) = (PlayerMachine::new(), server(FakeServerKind::Ollama));
    server.set(|setup| setup.obeys = false);
    machine.write("kept/config.toml", format!("[model]\nuse = \"{}\"\n", server.base()));
    let output = machine.run(&["run"], "I open the door.\nI open it again.\n");
    assert!(output.stdout.contains(PROSE), "{}", output.stdout);
    assert_eq!(
        output.stderr.matches("ignores the schema of an answer").count(),
        1,
        "{}",
        output.stderr
    );
}

#[test]
fn a_terminal_plays_while_the_server_is_asked_and_says_what_it_lacks() {
    let (machine, server) = (PlayerMachine::new(), server(FakeServerKind::OpenAi));
    server.set(|setup| setup.obeys = false);
    let mut terminal = PtySession::start(&machine, &["run", "--model", &server.base()]);
    terminal.await_text("ignores the schema");
    terminal.await_prompt();
    terminal.press("I look around\r");
    terminal.await_text("Zyx");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_server_that_breaks_costs_no_turn() {
    let (machine, server) = (PlayerMachine::new(), server(FakeServerKind::Ollama));
    let address = format!("{}/none", server.base());
    server.set(|setup| setup.misdeed = Some(Misdeed::Status(500)));
    machine.write("kept/config.toml", format!("[model]\nuse = \"{}\"\n", server.base()));
    let output = machine.run(&["run"], "I open the door.\n");
    assert!(!output.stdout.trim().is_empty());
    assert!(output.stderr.contains("the plans are made without a model"), "{}", output.stderr);
    insta::assert_snapshot!(transcript(&machine, &server, &["run", "--model", &address], ""), @"
    --- stderr
    error: the server at http://127.0.0.1:PORT has no model `none`; it has `tiny:1b`
    hint: name one after the address, such as `http://127.0.0.1:PORT/tiny:1b`
    --- exit 3
    ");
}

#[test]
fn a_plan_that_a_model_composes_is_replaced_if_its_server_ignores_schemas() {
    let (machine, server) = (PlayerMachine::new(), server(FakeServerKind::Ollama));
    server.set(|setup| setup.obeys = false);
    let address = server.base();
    let args = ["run", "--planner", "llama", "--model", &address, "--format", "json"];
    let output = machine.run(&args, "roll 2d6\n");
    let mut updates = output.lines().into_iter();
    let replaced = updates.find(|update| update["type"] == "planner.replaced").unwrap();
    assert!(replaced.to_string().contains("ignores the schema of an answer"), "{replaced}");
    assert_eq!(output.exit, Some(0));
}

/// A model of a page is connected to, or loaded, once: before the first story.
#[test]
fn the_stories_of_a_page_share_the_model_that_its_player_asks_for() {
    let (machine, server) = (PlayerMachine::new(), server(FakeServerKind::Ollama));
    let address = server.base();
    let page = PageServer::start(&machine, &["--planner", "llama", "--model", &address]);
    let asked = server.requests().len();
    assert!(asked > 0, "the model is there before the page is");
    for name in ["one", "two"] {
        let story = page.create(json!({"requestId": name, "premise": "none", "name": name}));
        page.events(&story, None).until("ready");
    }
    assert_eq!(server.requests().len(), asked, "a story loads no model of its own");
}

#[test]
fn play_whose_player_asks_for_a_model_that_is_not_here_does_not_begin() {
    let machine = PlayerMachine::new();
    let expect = format!(
        "error: the model `{NAME}` is not on this machine\nhint: `narratoria model pull {NAME}` fetches it\n"
    );
    for command in [&["serve", "--no-open", "--port", "0"][..], &["run"]] {
        for planner in ["llama", "auto"] {
            let args = [command, &["--planner", planner, "--model", NAME]].concat();
            let output = machine.run(&args, "");
            let told = (output.stderr.as_str(), output.exit);
            assert_eq!(told, (expect.as_str(), Some(3)), "{args:?}");
        }
    }
    // Without a name no model is needed.
    assert_eq!(machine.run(&["run", "--premise", "none"], "").exit, Some(0));
}

#[test]
fn another_host_is_refused_on_the_command_line() {
    let machine = PlayerMachine::new();
    let run = || {
        let mut command = machine.command(&["run", "--model", "http://box.invalid:8080/m"]);
        let output = command.env_remove("NARRATORIA_OFFLINE").output().unwrap();
        format!("{}{:?}", String::from_utf8(output.stderr).unwrap(), output.status.code())
    };
    insta::assert_snapshot!(run(), @r#"
    error: `box.invalid` is not this machine, and the configuration does not name it as a server of models
    hint: your sentences and your story would be sent there; to allow it, write `server-hosts = ["box.invalid"]` below `[model]` in config.toml
    Some(4)
    "#);
    // The name system of each machine has words of its own for a name that does not exist.
    machine.write("kept/config.toml", "[model]\nserver-hosts = [\"box.invalid\"]\n");
    assert!(
        run().starts_with("error: no server answers at http://box.invalid:8080: "),
        "{}",
        run()
    );
    let offline = machine.run(&["run", "--offline", "--model", "http://box.invalid:8080/m"], "");
    insta::assert_snapshot!(offline.transcript(), @"
    --- stderr
    error: `box.invalid` is not this machine, and nothing may be asked outside it
    hint: leave out `--offline` and unset NARRATORIA_OFFLINE
    --- exit 4
    ");
}

#[test]
fn servers_and_files_are_found() {
    let (machine, ollama) = (PlayerMachine::new(), server(FakeServerKind::Ollama));
    ollama.set(|setup| setup.obeys = false);
    let cache = machine.path().join("cache/llama.cpp");
    fs::create_dir_all(&cache).unwrap();
    narratoria_models::tiny(&cache.join("tiny.gguf"), 1).unwrap();
    fs::write(cache.join("broken.gguf"), "no model").unwrap();
    let port = ollama.address().port().to_string();
    let mut command = machine.command(&["model", "find", "--port", &port, "--format", "json"]);
    command.env("XDG_CACHE_HOME", machine.path().join("cache"));
    let output = command.output().unwrap();
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The speed depends on the machine.
    found["servers"][0]["asked"]["tokensPerSecond"] = Value::Null;
    let folder = cache.display().to_string();
    let base = ollama.base();
    assert_eq!(
        found,
        json!({
            "servers": [{
                "address": base, "kind": "Ollama", "version": "0.35.1",
                "models": [{
                    "use": format!("{base}/tiny:1b"), "name": "tiny:1b", "loaded": true,
                    "architecture": "qwen3", "bytes": 1_280_000_000, "contextTokens": null,
                }],
                "asked": {
                    "model": "tiny:1b", "obeysSchemas": false, "tokensPerSecond": null,
                    "why": format!("the server ignores the schema of an answer: asked for one word it wrote `{PROSE}`"),
                },
            }],
            "files": [{
                "path": format!("{folder}/tiny.gguf"), "program": "llama.cpp", "knownAs": null,
                "name": "narratoria-tiny", "architecture": "phi3", "bytes": 525_952,
            }],
            "unusable": [{
                "path": format!("{folder}/broken.gguf"), "program": "llama.cpp",
                "why": "it is not a GGUF file",
            }],
            "isCut": false,
        })
    );
}

#[test]
fn what_is_found_is_shown_as_it_is_used() {
    let (machine, open_ai) = (PlayerMachine::new(), server(FakeServerKind::LmStudio));
    open_ai.set(|setup| setup.obeys = false);
    let port = open_ai.address().port().to_string();
    let shown = transcript(&machine, &open_ai, &["model", "find", "--port", &port], "");
    let speed = regex::Regex::new(r", [0-9.]+ tokens/s").unwrap();
    insta::assert_snapshot!(speed.replace_all(&shown, ""), @"
    SERVER AND MODEL                KIND       STATE
    http://127.0.0.1:PORT/tiny:1b  LM Studio  prose only: the server ignores the schema of an answer: asked for one word it wrote `Zyx opens the quiet door.`

    no model file of another program is here

    `narratoria run --model` takes the first column of either table
    --- stderr
    --- exit 0
    ");
}
