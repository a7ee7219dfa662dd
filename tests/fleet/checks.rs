//! Checks that workers do are those of one machine, with the queue in a file and in a real PostgreSQL.

use std::{fs, path::Path, thread, time::Instant};

use serde_json::Value;

use super::{CHECK, Fleet, await_worker, ends_at_once, left_out, reports_as_one_machine};
#[cfg(target_os = "linux")]
use super::{kill, tenant_processes};
use crate::player_machine::{TIMEOUT, check_contract};

fn is_done_by_two_workers(fleet: &Fleet) {
    let check = fleet.check(&[]);
    let workers = [fleet.worker(&[]), fleet.worker(&[])];
    reports_as_one_machine(fleet, check);
    workers.into_iter().for_each(ends_at_once);
    // The same check again finds its results, and needs no worker.
    reports_as_one_machine(fleet, fleet.check(&[]));
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
    let mut check = fleet.check(&[]);
    let stopped = fleet.worker(&["--lease", "1"]);
    await_worker(&mut check);
    stopped.signal("STOP");
    let other = fleet.worker(&[]);
    reports_as_one_machine(&fleet, check);
    stopped.signal("CONT");
    ends_at_once(stopped);
    ends_at_once(other);
    reports_as_one_machine(&fleet, fleet.check(&[]));
}

/// A worker that is told to end gives its part back, and loses no lease with it.
#[test]
fn a_worker_that_is_told_to_end_leaves_its_part_to_the_next() {
    let fleet = Fleet::in_a_file();
    let mut check = fleet.check(&[]);
    let first = fleet.worker(&["--lease", "600"]);
    await_worker(&mut check);
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
    let check = fleet.check(&[]);
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
    let check = fleet.check(&[]);
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
            line.contains("tenant-work") && !line.starts_with("bwrap")
        };
        if let Some(pid) = inner.find(is_program) {
            return pid;
        }
    }
}

/// The folder of packages is away: parts wait for it, and none fails.
#[test]
fn parts_wait_for_a_folder_that_is_away() {
    let fleet = Fleet::in_a_file();
    let mut check = fleet.check(&[]);
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

/// Lines of JSON on stderr.
fn progress_lines(stderr: &str) -> Vec<Value> {
    let contract = include_str!("../../contracts/check-progress.schema.json");
    let lines = stderr.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    check_contract(contract, &lines);
    lines
}

#[track_caller]
fn counts_to_the_end(lines: &[Value], parts: u64) {
    let count = |line: &Value, name: &str| line["parts"][name].as_u64().unwrap();
    let all = |line: &Value| {
        ["done", "running", "waiting", "givenUp"].iter().map(|name| count(line, name)).sum::<u64>()
    };
    let first = &lines[0];
    assert_eq!(first["packages"].as_array().unwrap().len(), 4, "{first}");
    let done: Vec<u64> = lines.iter().map(|line| count(line, "done")).collect();
    assert!(done.is_sorted(), "{done:?}");
    assert_eq!((done.last(), all(lines.last().unwrap())), (Some(&parts), parts), "{lines:#?}");
}

/// A part of each package that is loaded, one for each of its scripts, and one of the client for the package that cannot be sent.
#[test]
fn programs_see_how_far_each_package_is() {
    let fleet = Fleet::in_a_file();
    let check = fleet.check(&["--progress", "json"]);
    let worker = fleet.worker(&[]);
    let (_, _, stderr) = check.end();
    ends_at_once(worker);
    let lines = progress_lines(&stderr);
    assert!(lines.iter().any(|line| line["workers"] == 1), "{lines:#?}");
    let parts = lines[0]["parts"]["waiting"].as_u64().unwrap()
        + lines[0]["parts"]["running"].as_u64().unwrap()
        + lines[0]["parts"]["done"].as_u64().unwrap();
    counts_to_the_end(&lines, parts);
    // On one machine a package is one part.
    let here = fleet.machine.run(&[&CHECK[..], &["--progress", "json"]].concat(), "");
    counts_to_the_end(&progress_lines(&here.stderr), 4);
}
