//! A queue of work that any process of a fleet may take. Knows tenants, leases and results; knows nothing of what the work is.
//!
//! Work has a key, and is done at least once. A worker gets it with a lease and a fence, a number that grows with each lease. The
//! result is written only with the newest fence, so a worker that was away for too long changes nothing. Work is deterministic: a
//! late result is compared with the one that counts, and a difference is recorded.
//!
//! [`BlobFolder`] has the files that work names. [`WorkQueue`] is the interface; [`open_queue`] finds its implementation by an address. Every time is the database's own.

mod address;
mod blobs;
mod checks;
mod limits;
mod postgres_queue;
mod postgres_tables;
mod queue_error;
mod sqlite_queue;
#[cfg(test)]
mod tests;
mod work;
mod work_queue;

pub use address::{QueueAddress, open_queue};
pub use blobs::{BlobError, BlobFolder};
pub use limits::{
    BATCH_MAX, CLAIM_MAX, KIND_BYTES_MAX, LEASE_MAX, LOST_LEASES_MAX, OUTCOMES_MAX,
    RESULT_BYTES_MAX, RESULTS_PER_WORK_MAX, TENANT_BYTES_MAX, WORK_BYTES_MAX, WORK_WAIT_MAX,
};
pub use postgres_queue::PostgresQueue;
pub use queue_error::QueueError;
pub use sqlite_queue::SqliteQueue;
pub use work::{
    BatchName, BatchProgress, ClaimedWork, GiveBack, NewWork, Tenant, TenantError, WorkEnding,
    WorkKey, WorkLease, WorkOutcome, WorkPhase, WorkResult,
};
pub use work_queue::{ClaimRequest, FinishOutcome, WorkQueue};
