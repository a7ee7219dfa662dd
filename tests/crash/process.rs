//! A process that is killed at a moment that nobody chose.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// How long anything may take before a test gives up; not how long it is expected to take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Chance from a printed seed (SplitMix64).
pub(crate) struct KillRng(u64);

/// A process and what it says on stderr.
pub(crate) struct KillableProcess {
    child: Child,
    news: Receiver<String>,
    said: String,
    started: Instant,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct ProcessEnd {
    /// None when it was killed.
    pub(crate) exit: Option<i32>,
    pub(crate) said: String,
}

impl KillRng {
    pub(crate) fn new(seed: u64) -> KillRng {
        KillRng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Any moment of it.
    pub(crate) fn moment(&mut self, of: Duration) -> Duration {
        let nanos = u64::try_from(of.as_nanos()).unwrap();
        Duration::from_nanos(self.below(nanos.max(1)))
    }
}

impl KillableProcess {
    /// `line` is all that it can read on stdin.
    pub(crate) fn start(mut command: Command, line: &str) -> KillableProcess {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        // One that is gone already does not read it.
        let _ = child.stdin.take().unwrap().write_all(line.as_bytes());
        let (tell, news) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut stdout = child.stdout.take().unwrap();
        thread::spawn(move || stdout.read_to_end(&mut Vec::new()));
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        KillableProcess { child, news, said: String::new(), started }
    }

    /// Waits for a line with these words. False when the process ended before it said them.
    pub(crate) fn says(&mut self, words: &str) -> bool {
        loop {
            match self.hear(PATIENCE) {
                Ok(line) if line.contains(words) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("no `{words}` in {}", self.said),
            }
        }
    }

    /// Kills it after `delay`, unless it has ended by itself by then.
    pub(crate) fn killed_after(mut self, delay: Duration) -> ProcessEnd {
        let until = Instant::now() + delay;
        while self.hear(until.saturating_duration_since(Instant::now()))
            != Err(RecvTimeoutError::Timeout)
        {
            if self.child.try_wait().unwrap().is_some() {
                break;
            }
        }
        // SIGKILL. Fails only when it is gone already.
        let _ = self.child.kill();
        self.reaped()
    }

    /// Lets it end by itself; also how long it took.
    pub(crate) fn ended(mut self) -> (ProcessEnd, Duration) {
        loop {
            match self.hear(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.said),
            }
        }
        let started = self.started;
        (self.reaped(), started.elapsed())
    }

    /// When it was started.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    fn hear(&mut self, patience: Duration) -> Result<String, RecvTimeoutError> {
        let line = self.news.recv_timeout(patience)?;
        self.said += &line;
        self.said.push('\n');
        Ok(line)
    }

    fn reaped(mut self) -> ProcessEnd {
        let exit = self.child.wait().unwrap().code();
        self.said.extend(self.news.try_iter().map(|line| line + "\n"));
        ProcessEnd { exit, said: std::mem::take(&mut self.said) }
    }
}

/// A test that fails leaves nobody behind.
impl Drop for KillableProcess {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
