//! The queue in PostgreSQL. No transaction is open while work is done, and each comparison of times is the database's.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use narratoria_postgres::{Database, DatabaseError, DatabaseOptions, DatabaseUrl, Row, ToSql};
use uuid::Uuid;

use crate::{
    BATCH_MAX, BatchName, BatchProgress, CLAIM_MAX, ClaimRequest, ClaimedWork, FinishOutcome,
    GiveBack, LEASE_MAX, LOST_LEASES_MAX, NewWork, QueueError, RESULTS_PER_WORK_MAX, Tenant,
    WORK_WAIT_MAX, WorkEnding, WorkKey, WorkLease, WorkOutcome, WorkPhase, WorkQueue, WorkResult,
    checks::{check_batch, check_keys, check_result, distinct},
    limits::TENANTS_PER_CLAIM,
    postgres_tables::SCHEMA,
};

pub struct PostgresQueue {
    database: Database,
}

impl fmt::Debug for PostgresQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresQueue").field("database", &self.database).finish()
    }
}

/// Work that was cancelled, or that could not be done, waits again if somebody asks for it again. A cancelled lease has lost its
/// fence.
const ADD: &str = "WITH added AS (
    INSERT INTO narratoria_work AS w (tenant, key, kind, priority, body)
    SELECT $1, key, $2, priority, body
    FROM unnest($3::text[], $4::integer[], $5::text[]) WITH ORDINALITY AS new (key, priority, body, place)
    ORDER BY place
    ON CONFLICT (tenant, key) DO UPDATE SET
        state = CASE WHEN w.state IN ('cancelled', 'failed') THEN 'ready' ELSE w.state END,
        run_after = CASE WHEN w.state IN ('cancelled', 'failed') THEN now() ELSE w.run_after END
    RETURNING id, key
)
INSERT INTO narratoria_work_batch (tenant, batch, work, place)
SELECT $1, $6, added.id, wanted.place
FROM added JOIN unnest($3::text[]) WITH ORDINALITY AS wanted (key, place) USING (key)
ON CONFLICT DO NOTHING";

/// Leases that have ended, and those that end so far ahead that the clock was set back: by twice the longest lease, because a claim
/// that began a moment later than this request may be seen by it. Two requests at once count them once: the second one finds them in
/// another state.
const EXPIRE: &str = "UPDATE narratoria_work SET
    losses = losses + 1,
    state = CASE WHEN losses + 1 >= $1 THEN 'quarantined' ELSE 'ready' END,
    worker = NULL, claim = NULL, lease_until = NULL, run_after = now(), changed = now()
WHERE state = 'running' AND (lease_until <= now() OR lease_until > now() + 2 * make_interval(secs => $2))";

/// Tenants with work that waits, by their work in progress. Steps from tenant to tenant over the index.
const TENANTS: &str = "WITH RECURSIVE waiting (tenant) AS (
    (SELECT tenant FROM narratoria_work
     WHERE state = 'ready' AND kind = $1 AND (run_after <= now() OR run_after > now() + make_interval(secs => $2))
     ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT w.tenant FROM narratoria_work w
            WHERE w.state = 'ready' AND w.kind = $1 AND w.tenant > waiting.tenant
                AND (w.run_after <= now() OR w.run_after > now() + make_interval(secs => $2))
            ORDER BY w.tenant LIMIT 1)
    FROM waiting WHERE waiting.tenant IS NOT NULL
)
SELECT tenant FROM waiting WHERE tenant IS NOT NULL
ORDER BY (SELECT count(*) FROM narratoria_work r WHERE r.state = 'running' AND r.tenant = waiting.tenant), random()
LIMIT $3";

const CLAIM: &str = "UPDATE narratoria_work w SET
    state = 'running', fence = fence + 1, worker = $3, claim = $4,
    lease_until = now() + make_interval(secs => $5), changed = now()
