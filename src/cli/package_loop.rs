//! Watches one package while its author works on it, and works on it again after each change, on a thread of its own.
//!
//! It polls the files instead of asking the system for events, as play does for all packages: a poll takes less than
//! a millisecond, works on network folders and in containers, misses nothing, and a line of a pipe can wait for one.

use std::{
    path::PathBuf,
    pin::pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use narratoria_kit::{SourceFingerprint, source_fingerprint};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use narratoria_ui::{Out, PromptStatus, StatusTopic, Tone, note};

/// How often the files are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// How long the files must not change before the work begins: an editor may write several.
const QUIET_PERIOD: Duration = Duration::from_millis(40);
/// The longest wait for that.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of one round of work.
#[derive(Debug, Clone, Default)]
pub(super) struct PackageRound {
    /// Lines for the author: the tone, a word, and the text after it.
    pub(super) news: Vec<(Tone, &'static str, String)>,
    pub(super) is_ok: bool,
}

/// What the scripts of the package have written to stderr in play, for their author.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrLines(Arc<Mutex<Vec<String>>>);

/// Lines that wait to be printed. More come only from a script that writes without end.
const STDERR_LINES_MAX: usize = 200;

impl StderrLines {
    /// Adds the lines that a script has written; the first ones are kept.
    pub(super) fn push(&self, tool_path: &str, text: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = STDERR_LINES_MAX.saturating_sub(lines.len());
        let new = text.lines().filter(|line| !line.trim().is_empty()).take(room);
        lines.extend(new.map(|line| format!("{tool_path}: {line}")));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The work after a change.
pub(super) type PackageWork = Box<dyn FnMut() -> PackageRound + Send>;

/// The package that is watched. Dropping this ends the work.
pub(super) struct PackageLoop {
    shared: Arc<PackageLoopShared>,
    cancel: CancellationToken,
    stderr: StderrLines,
}

struct PackageLoopShared {
    folder: PathBuf,
    state: Mutex<PackageLoopState>,
    wake: Condvar,
    done: Notify,
    status: PromptStatus,
}

#[derive(Default)]
struct PackageLoopState {
    /// The number of requested looks, and of those that are done.
    requested: u64,
    finished: u64,
    is_closed: bool,
    last: PackageRound,
}

impl PackageLoop {
    /// Starts with a first round. `cancel` stops the work in progress.
    pub(super) fn start(
        folder: PathBuf,
        status: PromptStatus,
        cancel: CancellationToken,
        work: PackageWork,
    ) -> std::io::Result<PackageLoop> {
        let shared = Arc::new(PackageLoopShared {
            folder,
            state: Mutex::default(),
            wake: Condvar::new(),
            done: Notify::new(),
            status,
        });
        let this = Arc::clone(&shared);
        thread::Builder::new().name("package".to_owned()).spawn(move || this.run(work))?;
        Ok(PackageLoop { shared, cancel, stderr: StderrLines::default() })
    }

    /// Prints these lines with the news.
    pub(super) fn with_stderr(mut self, stderr: StderrLines) -> PackageLoop {
        self.stderr = stderr;
        self
    }

    /// Waits until the files as they are now have been worked on.
    pub(super) async fn settle(&self) {
        let request = {
            let mut state = self.shared.lock();
            state.requested += 1;
            state.requested
        };
        self.shared.wake.notify_all();
        loop {
            let mut done = pin!(self.shared.done.notified());
            done.as_mut().enable();
            if self.shared.lock().finished >= request {
                return;
            }
            done.await;
        }
    }

    /// Prints the news since the last call.
    pub(super) fn report(&self, err: &mut Out) {
        let news = std::mem::take(&mut self.shared.lock().last.news);
        for line in self.stderr.take() {
            note(err, Tone::Notice, "stderr", &line);
        }
        for (tone, word, text) in news {
            note(err, tone, word, &text);
        }
    }

    /// True if the last round found nothing wrong.
    pub(super) fn is_ok(&self) -> bool {
        self.shared.lock().last.is_ok
    }
}

impl Drop for PackageLoop {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_all();
    }
}

impl PackageLoopShared {
    fn lock(&self) -> MutexGuard<'_, PackageLoopState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, mut work: PackageWork) {
        let mut seen = None;
        while let Some(request) = self.await_request() {
            let now = self.look();
            if seen != Some(now) {
                self.status.set(StatusTopic::Package, "building");
                let now = self.await_quiet(now);
                let round = work();
                let words = if round.is_ok { "built" } else { "not ok: Enter shows it" };
                self.status.set(StatusTopic::Package, words);
                // Files that were written meanwhile are checked again.
                seen = Some(now);
                let mut state = self.lock();
                let news = std::mem::take(&mut state.last.news);
                state.last = round;
                state.last.news.splice(0..0, news);
            }
            let mut state = self.lock();
            // A request during the work may be about a later change.
            if seen == Some(self.look()) {
                state.finished = state.finished.max(request);
            }
            drop(state);
            self.done.notify_waiters();
        }
    }

    /// The number of the last request, at once or after the interval; `None` when the loop is dropped.
    fn await_request(&self) -> Option<u64> {
        let state = self.lock();
        let waits =
            |state: &mut PackageLoopState| !state.is_closed && state.requested == state.finished;
        let waited = self.wake.wait_timeout_while(state, LOOK_INTERVAL, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!state.is_closed).then_some(state.requested)
    }

    fn look(&self) -> SourceFingerprint {
        source_fingerprint(&self.folder)
    }

    fn await_quiet(&self, mut seen: SourceFingerprint) -> SourceFingerprint {
        let deadline = Instant::now() + QUIET_TIMEOUT;
        loop {
            thread::sleep(QUIET_PERIOD);
            let now = self.look();
            if now == seen || Instant::now() > deadline {
                return now;
            }
            seen = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[tokio::test]
    async fn a_line_waits_for_the_work_on_the_files_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (file, rounds) = (dir.path().join("skill.json"), Arc::new(AtomicUsize::new(0)));
        fs::write(&file, "0").unwrap();
        let (path, count) = (file.clone(), Arc::clone(&rounds));
        let work = move || {
            count.fetch_add(1, Ordering::SeqCst);
            let text = fs::read_to_string(&path).unwrap();
            PackageRound { is_ok: text != "2", news: vec![(Tone::Notice, "built", text)] }
        };
        let (status, cancel) = (PromptStatus::default(), CancellationToken::new());
        let package =
            PackageLoop::start(dir.path().to_owned(), status, cancel.clone(), Box::new(work))
                .unwrap();
        for text in ["0", "1", "22", "2"] {
            fs::write(&file, text).unwrap();
            package.settle().await;
            let last = package.shared.lock().last.news.pop().unwrap();
            assert_eq!((last.2.as_str(), package.is_ok()), (text, text != "2"));
        }
        let before = rounds.load(Ordering::SeqCst);
        package.settle().await;
        assert_eq!(rounds.load(Ordering::SeqCst), before, "nothing changed, nothing is done");
        drop(package);
        assert!(cancel.is_cancelled());
    }
}
