//! The queue in a file of SQLite, for the processes of one machine. Needs no server; each request is a transaction of its own.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::{
    BATCH_MAX, BatchName, BatchProgress, CLAIM_MAX, ClaimRequest, ClaimedWork, FinishOutcome,
    GiveBack, LEASE_MAX, LOST_LEASES_MAX, NewWork, QueueError, RESULTS_PER_WORK_MAX, Tenant,
    WORK_WAIT_MAX, WorkEnding, WorkKey, WorkLease, WorkOutcome, WorkPhase, WorkQueue, WorkResult,
    checks::{check_batch, check_keys, check_result, distinct},
    limits::TENANTS_PER_CLAIM,
};

/// The version of the tables, in the file's header.
const VERSION: i32 = 1;
/// How long a request waits for another process.
const BUSY_MAX: Duration = Duration::from_secs(10);

const TABLES: &str = include_str!("sqlite_tables.sql");

const ADD: &str = "INSERT INTO work (tenant, key, kind, priority, body, changed)
VALUES (?1, ?2, ?3, ?4, ?5, unixepoch('subsec'))
ON CONFLICT (tenant, key) DO UPDATE SET
    state = CASE WHEN state IN ('cancelled', 'failed') THEN 'ready' ELSE state END,
    run_after = CASE WHEN state IN ('cancelled', 'failed') THEN 0 ELSE run_after END
RETURNING id";

const JOIN_BATCH: &str =
    "INSERT INTO batch (tenant, batch, work, place) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

const EXPIRE: &str = "UPDATE work SET
    losses = losses + 1,
    state = CASE WHEN losses + 1 >= ?1 THEN 'quarantined' ELSE 'ready' END,
    worker = NULL, lease_until = NULL, run_after = 0, changed = unixepoch('subsec')
WHERE state = 'running'
    AND (lease_until <= unixepoch('subsec') OR lease_until > unixepoch('subsec') + 2 * ?2)";

const TENANTS: &str = "SELECT tenant FROM (
    SELECT DISTINCT tenant FROM work
    WHERE state = 'ready' AND kind = ?1
        AND (run_after <= unixepoch('subsec') OR run_after > unixepoch('subsec') + ?2)
) AS waiting
ORDER BY (SELECT count(*) FROM work r WHERE r.state = 'running' AND r.tenant = waiting.tenant), random()
LIMIT ?3";

const CLAIM: &str = "UPDATE work SET
    state = 'running', fence = fence + 1, worker = ?3,
    lease_until = unixepoch('subsec') + ?4, changed = unixepoch('subsec')
WHERE id IN (
    SELECT id FROM work
    WHERE state = 'ready' AND kind = ?1 AND tenant = ?2
        AND (run_after <= unixepoch('subsec') OR run_after > unixepoch('subsec') + ?5)
    ORDER BY priority DESC, id LIMIT ?6)
RETURNING id, fence, tenant, key, body, losses, priority";

const HEARTBEAT: &str = "UPDATE work SET lease_until = unixepoch('subsec') + ?3
WHERE id = ?1 AND fence = ?2 AND state = 'running'";

const FINISH: &str = "UPDATE work SET
    state = 'done', result = ?3, lease_until = NULL, changed = unixepoch('subsec')
WHERE id = ?1 AND fence = ?2 AND state = 'running'";

const IS_FINISHED: &str = "SELECT EXISTS (
    SELECT 1 FROM work WHERE id = ?1 AND fence = ?2 AND state = 'done' AND result = ?3)";

const KEEP_RESULT: &str = "INSERT INTO result (work, digest, body, worker)
SELECT id, ?2, ?3, ?4 FROM work
WHERE id = ?1 AND (?5 OR (SELECT count(*) FROM result r WHERE r.work = ?1) < ?6)
ON CONFLICT DO NOTHING";

const GIVE_BACK: &str = "UPDATE work SET
    losses = losses + ?3,
    state = CASE
        WHEN ?4 IS NOT NULL THEN 'failed'
        WHEN losses + ?3 >= ?5 THEN 'quarantined'
        ELSE 'ready' END,
    why = ?4, worker = NULL, lease_until = NULL,
    run_after = unixepoch('subsec') + ?6, changed = unixepoch('subsec')
