//! What happens to a queue when its server, its clock or its clients fail. Each with a real server.

use std::{
    env, fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use narratoria_postgres::{Database, DatabaseOptions, DatabaseSchema, DatabaseUrl, Migration};
use narratoria_test_postgres::PostgresServer;

use super::{ENDED, KIND, LONG, batch, claim, names, outcomes, postgres, result, work};
use crate::{
    ClaimRequest, FinishOutcome, GiveBack, WorkEnding, WorkQueue, postgres_tables::SCHEMA,
};

/// How many pieces of work have ended before the measurement of claims; `QUEUE_FINISHED` takes more.
const FINISHED: usize = 20_000;

fn size(variable: &str, usual: usize) -> usize {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

async fn database(url: &str) -> Database {
    let url = DatabaseUrl::parse(url).unwrap();
    Database::connect(&url, DatabaseOptions::default()).await.unwrap()
}

/// Workers that claim one by one and finish, until nothing is left.
async fn work_through(queue: Arc<dyn WorkQueue>, worker: String) -> Vec<(String, FinishOutcome)> {
    let mut finished = Vec::new();
    loop {
        let request = ClaimRequest { kind: KIND, worker: &worker, count: 2, lease: LONG };
        let claimed = queue.claim(request).await.unwrap();
        if claimed.is_empty() {
            return finished;
        }
        for one in claimed {
            let took = queue.finish(one.lease, &worker, &result(&one.body)).await.unwrap();
            finished.push((one.body, took));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_falls_in_the_middle_loses_nothing_and_doubles_nothing() {
    let Some(server) = PostgresServer::start() else { return };
    let url = server.database();
    let queue: Arc<dyn WorkQueue> = Arc::new(postgres(&url).await);
    let mine = batch("zoe/mine");
    let many = (0..600).map(|nth| format!("w{nth} ")).collect::<String>();
    queue.enqueue(&mine, KIND, &work(&many)).await.unwrap();
    let workers: Vec<_> = (0..4)
        .map(|nth| tokio::spawn(work_through(Arc::clone(&queue), format!("w{nth}"))))
        .collect();
    for _ in 0..3 {
        // Falls while claims and commits are on their way.
        let before = queue.progress(&mine).await.unwrap().ended;
        while queue.progress(&mine).await.unwrap().ended < before + 20 {}
        tokio::task::block_in_place(|| {
            server.stop_at_once();
            server.start_again();
        });
    }
    let mut done = Vec::new();
    for worker in workers {
        done.extend(worker.await.unwrap());
    }
    assert!(done.iter().all(|(_, took)| *took == FinishOutcome::Stored));
    let mut bodies: Vec<String> = done.into_iter().map(|(body, _)| body).collect();
    bodies.sort();
    let mut expected: Vec<String> = work(&many).into_iter().map(|one| one.body).collect();
    expected.sort();
    assert_eq!(bodies, expected);
    assert_eq!(queue.progress(&mine).await.unwrap().ended, 600);
}

#[tokio::test]
async fn a_client_that_holds_locks_and_says_nothing_does_not_stop_claims() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let queue = postgres(&url).await;
    queue.enqueue(&batch("zoe/mine"), KIND, &work("a b c")).await.unwrap();
    let other = database(&url).await;
    let mut connection = other.connection().await.unwrap();
    let mut open = connection.begin().await.unwrap();
    open.query("SELECT id FROM narratoria_work ORDER BY id LIMIT 1 FOR UPDATE", &[]).await.unwrap();
    assert_eq!(names(&claim(&queue, 3, LONG).await), "zoe/b zoe/c");
    drop(open);
    drop(connection);
    while names(&claim(&queue, 3, LONG).await) != "zoe/a" {}
}

#[tokio::test]
async fn programs_of_two_versions_share_a_queue() {
    const ADDS: Migration = Migration {
        usable_from: 1,
        sql: "ALTER TABLE narratoria_work ADD COLUMN host text NOT NULL DEFAULT 'any'",
    };
    const NEXT: DatabaseSchema =
        DatabaseSchema { name: SCHEMA.name, migrations: &[SCHEMA.migrations[0], ADDS] };
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let mine = batch("zoe/mine");
    let before = postgres(&url).await;
    before.enqueue(&mine, KIND, &work("a")).await.unwrap();
    database(&url).await.migrate(&NEXT).await.unwrap();
    // The old program goes on with the connections that it has, and another of its kind starts.
    before.enqueue(&mine, KIND, &work("b")).await.unwrap();
    let after = postgres(&url).await;
    let taken = claim(&after, 2, LONG).await;
    assert_eq!(names(&taken), "zoe/a zoe/b");
    before.finish(taken[0].lease, "w", &result("a")).await.unwrap();
    assert!(after.give_back(taken[1].lease, &GiveBack::Untouched).await.unwrap());
    assert_eq!(before.progress(&mine).await.unwrap().ended, 1);
}

#[tokio::test]
async fn a_clock_that_jumps_ends_leases_early_or_holds_nothing_up() {
    let library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
    if !Path::new(library).exists() {
        left_out("`libfaketime`, which sets the clock of a server");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    fs::write(&clock, "+0").unwrap();
    open_to_all(folder.path());
    let variables = [
        ("LD_PRELOAD", library),
        ("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap()),
        ("FAKETIME_NO_CACHE", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let Some(server) = PostgresServer::start_with(&[], &variables) else { return };
    let queue = postgres(&server.database()).await;
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a b")).await.unwrap();
    let first = claim(&queue, 1, LONG).await;
    // An hour ahead: the lease has ended, and its holder writes nothing.
    fs::write(&clock, "+1h").unwrap();
    let second = claim(&queue, 2, LONG).await;
    assert_eq!(names(&second), "zoe/a zoe/b");
    assert_eq!(
        queue.finish(first[0].lease, "w", &result("a")).await.unwrap(),
        FinishOutcome::TooLate
    );
    // An hour back: a lease that ends an hour from now is none, and the work goes on at once.
    fs::write(&clock, "+0").unwrap();
    let third = claim(&queue, 2, LONG).await;
    assert_eq!(names(&third), "zoe/a zoe/b");
    for one in &third {
        assert_eq!(
            queue.finish(one.lease, "w", &result(&one.body)).await.unwrap(),
            FinishOutcome::Stored
        );
    }
    let ended = outcomes(&queue, &mine).await;
    assert!(ended.iter().all(|one| matches!(one.ending, WorkEnding::Done { .. })));
}

fn left_out(what: &str) {
    eprintln!("left out: there is no {what}");
}

/// The server runs as another user.
#[cfg(unix)]
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) {}

/// One tenant floods the queue; the work of the others is taken within a few rounds.
#[tokio::test]
async fn a_hot_tenant_starves_nobody() {
    let Some(server) = PostgresServer::shared() else { return };
    let queue = postgres(&server.database()).await;
    let tenants = size("QUEUE_TENANTS", 40);
    let flood = (0..2_000).map(|nth| format!("h{nth} ")).collect::<String>();
    queue.enqueue(&batch("hot/all"), KIND, &work(&flood)).await.unwrap();
    for nth in 0..tenants {
        queue.enqueue(&batch(&format!("t{nth}/one")), KIND, &work("a b")).await.unwrap();
    }
    // Eight workers that each hold one piece; the oldest is finished before each claim.
    let mut held = std::collections::VecDeque::new();
    let (mut claims, mut others) = (0, 0);
    while others < tenants * 2 {
        let claimed = claim(&queue, 1, LONG).await;
        claims += 1;
        others += usize::from(claimed[0].tenant.as_str() != "hot");
        held.extend(claimed);
        if held.len() == 8 {
            let one = held.pop_front().unwrap();
            queue.finish(one.lease, "w", &result(&one.body)).await.unwrap();
        }
    }
    // The flood gets a share of each round, and no more than about one worker of the eight.
    assert!(
        claims <= tenants * 2 * 3 / 2,
        "{claims} claims for {} pieces of the others",
        tenants * 2
    );
}

/// Claims stay fast, and dead rows few, however much has ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_ended_does_not_slow_claims() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let queue = Arc::new(postgres(&url).await);
    let name = url.rsplit('/').next().unwrap();
    let finished = size("QUEUE_FINISHED", FINISHED);
    server.sql(
        name,
        &format!(
            "INSERT INTO narratoria_work (tenant, key, kind, body, state)
             SELECT 't' || n % 100, md5(n::text), '{KIND}', 'x', 'done' FROM generate_series(1, {finished}) n;
             ANALYZE narratoria_work;"
        ),
    );
    let pieces = 400;
    let many = (0..pieces).map(|nth| format!("w{nth} ")).collect::<String>();
    queue.enqueue(&batch("zoe/mine"), KIND, &work(&many)).await.unwrap();
    let began = Instant::now();
    let workers = (0..4).map(|nth| {
        let queue = Arc::clone(&queue);
        tokio::spawn(async move {
            let (worker, mut times) = (format!("w{nth}"), Vec::new());
            loop {
                let request = ClaimRequest { kind: KIND, worker: &worker, count: 1, lease: LONG };
                let asked = Instant::now();
                let claimed = queue.claim(request).await.unwrap();
                times.push(asked.elapsed());
                let Some(one) = claimed.into_iter().next() else { return times };
                queue.finish(one.lease, &worker, &result(&one.body)).await.unwrap();
            }
        })
    });
    let mut times = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        times.extend(worker.await.unwrap());
    }
    let took = began.elapsed();
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let dead = server.sql(
        name,
        "SELECT pg_stat_force_next_flush(); SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'narratoria_work'",
    );
    let dead: usize = dead.trim().parse().unwrap();
    eprintln!(
        "{finished} have ended: {:.0} claims and results a second by 4 workers, a claim takes {:?} (p50), {:?} (p99); {dead} dead rows",
        f64::from(pieces) / took.as_secs_f64(),
        at(50),
        at(99),
    );
    // Generous, because the machine may be busy: a scan of what has ended would take far longer with a million.
    assert!(at(99) < Duration::from_millis(500), "{:?}", at(99));
    assert!(dead <= 3 * usize::try_from(pieces).unwrap() + finished / 10, "{dead}");
    assert_eq!(names(&claim(&*queue, 1, ENDED).await), "");
}
