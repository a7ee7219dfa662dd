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
const BEAT: Duration = Duration::from_millis(1);

/// Beats without any guest after which nobody beats any more.
const IDLE_BEATS_MAX: u32 = 100;

#[derive(Default)]
struct Hall {
    guests: usize,
    /// Whether somebody beats.
    beating: bool,
    /// Whether that somebody waits for a guest.
    asleep: bool,
    closed: bool,
}

struct Shared {
    hall: Mutex<Hall>,
    changed: Condvar,
}

/// The beat of one engine. Silent and free of cost while no guest runs.
pub(super) struct Ticker {
    engine: Engine,
    shared: Arc<Shared>,
}

/// Somebody for whom the beat goes on.
pub(super) struct Beating<'t>(&'t Shared);

impl Ticker {
    pub(super) fn of(engine: &Engine) -> Ticker {
        let shared = Shared { hall: Mutex::default(), changed: Condvar::new() };
        Ticker { engine: engine.clone(), shared: Arc::new(shared) }
    }

    /// From here on there is a beat, until what this returns is dropped.
    pub(super) fn beat(&self) -> Beating<'_> {
        let mut hall = self.shared.lock();
        hall.guests += 1;
        if hall.asleep {
            self.shared.changed.notify_one();
        }
        if !hall.beating {
            let (engine, shared) = (self.engine.clone(), Arc::clone(&self.shared));
            let name = "sandbox-beat".to_owned();
            let started =
                thread::Builder::new().name(name).spawn(move || shared.beat_time(&engine));
            match started {
                Ok(_) => hall.beating = true,
                // Fuel still makes every guest pause that works itself.
                Err(error) => tracing::warn!("nobody beats time for the sandbox: {error}"),
            }
        }
        drop(hall);
        Beating(&self.shared)
    }
}

impl Shared {
    fn beat_time(&self, engine: &Engine) {
        let mut idle_beats = 0;
        loop {
            let mut hall = self.lock();
            idle_beats = if hall.guests == 0 { idle_beats + 1 } else { 0 };
            if idle_beats > IDLE_BEATS_MAX {
                hall.asleep = true;
                while hall.guests == 0 && !hall.closed {
                    hall = self.changed.wait(hall).unwrap_or_else(PoisonError::into_inner);
                }
                hall.asleep = false;
                idle_beats = 0;
            }
            if hall.closed {
                return;
            }
            drop(hall);
            thread::sleep(BEAT);
            engine.increment_epoch();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Beating<'_> {
    fn drop(&mut self) {
        self.0.lock().guests -= 1;
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}
