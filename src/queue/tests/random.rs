//! Random requests: both queues do what the model does. A failure names its seed; `QUEUE_SEQUENCES` says how many seeds there are.

use std::{env, panic::AssertUnwindSafe};

use narratoria_test_postgres::PostgresServer;
use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::{
    ENDED, KIND, LONG, batch, claim, oracle::QueueOracle, outcomes, postgres, sqlite, work,
};
use crate::{BatchProgress, GiveBack, WorkKey, WorkLease, WorkQueue, WorkResult};

const REQUESTS: usize = 200;

fn sequences(usual: u64) -> u64 {
    env::var("QUEUE_SEQUENCES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[tokio::test]
async fn a_queue_in_sqlite_does_what_the_model_does() {
    for seed in 0..sequences(20) {
        let (queue, _folder) = sqlite().await;
        sequence(&queue, seed).await;
    }
}

#[tokio::test]
async fn a_queue_in_postgres_does_what_the_model_does() {
    let Some(server) = PostgresServer::shared() else { return };
    for seed in 0..sequences(20) {
        sequence(&postgres(&server.database()).await, seed).await;
    }
}

/// Long because each request stands beside what the model says to it.
async fn sequence(queue: &dyn WorkQueue, seed: u64) {
    /// Names the seed if the test ends in a panic.
    struct SeedName(u64);
    impl Drop for SeedName {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("the seed is {}", self.0);
            }
        }
    }
    let _name = AssertUnwindSafe(SeedName(seed));
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut oracle = QueueOracle::default();
    let mut leases: Vec<WorkLease> = Vec::new();
    for _ in 0..REQUESTS {
        let tenant = ["ann", "zoe"][chance.random_range(0..2)];
        let name = ["x", "y"][chance.random_range(0..2)];
        let named = batch(&format!("{tenant}/{name}"));
        let lease = (!leases.is_empty()).then(|| leases[chance.random_range(0..leases.len())]);
        match (chance.random_range(0..9), lease) {
            (0, _) => {
                let words: Vec<String> = (0..chance.random_range(1..4))
                    .map(|_| {
                        format!("k{}:{}", chance.random_range(0..12), chance.random_range(0..3))
                    })
                    .collect();
                let new = work(&words.join(" "));
                let waits = queue.enqueue(&named, KIND, &new).await.unwrap();
                assert_eq!(waits, oracle.enqueue(tenant, name, &new));
            }
            (1 | 2, _) => {
                let (count, ends) = (chance.random_range(1..4), chance.random_bool(0.4));
                let claimed = claim(queue, count, if ends { ENDED } else { LONG }).await;
                oracle.claim(&claimed, count, ends);
                leases.extend(claimed.iter().map(|one| one.lease));
            }
            (3, Some(lease)) => {
                let held = queue.heartbeat(&[lease], LONG).await.unwrap();
                assert_eq!(held, oracle.heartbeat(lease));
            }
            (4 | 5, Some(lease)) => {
                let digest = ["one", "two", "three"][chance.random_range(0..3)];
                let result = WorkResult { digest: digest.to_owned(), body: digest.to_owned() };
                let finished = queue.finish(lease, "w", &result).await.unwrap();
                assert_eq!(finished, oracle.finish(lease, digest));
            }
            (6, Some(lease)) => {
                let how = match chance.random_range(0..4) {
                    0 => GiveBack::Untouched,
                    1 => GiveBack::Later { wait: LONG },
                    2 => GiveBack::Lost,
                    _ => GiveBack::Failed { why: "no".to_owned() },
                };
                let given = queue.give_back(lease, &how).await.unwrap();
                assert_eq!(given, oracle.give_back(lease, &how));
            }
            (7, _) if chance.random_bool(0.3) => {
                queue.cancel(&named).await.unwrap();
                oracle.cancel(tenant, name);
            }
            _ => {
                let found = queue.progress(&named).await.unwrap();
                let found = BatchProgress { workers: 0, ..found };
                assert_eq!(found, oracle.progress(tenant, name));
                let found = outcomes(queue, &named).await;
                let found: Vec<_> =
                    found.into_iter().map(|one| (one.key, one.ending, one.differs)).collect();
                let expected = oracle.outcomes(tenant, name).into_iter();
                let expected: Vec<_> = expected
                    .map(|(name, ending, differs)| (WorkKey::of([&*name]), ending, differs))
                    .collect();
                assert_eq!(found, expected);
            }
        }
    }
}