FROM (
    SELECT id FROM narratoria_work
    WHERE state = 'ready' AND kind = $1 AND tenant = $2
        AND (run_after <= now() OR run_after > now() + make_interval(secs => $6))
    ORDER BY priority DESC, id FOR UPDATE SKIP LOCKED LIMIT $7
) AS free
WHERE w.id = free.id
RETURNING w.id, w.fence, w.tenant, w.key, w.body, w.losses, w.priority";

const CLAIMED_BEFORE: &str =
    "SELECT id, fence, tenant, key, body, losses, priority FROM narratoria_work
    WHERE state = 'running' AND claim = $1 ORDER BY id";

const HEARTBEAT: &str =
    "UPDATE narratoria_work w SET lease_until = now() + make_interval(secs => $3)
FROM unnest($1::bigint[], $2::bigint[]) AS held (id, fence)
WHERE w.id = held.id AND w.fence = held.fence AND w.state = 'running'
RETURNING w.id, w.fence";

const FINISH: &str = "UPDATE narratoria_work SET
    state = 'done', result = $3, claim = NULL, lease_until = NULL, changed = now()
WHERE id = $1 AND fence = $2 AND state = 'running'";

/// True if this very request was carried out before.
const IS_FINISHED: &str = "SELECT 1 FROM narratoria_work
    WHERE id = $1 AND fence = $2 AND state = 'done' AND result = $3";

/// A late result is kept beside the one that counts, up to a number of them.
const KEEP_RESULT: &str = "INSERT INTO narratoria_work_result (work, digest, body, worker)
SELECT w.id, $2, $3, $4 FROM narratoria_work w
WHERE w.id = $1 AND ($5 OR (SELECT count(*) FROM narratoria_work_result r WHERE r.work = $1) < $6)
ON CONFLICT DO NOTHING";

const GIVE_BACK: &str = "UPDATE narratoria_work SET
    losses = losses + $3,
    state = CASE
        WHEN $4::text IS NOT NULL THEN 'failed'
        WHEN losses + $3 >= $5 THEN 'quarantined'
        ELSE 'ready' END,
    why = $4, worker = NULL, claim = NULL, lease_until = NULL,
    run_after = now() + make_interval(secs => $6), changed = now()
WHERE id = $1 AND fence = $2 AND state = 'running'";

const LEAVE_BATCH: &str =
    "DELETE FROM narratoria_work_batch WHERE tenant = $1 AND batch = $2 RETURNING work";

const CANCEL: &str = "UPDATE narratoria_work w SET
    state = 'cancelled', worker = NULL, claim = NULL, lease_until = NULL, changed = now()
WHERE w.id = ANY ($1::bigint[]) AND w.state IN ('ready', 'running')
    AND NOT EXISTS (SELECT FROM narratoria_work_batch b WHERE b.work = w.id)";

const PROGRESS: &str =
    "SELECT w.state, count(*), count(DISTINCT w.worker) FILTER (WHERE w.state = 'running')
FROM narratoria_work_batch b JOIN narratoria_work w ON w.id = b.work
WHERE b.tenant = $1 AND b.batch = $2 GROUP BY w.state";

const PHASES: &str = "SELECT w.key, w.state
FROM narratoria_work_batch b JOIN narratoria_work w ON w.id = b.work
WHERE b.tenant = $1 AND b.batch = $2 ORDER BY b.place, w.id OFFSET $3 LIMIT $4";

const OUTCOMES: &str = "SELECT w.key, w.state, w.why, r.body,
    (SELECT count(*) FROM narratoria_work_result d WHERE d.work = w.id) > 1
FROM unnest($2::text[]) WITH ORDINALITY AS wanted (key, place)
JOIN narratoria_work w ON w.tenant = $1 AND w.key = wanted.key
LEFT JOIN narratoria_work_result r ON r.work = w.id AND r.digest = w.result
WHERE w.state IN ('done', 'failed', 'quarantined')
ORDER BY wanted.place";

