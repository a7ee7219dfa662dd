//! A process that is killed at a random moment.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use narratoria_sdk::Rng;

/// How long a test waits before it fails; much longer than anything is expected to take.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Random numbers from a printed seed.
pub(crate) struct KillRng(Rng);

/// A process and its lines on stderr.
pub(crate) struct KillableProcess {
    child: Child,
    lines: Receiver<String>,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: String,
    started: Instant,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct ProcessEnd {
    /// `None` when it was killed.
    pub(crate) exit: Option<i32>,
    pub(crate) stderr: String,
    /// The output so far; the last line may be incomplete.
    pub(crate) stdout: String,
}

impl KillRng {
    pub(crate) fn new(seed: u64) -> KillRng {
        KillRng(Rng::new(seed))
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    /// A random part of the duration.
    pub(crate) fn moment(&mut self, duration: Duration) -> Duration {
        let nanos = u64::try_from(duration.as_nanos()).unwrap();
        Duration::from_nanos(self.below(nanos.max(1)))
    }
}

impl KillableProcess {
    /// `line` is its whole stdin.
    pub(crate) fn start(mut command: Command, line: &str) -> KillableProcess {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        // One that is gone already does not read it.
        let _ = child.stdin.take().unwrap().write_all(line.as_bytes());
        let (sender, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut stdout = child.stdout.take().unwrap();
        let stdout = thread::spawn(move || {
            let mut all = Vec::new();
            // The output before an error counts.
            let _ = stdout.read_to_end(&mut all);
            all
        });
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        KillableProcess { child, lines, stdout: Some(stdout), stderr: String::new(), started }
    }

    /// Waits for a line with these words. Returns false if the process ends without such a line.
    pub(crate) fn wait_for(&mut self, words: &str) -> bool {
        loop {
            match self.next_line(WAIT_MAX) {
                Ok(line) if line.contains(words) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("no `{words}` in {}", self.stderr),
            }
        }
    }

    /// Kills the process after `delay`, unless it has ended by itself.
    pub(crate) fn kill_after(mut self, delay: Duration) -> ProcessEnd {
        let until = Instant::now() + delay;
        while self.next_line(until.saturating_duration_since(Instant::now()))
            != Err(RecvTimeoutError::Timeout)
        {
            if self.child.try_wait().unwrap().is_some() {
                break;
            }
        }
        // SIGKILL. Fails only if the process has ended already.
        let _ = self.child.kill();
        self.reap()
    }

    /// Waits for the end of the process. Also returns how long it ran.
    pub(crate) fn wait(mut self) -> (ProcessEnd, Duration) {
        loop {
            match self.next_line(WAIT_MAX) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.stderr),
            }
        }
        let started = self.started;
        (self.reap(), started.elapsed())
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    fn next_line(&mut self, timeout: Duration) -> Result<String, RecvTimeoutError> {
        let line = self.lines.recv_timeout(timeout)?;
        self.stderr += &line;
        self.stderr.push('\n');
        Ok(line)
    }

    fn reap(mut self) -> ProcessEnd {
        let exit = self.child.wait().unwrap().code();
        self.stderr.extend(self.lines.try_iter().map(|line| line + "\n"));
        let stdout = self.stdout.take().and_then(|it| it.join().ok()).unwrap_or_default();
        let stdout = String::from_utf8_lossy(&stdout).into_owned();
        ProcessEnd { exit, stderr: std::mem::take(&mut self.stderr), stdout }
    }
}

/// A failing test must leave no process behind.
impl Drop for KillableProcess {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
