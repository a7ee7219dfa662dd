//! A fleet: checks that workers do are those of one machine, whatever happens to the workers. With the queue in a file, and with a
//! real PostgreSQL where there is one.

use std::{fs, path::Path, thread, time::Instant};

use narratoria_test_postgres::PostgresServer;
use serde_json::Value;

use crate::player_machine::{PlayerMachine, RunningCommand, TIMEOUT};

/// One of the program, and those of the machine: good and bad ones.
const CHECK: [&str; 8] =
    ["skill", "check", "dice-roller", "skills", "--format", "json", "--seed", "7"];

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
        let blobs = machine.path().join("blobs").display().to_string();
        Fleet { machine, queue, blobs }
    }

    fn in_postgres() -> Option<Fleet> {
        let queue = PostgresServer::shared()?.database();
        Some(Fleet { queue, ..Fleet::in_a_file() })
    }

    /// A check of the package that waits for workers.
    fn check(&self) -> RunningCommand {
        let mut args = CHECK.to_vec();
        args.extend(["--time-budget", "280", "--queue", &self.queue, "--blobs", &self.blobs]);
        self.machine.start(&args)
    }

    fn worker(&self, more: &[&str]) -> RunningCommand {
        let mut args = vec!["worker", "--queue", &self.queue, "--blobs", &self.blobs];
        args.extend(more);
        self.machine.start(&args)
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
    let (exit, _, report) = check.end_with_stdout();
    let here = fleet.machine.run(&CHECK, "");
    assert_eq!(comparable(&report), comparable(&here.stdout));
    assert_eq!(exit, here.exit);
}

/// SIGTERM: what a worker has not done is there for the next one.
#[track_caller]
fn ends_at_once(worker: RunningCommand) {
    worker.signal("TERM");
    let (exit, took, _) = worker.end();
    assert_eq!(exit, Some(0));
    assert!(took.as_secs() < 5, "{took:?}");
}

fn is_done_by_two_workers(fleet: &Fleet) {
    let check = fleet.check();
    let workers = [fleet.worker(&[]), fleet.worker(&[])];
    reports_as_one_machine(fleet, check);
    workers.into_iter().for_each(ends_at_once);
    // The same check again finds its results, and needs no worker.
    reports_as_one_machine(fleet, fleet.check());
}

#[test]
fn a_check_by_workers_is_that_of_one_machine_with_a_queue_in_a_file() {
    is_done_by_two_workers(&Fleet::in_a_file());
}

#[test]
fn a_check_by_workers_is_that_of_one_machine_with_a_queue_in_postgres() {
    let Some(fleet) = Fleet::in_postgres() else { return };
    is_done_by_two_workers(&fleet);
}

/// The worker stands still for longer than its lease; another does the work, and the first one's result does not count.
#[test]
fn a_worker_that_stood_still_writes_no_result() {
    let Some(fleet) = Fleet::in_postgres() else { return };
    let mut check = fleet.check();
    let stopped = fleet.worker(&["--lease", "1"]);
    while !check.await_stderr_line().contains("run on 1 workers") {}
    stopped.signal("STOP");
    let other = fleet.worker(&[]);
    reports_as_one_machine(&fleet, check);
    stopped.signal("CONT");
    ends_at_once(stopped);
    ends_at_once(other);
    reports_as_one_machine(&fleet, fleet.check());
}

/// A worker that is told to end gives its part back, and loses no lease with it.
#[test]
fn a_worker_that_is_told_to_end_leaves_its_part_to_the_next() {
    let fleet = Fleet::in_a_file();
    let mut check = fleet.check();
    let first = fleet.worker(&["--lease", "600"]);
    while !check.await_stderr_line().contains("run on 1 workers") {}
    ends_at_once(first);
    let next = fleet.worker(&[]);
    reports_as_one_machine(&fleet, check);
    ends_at_once(next);
}

