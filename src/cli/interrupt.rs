//! Ctrl-C stops the turn, not the program; a second one leaves. SIGTERM leaves at once.
//!
//! A line editor that is reading gets Ctrl-C as a key, not as a signal; see `lines.rs`.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use tokio::signal;
use tokio_util::sync::CancellationToken;

use super::exit::Exit;
use crate::ui::{Look, Out, Tone, note};

/// How long leaving may take before the process ends whatever it is doing. A second Ctrl-C leaves
/// within 5 s; a turn is one transaction, so nothing is lost by not waiting for its end.
const LEAVE_MAX: Duration = Duration::from_secs(4);

/// What signals mean at this moment.
#[derive(Clone)]
pub(super) struct Interrupts {
    /// The turn that the first Ctrl-C stops.
    turn: Arc<Mutex<Option<CancellationToken>>>,
    leave: CancellationToken,
    /// Makes a line editor give the terminal back.
    break_editor: Arc<AtomicBool>,
    look: Look,
}

/// A turn that Ctrl-C can stop, for as long as this is alive.
pub(super) struct Running<'a> {
    interrupts: &'a Interrupts,
    /// Cancelled by the first Ctrl-C.
    pub(super) cancel: CancellationToken,
}

impl Interrupts {
    /// From here on signals no longer kill the process by themselves.
    pub(super) fn listen(look: Look) -> io::Result<Interrupts> {
        let interrupts = Interrupts {
            turn: Arc::default(),
            leave: CancellationToken::new(),
            break_editor: Arc::default(),
            look,
        };
        interrupts.on_interrupt()?;
        interrupts.on_terminate()?;
        Ok(interrupts)
    }

    /// Cancelled when the program is to end.
    pub(super) fn leave(&self) -> &CancellationToken {
        &self.leave
    }

    /// Set when a line editor must return.
    pub(super) fn break_editor(&self) -> &Arc<AtomicBool> {
        &self.break_editor
    }

    /// The turn that the next Ctrl-C stops.
    pub(super) fn begin_turn(&self) -> Running<'_> {
        let cancel = CancellationToken::new();
        *self.current() = Some(cancel.clone());
        Running { interrupts: self, cancel }
    }

    fn current(&self) -> MutexGuard<'_, Option<CancellationToken>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(unix)]
    fn on_interrupt(&self) -> io::Result<()> {
        let mut presses = signal::unix::signal(signal::unix::SignalKind::interrupt())?;
        let this = self.clone();
        tokio::spawn(async move {
            while presses.recv().await.is_some() {
                this.pressed();
            }
        });
        Ok(())
    }

    #[cfg(unix)]
    fn on_terminate(&self) -> io::Result<()> {
        let mut requests = signal::unix::signal(signal::unix::SignalKind::terminate())?;
        let this = self.clone();
        tokio::spawn(async move {
            while requests.recv().await.is_some() {
                this.begin_leaving();
            }
        });
        Ok(())
    }

    #[cfg(not(unix))]
    fn on_interrupt(&self) -> io::Result<()> {
        let this = self.clone();
        tokio::spawn(async move {
            while signal::ctrl_c().await.is_ok() {
                this.pressed();
            }
        });
        Ok(())
    }

    #[cfg(not(unix))]
    fn on_terminate(&self) -> io::Result<()> {
        Ok(())
    }

    fn pressed(&self) {
        let stopped = match &*self.current() {
            Some(cancel) if !cancel.is_cancelled() => {
                cancel.cancel();
                true
            }
            _ => false,
        };
        if stopped {
            let mut err = Out::stderr(self.look);
            note(&mut err, Tone::Aside, "note", "stopping; Ctrl-C again leaves at once");
        } else {
            self.begin_leaving();
        }
    }

    fn begin_leaving(&self) {
        if let Some(cancel) = &*self.current() {
            cancel.cancel();
        }
        self.break_editor.store(true, Ordering::Relaxed);
        if self.leave.is_cancelled() {
            return;
        }
        self.leave.cancel();
        // A thread, because a runtime whose threads are all stuck in a write would not get to it.
        thread::spawn(|| {
            thread::sleep(LEAVE_MAX);
            std::process::exit(Exit::Interrupted.code());
        });
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.interrupts.current() = None;
    }
}
