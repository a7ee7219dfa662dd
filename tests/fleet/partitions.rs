//! A worker that the database is cut off from, in one direction and in both: another does its part, and when the way is whole again
//! the first one goes on as if nothing had been. Two machines are two network namespaces, which only root may make.

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread,
};

use narratoria_test_postgres::PostgresServer;

use super::{CHECK, END_MAX, Fleet, await_worker, ends_at_once, left_out, reports_as, say};
use crate::player_machine::{PlayerMachine, RunningCommand, with_default_signals};

/// The addresses of the database and of the worker.
const ADDRESSES: [&str; 2] = ["10.213.0.1", "10.213.0.2"];
const WAY: [&str; 2] = ["way0", "way1"];
/// Nobody has it, so what is sent there is lost without a word.
const NOBODY: &str = "02:00:00:00:00:99";

/// A machine in the sense of the network, for as long as this is there.
struct Namespace(Child);

impl Namespace {
    fn new() -> Option<Namespace> {
        let holder = Command::new("unshare")
            .args(["--net", "sleep", "infinity"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut namespace = Namespace(holder.ok()?);
        let here = fs::read_link("/proc/self/ns/net").unwrap();
        // Until the process has one of its own.
        while fs::read_link(namespace.path()).is_ok_and(|there| there == here) {
            if namespace.0.try_wait().unwrap().is_some() {
                return None;
            }
            thread::yield_now();
        }
        Some(namespace)
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// What runs a command there.
    fn enter(&self) -> [String; 2] {
        ["nsenter".to_owned(), format!("--net={}", self.path())]
    }

    /// Runs `ip`; false if that is not allowed.
    fn ip(&self, line: &str) -> bool {
        let [program, place] = self.enter();
        let mut command = Command::new(program);
        command.arg(place).arg("ip").args(line.split_whitespace()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two machines and the way between them; `None` where that is not allowed.
fn two_machines() -> Option<[Namespace; 2]> {
    let machines = [Namespace::new()?, Namespace::new()?];
    let far = machines[1].0.id();
    let is_made = machines[0]
        .ip(&format!("link add {} type veth peer name {} netns {far}", WAY[0], WAY[1]))
        && machines.iter().zip(WAY).zip(ADDRESSES).all(|((machine, way), address)| {
            machine.ip(&format!("addr add {address}/24 dev {way}"))
                && machine.ip(&format!("link set {way} up"))
        });
    is_made.then_some(machines)
}

/// Loses what one machine sends to the other, or does not any more.
fn set_lost(machines: &[Namespace; 2], from: usize, is_lost: bool) {
    let (to, way) = (ADDRESSES[1 - from], WAY[from]);
    let line = match is_lost {
        true => format!("neigh replace {to} lladdr {NOBODY} dev {way} nud permanent"),
        false => format!("neigh del {to} dev {way}"),
    };
    assert!(machines[from].ip(&line), "{line}");
}

#[test]
fn a_worker_that_is_cut_off_in_any_direction_changes_nothing_afterwards() {
    let Some(machines) = two_machines() else {
        left_out("only root makes network namespaces, with `unshare`, `nsenter` and `ip`");
        return;
    };
    let [program, place] = machines[0].enter();
    let Some(server) =
        PostgresServer::start_within(&[program.as_str(), place.as_str()], ADDRESSES[0])
    else {
        return;
    };
    let machine = PlayerMachine::new();
    machine.package("brittle", "brittle");
    let mut fleet = Fleet::of(machine, String::new());
    let here = fleet.machine.run(&CHECK, "");
    let again = fleet.machine.run(&[&CHECK[..], &["--strict"]].concat(), "");
    // What the database sends, what the worker sends, and both.
    for lost in [&[0][..], &[1], &[0, 1]] {
        say(&format!("lost is what {lost:?} sends"));
        fleet.queue = server.database();
        let mut check = fleet.check(&[]);
        let far = far_worker(&fleet, &server, &machines[1]);
        await_worker(&mut check);
        lost.iter().for_each(|from| set_lost(&machines, *from, true));
        // By the socket, which is in no network.
        let near = fleet.worker(&["--lease", "1"]);
        reports_as(check, &here);
        ends_at_once(near);
        let far = match lost.len() {
            // It ends in time, though nobody answers it.
            2 => {
                far.signal("TERM");
                let (exit, took, stderr) = far.end();
                assert_eq!(exit, Some(0), "{stderr}");
                assert!(took < 2 * END_MAX, "{took:?}");
                None
            }
            _ => Some(far),
        };
        lost.iter().for_each(|from| set_lost(&machines, *from, false));
        if let Some(far) = far {
            // It goes on. What it has done in between comes too late, or is what another has found.
            reports_as(fleet.check(&["--strict"]), &again);
            ends_at_once(far);
        }
        let name = fleet.queue.rsplit('/').next().unwrap();
        let found = server.sql(
            name,
            "SELECT count(*) FILTER (WHERE state <> 'done'), max(losses) < 3,
                count(*) = (SELECT count(*) FROM narratoria_work_result) FROM narratoria_work",
        );
        assert_eq!(found, "0|t|t");
        reports_as(fleet.check(&[]), &here);
    }
}

/// A worker on the far machine, which reaches the database over the network.
fn far_worker(fleet: &Fleet, server: &PostgresServer, machine: &Namespace) -> RunningCommand {
    let name = fleet.queue.rsplit('/').next().unwrap();
    let queue = format!(
        "postgres://postgres:{}@{}:{}/{name}?sslmode=disable",
        server.password(),
        ADDRESSES[0],
        server.port()
    );
    let [program, place] = machine.enter();
    let mut command = fleet.machine.isolate(with_default_signals(program.as_ref()));
    command.arg(place).arg(crate::program()).args(fleet.worker_line(&queue, &["--lease", "1"]));
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("TMPDIR", fleet.machine.path().join("tmp"));
    RunningCommand::spawn(command)
}
