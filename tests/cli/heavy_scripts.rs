//! Heavy scripts: where workers take them, the turn is what it is without.

use std::{fs, time::Duration};

use narratoria_test_postgres::PostgresServer;
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::fleet::tenant_processes;
use crate::player_machine::{CommandOutput, PlayerMachine, RunningCommand};

/// Scripts without grants that end in every way: well, by their own failure, at a limit, or by breaking a rule.
const GUESTS: [&str; 17] = [
    "echo",
    "large-numbers",
    "random",
    "lucky",
    "fail",
    "panic",
    "trap",
    "recursion",
    "loop-forever",
    "allocate-forever",
    "flood-stdout",
    "not-json",
    "unknown-type",
    "missing-field",
    "no-done",
    "two-dones",
    "exit-1-after-done",
];

/// The game, on one machine.
const PLAY: [&str; 9] = [
    "run",
    "--skills",
    "skills",
    "--planner",
    "scripted:script.json",
    "--seed",
    "7",
    "--format",
    "json",
];

struct StoryFleet {
    machine: PlayerMachine,
    queue: String,
    blobs: String,
}

impl StoryFleet {
    /// A machine whose skills are these guests, and whose plan runs each of them.
    fn new(guests: &[(&str, Value)]) -> StoryFleet {
        let machine = PlayerMachine::new();
        let mut tools = Vec::new();
        for (guest, more) in guests {
            let mut script = json!({"heavy": true, "limits": {"fuel": 200_000_000}});
            script.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            machine.package_with(guest, guest, script);
            tools.push(json!({
                "toolId": guest, "toolPath": format!("{guest}/act"), "required": false,
                "input": {"ms": 1500, "text": guest},
            }));
        }
        let plan = json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": tools});
        machine.write("script.json", json!([plan]).to_string());
        let queue = format!("sqlite:{}", machine.path().join("queue.db").display());
        let blobs = machine.path().join("blobs").display().to_string();
        StoryFleet { machine, queue, blobs }
    }

    /// The arguments of a game whose heavy scripts workers run.
    fn elsewhere(&self) -> [&str; 13] {
        let [run, a, b, c, d, e, f, g, h] = PLAY;
        [run, a, b, c, d, e, f, g, h, "--queue", &self.queue, "--blobs", &self.blobs]
    }

    fn play_elsewhere(&self) -> CommandOutput {
        self.machine.run(&self.elsewhere(), "I knock\n")
    }

    fn worker(&self, more: &[&str]) -> RunningCommand {
        let mut args = vec!["worker", "--queue", &self.queue, "--blobs", &self.blobs];
        args.extend(more);
        self.machine.start(&args)
    }

    /// Components that a worker could fetch.
    fn components(&self) -> usize {
        let folders = fs::read_dir(self.machine.path().join("blobs/sha256")).unwrap();
        folders.flatten().map(|folder| fs::read_dir(folder.path()).unwrap().count()).sum()
    }
}

/// The same game on another machine, which knows no fleet.
fn played_here(guests: &[(&str, Value)]) -> CommandOutput {
    StoryFleet::new(guests).machine.run(&PLAY, "I knock\n")
}

#[track_caller]
fn is_the_same_turn(elsewhere: &CommandOutput, here: &CommandOutput) {
    assert_eq!(elsewhere.stdout, here.stdout, "{}", elsewhere.transcript());
    assert_eq!((elsewhere.exit, here.exit), (Some(0), Some(0)));
}

fn is_played_by_workers(fleet: &StoryFleet) {
    let here = played_here(&all_guests());
    for text in
        ["its fuel", "more memory", "call stack exhausted", "broke the protocol", "exited with"]
    {
        assert!(here.stdout.contains(text), "{text}: {}", here.transcript());
    }
    let workers = [fleet.worker(&[]), fleet.worker(&[])];
    is_the_same_turn(&fleet.play_elsewhere(), &here);
    assert_eq!(fleet.components(), GUESTS.len());
    for worker in workers {
        worker.signal("TERM");
        assert_eq!(worker.end().0, Some(0));
    }
}

fn all_guests() -> Vec<(&'static str, Value)> {
    GUESTS.into_iter().map(|guest| (guest, json!({}))).collect()
}

/// Whatever a script does, its step has the events, the outcome and the error that it has without a fleet.
#[test]
fn a_turn_whose_heavy_scripts_run_on_workers_is_the_same_to_the_byte() {
    is_played_by_workers(&StoryFleet::new(&all_guests()));
}

#[test]
fn a_turn_whose_heavy_scripts_wait_in_postgres_is_the_same_to_the_byte() {
    let Some(server) = PostgresServer::shared() else { return };
    let fleet = StoryFleet { queue: server.database(), ..StoryFleet::new(&all_guests()) };
    is_played_by_workers(&fleet);
}

/// The first worker stands still for longer than its lease.
#[cfg(target_os = "linux")]
#[test]
fn a_step_whose_worker_is_lost_goes_to_another_one() {
    let guests = [("sleep", json!({}))];
    let (fleet, here) = (StoryFleet::new(&guests), played_here(&guests));
    let first = fleet.worker(&["--lease", "1", "--isolation", "process"]);
    let mut playing = fleet.machine.start(&fleet.elsewhere());
    playing.type_line("I knock");
    playing.close_stdin();
    while tenant_processes(first.pid()).next().is_none() {
        std::thread::yield_now();
    }
    first.signal("STOP");
    let other = fleet.worker(&["--lease", "1"]);
    let (exit, _, stdout) = playing.end_with_stdout();
    assert_eq!((exit, stdout), (Some(0), here.stdout));
    first.signal("CONT");
    for worker in [first, other] {
        worker.signal("TERM");
        assert_eq!(worker.end().0, Some(0));
    }
}

/// No worker comes: the step ends at its time, and the story goes on. Work that nobody waits for is not done later.
#[test]
fn a_step_that_no_worker_takes_ends_at_its_time() {
    let fleet = StoryFleet::new(&[("echo", json!({"timeout": 1000}))]);
    let alone = fleet.play_elsewhere();
    assert_eq!(alone.exit, Some(0), "{}", alone.transcript());
    assert!(alone.stdout.contains("ran past its time limit of 1000 ms"), "{}", alone.stdout);
    let (exit, took, _) = fleet.worker(&["--until-empty"]).end();
    assert_eq!(exit, Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_light_script_runs_where_the_story_is() {
    let guests = [("echo", json!({"heavy": false}))];
    let fleet = StoryFleet::new(&guests);
    is_the_same_turn(&fleet.play_elsewhere(), &played_here(&guests));
    assert!(!fleet.machine.path().join("blobs").exists());
}

#[test]
fn a_heavy_script_takes_no_grants() {
    let machine = PlayerMachine::new();
    machine.package_with("moon", "echo", json!({"heavy": true, "grants": {"store": true}}));
    let listed = machine.run(&["skill", "list", "--skills", "skills"], "");
    let told = "a heavy script may run on another machine, which has nothing of the story: it takes no grants";
    assert!(listed.stderr.contains(told), "{}", listed.transcript());
}