const PRUNE: &str = "DELETE FROM narratoria_work WHERE id IN (
    SELECT id FROM narratoria_work
    WHERE state IN ('done', 'failed', 'quarantined', 'cancelled') AND changed <= now() - make_interval(secs => $1)
    ORDER BY changed LIMIT 10000)";

/// Does a request again after an error that passes, within the time of the database.
macro_rules! again {
    ($queue:expr, $work:expr) => {{
        let mut attempts = $queue.database.attempts();
        loop {
            match $work.await {
                Err(error) if attempts.wait_after(&error).await => {}
                done => break done.map_err(QueueError::from),
            }
        }
    }};
}

impl PostgresQueue {
    /// Connects, and makes the tables where they are missing.
    pub async fn open(url: &DatabaseUrl) -> Result<PostgresQueue, QueueError> {
        let options = DatabaseOptions {
            connections: 4,
            application: "narratoria queue",
            ..DatabaseOptions::default()
        };
        let database = Database::connect(url, options).await?;
        again!(PostgresQueue { database: database.clone() }, database.migrate(&SCHEMA))?;
        Ok(PostgresQueue { database })
    }

    async fn try_enqueue(
        &self,
        batch: &BatchName,
        kind: &str,
        work: &[NewWork],
    ) -> Result<usize, DatabaseError> {
        let work = distinct(work);
        let keys: Vec<&str> = work.iter().map(|one| one.key.as_str()).collect();
        let priorities: Vec<i32> = work.iter().map(|one| one.priority).collect();
        let bodies: Vec<&str> = work.iter().map(|one| one.body.as_str()).collect();
        let mut connection = self.database.connection().await?;
        let tenant = batch.tenant.as_str();
        let values: [&(dyn ToSql + Sync); 6] =
            [&tenant, &kind, &keys, &priorities, &bodies, &batch.name];
        connection.execute(ADD, &values).await?;
        drop(connection);
        let BatchProgress { ready, running, .. } = self.try_progress(batch).await?;
        Ok(ready + running)
    }

    async fn try_claim(
        &self,
        request: ClaimRequest<'_>,
        claim: &str,
        is_repeated: bool,
    ) -> Result<Vec<ClaimedWork>, DatabaseError> {
        let mut connection = self.database.connection().await?;
        if is_repeated {
            let rows = connection.query(CLAIMED_BEFORE, &[&claim]).await?;
            if !rows.is_empty() {
                return Ok(rows.iter().filter_map(claimed).collect());
            }
        }
        let lease = request.lease.min(LEASE_MAX).as_secs_f64();
        let (lease_max, wait_max) = (LEASE_MAX.as_secs_f64(), WORK_WAIT_MAX.as_secs_f64());
        connection.execute(EXPIRE, &[&LOST_LEASES_MAX, &lease_max]).await?;
        let count = request.count.min(CLAIM_MAX);
        let tenants_max = i64::try_from(TENANTS_PER_CLAIM).unwrap_or(i64::MAX);
        let tenants = connection.query(TENANTS, &[&request.kind, &wait_max, &tenants_max]).await?;
        let mut taken = Vec::new();
        for tenant in tenants {
            let left = i64::try_from(count - taken.len()).unwrap_or(0);
            if left == 0 {
                break;
            }
            let tenant: String = tenant.get(0);
            let values: [&(dyn ToSql + Sync); 7] =
                [&request.kind, &tenant, &request.worker, &claim, &lease, &wait_max, &left];
            let mut rows = connection.query(CLAIM, &values).await?;
            // An update returns its rows in any order.
            rows.sort_by_key(|row| (-i64::from(row.get::<_, i32>(6)), row.get::<_, i64>(0)));
            taken.extend(rows.iter().filter_map(claimed));
        }
        Ok(taken)
    }

