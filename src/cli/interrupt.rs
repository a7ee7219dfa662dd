//! The ways out (S0 §6). A running script gets its grace, five seconds by default, whatever asks it to stop.
//!
//! | signal | in a session | elsewhere |
//! |---|---|---|
//! | first Ctrl-C | the turn stops, scripts get their grace, the session goes on | the command ends within a second |
//! | Ctrl-C again | the program ends within a second | the same |
//! | SIGTERM, SIGHUP | the turn stops, scripts get their grace, the story is closed | scripts get their grace |
//! | a second one of these | the program ends within a second | the same |
//!
//! One rule holds at any time: a thread with no other work receives the signals, and ends the process if the program
//! has not answered [`ANSWER_WAIT_MAX`] after its time. Only running steps have a grace, so a package that keeps the
//! host busy in any other way is ended within a second. Untrusted packages, schemas and plans may therefore block every
//! other thread. Nothing is lost: a turn is one transaction, and the journal holds its finished steps.
//!
//! A line editor that is reading gets Ctrl-C as a key, not as a signal; see `line_source.rs`.

use std::{
    collections::BTreeSet,
    io,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use narratoria_engine::{StepEvent, StepUpdate};
use narratoria_executor::SHUTDOWN_GRACE;
use narratoria_protocol::millis;
use tokio::{runtime, signal};
use tokio_util::sync::CancellationToken;

use super::{error::CliError, exit::Exit, screen::SharedScreen};
use narratoria_ui::{Look, Out, Tone, note, restore_echo};

/// How long stopping or leaving may take before the process ends whatever it is doing: a person who pressed Ctrl-C waits
/// a second at most.
const ANSWER_WAIT_MAX: Duration = Duration::from_millis(800);

/// How long scripts may go on after a Ctrl-C that ends the program: a person waits.
const HURRIED_GRACE: Duration = Duration::from_millis(250);

/// How long the note that a turn is being stopped may hold that up.
const NOTICE_WAIT_MAX: Duration = Duration::from_millis(100);

/// A Ctrl-C this soon after a child returned the terminal was meant for the child: both processes get the
/// signal, and on a busy machine this process's may arrive later.
const ECHO_MAX: Duration = Duration::from_millis(250);

const STOPPING: &str = "stopping; Ctrl-C again leaves at once";

/// How long scripts may go on after a stop, in milliseconds.
static GRACE_MS: AtomicU64 = AtomicU64::new(SHUTDOWN_GRACE.as_millis() as u64);

/// Cancelled when scripts get no more time, because the program ends. Signals go to the whole process, so this is
/// global.
static GRACE_CUT: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);

/// The work that a signal stops at this moment.
#[derive(Clone)]
pub(super) struct Interrupts {
    /// The turn that the first Ctrl-C stops.
    turn: Arc<Mutex<Option<CancellableTurn>>>,
    /// Says if a child process has the terminal; then Ctrl-C is meant for it.
    lease: Arc<Mutex<TerminalLease>>,
    exit: CancellationToken,
    /// True after a request to end: the program leaves once its turn has ended.
    is_leaving: Arc<AtomicBool>,
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
    /// The steps that run.
    steps: RunningSteps,
}

/// The steps of a turn that run at this moment. Clones share them.
#[derive(Clone, Default)]
pub(super) struct RunningSteps(Arc<Mutex<BTreeSet<String>>>);

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
    /// SIGTERM, or SIGHUP: the terminal is gone.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such signal there"))]
    Terminate,
}

#[cfg(unix)]
struct Signals {
    interrupt: signal::unix::Signal,
    terminate: signal::unix::Signal,
    /// `None` if the parent ignores this signal, as `nohup` does.
    hangup: Option<signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn open() -> io::Result<Signals> {
        use signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        let hangup = (!is_hangup_ignored()).then(|| signal(SignalKind::hangup())).transpose()?;
        Ok(Signals { interrupt: signal(interrupt)?, terminate: signal(terminate)?, hangup })
    }