WHERE id = ?1 AND fence = ?2 AND state = 'running'";

const LEAVE_BATCH: &str = "DELETE FROM batch WHERE tenant = ?1 AND batch = ?2 RETURNING work";

const CANCEL: &str = "UPDATE work SET
    state = 'cancelled', worker = NULL, lease_until = NULL, changed = unixepoch('subsec')
WHERE id = ?1 AND state IN ('ready', 'running') AND NOT EXISTS (SELECT 1 FROM batch WHERE work = ?1)";

const PROGRESS: &str =
    "SELECT w.state, count(*), count(DISTINCT w.worker) FILTER (WHERE w.state = 'running')
FROM batch b JOIN work w ON w.id = b.work
WHERE b.tenant = ?1 AND b.batch = ?2 GROUP BY w.state";

const PHASES: &str = "SELECT w.key, w.state FROM batch b JOIN work w ON w.id = b.work
WHERE b.tenant = ?1 AND b.batch = ?2 ORDER BY b.place, w.id LIMIT ?4 OFFSET ?3";

const OUTCOME: &str = "SELECT w.key, w.state, w.why, r.body,
    (SELECT count(*) FROM result d WHERE d.work = w.id) > 1
FROM work w
LEFT JOIN result r ON r.work = w.id AND r.digest = w.result
WHERE w.tenant = ?1 AND w.key = ?2 AND w.state IN ('done', 'failed', 'quarantined')";

const PRUNE: &str = "DELETE FROM work WHERE id IN (
    SELECT id FROM work
    WHERE state IN ('done', 'failed', 'quarantined', 'cancelled') AND changed <= unixepoch('subsec') - ?1
    ORDER BY changed LIMIT 10000)";

pub struct SqliteQueue {
    file: Arc<QueueFile>,
}

struct QueueFile {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl fmt::Debug for SqliteQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteQueue").field("path", &self.file.path).finish()
    }
}

impl SqliteQueue {
    /// Opens the file, and makes it if it is not there.
    pub async fn open(path: PathBuf) -> Result<SqliteQueue, QueueError> {
        let opened = tokio::task::spawn_blocking(move || {
            let failed = |why| QueueError::File { path: path.clone(), why };
            let connection = prepare(&path).map_err(failed)?;
            let found = connection
                .pragma_query_value(None, "user_version", |row| row.get(0))
                .map_err(failed)?;
            if found > VERSION {
                return Err(QueueError::FileTooNew { path, found, known: VERSION });
            }
            connection.execute_batch(TABLES).map_err(failed)?;
            connection.pragma_update(None, "user_version", VERSION).map_err(failed)?;
            let file = Arc::new(QueueFile { path, connection: Mutex::new(connection) });
            Ok(SqliteQueue { file })
        });
        opened.await.map_err(|_| QueueError::Ended)?
    }

    /// Runs a request as one transaction, on a thread that may wait for other processes.
    async fn transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, QueueError> {
        let file = Arc::clone(&self.file);
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = file.connection.lock().unwrap_or_else(PoisonError::into_inner);
            let done = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .and_then(|transaction| {
                    let done = work(&transaction)?;
                    transaction.commit()?;
                    Ok(done)
                });
            done.map_err(|why| QueueError::File { path: file.path.clone(), why })
        });
        done.await.map_err(|_| QueueError::Ended)?
    }
}

fn prepare(path: &PathBuf) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn expire(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let expired = params![LOST_LEASES_MAX, LEASE_MAX.as_secs_f64()];
    transaction.prepare_cached(EXPIRE)?.execute(expired).map(drop)
}

fn progress(transaction: &Transaction<'_>, batch: &BatchName) -> rusqlite::Result<BatchProgress> {
    let mut progress = BatchProgress::default();
    let mut statement = transaction.prepare_cached(PROGRESS)?;
    let mut rows = statement.query(params![batch.tenant.as_str(), batch.name])?;
    while let Some(row) = rows.next()? {
        let count = |column| Ok::<_, rusqlite::Error>(unsigned(row.get(column)?));
        let (count, workers) = (count(1)?, count(2)?);
        progress.add(WorkPhase::of(row.get_ref(0)?.as_str()?), count, workers);
    }
    Ok(progress)
}

