//! The rules of a queue as a slow and simple model. Shares names with the queues, but no behaviour and no clock: a lease has ended
//! when it was given for no time.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    BatchProgress, ClaimedWork, FinishOutcome, GiveBack, LOST_LEASES_MAX, NewWork,
    RESULTS_PER_WORK_MAX, WorkEnding, WorkLease,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkState {
    Ready,
    Waiting,
    Running { ends: bool },
    Done,
    Failed,
    Quarantined,
    Cancelled,
}

#[derive(Debug)]
struct ModelWork {
    tenant: String,
    name: String,
    priority: i32,
    state: WorkState,
    losses: i64,
    /// The fence of the newest lease.
    fence: Option<WorkLease>,
    batches: BTreeMap<String, usize>,
    result: Option<String>,
    results: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct QueueOracle {
    /// In the order in which they were added.
    all: Vec<ModelWork>,
}

impl QueueOracle {
    fn expire(&mut self) {
        for work in &mut self.all {
            if work.state == (WorkState::Running { ends: true }) {
                work.lose();
            }
        }
    }

    pub(super) fn enqueue(&mut self, tenant: &str, batch: &str, work: &[NewWork]) -> usize {
        let mut seen = BTreeSet::new();
        let distinct = work.iter().filter(|new| seen.insert(new.body.clone()));
        for (place, new) in distinct.enumerate() {
            let found = self.all.iter_mut().find(|it| it.tenant == tenant && it.name == new.body);
            let one = match found {
                Some(one) => one,
                None => {
                    self.all.push(ModelWork {
                        tenant: tenant.to_owned(),
                        name: new.body.clone(),
                        priority: new.priority,
                        state: WorkState::Ready,
                        losses: 0,
                        fence: None,
                        batches: BTreeMap::new(),
                        result: None,
                        results: BTreeSet::new(),
                    });
                    self.all.last_mut().unwrap()
                }
            };
            if matches!(one.state, WorkState::Cancelled | WorkState::Failed) {
                one.state = WorkState::Ready;
            }
            one.batches.entry(batch.to_owned()).or_insert(place);
        }
        let progress = self.progress(tenant, batch);
        progress.ready + progress.running
    }

    /// Checks what was claimed, and takes it.
    pub(super) fn claim(&mut self, claimed: &[ClaimedWork], count: usize, ends: bool) {
        self.expire();
        let mut loads: BTreeMap<String, usize> = BTreeMap::new();
        for work in self.all.iter().filter(|work| work.state == WorkState::Ready) {
            let runs = |it: &&ModelWork| {
                it.tenant == work.tenant && matches!(it.state, WorkState::Running { .. })
            };
            loads.insert(work.tenant.clone(), self.all.iter().filter(runs).count());
        }
        let mut rest = claimed;
        let mut left = count;
        while left > 0 && !loads.is_empty() {
            let least = *loads.values().min().unwrap();
            let tenant = rest.first().expect("there is more to do").tenant.as_str().to_owned();
            assert_eq!(loads.remove(&tenant), Some(least), "another tenant has less");
            let mut ready: Vec<usize> = (0..self.all.len())
                .filter(|idx| {
                    let it = &self.all[*idx];
                    it.tenant == tenant && it.state == WorkState::Ready
                })
                .collect();
            ready.sort_by_key(|idx| (-self.all[*idx].priority, *idx));
            ready.truncate(left);
            for idx in ready {
                let (one, more) = rest.split_first().expect("there is more to do");
                let work = &mut self.all[idx];
                assert_eq!((&one.body, one.losses), (&work.name, work.losses));
                assert!(work.fence.is_none_or(|old| old < one.lease), "the fence grows");
                work.fence = Some(one.lease);
                work.state = WorkState::Running { ends };
                rest = more;
                left -= 1;
            }
        }
        assert_eq!(rest, [], "nothing else could be taken");
    }

