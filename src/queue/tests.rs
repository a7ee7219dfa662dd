//! One contract for both queues, and what only a real server can show. Where there is no PostgreSQL, its half is left out.

mod contract;
mod failures;
mod oracle;
mod random;

use std::time::Duration;

use narratoria_postgres::DatabaseUrl;
use tempfile::TempDir;

use crate::{
    BatchName, ClaimRequest, ClaimedWork, NewWork, OUTCOMES_MAX, PostgresQueue, SqliteQueue,
    Tenant, WorkKey, WorkOutcome, WorkQueue, WorkResult,
};

/// A lease that does not end while a test runs.
const LONG: Duration = Duration::from_secs(600);
/// A lease that has ended when the next request comes.
const ENDED: Duration = Duration::ZERO;

const KIND: &str = "check 1";

fn tenant(name: &str) -> Tenant {
    Tenant::parse(name).unwrap()
}

/// `zoe/b` is the batch `b` of the tenant `zoe`.
fn batch(name: &str) -> BatchName {
    let (of, name) = name.split_once('/').unwrap();
    BatchName::parse(&tenant(of), name).unwrap()
}

/// `a b:5` is two pieces of work, the second with priority 5.
fn work(text: &str) -> Vec<NewWork> {
    let one = |word: &str| {
        let (name, priority) = word.split_once(':').unwrap_or((word, "0"));
        let priority = priority.parse().unwrap();
        NewWork { key: WorkKey::of([name]), priority, body: name.to_owned() }
    };
    text.split_whitespace().map(one).collect()
}

fn result(text: &str) -> WorkResult {
    WorkResult { digest: format!("digest of {text}"), body: text.to_owned() }
}

async fn claim(queue: &dyn WorkQueue, count: usize, lease: Duration) -> Vec<ClaimedWork> {
    let request = ClaimRequest { kind: KIND, worker: "w", count, lease };
    queue.claim(request).await.unwrap()
}

/// What was claimed, by tenant and text: `zoe/a zoe/b`.
fn names(claimed: &[ClaimedWork]) -> String {
    let name = |one: &ClaimedWork| format!("{}/{}", one.tenant.as_str(), one.body);
    claimed.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// How the work of a batch ended, in the order in which it was added.
async fn outcomes(queue: &dyn WorkQueue, batch: &BatchName) -> Vec<WorkOutcome> {
    let phases = queue.phases(batch, 0).await.unwrap();
    let keys: Vec<WorkKey> = phases.into_iter().map(|(key, _)| key).collect();
    let mut found = Vec::new();
    for keys in keys.chunks(OUTCOMES_MAX) {
        found.extend(queue.outcomes(&batch.tenant, keys).await.unwrap());
    }
    found
}

async fn sqlite() -> (SqliteQueue, TempDir) {
    let folder = TempDir::new().unwrap();
    (SqliteQueue::open(folder.path().join("queue.db")).await.unwrap(), folder)
}

async fn postgres(url: &str) -> PostgresQueue {
    PostgresQueue::open(&DatabaseUrl::parse(url).unwrap()).await.unwrap()
}
