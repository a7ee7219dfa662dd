//! A tenant whose packages end their workers again and again: they are given up, and the checks of others take as long as beside a
//! harmless tenant.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use narratoria_test_postgres::PostgresServer;
use serde_json::Value;

use super::{Fleet, ends_at_once, kill, number, reports_as, say, tenant_processes};
use crate::player_machine::{CommandOutput, PlayerMachine, RunningCommand};

const NEIGHBOUR: [&str; 7] =
    ["skill", "check", "skills/brittle", "--format", "json", "--seed", "7"];
const OTHER: [&str; 5] = ["skill", "check", "other", "--format", "json"];

/// How many checks of a neighbour `make test` measures.
const CHECKS: u64 = 4;
/// From so many checks on, their 95th percentile is compared.
const COMPARED_FROM: usize = 20;
/// A busy machine may be slower in one of the measurements.
const ATTEMPTS: usize = 3;

#[test]
fn packages_that_end_their_workers_are_given_up_and_cost_their_neighbours_nothing() {
    let Some(server) = PostgresServer::shared() else { return };
    let machine = PlayerMachine::new();
    machine.package("brittle", "brittle");
    let checks = usize::try_from(number("FLEET_NEIGHBOURS").unwrap_or(CHECKS)).unwrap();
    // As much work as the neighbour has, so that the tenant is there all the time.
    fs::create_dir(machine.path().join("other")).unwrap();
    for nth in 0..checks {
        let name = format!("other-{nth}");
        machine.package(&name, "brittle");
        let [from, to] = ["skills", "other"].map(|folder| machine.path().join(folder).join(&name));
        fs::rename(from, to).unwrap();
    }
    let mut fleet = Fleet::of(machine, String::new());
    let here = fleet.machine.run(&NEIGHBOUR, "");
    for attempt in 1..=ATTEMPTS {
        fleet.queue = server.database();
        let (calm, report) = measure(&fleet, &here, checks, false);
        assert!(report.iter().all(|rules| !rules.contains(&"check/worker-lost".to_owned())));
        fleet.queue = server.database();
        let (struck, report) = measure(&fleet, &here, checks, true);
        // On a busy machine some part may have ended before it was struck.
        assert!(report.iter().any(|rules| *rules == ["check/worker-lost"]), "{report:?}");
        let ratio = struck.as_secs_f64() / calm.as_secs_f64();
        say(&format!(
            "p95 of a neighbour's check: {calm:?}, beside lost workers {struck:?}: {ratio:.2}"
        ));
        if ratio < 1.5 || checks < COMPARED_FROM {
            return;
        }
        assert!(attempt < ATTEMPTS, "a neighbour's check takes {ratio:.2} times as long");
    }
}

/// Two workers, a tenant with much work, and a neighbour with one check after the other. Returns the 95th percentile of the
/// neighbour's times, and the rules of each of the other's packages.
fn measure(
    fleet: &Fleet,
    here: &CommandOutput,
    checks: usize,
    is_deadly: bool,
) -> (Duration, Vec<Vec<String>>) {
    let workers = [0, 1].map(|_| fleet.worker(&["--isolation", "process"]));
    let mut other = fleet.check_of(&OTHER, &["--tenant", "other"]);
    assert!(other.await_stderr_line().contains("parts are done"));
    let is_over = AtomicBool::new(false);
    let (mut times, report) = thread::scope(|scope| {
        scope.spawn(|| strike(&workers, is_deadly, &is_over));
        let over = SetOnDrop(&is_over);
        let mut times = Vec::new();
        for nth in 0..checks {
            let (tenant, began) = (format!("near-{nth}"), Instant::now());
            reports_as(fleet.check_of(&NEIGHBOUR, &["--tenant", &tenant]), here);
            times.push(began.elapsed());
        }
        let (_, _, report) = other.end_with_stdout();
        drop(over);
        (times, report)
    });
    workers.into_iter().for_each(ends_at_once);
    times.sort();
    (times[(times.len() * 95 / 100).min(times.len() - 1)], rules(&report))
}

/// Ends the strikes, after a failure too.
struct SetOnDrop<'b>(&'b AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Kills each process that has a package of the other tenant, as the system does with one that takes all memory. If they are not
/// deadly it only looks, which costs as much.
fn strike(workers: &[RunningCommand], is_deadly: bool, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        for pid in workers.iter().flat_map(|worker| tenant_processes(worker.pid())) {
            let packages = packages_of(pid);
            let names = packages.and_then(|packages| fs::read_dir(packages).ok());
            let mut names = names.into_iter().flatten().flatten().map(|entry| entry.file_name());
            if names.any(|name| name.to_string_lossy().starts_with("other")) && is_deadly {
                kill(pid);
            }
        }
        thread::yield_now();
    }
}

/// The folder of packages of a tenant's process.
fn packages_of(pid: i32) -> Option<PathBuf> {
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).ok()?;
    let home = environment.split('\0').find_map(|entry| entry.strip_prefix("HOME="))?;
    Some(PathBuf::from(home).join("packages"))
}

/// The rules that each package of a report broke, without those of its files.
fn rules(report: &str) -> Vec<Vec<String>> {
    let report: Value = serde_json::from_str(report).unwrap();
    let of = |package: &Value| {
        let findings = package["findings"].as_array().unwrap().iter();
        let mut rules: Vec<String> =
            findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
        rules.dedup();
        rules
    };
    report["packages"].as_array().unwrap().iter().map(of).collect()
}
