//! `run` while packages are compiled and while they change.

use std::fs;

use serde_json::{Value, json};

use crate::cli::heavy_component::heavy;
use crate::player_machine::{PlayerMachine, check_updates, plan};

const PLAY: [&str; 8] = [
    "run",
    "--format",
    "json",
    "--skills",
    "skills",
    "--planner",
    "scripted:script.json",
    "--story=demo",
];

/// A script that has `oracle/act` run in each of so many turns.
fn write_script(machine: &PlayerMachine, turns: usize) {
    let step = plan(json!([{"toolId": "ask", "toolPath": "oracle/act", "input": {"word": "yes"}}]));
    machine.write("script.json", format!("[{}]", vec![step; turns].join(", ")));
}

#[track_caller]
fn checked(update: Value, expect: Value) {
    check_updates(std::slice::from_ref(&update));
    assert_eq!(update, expect);
}

#[test]
fn a_package_that_changes_is_another_skill_in_the_next_turn() {
    let machine = PlayerMachine::new();
    machine.package("oracle", "echo");
    write_script(&machine, 2);
    let mut live = machine.start(&PLAY);
    live.type_line("I ask");
    assert_eq!(live.await_update("step.finished")["output"]["input"]["word"], "yes");
    live.await_update("turn.finished");

    machine.package("oracle", "null");
    live.type_line("I ask again");
    checked(
        live.await_update("skill.ready"),
        json!({"v": 1, "type": "skill.ready", "skill": "oracle", "version": "0.9.0", "reloaded": true}),
    );
    let finished = live.await_update("step.finished");
    assert_eq!(finished["state"], "success", "{finished}");
    assert_eq!(finished["output"]["input"], Value::Null, "{finished}");
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
}

