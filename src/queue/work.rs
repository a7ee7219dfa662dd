//! Work, its leases and its outcomes.

use std::time::Duration;

use narratoria_protocol::digest::{is_digest, sha256};

use crate::TENANT_BYTES_MAX;

/// Whose work it is. Tenants share no results, and no worker is busy for one alone while another waits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name of a tenant or a batch has 1 to {TENANT_BYTES_MAX} lower-case letters, digits, `-`, `_` and `.`, and begins with a letter or digit"
)]
pub struct TenantError;

fn check_name(name: &str) -> Result<(), TenantError> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let may_follow = |byte: u8| is_word(byte) || matches!(byte, b'-' | b'_' | b'.');
    let bytes = name.as_bytes();
    let good = bytes.len() <= TENANT_BYTES_MAX
        && bytes.first().is_some_and(|first| is_word(*first))
        && bytes.iter().all(|byte| may_follow(*byte));
    if good { Ok(()) } else { Err(TenantError) }
}

impl Tenant {
    pub fn parse(name: &str) -> Result<Tenant, TenantError> {
        check_name(name).map(|()| Tenant(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What one client waits for: work of a tenant, some of which others may wait for too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchName {
    pub(crate) tenant: Tenant,
    pub(crate) name: String,
}

impl BatchName {
    pub fn parse(tenant: &Tenant, name: &str) -> Result<BatchName, TenantError> {
        check_name(name)?;
        Ok(BatchName { tenant: tenant.clone(), name: name.to_owned() })
    }
}

/// A digest of everything that a result depends on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkKey(String);

impl WorkKey {
    /// The key of these parts. No two lists of parts have the same key.
    pub fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> WorkKey {
        let mut whole = String::new();
        for part in parts {
            whole.push_str(&format!("{}:{part},", part.len()));
        }
        WorkKey(sha256(whole.as_bytes()))
    }

    /// A key that was written before.
    pub fn parse(text: &str) -> Option<WorkKey> {
        is_digest(text).then(|| WorkKey(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Work to be added. The same key is added once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWork {
    pub key: WorkKey,
    /// Higher is earlier, among the work of one tenant.
    pub priority: i32,
    /// Opaque to the queue.
    pub body: String,
}

/// A lease: the work and the fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkLease {
    pub(crate) work: i64,
    pub(crate) fence: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedWork {
    pub lease: WorkLease,
    pub tenant: Tenant,
    pub key: WorkKey,
    pub body: String,
    /// Leases that were lost before this one.
    pub losses: i64,
}

/// A result. Of two with equal digests only one is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkResult {
    /// The digest of everything in the result that must be the same each time.
    pub digest: String,
    pub body: String,
}

/// Why a lease is given back without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GiveBack {
    /// The worker ends. Another takes the work at once, and nothing is held against it.
    Untouched,
    /// Something that the work needs is away.
    Later { wait: Duration },
    /// The process that did the work has ended. Counts as a lost lease.
    Lost,
    /// The work cannot be done. `why` is a sentence for its client.
    Failed { why: String },
}

/// The state of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchProgress {
    /// Waiting for a worker.
    pub ready: usize,
    pub running: usize,
    /// Ended, well or not.
    pub ended: usize,
    /// Those of them that have no result: they could not be done, or lost their leases too often.
    pub given_up: usize,
    /// Workers that have a part of it now.
    pub workers: usize,
}

impl BatchProgress {
    pub fn is_over(&self) -> bool {
        self.ready == 0 && self.running == 0
    }
}

/// Where a piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkPhase {
    Waiting,
    Running,
    Done,
    /// It has ended without a result.
    GivenUp,
}

impl WorkPhase {
    /// The phase of a state as databases write it.
    pub(crate) fn of(state: &str) -> WorkPhase {
        match state {
            "ready" => WorkPhase::Waiting,
            "running" => WorkPhase::Running,
            "done" => WorkPhase::Done,
            _ => WorkPhase::GivenUp,
        }
    }
}

impl BatchProgress {
    /// Counts pieces of one phase, and the workers that have them.
    pub(crate) fn add(&mut self, phase: WorkPhase, pieces: usize, workers: usize) {
        match phase {
            WorkPhase::Waiting => self.ready += pieces,
            WorkPhase::Running => {
                self.running += pieces;
                self.workers += workers;
            }
            WorkPhase::Done => self.ended += pieces,
            WorkPhase::GivenUp => {
                self.ended += pieces;
                self.given_up += pieces;
            }
        }
    }
}

/// How a piece of work ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkEnding {
    Done {
        body: String,
    },
    Failed {
        why: String,
    },
    /// Its leases were lost too often.
    Quarantined,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkOutcome {
    pub key: WorkKey,
    pub ending: WorkEnding,
    /// Two workers have come to different results.
    pub differs: bool,
}

#[cfg(test)]
mod tests {
    use super::{Tenant, WorkKey};

    #[test]
    fn names_of_tenants_are_plain() {
        for good in ["a", "zoe-2", "9.team_x", &"x".repeat(64)] {
            assert_eq!(Tenant::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "-a", "A", "a b", "é", "a/b", "..", &"x".repeat(65)] {
            assert!(Tenant::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parts_do_not_run_into_one_another() {
        let key = |parts: &[&str]| WorkKey::of(parts.iter().copied());
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", ""]), key(&["a"]));
        assert_ne!(key(&["a,1:b"]), key(&["a", "b"]));
        assert_eq!(WorkKey::parse(key(&["a"]).as_str()), Some(key(&["a"])));
    }
}
