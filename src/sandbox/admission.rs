//! Admits invocations within the slots of the pool and the memory of the machine. An invocation that does not fit waits
//! in a queue, first come, first served, and never gets an error of the pool.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Most invocations that wait at the same time; one more is refused. A plan runs at most as many at once as
/// the machine has cores, so only a caller without its own limit reaches this one. The queue holds all of
/// their requests in memory.
pub const WAITING_MAX: usize = 4_096;

/// The default sum of the memory limits of all concurrent invocations: sixteen skills with 256 MiB each. 128 guests of
/// 1 GiB would exhaust most machines.
pub const MEMORY_BUDGET_DEFAULT: u64 = 4 << 30;

/// Host memory of an invocation beside its own memories: its stack and its buffers.
const OVERHEAD_BYTES: u64 = 3 << 20;

/// Semaphore permits count memory in this unit.
const UNIT_BYTES: u64 = 1 << 20;

pub(crate) struct AdmissionControl {
    slots: Semaphore,
    memory: Semaphore,
    memory_units_max: u32,
    waiting: AtomicUsize,
}

/// A slot and memory for one invocation; returned on drop.
pub(crate) struct AdmissionPermit<'a> {
    _slot: SemaphorePermit<'a>,
    _memory: SemaphorePermit<'a>,
}

/// Counts a waiting invocation no longer, whether it is admitted or dropped.
struct QueuedGuard<'a>(&'a AtomicUsize);

impl Drop for QueuedGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AdmissionControl {
    pub(crate) fn new(invocations_max: u32, memory_budget: u64) -> AdmissionControl {
        let memory_units_max = u32::try_from(memory_budget / UNIT_BYTES).unwrap_or(u32::MAX).max(1);
        AdmissionControl {
            slots: Semaphore::new(invocations_max as usize),
            memory: Semaphore::new(memory_units_max as usize),
            memory_units_max,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Waits until an invocation with this memory limit may run. One with a limit above the whole budget runs
    /// alone. Returns the error [`WAITING_MAX`] if that many wait already.
    pub(crate) async fn acquire(&self, memory_bytes: u64) -> Result<AdmissionPermit<'_>, usize> {
        let units = memory_bytes.saturating_add(OVERHEAD_BYTES).div_ceil(UNIT_BYTES);
        let units = u32::try_from(units).unwrap_or(u32::MAX).min(self.memory_units_max);
        // Only an empty queue lets this succeed: semaphores are fair, and `try_acquire` fails behind a waiter.
        if let Ok(slot) = self.slots.try_acquire()
            && let Ok(memory) = self.memory.try_acquire_many(units)
        {
            return Ok(AdmissionPermit { _slot: slot, _memory: memory });
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = QueuedGuard(&self.waiting);
        if before >= WAITING_MAX {
            return Err(WAITING_MAX);
        }
        // Every invocation acquires its slot first. Both queues then have the same order, and the holder of a
        // slot waits only for memory of running invocations.
        let slot = self.slots.acquire().await.expect("the semaphore is never closed");
        let memory = self.memory.acquire_many(units).await.expect("the semaphore is never closed");
        Ok(AdmissionPermit { _slot: slot, _memory: memory })
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task::Poll};

    use super::{AdmissionControl, OVERHEAD_BYTES, UNIT_BYTES, WAITING_MAX};

    const MIB: u64 = 1 << 20;

    /// The share of the budget that an invocation with this limit takes.
    fn cost(bytes: u64) -> u64 {
        (bytes + OVERHEAD_BYTES).div_ceil(UNIT_BYTES) * UNIT_BYTES
    }

    fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        future.poll(&mut context)
    }

    #[test]
    fn a_small_invocation_does_not_overtake_a_large_one_that_waits() {
        let admission = AdmissionControl::new(3, cost(1_000 * MIB));
        let mut running = pin!(admission.acquire(900 * MIB));
        let Poll::Ready(Ok(running)) = poll(running.as_mut()) else { panic!("there is room") };
        let (mut large, mut small) =
            (pin!(admission.acquire(500 * MIB)), pin!(admission.acquire(1)));
        assert!(poll(large.as_mut()).is_pending());
        assert!(poll(small.as_mut()).is_pending(), "it would fit, but the large one came first");
        drop(running);
        let Poll::Ready(Ok(_large)) = poll(large.as_mut()) else { panic!("it is its turn") };
        assert!(poll(small.as_mut()).is_ready());
    }

    #[test]
    fn concurrent_invocations_stay_within_the_memory_budget() {
        let admission = AdmissionControl::new(128, cost(1_024 * MIB) * 2);
        let mut guests: Vec<_> =
            (0..128).map(|_| Box::pin(admission.acquire(1_024 * MIB))).collect();
        let mut running = Vec::new();
        for guest in &mut guests {
            if let Poll::Ready(Ok(admitted)) = poll(guest.as_mut()) {
                running.push(admitted);
            }
        }
        assert_eq!(running.len(), 2);
    }

    #[test]
    fn an_invocation_with_a_limit_above_the_budget_runs_alone() {
        let admission = AdmissionControl::new(4, 64 * MIB);
        let mut small = pin!(admission.acquire(MIB));
        let Poll::Ready(Ok(small)) = poll(small.as_mut()) else { panic!("there is room") };
        let mut giant = pin!(admission.acquire(u64::MAX));
        assert!(poll(giant.as_mut()).is_pending());
        drop(small);
        let Poll::Ready(Ok(giant)) = poll(giant.as_mut()) else { panic!("it is its turn") };
        let mut next = pin!(admission.acquire(1));
        assert!(poll(next.as_mut()).is_pending());
        drop(giant);
        assert!(poll(next.as_mut()).is_ready());
    }

    #[test]
    fn an_invocation_that_stops_waiting_leaves_no_gap() {
        let admission = AdmissionControl::new(1, 64 * MIB);
        let mut first = pin!(admission.acquire(MIB));
        let Poll::Ready(Ok(first)) = poll(first.as_mut()) else { panic!("there is room") };
        let mut second = Box::pin(admission.acquire(MIB));
        let mut third = pin!(admission.acquire(MIB));
        assert!(poll(second.as_mut()).is_pending() && poll(third.as_mut()).is_pending());
        drop(second);
        drop(first);
        assert!(poll(third.as_mut()).is_ready());
    }

    #[test]
    fn a_full_queue_refuses_one_more() {
        let admission = AdmissionControl::new(1, 64 * MIB);
        let mut running = pin!(admission.acquire(MIB));
        let Poll::Ready(Ok(_running)) = poll(running.as_mut()) else { panic!("there is room") };
        let mut waiting: Vec<_> =
            (0..WAITING_MAX).map(|_| Box::pin(admission.acquire(MIB))).collect();
        assert!(waiting.iter_mut().all(|guest| poll(guest.as_mut()).is_pending()));
        let mut refused = pin!(admission.acquire(MIB));
        assert!(matches!(poll(refused.as_mut()), Poll::Ready(Err(WAITING_MAX))));
        waiting.pop();
        let mut next = pin!(admission.acquire(MIB));
        assert!(poll(next.as_mut()).is_pending(), "there is room to wait again");
    }
}
