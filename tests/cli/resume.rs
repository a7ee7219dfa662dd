//! A process that is killed in the middle of a plan, and what comes after (docs/plans.md, "After a
//! crash").

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};
use crate::pty::{CTRL_C, CTRL_D, PtySession};

/// With this seed every turn ends in the same words.
const STORY: [&str; 9] = [
    "run",
    "--story",
    "demo",
    "--skills",
    "skills",
    "--planner",
    "scripted:script.json",
    "--seed",
    "7",
];
const RESUME: [&str; 6] = ["plan", "resume", "--story", "demo", "--skills", "skills"];

/// A story whose first turn was cut short: `count` is done, `guard` has asked something.
fn interrupted_story() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package_with("counter", "counts", json!({"grants": {"store": true}}));
    machine.package("gate", "asks");
    let tools = plan(json!([
        {"toolId": "count", "toolPath": "counter/act", "input": {}},
        {"toolId": "guard", "toolPath": "gate/act", "input": {}, "dependencies": ["count"]},
    ]));
    machine.write("script.json", format!("[{tools}, {tools}]"));
    let mut live = machine.start(&[&STORY[..], &["--format", "json"]].concat());
    live.type_line("I knock");
    live.await_update("step.asked");
    live.signal("KILL");
    assert_eq!(live.end().0, None);
    machine
}

/// How often `count` has run in the story, as the next plan finds it.
fn counted(machine: &PlayerMachine) -> Value {
    let tools = plan(json!([{"toolId": "count", "toolPath": "counter/act", "input": {}}]));
    machine.write("count.json", tools);
    let args =
        ["plan", "run", "count.json", "--story", "demo", "--skills", "skills", "--format", "json"];
    let ran = machine.run(&args, "");
    ran.result()["toolResults"][0]["output"]["count"].clone()
}