/// The work, with what it is sorted by.
fn claimed(row: &Row<'_>) -> rusqlite::Result<((i64, i64), Option<ClaimedWork>)> {
    let lease = WorkLease { work: row.get(0)?, fence: row.get(1)? };
    let (tenant, key): (String, String) = (row.get(2)?, row.get(3)?);
    let (body, losses): (String, i64) = (row.get(4)?, row.get(5)?);
    let order = (-row.get::<_, i64>(6)?, lease.work);
    let names = Tenant::parse(&tenant).ok().zip(WorkKey::parse(&key));
    Ok((order, names.map(|(tenant, key)| ClaimedWork { lease, tenant, key, body, losses })))
}

fn outcome(row: &Row<'_>) -> rusqlite::Result<Option<WorkOutcome>> {
    let (key, state): (String, String) = (row.get(0)?, row.get(1)?);
    let (why, body): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
    let ending = match &*state {
        "done" => body.map(|body| WorkEnding::Done { body }),
        "failed" => why.map(|why| WorkEnding::Failed { why }),
        _ => Some(WorkEnding::Quarantined),
    };
    let differs = row.get(4)?;
    let found = WorkKey::parse(&key).zip(ending);
    Ok(found.map(|(key, ending)| WorkOutcome { key, ending, differs }))
}

#[async_trait]
impl WorkQueue for SqliteQueue {
    async fn enqueue(
        &self,
        batch: &BatchName,
        kind: &str,
        work: &[NewWork],
    ) -> Result<usize, QueueError> {
        check_batch(kind, work)?;
        let (batch, kind, work) = (batch.clone(), kind.to_owned(), work.to_vec());
        self.transaction(move |transaction| {
            let tenant = batch.tenant.as_str();
            let mut add = transaction.prepare_cached(ADD)?;
            let mut join = transaction.prepare_cached(JOIN_BATCH)?;
            for (place, NewWork { key, priority, body }) in distinct(&work).into_iter().enumerate()
            {
                let values = params![tenant, key.as_str(), kind, priority, body];
                let id: i64 = add.query_row(values, |row| row.get(0))?;
                join.execute(params![tenant, batch.name, id, signed(place)])?;
            }
            expire(transaction)?;
            let BatchProgress { ready, running, .. } = progress(transaction, &batch)?;
            Ok(ready + running)
        })
        .await
    }