/// The processes of tenants are killed again and again, as a package would that takes all memory.
#[cfg(target_os = "linux")]
#[test]
fn a_package_that_ends_its_workers_is_given_up() {
    let fleet = Fleet::in_a_file();
    let check = fleet.check();
    let worker = fleet.worker(&["--isolation", "process"]);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                tenant_processes(worker.pid()).for_each(kill);
                thread::yield_now();
            }
        });
        let (exit, _, report) = check.end_with_stdout();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(exit, Some(1));
        report
    });
    ends_at_once(worker);
    let report: Value = serde_json::from_str(&report).unwrap();
    let packages = report["packages"].as_array().unwrap();
    let of = |package: &Value| {
        let rules = package["findings"].as_array().unwrap().iter();
        rules.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for package in packages {
        match package["name"].as_str().unwrap() {
            // The client's machine checks it: it cannot be sent.
            "linked" => assert!(of(package).contains(&"files/link".to_owned())),
            _ => assert!(of(package).iter().all(|rule| rule == "check/worker-lost"), "{package:#}"),
        }
    }
}

/// Under bubblewrap a tenant's process has no network, and sees neither the queue nor the packages of others.
#[cfg(target_os = "linux")]
#[test]
fn a_tenant_s_process_sees_its_own_folder_alone() {
    let fleet = Fleet::in_a_file();
    let wrapped = ["--isolation", "bubblewrap"];
    let mut works = vec!["worker", "--queue", &fleet.queue, "--blobs", &fleet.blobs];
    works.extend(wrapped.iter().chain(&["--until-empty"]));
    let works = fleet.machine.run(&works, "");
    if works.exit != Some(0) {
        left_out(&works.stderr);
        return;
    }
    let check = fleet.check();
    let worker = fleet.worker(&wrapped);
    let program = program_of_tenant(worker.pid());
    let network = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
    assert_ne!(network(&program.to_string()), network("self"));
    let root = Path::new("/proc").join(program.to_string()).join("root");
    let seen = |path: &str| root.join(path.trim_start_matches('/')).exists();
    assert!(seen("usr") && seen(crate::program().to_str().unwrap()));
    assert!(!seen(&fleet.blobs) && !seen(fleet.queue.trim_start_matches("sqlite:")));
    assert!(!seen("home") && !seen("etc/passwd") && !seen("var"));
    let environment = fs::read_to_string(format!("/proc/{program}/environ")).unwrap();
    let names = environment.split('\0').filter_map(|entry| entry.split('=').next());
    let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "NARRATORIA_HOME", "PATH", "PWD", "TMPDIR"]);
    reports_as_one_machine(&fleet, check);
    ends_at_once(worker);
}

/// Waits for the program behind bubblewrap and its first process within.
#[cfg(target_os = "linux")]
fn program_of_tenant(worker: u32) -> i32 {
    let below = |pid: i32| tenant_processes(pid.cast_unsigned());
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < TIMEOUT);
        let inner = tenant_processes(worker).flat_map(below);
        let mut inner = inner.flat_map(|pid| below(pid).chain([pid]));
        let is_program = |pid: &i32| {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.contains("check-part") && !line.starts_with("bwrap")
        };
        if let Some(pid) = inner.find(is_program) {
            return pid;
        }
    }
}

#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn left_out(why: &str) {
    eprintln!("left out: {why}");
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

/// The folder of packages is away: parts wait for it, and none fails.
#[test]
fn parts_wait_for_a_folder_that_is_away() {
    let fleet = Fleet::in_a_file();
    let mut check = fleet.check();
    assert!(check.await_stderr_line().contains("parts are done"));
    let elsewhere = format!("{}.away", fleet.blobs);
    fs::rename(&fleet.blobs, &elsewhere).unwrap();
    let mut worker = fleet.worker(&[]);
    let began = Instant::now();
    while !worker.await_stderr_line().contains("the part waits") {
        assert!(began.elapsed() < TIMEOUT);
    }
    fs::rename(&elsewhere, &fleet.blobs).unwrap();
    reports_as_one_machine(&fleet, check);
    ends_at_once(worker);
}

#[test]
fn what_is_wrong_with_a_queue_is_said_without_its_password() {
    let fleet = Fleet::in_a_file();
    let run = |queue: &str| {
        let ran = fleet.machine.run(&["worker", "--queue", queue, "--blobs", "blobs"], "");
        (ran.exit, ran.stderr)
    };
    let (exit, said) = run("redis://zoe:tide@db.example");
    assert_eq!(exit, Some(2), "{said}");
    assert!(
        said.contains("begins with `sqlite:` or `postgres://`") && !said.contains("tide"),
        "{said}"
    );
    let (exit, said) = run("postgres://zoe:ti@de@db.example/t");
    assert_eq!(exit, Some(2), "{said}");
    assert!(said.contains("it is written `%40`") && !said.contains("ti@de"), "{said}");
}