#[test]
fn a_plan_goes_on_without_repeating_a_finished_step() {
    let machine = interrupted_story();
    insta::assert_snapshot!(machine.run(&RESUME, "Nobody\npeace\n").timeless(), @"
    STEP   STATE    TIME RETRIES  WHAT
    count  success  [TIME] 0
    guard  success  [TIME] 0
    the plan succeeded
    --- stderr
    note: step `count` is not run again, its result stands (success)
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    gate/act asks: And what does Nobody want?
    Done: `counter/act`. Done: `gate/act`.

    --- exit 0
    ");
    insta::assert_snapshot!(machine.run(&RESUME, "").timeless(), @"
    --- stderr
    error: the story `demo` has no unfinished plan
    hint: there is one when a process ended in the middle of a turn
    --- exit 3
    ");
    assert_eq!(counted(&machine), 2);
}

/// S3 startStep, startedAt: while a plan runs, and after its process was killed, others see which step has started.
#[test]
fn the_step_that_was_cut_short_is_known() {
    let machine = PlayerMachine::new();
    machine.package_with("counter", "counts", json!({"grants": {"store": true}}));
    machine.package("gate", "asks");
    let tools = plan(json!([
        {"toolId": "count", "toolPath": "counter/act", "input": {}},
        {"toolId": "guard", "toolPath": "gate/act", "input": {}, "dependencies": ["count"]},
        {"toolId": "again", "toolPath": "counter/act", "input": {}, "dependencies": ["guard"]},
    ]));
    machine.write("script.json", format!("[{tools}]"));
    let steps = |machine: &PlayerMachine| {
        let show = ["plan", "show", "1", "--story", "demo", "--format", "json"];
        let shown = machine.run(&show, "").result();
        assert_eq!(shown["status"], "in_progress");
        let step = |step: &Value| (step["status"].clone(), step["startedAt"].clone());
        shown["steps"].as_array().unwrap().iter().map(step).collect::<Vec<_>>()
    };
    let mut live = machine.start(&[&STORY[..], &["--format", "json"]].concat());
    live.type_line("I knock");
    live.await_update("step.asked");
    let running = steps(&machine);
    let statuses: Vec<&Value> = running.iter().map(|(status, _)| status).collect();
    assert_eq!(statuses, ["complete", "in_progress", "blocked"]);
    assert!(running[1].1.is_string() && running[2].1.is_null(), "{running:?}");
    live.signal("KILL");
    assert_eq!(live.end().0, None);
    assert_eq!(steps(&machine), running);
    let exported = machine.run(&["plan", "export", "1", "--story", "demo"], "").result();
    assert_eq!(exported["steps"][1]["startedAt"], running[1].1);
}

#[test]
fn a_plan_that_is_resumed_gives_its_whole_result_to_programs() {
    let machine = interrupted_story();
    let ran = machine.run(&[&RESUME[..], &["--format", "json"]].concat(), "Nobody\npeace\n");
    let result = ran.result();
    let output = |at: usize| &result["toolResults"][at]["output"];
    assert_eq!(
        (output(0), output(1)),
        (&json!({"count": 1}), &json!({"name": "Nobody", "wish": "peace"}))
    );
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}

#[test]
fn a_plan_that_is_dropped_never_was() {
    let machine = interrupted_story();
    let drop = [&RESUME[..], &["--drop"]].concat();
    insta::assert_snapshot!(machine.run(&drop, "").timeless(), @"
    forgot the unfinished plan; the story is as it was before it
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(machine.run(&drop, "").timeless(), @"
    --- stderr
    error: the story `demo` has no unfinished plan
    hint: there is one when a process ended in the middle of a turn
    --- exit 3
    ");
    assert_eq!(counted(&machine), 1);
}

#[test]
fn another_turn_has_to_wait() {
    let machine = interrupted_story();
    machine.write("plan.json", plan(json!([])));
    let args = ["plan", "run", "plan.json", "--story", "demo", "--skills", "skills"];
    insta::assert_snapshot!(machine.run(&args, "").timeless(), @"
    --- stderr
    error: the turn `I knock` of the story `demo` was cut short after 1 of 2 steps
    hint: `narratoria plan resume --story demo` goes on with it, `narratoria plan resume --story demo --drop` forgets it
    --- exit 4
    ");
}

#[test]
fn a_pipe_goes_on_with_it_and_says_so() {
    let machine = interrupted_story();
    insta::assert_snapshot!(machine.run(&STORY, "Nobody\npeace\n").timeless(), @"
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    gate/act asks: And what does Nobody want?
    Done: `counter/act`. Done: `gate/act`.

    --- stderr
    note: the turn `I knock` was cut short; 1 of 2 steps of its plan are done
    note: going on with it
    note: step `count` is not run again, its result stands (success)
    --- exit 0
    ");
    assert_eq!(counted(&machine), 2);
}

/// The process is killed while a person reads what the step would do.
#[test]
fn a_pipe_denies_nothing_that_waited_for_an_approval() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = plan(json!([
        {"toolId": "look", "toolPath": "mirror/act", "input": {}},
        {"toolId": "burn", "toolPath": "mirror/act", "input": {}, "dependencies": ["look"],
         "requiresApproval": true},
    ]));
    machine.write("script.json", format!("[{tools}, {tools}]"));
    let mut terminal = PtySession::start_dumb(&machine, &STORY);
    terminal.answer("> ", "I burn the door");
    terminal.await_text("?> ");
    terminal.signal("KILL");
    terminal.end();
    let opened = machine.run(&STORY, "look\n").timeless();
    assert_eq!(machine.run(&STORY, "look\n").timeless(), opened);
    insta::assert_snapshot!(opened, @"
    --- stderr
    note: the turn `I burn the door` was cut short; 1 of 2 steps of its plan are done
    note: going on with it
    error: the turn `I burn the door` of the story `demo` is still open: `burn` needs an approval, and nobody is there to be asked
    hint: `narratoria run --story demo` on a terminal asks, `narratoria plan resume --story demo --yes` approves, `narratoria plan resume --story demo --drop` forgets the turn
    --- exit 4
    ");
    insta::assert_snapshot!(machine.run(&RESUME, "").timeless(), @"
    --- stderr
    error: the turn `I burn the door` of the story `demo` is still open: `burn` needs an approval, and nobody is there to be asked
    hint: `narratoria run --story demo` on a terminal asks, `narratoria plan resume --story demo --yes` approves, `narratoria plan resume --story demo --drop` forgets the turn
    --- exit 4
    ");
    let approved = machine.run(&[&RESUME[..], &["--yes"]].concat(), "");
    assert_eq!(approved.exit, Some(0), "{}", approved.transcript());
}

#[test]
fn a_player_is_offered_to_go_on() {
    let machine = interrupted_story();
    let mut terminal = PtySession::start_dumb(&machine, &STORY);
    terminal.answer("[Y/n]> ", "what?");
    terminal.answer("[Y/n]> ", "");
    terminal.answer("answer> ", "1");
    terminal.answer("answer> ", "peace");
    terminal.await_text("Done: `gate/act`.");
    terminal.await_text("\n> ");
    terminal.press(CTRL_D);
    insta::assert_snapshot!(terminal.transcript(), @"
    demo, a new story
    skills: character, character-portraits, counter,
      dice-roller, gate, location, memory, npc-perception,
      player-choices, plot, relationship, reputation,
      storyteller, world
    Say what you do. /help lists the commands, Ctrl-D leaves.

    note: the turn `I knock` was cut short; 1 of 2 steps of its
      plan are done
    go on with it? [Y/n]> what?
    hint: Enter goes on with it, `n` drops it and leaves the
      story as it was before it, Ctrl-D leaves it for another
      time
    go on with it? [Y/n]>
    note: step `count` is not run again, its result stands
      (success)
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    answer> 1
    gate/act asks: And what does A friend want?
    answer> peace
    Done: `counter/act`. Done: `gate/act`.

    >
    --- exit 0
    ");
    assert_eq!(counted(&machine), 2);
}

#[test]
fn a_player_drops_it() {
    let machine = interrupted_story();
    let mut terminal = PtySession::start(&machine, &STORY);
    terminal.answer("[Y/n]> ", "n");
    terminal.await_text("dropped; the story is as it was before");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    assert_eq!(counted(&machine), 1);
}

/// It is there another time.
#[test]
fn a_player_who_leaves_decides_nothing() {
    let machine = interrupted_story();
    for (keys, exit) in [(CTRL_D, 0), (CTRL_C, 130)] {
        let mut terminal = PtySession::start(&machine, &STORY);
        terminal.await_text("[Y/n]> ");
        terminal.press(keys);
        assert_eq!(terminal.end(), Some(exit));
    }
    let mut terminal = PtySession::start(&machine, &STORY);
    terminal.await_text("[Y/n]> ");
    terminal.signal("TERM");
    assert_eq!(terminal.end(), Some(130));
    assert_eq!(machine.run(&RESUME, "Nobody\npeace\n").exit, Some(0));
}
