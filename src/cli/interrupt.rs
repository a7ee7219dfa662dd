//! Ctrl-C stops the turn of a session, not the program; a second one leaves. In a command that does one thing, the
//! first one leaves. SIGTERM leaves at once.
//!
//! One rule holds whatever the program is doing: a thread that does nothing else hears the signal, and what has not
//! answered after [`ANSWER_WAIT_MAX`] is ended with the process. Packages, schemas and plans of strangers may therefore
//! keep any other thread busy. Nothing is lost: a turn is one transaction, and the journal holds its finished steps.
//!
//! A line editor that is reading gets Ctrl-C as a key, not as a signal; see `lines.rs`.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tokio::{runtime, signal};
use tokio_util::sync::CancellationToken;

use super::{error::CliError, exit::Exit, screen::SharedScreen};
use crate::ui::{Look, Out, Tone, note};

/// How long stopping or leaving may take before the process ends whatever it is doing: a person who pressed Ctrl-C waits
/// a second at most.
const ANSWER_WAIT_MAX: Duration = Duration::from_millis(800);

/// Longest wait after a request to end (SIGTERM). No person waits for it, so the turn has longer to close in order.
const TERMINATE_WAIT_MAX: Duration = Duration::from_secs(4);

/// How long the note that a turn is being stopped may hold that up.
const NOTICE_WAIT_MAX: Duration = Duration::from_millis(100);

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
    /// True if the program goes on after a turn was stopped.
    is_session: bool,
    look: Look,
}

struct CancellableTurn {
    /// Counts the turns.
    turn_no: u64,
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

/// The command that answers signals, once there is one.
static LISTENING: Mutex<Option<Interrupts>> = Mutex::new(None);

/// Hears signals from here on; they no longer kill the process by themselves. Until a command listens, each ends the
/// process at once.
///
/// A thread of its own receives them: a thread without other work is never stuck in a write to a reader that does not
/// read, nor in the package of a stranger.
pub(super) fn hear_signals() -> Result<(), CliError> {
    let failed = |why| CliError::Terminal { action: "listen for Ctrl-C", why };
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut signals = {
        let _within = runtime.enter();
        Signals::open().map_err(failed)?
    };
    let spawned = thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            while let Some(received) = signals.next().await {
                let listening = lock(&LISTENING).clone();
                match (listening, received) {
                    (Some(command), ExitSignal::Interrupt) => command.on_interrupt(),
                    (Some(command), ExitSignal::Terminate) => {
                        command.begin_exit(TERMINATE_WAIT_MAX);
                    }
                    (None, _) => std::process::exit(Exit::Interrupted.code()),
                }
            }
        });
    });
    spawned.map(drop).map_err(failed)
}

impl Interrupts {
    /// A signal is this command's business from here on.
    pub(super) fn listen(look: Look) -> Interrupts {
        Interrupts::listen_as(look, false)
    }

    /// Like [`Interrupts::listen`] for a session, which goes on after a turn was stopped.
    pub(super) fn listen_in_session(look: Look) -> Interrupts {
        Interrupts::listen_as(look, true)
    }

    fn listen_as(look: Look, is_session: bool) -> Interrupts {
        let interrupts = Interrupts {
            turn: Arc::default(),
            lease: Arc::default(),
            exit: CancellationToken::new(),
            break_editor: Arc::default(),
            is_session,
            look,
        };
        *lock(&LISTENING) = Some(interrupts.clone());
        interrupts
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
        static TURNS: AtomicU64 = AtomicU64::new(0);
        let (cancel, turn_no) = (CancellationToken::new(), TURNS.fetch_add(1, Ordering::Relaxed));
        *self.current() = Some(CancellableTurn { turn_no, cancel: cancel.clone(), screen });
        TurnGuard { interrupts: self, cancel }
    }

    /// Stops the turn, if there is one: the meaning of Ctrl-C where it is a key and not a signal.
    pub(super) fn stop_turn(&self) {
        if let Some(turn_no) = self.cancel_turn() {
            self.await_answer(turn_no);
        }
    }

    /// Returns the turn that was running.
    fn cancel_turn(&self) -> Option<u64> {
        let current = self.current();
        let turn = current.as_ref().filter(|turn| !turn.cancel.is_cancelled())?;
        turn.cancel.cancel();
        Some(turn.turn_no)
    }

    /// Ends the process if the turn has not ended in time; a command that does one thing ends with its turn.
    fn await_answer(&self, turn_no: u64) {
        let this = self.clone();
        thread::spawn(move || {
            thread::sleep(ANSWER_WAIT_MAX);
            let is_still_running =
                this.current().as_ref().is_some_and(|turn| turn.turn_no == turn_no);
            if is_still_running || !this.is_session {
                std::process::exit(Exit::Interrupted.code());
            }
        });
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
        let Some(screen) = stopped else { return self.begin_exit(ANSWER_WAIT_MAX) };
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

    /// Leaves, and ends the process after `wait_max` whatever it is doing.
    fn begin_exit(&self, wait_max: Duration) {
        self.cancel_turn();
        self.break_editor.store(true, Ordering::Relaxed);
        self.exit.cancel();
        // A thread, because a runtime whose threads are all stuck in a write would not get to it.
        thread::spawn(move || {
            thread::sleep(wait_max);
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
