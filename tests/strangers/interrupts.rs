//! Ctrl-C at any moment ends a command within a second, with every package of the corpus.

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};

use proptest::test_runner::{Config, TestRunner};

use crate::player_machine::PlayerMachine;
use crate::strangers::{cases, package::NAME};

/// How long the program may go on after Ctrl-C.
const END_MAX: Duration = Duration::from_secs(1);

/// How many moments are tried.
const MOMENTS: u32 = 200;

/// Fewest moments at which the command must still be running: a press after its end shows nothing.
const HEARD_MIN: u32 = MOMENTS / 8;

/// How late after its start a command may be interrupted.
const MOMENT_MAX_MS: u64 = 300;

/// A case, a command, and a moment.
type Moment = (usize, usize, u64);

const COMMANDS: &[&[&str]] = &[
    &["skill", "check", "skills/stranger"],
    &["skill", "inspect", "skills/stranger"],
    &["skill", "list", "--skills", "skills"],
    &["skill", "test", "skills/stranger"],
    &["skill", "pack", "skills/stranger", "--output", "stranger.skill.tar.gz"],
    &["plan", "check", "plan.json", "--skills", "skills"],
    &["run", "--skills", "skills", "--planner", "scripted:script.json", "--format", "json"],
];

/// Runs the command, interrupts it, and returns its exit code and how long it went on.
fn interrupt((case, command, moment_ms): Moment) -> (String, Option<i32>, Duration) {
    let stranger = cases::all().swap_remove(case);
    let machine = PlayerMachine::new();
    stranger.write(&machine.path().join("skills").join(NAME));
    machine.write("script.json", stranger.script());
    let plans: Vec<serde_json::Value> = serde_json::from_str(&stranger.script()).unwrap();
    machine.write("plan.json", plans[0].to_string());
    let mut running = machine.start(COMMANDS[command]);
    if COMMANDS[command][0] == "run" {
        running.type_line("I meet the stranger");
    }
    thread::park_timeout(Duration::from_millis(moment_ms));
    running.signal("INT");
    let pressed = Instant::now();
    let (exit, _, stderr) = running.end();
    let what = format!("{} with {}: {stderr}", COMMANDS[command].join(" "), stranger.name);
    (what, exit, pressed.elapsed())
}

#[test]
fn ctrl_c_ends_every_command_within_a_second_at_any_moment() {
    let config = Config { cases: MOMENTS, failure_persistence: None, ..Config::default() };
    let cases = cases::all().len();
    let (longest, heard) = (Cell::new(Duration::ZERO), Cell::new(0));
    TestRunner::new(config)
        .run(&(0..cases, 0..COMMANDS.len(), 0..MOMENT_MAX_MS), |moment| {
            let (what, exit, went_on) = interrupt(moment);
            longest.set(longest.get().max(went_on));
            heard.set(heard.get() + u32::from(matches!(exit, None | Some(130))));
            // A command may have ended by itself, or just started, before it hears anything but the system's default.
            proptest::prop_assert!(
                matches!(exit, None | Some(0..=4 | 130)),
                "exit {exit:?}: {what}"
            );
            proptest::prop_assert!(went_on < END_MAX, "went on for {went_on:?}: {what}");
            Ok(())
        })
        .unwrap();
    let (longest, heard) = (longest.get(), heard.get());
    println!("{heard} of {MOMENTS} met a command at work; the longest went on for {longest:?}");
    assert!(heard >= HEARD_MIN, "only {heard} of {MOMENTS} presses met a command at work");
}
