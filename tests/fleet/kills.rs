//! `kill -9` of a worker wherever it waits: before each of its requests reaches the database, before each answer reaches it, and while
//! its tenant's process works. The next worker does what is left, and nothing counts twice.

use std::time::Duration;

use narratoria_test_postgres::PostgresServer;

use super::{
    Fleet, ends_at_once, kill, number, reports_as, say, seed,
    worker_proxy::{KillMoment, WorkerProxy},
};
use crate::{crash::KillRng, player_machine::PlayerMachine};

/// A package of two parts: small, so that there can be many rounds.
const CHECK: [&str; 7] = ["skill", "check", "skills/brittle", "--format", "json", "--seed", "7"];

/// A part takes about as long.
const PART: Duration = Duration::from_millis(600);

/// Counts the connections of workers.
const CONNECTED: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE application_name = 'narratoria queue' AND datname = current_database()";

/// How many kills `make test` has. With more kills than moments each moment has one.
const KILLS: u64 = 6;

#[test]
fn a_worker_that_is_killed_wherever_it_waits_loses_nothing_and_doubles_nothing() {
    let Some(server) = PostgresServer::shared() else { return };
    let machine = PlayerMachine::new();
    machine.package("brittle", "brittle");
    let mut fleet = Fleet::of(machine, String::new());
    let here = fleet.machine.run(&CHECK, "");
    let round = |fleet: &mut Fleet, at: Option<(usize, KillMoment)>| {
        fleet.queue = server.database();
        let mut check = fleet.check_of(&CHECK, &[]);
        // It has left its parts.
        assert!(check.await_stderr_line().contains("parts are done"));
        let proxy = WorkerProxy::start(server, at, kill);
        let until_empty = ["--lease", "1", "--until-empty", "--isolation", "process"];
        let first = fleet.worker_at(&proxy.url(&fleet.queue), &until_empty, &[]);
        proxy.set_worker(first.pid());
        let (exit, _, stderr) = first.end();
        let requests = proxy.end();
        assert!(matches!(exit, None | Some(0)), "{exit:?} {stderr}");
        let next = fleet.worker(&["--isolation", "process"]);
        reports_as(check, &here);
        let name = fleet.queue.rsplit('/').next().unwrap();
        // If there was nothing left to do, it may have begun just now, and does not hear signals yet.
        while server.sql(name, CONNECTED) == "0" {
            std::thread::yield_now();
        }
        ends_at_once(next);
        let found = server.sql(
            name,
            "SELECT count(*), count(*) FILTER (WHERE state = 'done'),
                (SELECT count(*) FROM narratoria_work_result) FROM narratoria_work",
        );
        assert_eq!(found, "2|2|2");
        (requests, exit.is_none())
    };
    let (requests, _) = round(&mut fleet, None);
    say(&format!("a worker that is left alone has {requests} requests"));
    let mut chance = KillRng::new(seed());
    let mut moments: Vec<(usize, KillMoment)> = Vec::new();
    for request in 1..=requests {
        moments.extend([
            (request, KillMoment::BeforeRequest),
            (request, KillMoment::BeforeAnswer),
            (request, KillMoment::AfterAnswer(chance.moment(PART))),
        ]);
    }
    let kills = number("FLEET_KILLS").unwrap_or(KILLS);
    let mut killed = 0;
    for _ in 0..kills.min(moments.len() as u64) {
        let moment =
            moments.swap_remove(usize::try_from(chance.below(moments.len() as u64)).unwrap());
        say(&format!("kill at {moment:?}"));
        killed += u64::from(round(&mut fleet, Some(moment)).1);
    }
    say(&format!("{killed} of {kills} workers were killed before they had done everything"));
    assert!(killed > 0);
}
