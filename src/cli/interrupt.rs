//! Ctrl-C stops the turn, not the program; a second one leaves. SIGTERM leaves at once.
//!
//! A line editor that is reading gets Ctrl-C as a key, not as a signal; see `lines.rs`.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tokio::{runtime, signal};
use tokio_util::sync::CancellationToken;

use super::{error::CliError, exit::Exit, screen::SharedScreen};
use crate::ui::{Look, Out, Tone, note};

/// How long leaving may take before the process ends whatever it is doing. A second Ctrl-C leaves
/// within 5 s; a turn is one transaction, so nothing is lost by not waiting for its end.
const EXIT_WAIT_MAX: Duration = Duration::from_secs(4);

/// How long the note that a turn is being stopped may hold that up.
const NOTICE_WAIT_MAX: Duration = Duration::from_millis(200);

/// A Ctrl-C this soon after a child returned the terminal was meant for the child: both processes get the
/// signal, and on a busy machine ours may arrive later.
const ECHO_MAX: Duration = Duration::from_millis(250);

const STOPPING: &str = "stopping; Ctrl-C again leaves at once";

/// What a signal stops at this moment.
#[derive(Clone)]
pub(super) struct Interrupts {
    /// The turn that the first Ctrl-C stops.
    turn: Arc<Mutex<Option<CancellableTurn>>>,
    /// Says if a child process has the terminal; then Ctrl-C is meant for it.
    lease: Arc<Mutex<TerminalLease>>,
    exit: CancellationToken,
    /// Makes a line editor give the terminal back.
    break_editor: Arc<AtomicBool>,
    look: Look,
}

struct CancellableTurn {
    cancel: CancellationToken,
    /// The screen that announces the interrupt, if there is one.
    screen: Option<SharedScreen>,
}

/// Ownership of the terminal.
#[derive(Default)]
struct TerminalLease {
    is_active: bool,
    /// Time at which the child returned it.
    ended: Option<Instant>,
}

/// Lends the terminal to a child process until it is dropped.
pub(super) struct TerminalLeaseGuard(Arc<Mutex<TerminalLease>>);

/// A turn that Ctrl-C can stop, for as long as this is alive.
pub(super) struct TurnGuard<'a> {
    interrupts: &'a Interrupts,
    /// Cancelled by the first Ctrl-C.
    pub(super) cancel: CancellationToken,
}

/// One signal.
enum ExitSignal {
    Interrupt,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such signal there"))]
    Terminate,
}

#[cfg(unix)]
struct Signals {
    interrupt: signal::unix::Signal,
    terminate: signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn open() -> io::Result<Signals> {
        use signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Signals { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    async fn next(&mut self) -> Option<ExitSignal> {
        tokio::select! {
            received = self.interrupt.recv() => received.map(|()| ExitSignal::Interrupt),
            received = self.terminate.recv() => received.map(|()| ExitSignal::Terminate),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn open() -> io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> Option<ExitSignal> {
        signal::ctrl_c().await.ok().map(|()| ExitSignal::Interrupt)
    }
}

impl Interrupts {
    /// Handles signals from here on; they no longer kill the process by themselves.
    ///
    /// A thread of its own receives them: a thread without other work is never stuck in a write to a reader
    /// that does not read.
    pub(super) fn listen(look: Look) -> Result<Interrupts, CliError> {
        let failed = |why| CliError::Terminal { action: "listen for Ctrl-C", why };
        let interrupts = Interrupts {
            turn: Arc::default(),
            lease: Arc::default(),
            exit: CancellationToken::new(),
            break_editor: Arc::default(),
            look,
        };
        let runtime =
            runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let mut signals = {
            let _within = runtime.enter();
            Signals::open().map_err(failed)?
        };
        let this = interrupts.clone();
        let spawned = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            runtime.block_on(async {
                while let Some(received) = signals.next().await {
                    match received {
                        ExitSignal::Interrupt => this.on_interrupt(),
                        ExitSignal::Terminate => this.begin_exit(),
                    }
                }
            });
        });
        spawned.map_err(failed)?;
        Ok(interrupts)
    }

    /// Cancelled when the program is to end.
    pub(super) fn exit_token(&self) -> &CancellationToken {
        &self.exit
    }

    /// Set when a line editor must return.
    pub(super) fn break_editor(&self) -> &Arc<AtomicBool> {
        &self.break_editor
    }

    /// The turn that the next Ctrl-C stops, and the screen it is played on.
    pub(super) fn begin_turn(&self, screen: Option<SharedScreen>) -> TurnGuard<'_> {
        let cancel = CancellationToken::new();
        *self.current() = Some(CancellableTurn { cancel: cancel.clone(), screen });
        TurnGuard { interrupts: self, cancel }
    }

    /// Stops the turn, if there is one: the meaning of Ctrl-C where it is a key and not a signal.
    pub(super) fn stop_turn(&self) {
        if let Some(turn) = &*self.current() {
            turn.cancel.cancel();
        }
    }

    /// Another program has the terminal, such as the player's editor: Ctrl-C is its business.
    pub(super) fn lease_terminal(&self) -> TerminalLeaseGuard {
        *lock(&self.lease) = TerminalLease { is_active: true, ended: None };
        TerminalLeaseGuard(self.lease.clone())
    }

    fn current(&self) -> MutexGuard<'_, Option<CancellableTurn>> {
        lock(&self.turn)
    }

    fn on_interrupt(&self) {
        let was_meant_for_us = {
            let loan = lock(&self.lease);
            !loan.is_active && loan.ended.is_none_or(|ended| ended.elapsed() > ECHO_MAX)
        };
        if !was_meant_for_us {
            return;
        }
        let stopped = match &*self.current() {
            Some(turn) if !turn.cancel.is_cancelled() => Some(turn.screen.clone()),
            _ => None,
        };
        let Some(screen) = stopped else { return self.begin_exit() };
        // The note comes before the cancel, so that the turn's own last words follow it. A reader that does not
        // read blocks only the note's thread, and the cancel only for a moment.
        let (done, wait) = mpsc::channel();
        let look = self.look;
        thread::spawn(move || {
            if !screen.is_some_and(|screen| screen.interject(Tone::Notice, "note", STOPPING)) {
                note(&mut Out::stderr(look), Tone::Notice, "note", STOPPING);
            }
            // The receiver is gone if this took too long.
            let _ = done.send(());
        });
        let _ = wait.recv_timeout(NOTICE_WAIT_MAX);
        self.stop_turn();
    }

    fn begin_exit(&self) {
        self.stop_turn();
        self.break_editor.store(true, Ordering::Relaxed);
        if self.exit.is_cancelled() {
            return;
        }
        self.exit.cancel();
        // A thread, because a runtime whose threads are all stuck in a write would not get to it.
        thread::spawn(|| {
            thread::sleep(EXIT_WAIT_MAX);
            std::process::exit(Exit::Interrupted.code());
        });
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for TerminalLeaseGuard {
    fn drop(&mut self) {
        *lock(&self.0) = TerminalLease { is_active: false, ended: Some(Instant::now()) };
    }
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        *self.interrupts.current() = None;
    }
}
