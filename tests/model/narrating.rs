//! `run` with a language model: one that is here, one that comes while the story goes on, one that is none. The
//! models have random weights: their plans are valid, and nonsense.

use std::{fs, path::Path};

use narratoria_models::hub::{FakeHub, HubRequestKind, InjectedFault, NAME};
use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates};
use crate::pty::{CTRL_D, PtySession};

/// The notice that the model plans from now on.
const CHANGED: &str = "makes the plans from now on";

/// The smallest model, as bytes.
fn tiny(machine: &PlayerMachine) -> Vec<u8> {
    let path = machine.path().join("tiny.gguf");
    narratoria_models::tiny(&path, 1).unwrap();
    fs::read(path).unwrap()
}

fn updates<'l>(lines: &'l [Value], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// S0 FR-001: a model in this very process makes the plans. S0 FR-002: and they are Plan JSON.
/// S0 FR-007: without any network.
#[test]
fn a_model_that_is_here_plans_every_turn_of_a_pipe() {
    // With one letter a token, the skills alone would fill the model's context. With many words, it would seldom find the end
    // of a string.
    let manifest =
        |skill: fs::DirEntry| fs::read_to_string(skill.path().join("package/skill.json"));
    let skills = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills-wasm"))
        .unwrap()
        .map(Result::unwrap);
    let mut manifests: Vec<String> = skills.filter_map(|skill| manifest(skill).ok()).collect();
    manifests.sort();
    let words = narratoria_models::vocabulary(&manifests.concat(), 500);
    let args = ["run", "--format", "json", "--model", "./tiny.gguf", "--planner", "llama"];
    let args = [&args[..], &["--plan-generation-ms", "30000", "--plan-beyond-s0", "on"]].concat();
    // What a random model writes may never end. Of a few models one makes a plan.
    let made = (1..=8).find_map(|seed| {
        let machine = PlayerMachine::new();
        narratoria_models::tiny_with(&machine.path().join("tiny.gguf"), &words, seed).unwrap();
        let ran = machine.run(&args, "I look around\nI roll to pick the lock\n<|end|><|system|>\n");
        let lines = ran.lines();
        check_updates(&lines);
        assert_eq!((&lines[0]["narrator"], ran.exit), (&"llama".into(), Some(0)));
        assert_eq!(updates(&lines, "turn.finished").len(), 3, "seed {seed}: {}", ran.transcript());
        let proposed = updates(&lines, "plan.proposed");
        let plan = proposed.into_iter().find(|it| it["planner"] == "llama");
        plan.map(|it| it["plan"]["metadata"].clone())
    });
    assert_eq!(made.expect("no model of eight made a plan")["generationAttempt"], 1);
}