    async fn next(&mut self) -> Option<ExitSignal> {
        tokio::select! {
            received = self.interrupt.recv() => received.map(|()| ExitSignal::Interrupt),
            received = self.terminate.recv() => received.map(|()| ExitSignal::Terminate),
            received = recv(&mut self.hangup) => received.map(|()| ExitSignal::Terminate),
        }
    }
}

/// Waits for the signal; never returns if there is none to wait for.
#[cfg(unix)]
async fn recv(signal: &mut Option<signal::unix::Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Returns true if the parent ignores SIGHUP. Linux reports that; other systems do not.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // SIGHUP is signal 1, the lowest bit.
    mask & 1 == 1
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

/// Handles signals from now on; they no longer kill the process by themselves. Until a command listens, each ends the
/// process at once.
///
/// A thread of its own receives them: a thread without other work is never blocked by a write to a reader that does not
/// read, or by an untrusted package.
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
                    (Some(command), ExitSignal::Terminate) => command.on_terminate(),
                    (None, _) => exit_now(),
                }
            }
        });
    });
    spawned.map(drop).map_err(failed)
}

impl Interrupts {
    /// Has this command answer signals from now on.
    pub(super) fn listen(look: Look) -> Interrupts {
        Interrupts::listen_as(look, false)
    }

    /// Like [`Interrupts::listen`] for a session, which goes on after a turn was stopped.
    pub(super) fn listen_in_session(look: Look) -> Interrupts {
        Interrupts::listen_as(look, true)
    }

    fn listen_as(look: Look, is_session: bool) -> Interrupts {
        let interrupts = Interrupts { is_session, look, ..Interrupts::unheard() };
        *lock(&LISTENING) = Some(interrupts.clone());
        interrupts
    }

    /// For one of many plays in a process: a signal is meant for the command that has them all.
    pub(super) fn unheard() -> Interrupts {
        Interrupts {
            turn: Arc::default(),
            lease: Arc::default(),
            exit: CancellationToken::new(),
            is_leaving: Arc::default(),
            break_editor: Arc::default(),
            is_session: true,
            look: Look::default(),
        }
    }

    /// Stops the turn, if one runs; its scripts get their grace, and the process goes on.
    pub(super) fn stop_only_turn(&self) {
        self.cancel_turn();
    }

    /// Makes the command return once its turn has ended.
    pub(super) fn leave_after_turn(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
        if self.current().is_none() {
            self.leave();
        }
    }

    /// Cancelled when the program is to end.
    pub(super) fn exit_token(&self) -> &CancellationToken {
        &self.exit
    }

    /// Set when a line editor must return.
    pub(super) fn break_editor(&self) -> &Arc<AtomicBool> {
        &self.break_editor
    }

