//! Clocks of machines that are wrong. Each comparison of times is the database's, so they change nothing.

use std::{fs, path::Path};

use super::{Fleet, await_worker, ends_at_once, left_out, reports_as_one_machine};
use narratoria_test_postgres::PostgresServer;

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/// One worker is an hour ahead, and one an hour behind; then both change places in the middle of a part.
#[test]
fn workers_whose_clocks_are_an_hour_wrong_and_jump_lose_no_lease() {
    if !Path::new(LIBRARY).exists() {
        left_out("there is no `libfaketime`, which sets the clock of a worker");
        return;
    }
    let Some(fleet) = Fleet::in_postgres() else { return };
    let clocks = ["ahead", "behind"].map(|name| fleet.machine.path().join(name));
    let set = |hours: [&str; 2]| {
        for (clock, hours) in clocks.iter().zip(hours) {
            fs::write(clock, hours).unwrap();
        }
    };
    set(["+1h", "-1h"]);
    let worker = |clock: &Path| {
        let env = [
            ("LD_PRELOAD", LIBRARY),
            ("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap()),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ];
        fleet.worker_at(&fleet.queue, &[], &env)
    };
    let mut check = fleet.check(&[]);
    let ahead = worker(&clocks[0]);
    await_worker(&mut check);
    let behind = worker(&clocks[1]);
    set(["-1h", "+1h"]);
    reports_as_one_machine(&fleet, check);
    [ahead, behind].into_iter().for_each(ends_at_once);
    let name = fleet.queue.rsplit('/').next().unwrap();
    let server = PostgresServer::shared().expect("the queue is in it");
    let lost = "SELECT count(*) FILTER (WHERE state <> 'done'), sum(losses) FROM narratoria_work";
    assert_eq!(server.sql(name, lost), "0|0");
}
