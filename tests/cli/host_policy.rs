//! `[limits]` and `[grants]` of `config.toml`: what the player lets packages have.

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;

fn machine(config: &str) -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.write("kept/config.toml", config);
    machine
}

#[test]
fn lower_limits_hold_and_are_what_the_list_shows() {
    let machine = machine(
        "[limits]\ntimeout-ms = 100\nfuel = 5000000000\nmemory-mib = 7\nstdout-bytes = 999999999",
    );
    machine.package("endless", "loop-forever");
    let list = ["skill", "list", "--skills", "skills", "--format", "json"];
    let skills: Value = serde_json::from_str(&machine.run(&list, "").stdout).unwrap();
    let endless = skills.as_array().unwrap().iter().find(|skill| skill["name"] == "endless");
    let script = &endless.unwrap()["scripts"][0];
    assert_eq!(script["timeout"], 100);
    assert_eq!(
        script["limits"],
        json!({"fuel": 5_000_000_000_u64, "memoryBytes": 7 << 20, "stdoutBytes": 4 << 20}),
        "lowered, and never raised"
    );
    let ran = machine.run(&["skill", "run", "endless/act", "--skills", "skills"], "{}");
    assert!(
        ran.stderr.contains("error: the script ran past its time limit of 100 ms (TOOL_TIMEOUT)"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.exit, Some(1));
}

#[test]
fn a_package_that_asks_for_what_is_refused_is_left_out_with_the_line_that_refuses_it() {
    let machine = machine("[grants]\nstore = false\nhttp = [\"a.example\"]\n");
    machine.package_with("diary", "keeps", json!({"grants": {"store": true}}));
    machine.package_with("far", "fetches", json!({"grants": {"http": ["a.example", "b.example"]}}));
    machine.package_with("near", "fetches", json!({"grants": {"http": ["a.example:8443"]}}));
    let ran = machine.run(&["skill", "list", "--skills", "skills"], "");
    insta::assert_snapshot!(ran.stderr, @"
    warning: package `diary`: skill.json: /scripts/0/grants/store: asks for the grant `store`, which line 2 of `[machine]/kept/config.toml` does not allow (`store` in `[grants]`)
    warning: package `far`: skill.json: /scripts/0/grants/http: asks for the host `b.example`, which line 3 of `[machine]/kept/config.toml` does not allow (`http` in `[grants]`)
    ");
    assert!(ran.stdout.contains("near") && !ran.stdout.contains("diary"), "{}", ran.stdout);
    let ran = machine.run(&["skill", "run", "diary/act", "--skills", "skills"], "{}");
    assert_eq!(ran.exit, Some(3));
}

#[test]
fn a_slip_in_the_configuration_stops_every_verb_that_runs_scripts() {
    let machine = machine("[limits]\nfule = 1\n");
    insta::assert_snapshot!(machine.transcript(&["skill", "run", "dice-roller/roll-dice"], "{}"), @"
    --- stderr
    error: the configuration `[machine]/kept/config.toml`, line 2: there is no key `fule`
    hint: did you mean `fuel`?
    --- exit 2
    ");
}

/// Without its language model the storyteller has sentences of its own, so that the player keeps it.
#[test]
fn a_refused_grant_that_is_optional_costs_no_skill() {
    let machine = machine("[grants]\nllm = false\n");
    let ran = machine.run(&["run", "--format", "json"], "I look around\n");
    let lines = ran.lines();
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    assert_eq!(of("session.started")["problems"], json!([]), "{}", ran.transcript());
    assert_eq!(of("turn.finished")["outcome"], "told", "{}", ran.transcript());
    let tools = of("plan.proposed")["plan"]["tools"].as_array().unwrap();
    assert_eq!(tools.last().unwrap()["toolPath"], "storyteller/narrate");
    let shown = machine.run(&["skill", "inspect", "storyteller", "--no-run"], "").stdout;
    let grant = "llm    no (optional)  refused by your settings: the script does without it";
    assert!(shown.contains(grant), "{shown}");
}
