//! Increments the engine's epoch while guests run, so that each guest yields and has its clock checked, whatever it
//! does.
//!
//! Fuel alone is not enough: it counts the guest's instructions, and a host call is one instruction, whether it
//! takes a microsecond or a millisecond. A guest that draws random bytes in a loop would yield every half second.
//! Compiled code checks the epoch in each loop.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use wasmtime::Engine;

/// Time between two ticks. A guest that only makes the host work is stopped at most this late; fuel stops a guest that
/// computes ten times as soon.
const TICK: Duration = Duration::from_millis(1);

/// Number of ticks without any guest after which the thread sleeps.
const IDLE_TICKS_MAX: u32 = 100;

#[derive(Default)]
struct TickerState {
    guests: usize,
    /// True if the thread exists.
    is_running: bool,
    /// True if the thread sleeps until a guest starts.
    is_idle: bool,
    closed: bool,
}

struct TickerShared {
    state: Mutex<TickerState>,
    changed: Condvar,
}

/// The ticks of one engine. Costs nothing while no guest runs.
pub(crate) struct EpochTicker {
    engine: Engine,
    shared: Arc<TickerShared>,
}

/// A running guest; the ticks go on until all guards are dropped.
pub(crate) struct TickGuard<'t>(&'t TickerShared);

impl EpochTicker {
    pub(crate) fn new(engine: &Engine) -> EpochTicker {
        let shared = TickerShared { state: Mutex::default(), changed: Condvar::new() };
        EpochTicker { engine: engine.clone(), shared: Arc::new(shared) }
    }

    /// Ticks until the guard is dropped.
    pub(crate) fn start(&self) -> TickGuard<'_> {
        let mut state = self.shared.lock();
        state.guests += 1;
        if state.is_idle {
            self.shared.changed.notify_one();
        }
        if !state.is_running {
            let (engine, shared) = (self.engine.clone(), Arc::clone(&self.shared));
            let name = "sandbox-ticker".to_owned();
            let started =
                thread::Builder::new().name(name).spawn(move || shared.run_ticks(&engine));
            match started {
                Ok(_) => state.is_running = true,
                // Fuel still makes every guest yield that computes.
                Err(error) => tracing::warn!("the sandbox's ticker cannot start: {error}"),
            }
        }
        drop(state);
        TickGuard(&self.shared)
    }
}

impl TickerShared {
    fn run_ticks(&self, engine: &Engine) {
        let mut idle_ticks = 0;
        loop {
            let mut state = self.lock();
            idle_ticks = if state.guests == 0 { idle_ticks + 1 } else { 0 };
            if idle_ticks > IDLE_TICKS_MAX {
                state.is_idle = true;
                while state.guests == 0 && !state.closed {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                state.is_idle = false;
                idle_ticks = 0;
            }
            if state.closed {
                return;
            }
            drop(state);
            thread::sleep(TICK);
            engine.increment_epoch();
        }
    }

    fn lock(&self) -> MutexGuard<'_, TickerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TickGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().guests -= 1;
    }
}

impl Drop for EpochTicker {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}