    /// Makes this the turn that the next Ctrl-C stops, with the screen on which it is played.
    pub(super) fn begin_turn(&self, screen: Option<SharedScreen>) -> TurnGuard<'_> {
        static TURNS: AtomicU64 = AtomicU64::new(0);
        let (cancel, turn_no) = (CancellationToken::new(), TURNS.fetch_add(1, Ordering::Relaxed));
        let steps = RunningSteps::default();
        let mut current = self.current();
        if self.is_leaving.load(Ordering::Relaxed) {
            cancel.cancel();
        }
        *current = Some(CancellableTurn { turn_no, cancel: cancel.clone(), screen, steps });
        drop(current);
        TurnGuard { interrupts: self, cancel }
    }

    /// Stops the turn, if one runs. A line editor calls this, to which Ctrl-C is a key and not a signal.
    pub(super) fn stop_turn(&self) {
        let Some((turn_no, has_steps)) = self.cancel_turn() else { return };
        if !self.is_session {
            cut_grace_after(HURRIED_GRACE);
        }
        let grace = if self.is_session && has_steps { grace() } else { Duration::ZERO };
        self.await_answer(turn_no, grace + ANSWER_WAIT_MAX);
    }

    /// Returns the turn that was running, and true if a step of it ran.
    fn cancel_turn(&self) -> Option<(u64, bool)> {
        let current = self.current();
        let turn = current.as_ref().filter(|turn| !turn.cancel.is_cancelled())?;
        let has_steps = !lock(&turn.steps.0).is_empty();
        turn.cancel.cancel();
        Some((turn.turn_no, has_steps))
    }

    /// Ends the process if the turn has not ended in time; a command that does one thing ends with its turn.
    fn await_answer(&self, turn_no: u64, wait_max: Duration) {
        let this = self.clone();
        thread::spawn(move || {
            thread::sleep(wait_max);
            let is_still_running =
                this.current().as_ref().is_some_and(|turn| turn.turn_no == turn_no);
            if is_still_running || !this.is_session {
                exit_now();
            }
        });
    }

    /// Leaves Ctrl-C to another program that has the terminal, such as the player's editor.
    pub(super) fn lease_terminal(&self) -> TerminalLeaseGuard {
        *lock(&self.lease) = TerminalLease { is_active: true, ended: None };
        TerminalLeaseGuard(self.lease.clone())
    }

    fn current(&self) -> MutexGuard<'_, Option<CancellableTurn>> {
        lock(&self.turn)
    }

    /// Stops the turn, gives its scripts their grace, and leaves. A second request leaves at once.
    fn on_terminate(&self) {
        if self.is_leaving.swap(true, Ordering::Relaxed) {
            return self.begin_exit();
        }
        match &*self.current() {
            // The program leaves at the end of the turn.
            Some(turn) => turn.cancel.cancel(),
            None => self.leave(),
        }
        let grace = grace();
        cut_grace_after(grace);
        exit_after(grace + ANSWER_WAIT_MAX);
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

    /// Leaves without a wait, and ends the process soon even if a thread is busy.
    fn begin_exit(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
        self.cancel_turn();
        GRACE_CUT.cancel();
        self.leave();
        exit_after(ANSWER_WAIT_MAX);
    }

    /// Makes the command return.
    fn leave(&self) {
        self.break_editor.store(true, Ordering::Relaxed);
        self.exit.cancel();
    }
}

impl RunningSteps {
    /// Records the beginning or the end of a step.
    pub(super) fn observe(&self, update: &StepUpdate) {
        match update.event {
            StepEvent::Started { .. } => _ = lock(&self.0).insert(update.tool_id.clone()),
            StepEvent::Finished { .. } => _ = lock(&self.0).remove(&update.tool_id),
            _ => {}
        }
    }
}

impl TurnGuard<'_> {
    /// Ends once the turn was stopped and its scripts have had their time.
    pub(super) async fn grace_over(&self) {
        self.cancel.cancelled().await;
        tokio::select! {
            () = GRACE_CUT.cancelled() => {}
            () = tokio::time::sleep(grace()) => {}
        }
    }
}

/// The steps of the turn that runs now.
pub(super) fn running_steps() -> RunningSteps {
    let listening = lock(&LISTENING);
    let current = listening.as_ref().map(Interrupts::current);
    current.and_then(|turn| Some(turn.as_ref()?.steps.clone())).unwrap_or_default()
}

/// Sets how long scripts may go on after a stop.
pub(super) fn set_grace(grace: Duration) {
    GRACE_MS.store(millis(grace), Ordering::Relaxed);
}

/// Cancelled when scripts get no more time, because the program ends.
pub(super) fn grace_cut() -> CancellationToken {
    GRACE_CUT.clone()
}

fn grace() -> Duration {
    Duration::from_millis(GRACE_MS.load(Ordering::Relaxed))
}

/// Ends the process at once, and leaves the terminal as it was.
fn exit_now() -> ! {
    restore_echo();
    std::process::exit(Exit::Interrupted.code())
}

/// Ends the time of scripts after this wait.
fn cut_grace_after(wait: Duration) {
    thread::spawn(move || {
        thread::sleep(wait);
        GRACE_CUT.cancel();
    });
}

/// Ends the process after this wait. Uses a thread, because a runtime whose threads all block in a write would not run
/// a task.
fn exit_after(wait: Duration) {
    thread::spawn(move || {
        thread::sleep(wait);
        exit_now();
    });
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
        let mut current = self.interrupts.current();
        *current = None;
        if self.interrupts.is_leaving.load(Ordering::Relaxed) {
            self.interrupts.leave();
        }
    }
}