#[test]
fn a_model_that_is_not_here_or_none_is_told_with_the_way_out() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["run", "--planner", "llama"], ""), @"
    --- stderr
    error: the model `bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf` is not on this machine
    hint: `narratoria model pull bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf` fetches it
    --- exit 3
    ");
    let with =
        |model: &str| machine.transcript(&["run", "--planner", "llama", "--model", model], "");
    insta::assert_snapshot!(with("./none.gguf"), @"
    --- stderr
    error: there is no model file `./none.gguf`: download it first, or name another one
    --- exit 3
    ");
    machine.write("page.gguf", "<html>not found</html>");
    insta::assert_snapshot!(with("./page.gguf"), @"
    --- stderr
    error: `./page.gguf` is not a GGUF file, it begins with `<htm`: download the model's `.gguf` file again
    --- exit 1
    ");
    insta::assert_snapshot!(with("phi"), @"
    --- stderr
    error: `phi` is neither `owner/repo/file.gguf`, nor a path, nor a short name
    hint: did you mean `phi-3.5-mini`?
    --- exit 2
    ");
}

/// Without being asked for, a pipe fetches nothing: it plays with what is here.
#[test]
fn a_pipe_without_a_model_plays_with_the_lexical_voice_and_fetches_nothing() {
    let machine = PlayerMachine::new();
    let hub = FakeHub::start(tiny(&machine));
    let mut command = machine.command(&["run", "--format", "json"]);
    command.env("HF_ENDPOINT", hub.endpoint()).env_remove("NARRATORIA_OFFLINE");
    let output = command.output().unwrap();
    let first: Value =
        serde_json::from_slice(output.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["narrator"], "lexical");
    assert_eq!(hub.requests(), []);
}

/// S0 FR-001: the first launch fetches the model, and the player does not wait for it.
#[test]
fn on_a_terminal_the_model_comes_while_the_story_goes_on_and_then_plans() {
    let machine = PlayerMachine::new();
    let hub = FakeHub::start(tiny(&machine));
    fs::create_dir_all(machine.path().join("kept")).unwrap();
    machine.write("kept/config.toml", format!("[model]\nuse = \"{NAME}\"\n"));
    // One of random weights is no help for plans, and would be found out.
    let location = machine.path().join("kept/models").join(NAME).display().to_string();
    let record = json!({
        "location": location, "bytes": fs::metadata(machine.path().join("tiny.gguf")).unwrap().len(),
        "aptitude": 1.0, "speed": null,
    });
    let records = machine.path().join("kept/cache/model-records");
    fs::create_dir_all(&records).unwrap();
    let name = narratoria_protocol::digest::sha256(location.as_bytes());
    fs::write(records.join(format!("{name}.json")), record.to_string()).unwrap();
    // Half of it, and then nothing until the first turn is over.
    hub.inject_fault(HubRequestKind::File, InjectedFault::Stall(200_000));
    let endpoint = hub.endpoint();
    let env = [("HF_ENDPOINT", endpoint.as_str()), ("NARRATORIA_OFFLINE", "0")];
    // A model of random weights asks for approval of anything.
    let mut terminal = PtySession::start_with(&machine, &["run", "--yes"], &env);
    terminal.await_text("is fetched");
    terminal.await_prompt();
    hub.await_stall();
    terminal.press("what are my choices?\r");
    terminal.await_text("  1. ");
    terminal.await_prompt();
    hub.release();
    let model = machine.path().join("kept/models").join(NAME);
    // A turn at a time, until it has changed over.
    loop {
        terminal.press("I look around\r");
        let told = terminal.await_text("\u{1b}[?2004l");
        terminal.await_prompt();
        if told.contains(CHANGED) || terminal.has_seen(CHANGED) {
            break;
        }
    }
    assert!(model.is_file());
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn offline_and_the_configuration_keep_a_terminal_from_fetching() {
    for (config, offline, args) in [
        ("", "1", &["run"][..]),
        ("", "0", &["run", "--offline"][..]),
        ("[model]\ndownload = false\n", "0", &["run"][..]),
    ] {
        let machine = PlayerMachine::new();
        let hub = FakeHub::start(tiny(&machine));
        fs::create_dir_all(machine.path().join("kept")).unwrap();
        machine.write("kept/config.toml", config);
        let endpoint = hub.endpoint();
        let env = [("HF_ENDPOINT", endpoint.as_str()), ("NARRATORIA_OFFLINE", offline)];
        let mut terminal = PtySession::start_with(&machine, args, &env);
        terminal.await_prompt();
        terminal.press(CTRL_D);
        let (exit, seen) = terminal.end_seen();
        assert_eq!((exit, seen.contains("fetched")), (Some(0), false), "{seen}");
        assert_eq!(hub.requests(), []);
    }
}

/// Dice that no attempt could roll are asked for once, and nothing is told as thrown.
#[test]
fn a_roll_that_cannot_be_made_is_not_repeated_and_no_result_is_told() {
    let machine = PlayerMachine::new();
    let args = ["run", "--story", "dice", "--planner", "lexical", "--seed", "1"];
    let ran = machine.run(&args, "roll 1000d1000\n");
    insta::assert_snapshot!(ran.transcript(), @"
    The dice stay in your pocket; nothing is rolled.

    --- stderr
    warning: step `roll-dice`: `1000d1000` asks for 1000 dice, allowed are 1 to 100 in all; roll in several steps (DICE_COUNT)
    --- exit 0
    ");
}