#[test]
fn a_package_that_goes_wrong_is_told_and_what_it_was_stays() {
    let machine = PlayerMachine::new();
    machine.package("oracle", "echo");
    write_script(&machine, 4);
    let manifest = machine.path().join("skills/oracle/skill.json");
    let good = fs::read(&manifest).unwrap();
    let mut live = machine.start(&PLAY);
    live.type_line("I ask");
    live.await_update("turn.finished");

    fs::write(&manifest, "{").unwrap();
    live.type_line("I ask a package that is no package");
    checked(
        live.await_update("skill.failed"),
        json!({
            "v": 1, "type": "skill.failed", "skill": "oracle", "kept": true,
            "problems": ["package `oracle`: skill.json: is not JSON: EOF while parsing an object at line 1 column 1"],
        }),
    );
    assert_eq!(live.await_update("step.finished")["state"], "success");
    live.await_update("turn.finished");

    // A component that the sandbox refuses.
    fs::write(&manifest, &good).unwrap();
    let script = machine.path().join("skills/oracle/scripts/act.wasm");
    fs::write(&script, b"\0asm\x0d\0\x01\0nonsense").unwrap();
    live.type_line("I ask a package without a script");
    let failed = live.await_update("skill.failed");
    check_updates(std::slice::from_ref(&failed));
    let problem = failed["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("package `oracle`: scripts/act.wasm: "), "{problem}");
    assert_eq!(live.await_update("step.finished")["output"]["input"]["word"], "yes");
    live.await_update("turn.finished");

    machine.package("oracle", "null");
    live.type_line("I ask again");
    assert_eq!(live.await_update("skill.ready")["reloaded"], true);
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
}

#[test]
fn packages_come_and_go_between_two_lines() {
    let machine = PlayerMachine::new();
    write_script(&machine, 3);
    let mut live = machine.start(&PLAY);
    live.await_update("session.started");
    machine.package("oracle", "echo");
    live.type_line("I ask");
    checked(
        live.await_update("skill.ready"),
        json!({"v": 1, "type": "skill.ready", "skill": "oracle", "version": "0.9.0", "reloaded": false}),
    );
    assert_eq!(live.await_update("step.finished")["state"], "success");
    live.await_update("turn.finished");
    fs::remove_dir_all(machine.path().join("skills/oracle")).unwrap();
    live.type_line("I ask in vain");
    checked(
        live.await_update("skill.removed"),
        json!({"v": 1, "type": "skill.removed", "skill": "oracle"}),
    );
    let rejected = live.await_update("plan.rejected");
    assert!(rejected["errors"][0].as_str().unwrap().contains("no skill `oracle`"), "{rejected}");
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
}

#[test]
fn nothing_is_told_of_packages_that_stay_as_they_are() {
    let machine = PlayerMachine::new();
    machine.package("oracle", "echo");
    machine.package("broken", "echo");
    fs::write(machine.path().join("skills/broken/skill.json"), "[]").unwrap();
    write_script(&machine, 2);
    let ran = machine.run(&PLAY, "I ask\nI ask again\n");
    let told: Vec<Value> = ran.lines();
    check_updates(&told);
    assert_eq!(told[0]["problems"].as_array().unwrap().len(), 1, "{}", told[0]);
    let of_skills = |line: &&Value| line["type"].as_str().unwrap().starts_with("skill.");
    assert_eq!(told.iter().filter(of_skills).count(), 0, "{}", ran.transcript());
    assert_eq!(ran.exit, Some(0));
}

/// Every line of a pipe finds the same skills, however long they take to compile.
#[test]
fn a_pipe_waits_for_every_skill() {
    let machine = PlayerMachine::new();
    // Nothing is compiled yet.
    fs::remove_file(machine.path().join("kept/cache")).unwrap();
    machine.package("oracle", "echo");
    let script = machine.path().join("skills/oracle/scripts/act.wasm");
    fs::write(&script, heavy(&fs::read(&script).unwrap())).unwrap();
    write_script(&machine, 1);
    let lines = machine.run(&PLAY, "I ask\n").lines();
    let skills = json!([
        "character",
        "character-portraits",
        "dice-roller",
        "location",
        "memory",
        "npc-perception",
        "oracle",
        "player-choices",
        "plot",
        "relationship",
        "reputation",
        "storyteller",
        "world",
    ]);
    assert_eq!(lines[0]["skills"], skills);
    let finished = lines.iter().find(|line| line["type"] == "step.finished").unwrap();
    assert_eq!(finished["state"], "success");
}

#[cfg(target_os = "linux")]
mod terminal {
    use std::fs;

    use crate::cli::heavy_component::{heavier, heavy, unseen};
    use crate::player_machine::PlayerMachine;
    use crate::pty::{CTRL_D, PtySession};

    /// A player never waits: the prompt is there, a turn is played, and the skill joins later.
    #[test]
    fn a_terminal_waits_for_none() {
        let machine = PlayerMachine::new();
        fs::remove_file(machine.path().join("kept/cache")).unwrap();
        machine.package("oracle", "echo");
        let script = machine.path().join("skills/oracle/scripts/act.wasm");
        fs::write(&script, heavy(&fs::read(&script).unwrap())).unwrap();
        let args = ["run", "--skills", "skills", "--planner", "lexical"];
        let mut terminal = PtySession::start_cold(&machine, &args, &[("NO_COLOR", "1")]);
        // The names fill more than a row, so the end of the sentence may be on the next one. It counts those that it does
        // not name.
        let greeting = terminal.await_text("happens once");
        let compiled = greeting.contains("compiling `character`") && greeting.contains(" more ");
        assert!(compiled, "{greeting:?}");
        terminal.await_prompt();
        // The storyteller is compiled first, and the turn waits for it; for what is large it does not.
        terminal.press("I examine the ancient door\r");
        terminal.await_text("\u{1b}[?2004l");
        terminal.await_prompt();
        // It joins between two lines.
        while !terminal.has_seen("oracle: A test.") {
            terminal.press("/skills\r");
            terminal.await_text("oracle: ");
            terminal.await_prompt();
        }
        assert!(!terminal.has_seen("is ready"), "that is for the log");
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }

    #[test]
    fn a_turn_says_what_it_goes_without() {
        let machine = PlayerMachine::new();
        machine.compile_skills();
        machine.package("oracle", "echo");
        let script = machine.path().join("skills/oracle/scripts/act.wasm");
        fs::write(&script, unseen(&heavier(&fs::read(&script).unwrap(), 8))).unwrap();
        let args = ["run", "--skills", "skills", "--planner", "lexical"];
        let mut terminal = PtySession::start_cold(&machine, &args, &[("NO_COLOR", "1")]);
        terminal.answer("> ", "/skills");
        terminal.await_text("oracle: is being compiled");
        terminal.answer("> ", "I examine the ancient door");
        terminal.await_text("note: this turn goes without `oracle`: still compiling");
        terminal.await_prompt();
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }

    #[test]
    fn a_package_that_changes_while_somebody_types_is_told_at_the_next_line() {
        let machine = PlayerMachine::new();
        machine.package("oracle", "null");
        machine.compile_skills();
        machine.package("oracle", "echo");
        let args = ["run", "--skills", "skills", "--planner", "lexical"];
        let mut terminal = PtySession::start_with(&machine, &args, &[("NO_COLOR", "1")]);
        terminal.await_prompt();
        // On a busy machine the prompt is there before the skill is.
        while !terminal.has_seen("oracle: A test.") {
            terminal.press("/skills\r");
            terminal.await_text("oracle: ");
            terminal.await_prompt();
        }
        // What takes more than a moment to read is told one line later.
        let mut type_until = |wanted: &str| {
            for _ in 0..20 {
                if terminal.has_seen(wanted) {
                    return;
                }
                terminal.press("I examine the ancient door\r");
                terminal.await_text("\u{1b}[?2004l");
                terminal.await_prompt();
            }
            panic!("no `{wanted}` before twenty lines");
        };
        machine.package("oracle", "null");
        type_until("skill `oracle` is loaded again (version 0.9.0)");
        fs::write(machine.path().join("skills/oracle/skill.json"), "{").unwrap();
        type_until("loaded before is still used");
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }
}

/// What the new version lacks is a setting, and only the player can have that.
#[test]
fn a_change_that_needs_a_setting_keeps_the_skill_until_the_player_has_set_it() {
    let machine = PlayerMachine::new();
    machine.package("oracle", "echo");
    write_script(&machine, 3);
    let mut live = machine.start(&PLAY);
    live.type_line("I ask");
    live.await_update("turn.finished");

    let schema = json!({
        "type": "object", "required": ["town"], "properties": {"town": {"type": "string"}},
    });
    machine.write("skills/oracle/config-schema.json", schema.to_string());
    machine.package("oracle", "shows-config");
    live.type_line("I ask the version that works");
    let failed = live.await_update("skill.failed");
    assert_eq!(failed["kept"], true);
    let problem = failed["problems"][0].as_str().unwrap();
    let wanted = "the setting `town` is required and not set; `narratoria skill config skills/oracle` sets it";
    assert!(problem.ends_with(wanted), "{problem}");
    assert_eq!(live.await_update("step.finished")["output"]["input"]["word"], "yes");
    live.await_update("turn.finished");

    let set = ["skill", "config", "skills/oracle", "--set", "town=Bern"];
    assert_eq!(machine.run(&set, "").exit, Some(0));
    live.type_line("I ask the new version");
    assert_eq!(live.await_update("skill.ready")["reloaded"], true);
    let finished = live.await_update("step.finished");
    assert_eq!(finished["output"]["request"]["config"]["town"], "Bern", "{finished}");
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
}

/// A skill without scripts is ready at once, and a new text is another skill.
#[test]
fn a_skill_md_that_changes_is_another_skill_in_the_next_turn() {
    let machine = PlayerMachine::new();
    machine.package("oracle", "echo");
    write_script(&machine, 3);
    let text = |version: &str| {
        format!(
            "---\nname: noir\ndescription: d\nmetadata: {{version: \"{version}\"}}\n---\nRain.\n"
        )
    };
    fs::create_dir_all(machine.path().join("skills/noir")).unwrap();
    machine.write("skills/noir/SKILL.md", text("1.0.0"));
    let mut live = machine.start(&PLAY);
    live.type_line("I ask");
    live.await_update("turn.finished");
    machine.write("skills/noir/SKILL.md", text("1.10.0"));
    live.type_line("I ask again");
    checked(
        live.await_update("skill.ready"),
        json!({"v": 1, "type": "skill.ready", "skill": "noir", "version": "1.10.0", "reloaded": true}),
    );
    live.await_update("turn.finished");
    fs::remove_dir_all(machine.path().join("skills/noir")).unwrap();
    live.type_line("I ask once more");
    checked(
        live.await_update("skill.removed"),
        json!({"v": 1, "type": "skill.removed", "skill": "noir"}),
    );
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
}
