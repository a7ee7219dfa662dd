//! Hides keys that are typed while no line is read, because their echo would appear in the middle of the narration.
//! They stay in the terminal's buffer, and the next line begins with them.

#[cfg(unix)]
use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The modes of the terminal before its echo was hidden; `None` while it is not hidden.
#[cfg(unix)]
static MODES_BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Hides the echo until it is dropped. There is one at a time.
pub struct HiddenEcho(());

impl HiddenEcho {
    pub fn begin() -> HiddenEcho {
        hide_echo();
        HiddenEcho(())
    }
}

impl Drop for HiddenEcho {
    fn drop(&mut self) {
        restore_echo();
    }
}

/// Shows the keys that are typed for another program, such as the player's editor, until it is dropped.
pub struct VisibleEcho {
    was_hidden: bool,
}

impl VisibleEcho {
    pub fn begin() -> VisibleEcho {
        VisibleEcho { was_hidden: restore_echo() }
    }
}

impl Drop for VisibleEcho {
    fn drop(&mut self) {
        if self.was_hidden {
            hide_echo();
        }
    }
}

/// Restores the terminal's echo. Must be called before the process ends without unwinding. Returns true if the echo
/// was hidden.
#[cfg(unix)]
pub fn restore_echo() -> bool {
    let Some(modes) = modes_before().take() else { return false };
    // A terminal that has gone needs no echo.
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
    true
}

#[cfg(not(unix))]
pub fn restore_echo() -> bool {
    false
}

/// Hides the echo. Line editing and Ctrl-C stay with the terminal. If the terminal refuses, the echo stays visible.
#[cfg(unix)]
fn hide_echo() {
    let mut before = modes_before();
    let Ok(modes) = tcgetattr(io::stdin()) else { return };
    if before.is_some() || !modes.local_modes.contains(LocalModes::ECHO) {
        return;
    }
    let mut silent = modes.clone();
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
    if tcsetattr(io::stdin(), OptionalActions::Now, &silent).is_ok() {
        *before = Some(modes);
    }
}

#[cfg(not(unix))]
fn hide_echo() {}

#[cfg(unix)]
fn modes_before() -> MutexGuard<'static, Option<Termios>> {
    MODES_BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}
