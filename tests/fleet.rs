//! A fleet: checks that workers do are those of one machine, whatever happens to the workers, their machines and the way to the
//! database. With real processes, and with a real PostgreSQL where there is one.
//!
//! `FLEET_KILLS` sets the number of kills, `FLEET_NEIGHBOURS` that of a neighbour's checks, `FLEET_SEED` the seed of the random
//! numbers, which each test prints.

mod checks;
#[cfg(target_os = "linux")]
mod clocks;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod neighbours;
#[cfg(target_os = "linux")]
mod partitions;
#[cfg(target_os = "linux")]
mod worker_proxy;

use std::{
    fs,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use narratoria_test_postgres::PostgresServer;
use serde_json::Value;

use crate::{
    crash::number,
    player_machine::{CommandOutput, PlayerMachine, RunningCommand},
};

/// One of the program, and those of the machine: good and bad ones.
const CHECK: [&str; 8] =
    ["skill", "check", "dice-roller", "skills", "--format", "json", "--seed", "7"];

/// How long a process may take to end after SIGTERM.
const END_MAX: Duration = Duration::from_secs(5);

struct Fleet {
    machine: PlayerMachine,
    queue: String,
    blobs: String,
}

impl Fleet {
    fn in_a_file() -> Fleet {
        let machine = PlayerMachine::new();
        machine.package("brittle", "brittle");
        machine.package("linked", "echo");
        machine.write("skills/linked/more.md", "More.");
        std::os::unix::fs::symlink("more.md", machine.path().join("skills/linked/link.md"))
            .unwrap();
        machine.package("broken", "echo");
        machine.write("skills/broken/skill.json", "{\"name\": \"broken\"");
        machine.write("skills/broken/tool.sh", "#!/bin/sh\n");
        let queue = format!("sqlite:{}", machine.path().join("queue.db").display());
        Fleet::of(machine, queue)
    }

    fn of(machine: PlayerMachine, queue: String) -> Fleet {
        // What a killed worker leaves behind goes with the machine.
        fs::create_dir(machine.path().join("tmp")).unwrap();
        let blobs = machine.path().join("blobs").display().to_string();
        Fleet { machine, queue, blobs }
    }

    fn in_postgres() -> Option<Fleet> {
        let queue = PostgresServer::shared()?.database();
        Some(Fleet { queue, ..Fleet::in_a_file() })
    }

    /// A check that waits for workers.
    fn check(&self, more: &[&str]) -> RunningCommand {
        self.check_of(&CHECK, more)
    }

    fn check_of(&self, check: &[&str], more: &[&str]) -> RunningCommand {
        let mut args = check.to_vec();
        args.extend(["--time-budget", "280", "--queue", &self.queue, "--blobs", &self.blobs]);
        args.extend(more);
        self.machine.start(&args)
    }

    fn worker(&self, more: &[&str]) -> RunningCommand {
        self.worker_at(&self.queue, more, &[])
    }

    /// A worker that reaches the queue by another address, with variables in its environment.
    fn worker_at(&self, queue: &str, more: &[&str], env: &[(&str, &str)]) -> RunningCommand {
        let temporary = self.machine.path().join("tmp").display().to_string();
        let mut all = vec![("TMPDIR", temporary.as_str())];
        all.extend(env);
        self.machine.start_with(&self.worker_line(queue, more), &all)
    }

    fn worker_line<'l>(&'l self, queue: &'l str, more: &[&'l str]) -> Vec<&'l str> {
        let mut args = vec!["worker", "--queue", queue, "--blobs", &self.blobs];
        args.extend(more);
        args
    }
}

/// What a fleet must report too: everything but the look-up of sentences and the time that was given.
fn comparable(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).unwrap();
    let object = report.as_object_mut().unwrap();
    object.remove("meaningLeftOut");
    object.remove("timeBudgetSeconds");
    for package in object["packages"].as_array_mut().unwrap() {
        package.as_object_mut().unwrap().remove("meaning");
    }
    report
}

#[track_caller]
fn reports_as_one_machine(fleet: &Fleet, check: RunningCommand) {
    reports_as(check, &fleet.machine.run(&CHECK, ""));
}

#[track_caller]
fn reports_as(check: RunningCommand, here: &CommandOutput) {
    let (exit, _, report) = check.end_with_stdout();
    assert_eq!(comparable(&report), comparable(&here.stdout));
    assert_eq!(exit, here.exit);
}

/// SIGTERM: what a worker has not done is there for the next one.
#[track_caller]
fn ends_at_once(worker: RunningCommand) {
    worker.signal("TERM");
    let (exit, took, _) = worker.end();
    assert_eq!(exit, Some(0));
    assert!(took < END_MAX, "{took:?}");
}

/// Waits until a worker has a part of the check.
fn await_worker(check: &mut RunningCommand) {
    while !check.await_stderr_line().contains("run on 1 workers") {}
}

/// The seed of random numbers. A person reads it, and repeats the test with it.
fn seed() -> u64 {
    let seed = number("FLEET_SEED").unwrap_or_else(|| RandomState::new().hash_one(0_u8));
    say(&format!("FLEET_SEED={seed}"));
    seed
}

#[expect(
    clippy::print_stderr,
    reason = "a test that is left out says so, and a person wants to see seeds and figures"
)]
fn say(what: &str) {
    eprintln!("{what}");
}

fn left_out(why: &str) {
    say(&format!("left out: {why}"));
}

/// Children of a worker.
#[cfg(target_os = "linux")]
pub(crate) fn tenant_processes(worker: u32) -> impl Iterator<Item = i32> {
    let children = fs::read_to_string(format!("/proc/{worker}/task/{worker}/children"));
    let of_threads = fs::read_dir(format!("/proc/{worker}/task")).into_iter().flatten().flatten();
    let texts = of_threads.map(|task| fs::read_to_string(task.path().join("children")));
    let texts: Vec<String> = texts.chain([children]).flatten().collect();
    texts
        .join(" ")
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect::<Vec<i32>>()
        .into_iter()
}

#[cfg(target_os = "linux")]
fn kill(pid: i32) {
    use rustix::process::{Pid, Signal, kill_process};
    // It may have ended by itself.
    let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::KILL));
}
