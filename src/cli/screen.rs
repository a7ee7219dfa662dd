//! One screen for the update stream, for the questions put to a person, and for Ctrl-C.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::Duration,
};

use narratoria_ui::{Screen, Tone};

/// How often an urgent line tries to get the screen, and the pause between two tries. Together they take less time than
/// a person notices; a screen that is blocked in a write takes longer.
const TRIES_MAX: u32 = 20;
const TRY_EVERY: Duration = Duration::from_millis(2);

/// A handle; clones share one screen.
#[derive(Clone)]
pub(super) struct SharedScreen(Arc<Mutex<Screen>>);

impl SharedScreen {
    pub(super) fn new(screen: Screen) -> SharedScreen {
        SharedScreen(Arc::new(Mutex::new(screen)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Screen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints one line at once, even during a question. Returns false if the screen cannot, or is blocked in a write.
    pub(super) fn interject(&self, tone: Tone, word: &str, message: &str) -> bool {
        for _ in 0..TRIES_MAX {
            match self.0.try_lock() {
                Ok(mut screen) => return screen.interject(tone, word, message),
                Err(TryLockError::Poisoned(screen)) => {
                    return screen.into_inner().interject(tone, word, message);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(TRY_EVERY),
            }
        }
        false
    }
}
