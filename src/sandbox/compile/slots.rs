//! Limits how many components are compiled at the same time, and stops all of them when the host ends.

use std::{
    io,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
};

use super::{limits::COMPILES_MAX, reply::RawReply};
use crate::load_error::ComponentLoadError;

/// Reasons to end the wait for a compiling process.
pub(super) enum CompileMessage {
    /// The process closed its stdout. Holds everything that it wrote.
    Output(io::Result<RawReply>),
    /// [`CompileSlots::close`] was called.
    Stop,
}

/// Admits [`COMPILES_MAX`] compilations at a time.
#[derive(Default)]
pub(super) struct CompileSlots {
    state: Mutex<CompileSlotsState>,
    changed: Condvar,
}

#[derive(Default)]
struct CompileSlotsState {
    running: usize,
    closed: bool,
    /// Running compilations, which get [`CompileMessage::Stop`] on close.
    listeners: Vec<Sender<CompileMessage>>,
}

/// Permission to compile one component; returned on drop.
pub(super) struct CompileSlot<'t>(&'t CompileSlots);

impl CompileSlots {
    pub(super) fn acquire(&self) -> Result<CompileSlot<'_>, ComponentLoadError> {
        let mut state = self.lock();
        while !state.closed && state.running == COMPILES_MAX {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return Err(ComponentLoadError::Stopped);
        }
        state.running += 1;
        Ok(CompileSlot(self))
    }

    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for listener in state.listeners.drain(..) {
            // A compilation that no longer listens has ended.
            let _ = listener.send(CompileMessage::Stop);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, CompileSlotsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CompileSlot<'_> {
    /// Sends [`CompileMessage::Stop`] to `listener` when the slots close.
    pub(super) fn notify_on_close(
        &self,
        listener: Sender<CompileMessage>,
    ) -> Result<(), ComponentLoadError> {
        let mut state = self.0.lock();
        if state.closed {
            return Err(ComponentLoadError::Stopped);
        }
        state.listeners.push(listener);
        Ok(())
    }
}

impl Drop for CompileSlot<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        if state.running == 0 {
            state.listeners.clear();
        }
        drop(state);
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_slot_ends_with_a_slot_or_when_the_slots_close() {
        let slots = CompileSlots::default();
        let occupied: Vec<CompileSlot<'_>> =
            (0..COMPILES_MAX).map(|_| slots.acquire().unwrap()).collect();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| slots.acquire().map(drop));
            drop(occupied);
            assert!(waiting.join().unwrap().is_ok());
            let occupied: Vec<CompileSlot<'_>> =
                (0..COMPILES_MAX).map(|_| slots.acquire().unwrap()).collect();
            let waiting = scope.spawn(|| slots.acquire().map(drop));
            slots.close();
            assert!(matches!(waiting.join().unwrap(), Err(ComponentLoadError::Stopped)));
            drop(occupied);
        });
        assert!(matches!(slots.acquire().map(drop), Err(ComponentLoadError::Stopped)));
    }
}