    async fn try_heartbeat(
        &self,
        leases: &[WorkLease],
        lease: Duration,
    ) -> Result<Vec<WorkLease>, DatabaseError> {
        let ids: Vec<i64> = leases.iter().map(|lease| lease.work).collect();
        let fences: Vec<i64> = leases.iter().map(|lease| lease.fence).collect();
        let lease = lease.min(LEASE_MAX).as_secs_f64();
        let mut connection = self.database.connection().await?;
        let rows = connection.query(HEARTBEAT, &[&ids, &fences, &lease]).await?;
        Ok(rows.iter().map(|row| WorkLease { work: row.get(0), fence: row.get(1) }).collect())
    }

    async fn try_finish(
        &self,
        lease: WorkLease,
        worker: &str,
        result: &WorkResult,
    ) -> Result<FinishOutcome, DatabaseError> {
        let WorkLease { work, fence } = lease;
        let WorkResult { digest, body } = result;
        let mut connection = self.database.connection().await?;
        let mut transaction = connection.begin().await?;
        let mut is_stored = transaction.execute(FINISH, &[&work, &fence, digest]).await? == 1;
        if !is_stored {
            is_stored = !transaction.query(IS_FINISHED, &[&work, &fence, digest]).await?.is_empty();
        }
        let values: [&(dyn ToSql + Sync); 6] =
            [&work, digest, body, &worker, &is_stored, &RESULTS_PER_WORK_MAX];
        transaction.execute(KEEP_RESULT, &values).await?;
        transaction.commit().await?;
        Ok(if is_stored { FinishOutcome::Stored } else { FinishOutcome::TooLate })
    }

    async fn try_give_back(&self, lease: WorkLease, how: &GiveBack) -> Result<bool, DatabaseError> {
        let (losses, why, wait) = match how {
            GiveBack::Untouched => (0_i64, None, Duration::ZERO),
            GiveBack::Later { wait } => (0, None, (*wait).min(WORK_WAIT_MAX)),
            GiveBack::Lost => (1, None, Duration::ZERO),
            GiveBack::Failed { why } => (0, Some(why), Duration::ZERO),
        };
        let WorkLease { work, fence } = lease;
        let wait = wait.as_secs_f64();
        let mut connection = self.database.connection().await?;
        let values: [&(dyn ToSql + Sync); 6] =
            [&work, &fence, &losses, &why, &LOST_LEASES_MAX, &wait];
        Ok(connection.execute(GIVE_BACK, &values).await? == 1)
    }

    async fn try_cancel(&self, batch: &BatchName) -> Result<(), DatabaseError> {
        let mut connection = self.database.connection().await?;
        let mut transaction = connection.begin().await?;
        let left = transaction.query(LEAVE_BATCH, &[&batch.tenant.as_str(), &batch.name]).await?;
        let left: Vec<i64> = left.iter().map(|row| row.get(0)).collect();
        transaction.execute(CANCEL, &[&left]).await?;
        transaction.commit().await
    }

    async fn try_progress(&self, batch: &BatchName) -> Result<BatchProgress, DatabaseError> {
        let mut connection = self.database.connection().await?;
        connection.execute(EXPIRE, &[&LOST_LEASES_MAX, &LEASE_MAX.as_secs_f64()]).await?;
        let rows = connection.query(PROGRESS, &[&batch.tenant.as_str(), &batch.name]).await?;
        let mut progress = BatchProgress::default();
        for row in rows {
            let count = |column: usize| usize::try_from(row.get::<_, i64>(column)).unwrap_or(0);
            progress.add(WorkPhase::of(row.get(0)), count(1), count(2));
        }
        Ok(progress)
    }

    async fn try_phases(
        &self,
        batch: &BatchName,
        skip: usize,
    ) -> Result<Vec<(WorkKey, WorkPhase)>, DatabaseError> {
        let mut connection = self.database.connection().await?;
        let [skip, page] = [skip, BATCH_MAX].map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
        let values: [&(dyn ToSql + Sync); 4] = [&batch.tenant.as_str(), &batch.name, &skip, &page];
        let rows = connection.query(PHASES, &values).await?;
        let phase = |row: &Row| Some((WorkKey::parse(row.get(0))?, WorkPhase::of(row.get(1))));
        Ok(rows.iter().filter_map(phase).collect())
    }