    async fn claim(&self, request: ClaimRequest<'_>) -> Result<Vec<ClaimedWork>, QueueError> {
        let (kind, worker) = (request.kind.to_owned(), request.worker.to_owned());
        let (count, lease) = (request.count.min(CLAIM_MAX), request.lease.min(LEASE_MAX));
        self.transaction(move |transaction| {
            expire(transaction)?;
            let wait_max = WORK_WAIT_MAX.as_secs_f64();
            let mut tenants = transaction.prepare_cached(TENANTS)?;
            let tenants = tenants
                .query_map(params![kind, wait_max, signed(TENANTS_PER_CLAIM)], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<String>>>()?;
            let mut taken = Vec::new();
            for tenant in tenants {
                let left = count - taken.len();
                if left == 0 {
                    break;
                }
                let mut claim = transaction.prepare_cached(CLAIM)?;
                let values =
                    params![kind, tenant, worker, lease.as_secs_f64(), wait_max, signed(left)];
                let mut rows =
                    claim.query_map(values, claimed)?.collect::<rusqlite::Result<Vec<_>>>()?;
                // An update returns its rows in any order.
                rows.sort_by_key(|(order, _)| *order);
                taken.extend(rows.into_iter().filter_map(|(_, work)| work));
            }
            Ok(taken)
        })
        .await
    }

    async fn heartbeat(
        &self,
        leases: &[WorkLease],
        lease: Duration,
    ) -> Result<Vec<WorkLease>, QueueError> {
        let (leases, lease) = (leases.to_vec(), lease.min(LEASE_MAX).as_secs_f64());
        self.transaction(move |transaction| {
            let mut held = Vec::new();
            for WorkLease { work, fence } in leases {
                let mut prolong = transaction.prepare_cached(HEARTBEAT)?;
                if prolong.execute(params![work, fence, lease])? == 1 {
                    held.push(WorkLease { work, fence });
                }
            }
            Ok(held)
        })
        .await
    }

    async fn finish(
        &self,
        lease: WorkLease,
        worker: &str,
        result: &WorkResult,
    ) -> Result<FinishOutcome, QueueError> {
        check_result(result)?;
        let WorkLease { work, fence } = lease;
        let (worker, WorkResult { digest, body }) = (worker.to_owned(), result.clone());
        self.transaction(move |transaction| {
            let done = params![work, fence, digest];
            let mut is_stored = transaction.prepare_cached(FINISH)?.execute(done)? == 1;
            if !is_stored {
                let mut find = transaction.prepare_cached(IS_FINISHED)?;
                is_stored = find.query_row(done, |row| row.get(0))?;
            }
            let kept = params![work, digest, body, worker, is_stored, RESULTS_PER_WORK_MAX];
            transaction.prepare_cached(KEEP_RESULT)?.execute(kept)?;
            Ok(if is_stored { FinishOutcome::Stored } else { FinishOutcome::TooLate })
        })
        .await
    }

    async fn give_back(&self, lease: WorkLease, how: &GiveBack) -> Result<bool, QueueError> {
        let WorkLease { work, fence } = lease;
        let (losses, why, wait) = match how.clone() {
            GiveBack::Untouched => (0, None, Duration::ZERO),
            GiveBack::Later { wait } => (0, None, wait.min(WORK_WAIT_MAX)),
            GiveBack::Lost => (1, None, Duration::ZERO),
            GiveBack::Failed { why } => (0, Some(why), Duration::ZERO),
        };
        self.transaction(move |transaction| {
            let wait = wait.as_secs_f64();
            let given = params![work, fence, losses, why, LOST_LEASES_MAX, wait];
            Ok(transaction.prepare_cached(GIVE_BACK)?.execute(given)? == 1)
        })
        .await
    }

    async fn cancel(&self, batch: &BatchName) -> Result<(), QueueError> {
        let batch = batch.clone();
        self.transaction(move |transaction| {
            let left = transaction
                .prepare_cached(LEAVE_BATCH)?
                .query_map(params![batch.tenant.as_str(), batch.name], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()?;
            let mut cancel = transaction.prepare_cached(CANCEL)?;
            left.iter().try_for_each(|work| cancel.execute(params![work]).map(drop))
        })
        .await
    }

    async fn progress(&self, batch: &BatchName) -> Result<BatchProgress, QueueError> {
        let batch = batch.clone();
        self.transaction(move |transaction| {
            expire(transaction)?;
            progress(transaction, &batch)
        })
        .await
    }

    async fn phases(
        &self,
        batch: &BatchName,
        skip: usize,
    ) -> Result<Vec<(WorkKey, WorkPhase)>, QueueError> {
        let batch = batch.clone();
        self.transaction(move |transaction| {
            expire(transaction)?;
            let mut statement = transaction.prepare_cached(PHASES)?;
            let values =
                params![batch.tenant.as_str(), batch.name, signed(skip), signed(BATCH_MAX)];
            let rows = statement.query_map(values, |row| {
                let phase = WorkPhase::of(row.get_ref(1)?.as_str()?);
                Ok(WorkKey::parse(row.get_ref(0)?.as_str()?).map(|key| (key, phase)))
            })?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
        })
        .await
    }

    async fn outcomes(
        &self,
        tenant: &Tenant,
        keys: &[WorkKey],
    ) -> Result<Vec<WorkOutcome>, QueueError> {
        check_keys(keys)?;
        let (tenant, keys) = (tenant.clone(), keys.to_vec());
        self.transaction(move |transaction| {
            let mut statement = transaction.prepare_cached(OUTCOME)?;
            let mut found = Vec::new();
            for key in keys {
                let values = params![tenant.as_str(), key.as_str()];
                found.extend(statement.query_row(values, outcome).optional()?.flatten());
            }
            Ok(found)
        })
        .await
    }

    async fn prune(&self, keep: Duration) -> Result<usize, QueueError> {
        self.transaction(move |transaction| {
            transaction.prepare_cached(PRUNE)?.execute(params![keep.as_secs_f64()])
        })
        .await
    }
}
