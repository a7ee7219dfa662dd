//! Beats time while guests run, so that each pauses and has its clock looked at, whatever it does.
//!
//! Fuel alone cannot do that: it counts the guest's instructions, and a call of the host is one, be it a
//! microsecond's work or a millisecond's. A guest that has the host draw random bytes in a loop would
//! pause every half second. The epoch of wasmtime counts beats, and a guest looks at it in each loop.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use wasmtime::Engine;

/// Between two beats: at most this late is a guest stopped that only has the host work. Fuel, ten times as
/// often, stops those that work themselves.
const TICK: Duration = Duration::from_millis(1);

/// Beats without any guest after which nobody beats any more.
const IDLE_BEATS_MAX: u32 = 100;

#[derive(Default)]
struct TickerState {
    guests: usize,
    /// Whether somebody beats.
    is_running: bool,
    /// Whether that somebody waits for a guest.
    is_idle: bool,
    closed: bool,
}

struct TickerShared {
    state: Mutex<TickerState>,
    changed: Condvar,
}

/// The beat of one engine. Silent and free of cost while no guest runs.
pub(super) struct EpochTicker {
    engine: Engine,
    shared: Arc<TickerShared>,
}

/// Somebody for whom the beat goes on.
pub(super) struct TickGuard<'t>(&'t TickerShared);

impl EpochTicker {
    pub(super) fn new(engine: &Engine) -> EpochTicker {
        let shared = TickerShared { state: Mutex::default(), changed: Condvar::new() };
        EpochTicker { engine: engine.clone(), shared: Arc::new(shared) }
    }

    /// From here on there is a beat, until what this returns is dropped.
    pub(super) fn start(&self) -> TickGuard<'_> {
        let mut hall = self.shared.lock();
        hall.guests += 1;
        if hall.is_idle {
            self.shared.changed.notify_one();
        }
        if !hall.is_running {
            let (engine, shared) = (self.engine.clone(), Arc::clone(&self.shared));
            let name = "sandbox-beat".to_owned();
            let started =
                thread::Builder::new().name(name).spawn(move || shared.run_ticks(&engine));
            match started {
                Ok(_) => hall.is_running = true,
                // Fuel still makes every guest pause that works itself.
                Err(error) => tracing::warn!("nobody beats time for the sandbox: {error}"),
            }
        }
        drop(hall);
        TickGuard(&self.shared)
    }
}

impl TickerShared {
    fn run_ticks(&self, engine: &Engine) {
        let mut idle_beats = 0;
        loop {
            let mut hall = self.lock();
            idle_beats = if hall.guests == 0 { idle_beats + 1 } else { 0 };
            if idle_beats > IDLE_BEATS_MAX {
                hall.is_idle = true;
                while hall.guests == 0 && !hall.closed {
                    hall = self.changed.wait(hall).unwrap_or_else(PoisonError::into_inner);
                }
                hall.is_idle = false;
                idle_beats = 0;
            }
            if hall.closed {
                return;
            }
            drop(hall);
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