    fn held(&mut self, lease: WorkLease) -> Option<&mut ModelWork> {
        let runs = |it: &&mut ModelWork| {
            it.fence == Some(lease) && matches!(it.state, WorkState::Running { .. })
        };
        self.all.iter_mut().find(runs)
    }

    pub(super) fn heartbeat(&mut self, lease: WorkLease) -> Vec<WorkLease> {
        let Some(work) = self.held(lease) else { return Vec::new() };
        work.state = WorkState::Running { ends: false };
        vec![lease]
    }

    pub(super) fn finish(&mut self, lease: WorkLease, digest: &str) -> FinishOutcome {
        if let Some(work) = self.held(lease) {
            work.state = WorkState::Done;
            work.result = Some(digest.to_owned());
            work.results.insert(digest.to_owned());
            return FinishOutcome::Stored;
        }
        let of = |it: &&mut ModelWork| it.fence.is_some_and(|newest| newest.work == lease.work);
        let work = self.all.iter_mut().find(of).expect("a lease is of some work");
        let is_same = work.state == WorkState::Done
            && work.fence == Some(lease)
            && work.result.as_deref() == Some(digest);
        if is_same || work.results.len() < usize::try_from(RESULTS_PER_WORK_MAX).unwrap() {
            work.results.insert(digest.to_owned());
        }
        if is_same { FinishOutcome::Stored } else { FinishOutcome::TooLate }
    }

    pub(super) fn give_back(&mut self, lease: WorkLease, how: &GiveBack) -> bool {
        let Some(work) = self.held(lease) else { return false };
        match how {
            GiveBack::Untouched => work.state = WorkState::Ready,
            GiveBack::Later { .. } => work.state = WorkState::Waiting,
            GiveBack::Lost => work.lose(),
            GiveBack::Failed { .. } => work.state = WorkState::Failed,
        }
        true
    }

    pub(super) fn cancel(&mut self, tenant: &str, batch: &str) {
        for work in self.all.iter_mut().filter(|work| work.tenant == tenant) {
            let left = work.batches.remove(batch).is_some();
            let goes_on = matches!(
                work.state,
                WorkState::Ready | WorkState::Waiting | WorkState::Running { .. }
            );
            if left && goes_on && work.batches.is_empty() {
                work.state = WorkState::Cancelled;
            }
        }
    }

    /// Everything but the number of workers.
    pub(super) fn progress(&mut self, tenant: &str, batch: &str) -> BatchProgress {
        self.expire();
        let mut progress = BatchProgress::default();
        for work in &self.all {
            if work.tenant != tenant || !work.batches.contains_key(batch) {
                continue;
            }
            match work.state {
                WorkState::Ready | WorkState::Waiting => progress.ready += 1,
                WorkState::Running { .. } => progress.running += 1,
                WorkState::Done => progress.ended += 1,
                _ => {
                    progress.ended += 1;
                    progress.given_up += 1;
                }
            }
        }
        progress
    }

    /// Names, endings, and whether results differ.
    pub(super) fn outcomes(&self, tenant: &str, batch: &str) -> Vec<(String, WorkEnding, bool)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (idx, work) in self.all.iter().enumerate().filter(|(_, it)| it.tenant == tenant) {
            found.extend(work.batches.get(batch).map(|place| (*place, idx)));
        }
        found.sort_unstable();
        let ending = |work: &ModelWork| match work.state {
            WorkState::Done => Some(WorkEnding::Done { body: work.result.clone()? }),
            WorkState::Failed => Some(WorkEnding::Failed { why: "no".to_owned() }),
            WorkState::Quarantined => Some(WorkEnding::Quarantined),
            _ => None,
        };
        let outcome = |(_, idx): (usize, usize)| {
            let work = &self.all[idx];
            Some((work.name.clone(), ending(work)?, work.results.len() > 1))
        };
        found.into_iter().filter_map(outcome).collect()
    }
}

impl ModelWork {
    fn lose(&mut self) {
        self.losses += 1;
        self.state = match self.losses >= LOST_LEASES_MAX {
            true => WorkState::Quarantined,
            false => WorkState::Ready,
        };
    }
}