    async fn try_outcomes(
        &self,
        tenant: &Tenant,
        keys: &[WorkKey],
    ) -> Result<Vec<WorkOutcome>, DatabaseError> {
        let keys: Vec<&str> = keys.iter().map(WorkKey::as_str).collect();
        let mut connection = self.database.connection().await?;
        let rows = connection.query(OUTCOMES, &[&tenant.as_str(), &keys]).await?;
        Ok(rows.iter().filter_map(outcome).collect())
    }

    async fn try_prune(&self, keep: Duration) -> Result<usize, DatabaseError> {
        let mut connection = self.database.connection().await?;
        let pruned = connection.execute(PRUNE, &[&keep.as_secs_f64()]).await?;
        Ok(usize::try_from(pruned).unwrap_or(usize::MAX))
    }
}

fn claimed(row: &Row) -> Option<ClaimedWork> {
    Some(ClaimedWork {
        lease: WorkLease { work: row.get(0), fence: row.get(1) },
        tenant: Tenant::parse(row.get(2)).ok()?,
        key: WorkKey::parse(row.get(3))?,
        body: row.get(4),
        losses: row.get(5),
    })
}

fn outcome(row: &Row) -> Option<WorkOutcome> {
    let ending = match row.get(1) {
        "done" => WorkEnding::Done { body: row.get::<_, Option<String>>(3)? },
        "failed" => WorkEnding::Failed { why: row.get::<_, Option<String>>(2)? },
        _ => WorkEnding::Quarantined,
    };
    Some(WorkOutcome { key: WorkKey::parse(row.get(0))?, ending, differs: row.get(4) })
}

#[async_trait]
impl WorkQueue for PostgresQueue {
    async fn enqueue(
        &self,
        batch: &BatchName,
        kind: &str,
        work: &[NewWork],
    ) -> Result<usize, QueueError> {
        check_batch(kind, work)?;
        again!(self, self.try_enqueue(batch, kind, work))
    }

    async fn claim(&self, request: ClaimRequest<'_>) -> Result<Vec<ClaimedWork>, QueueError> {
        let claim = Uuid::new_v4().to_string();
        let mut is_repeated = false;
        again!(self, {
            let repeated = std::mem::replace(&mut is_repeated, true);
            self.try_claim(request, &claim, repeated)
        })
    }

    async fn heartbeat(
        &self,
        leases: &[WorkLease],
        lease: Duration,
    ) -> Result<Vec<WorkLease>, QueueError> {
        again!(self, self.try_heartbeat(leases, lease))
    }

    async fn finish(
        &self,
        lease: WorkLease,
        worker: &str,
        result: &WorkResult,
    ) -> Result<FinishOutcome, QueueError> {
        check_result(result)?;
        again!(self, self.try_finish(lease, worker, result))
    }

    async fn give_back(&self, lease: WorkLease, how: &GiveBack) -> Result<bool, QueueError> {
        again!(self, self.try_give_back(lease, how))
    }

    async fn cancel(&self, batch: &BatchName) -> Result<(), QueueError> {
        again!(self, self.try_cancel(batch))
    }

    async fn progress(&self, batch: &BatchName) -> Result<BatchProgress, QueueError> {
        again!(self, self.try_progress(batch))
    }

    async fn phases(
        &self,
        batch: &BatchName,
        skip: usize,
    ) -> Result<Vec<(WorkKey, WorkPhase)>, QueueError> {
        again!(self, self.try_phases(batch, skip))
    }

    async fn outcomes(
        &self,
        tenant: &Tenant,
        keys: &[WorkKey],
    ) -> Result<Vec<WorkOutcome>, QueueError> {
        check_keys(keys)?;
        again!(self, self.try_outcomes(tenant, keys))
    }

    async fn prune(&self, keep: Duration) -> Result<usize, QueueError> {
        again!(self, self.try_prune(keep))
    }
}
