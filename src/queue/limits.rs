//! What a queue holds, and for how long.

use std::time::Duration;

/// Longest text of a piece of work. It names files by their digests and has none in it.
pub const WORK_BYTES_MAX: usize = 64 << 10;
/// Longest result. A report of a package has 500 findings of some kilobytes.
pub const RESULT_BYTES_MAX: usize = 4 << 20;
/// Most pieces of work that one request adds.
pub const BATCH_MAX: usize = 10_000;
/// Most pieces of work that one request takes.
pub const CLAIM_MAX: usize = 64;
/// Longest name of a tenant or a batch.
pub const TENANT_BYTES_MAX: usize = 64;
/// Longest name of a kind of work.
pub const KIND_BYTES_MAX: usize = 128;
/// Longest lease. Also finds leases that end too far ahead, because the clock of the database was set back.
pub const LEASE_MAX: Duration = Duration::from_secs(600);
/// Longest wait of work that was put off.
pub const WORK_WAIT_MAX: Duration = Duration::from_secs(600);
/// After so many lost leases a piece of work is in quarantine: it probably ends its workers.
pub const LOST_LEASES_MAX: i64 = 3;
/// Most different results of a piece of work that are kept. Two show that it is not repeatable.
pub const RESULTS_PER_WORK_MAX: i64 = 4;
/// Most outcomes that one request asks for; each has a result.
pub const OUTCOMES_MAX: usize = 100;

/// Tenants that one claim looks at, those with the least work in progress first.
pub(crate) const TENANTS_PER_CLAIM: usize = 64;
