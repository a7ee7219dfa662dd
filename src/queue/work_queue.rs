//! The interface of a queue.

use std::time::Duration;

use async_trait::async_trait;

use crate::{
    BatchName, BatchProgress, ClaimedWork, GiveBack, NewWork, QueueError, Tenant, WorkKey,
    WorkLease, WorkOutcome, WorkPhase, WorkResult,
};

/// What a worker takes.
#[derive(Debug, Clone, Copy)]
pub struct ClaimRequest<'r> {
    /// Only work of this kind.
    pub kind: &'r str,
    /// The worker's name, for people.
    pub worker: &'r str,
    /// Most pieces, at most [`crate::CLAIM_MAX`].
    pub count: usize,
    /// How long the lease holds without a sign of life, at most [`crate::LEASE_MAX`].
    pub lease: Duration,
}

/// How a result was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishOutcome {
    /// It is the result of the work.
    Stored,
    /// The lease was lost. The result does not count, and was compared with the one that does.
    TooLate,
}

/// A queue of work. Every request is whole or has not happened, and may be sent again after an error.
#[async_trait]
pub trait WorkQueue: Send + Sync {
    /// Adds work to a batch. Work whose key the tenant has is not added again, except if it was cancelled or has failed: then it
    /// waits again. Returns how many pieces wait or run for the batch.
    async fn enqueue(
        &self,
        batch: &BatchName,
        kind: &str,
        work: &[NewWork],
    ) -> Result<usize, QueueError>;

    /// Takes work: first that of the tenant with the least work in progress, then by priority, then by age. Leases that have
    /// ended are counted as lost before.
    async fn claim(&self, request: ClaimRequest<'_>) -> Result<Vec<ClaimedWork>, QueueError>;

    /// Prolongs leases; returns those that are still held.
    async fn heartbeat(
        &self,
        leases: &[WorkLease],
        lease: Duration,
    ) -> Result<Vec<WorkLease>, QueueError>;

    /// Writes a result, if the lease is still held.
    async fn finish(
        &self,
        lease: WorkLease,
        worker: &str,
        result: &WorkResult,
    ) -> Result<FinishOutcome, QueueError>;

    /// Ends a lease without a result. Returns false if it was lost before.
    async fn give_back(&self, lease: WorkLease, how: &GiveBack) -> Result<bool, QueueError>;

    /// Takes a batch away. Work that no other batch waits for is not done any more, and its leases are lost; results stay.
    async fn cancel(&self, batch: &BatchName) -> Result<(), QueueError>;

    async fn progress(&self, batch: &BatchName) -> Result<BatchProgress, QueueError>;

    /// Returns where each piece of a batch is, in the order in which they were added, without the first `skip`. A page has
    /// [`crate::BATCH_MAX`] of them.
    async fn phases(
        &self,
        batch: &BatchName,
        skip: usize,
    ) -> Result<Vec<(WorkKey, WorkPhase)>, QueueError>;

    /// Returns how work of a tenant ended, in the order of the keys, of which there are at most [`crate::OUTCOMES_MAX`]. Leaves out
    /// what has not ended.
    async fn outcomes(
        &self,
        tenant: &Tenant,
        keys: &[WorkKey],
    ) -> Result<Vec<WorkOutcome>, QueueError>;

    /// Removes what has ended longer ago than this.
    async fn prune(&self, keep: Duration) -> Result<usize, QueueError>;
}
