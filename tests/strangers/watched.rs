//! Runs a command and watches its memory and its time.

use std::{
    io::{Read, Write},
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

/// How long anything may take before a test gives up; not how long it is expected to take.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The exit code, or none after a signal.
    pub(crate) exit: Option<i32>,
    /// The most memory that was seen resident.
    pub(crate) peak_bytes: u64,
    pub(crate) took: Duration,
}

/// Runs the command to its end, or for a minute: then it is killed, and has no exit code.
pub(crate) fn run(mut command: Command, stdin: &str) -> Watched {
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let (mut input, text) = (child.stdin.take().unwrap(), stdin.to_owned());
    // The program may end before it has read everything.
    let writing = thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let mut peak_bytes = 0;
    let status = loop {
        peak_bytes = peak_bytes.max(resident_peak(&child).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > TIMEOUT {
            child.kill().unwrap();
        }
        thread::park_timeout(Duration::from_millis(2));
    };
    writing.join().unwrap();
    Watched {
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        exit: status.code(),
        peak_bytes,
        took: began.elapsed(),
    }
}

fn collect(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

/// The most memory that the process has had resident so far, as the system counts it. The code of a debug build alone has
/// 75 MiB, so there the pages of mapped files, which the system can drop at any time, do not count.
pub(crate) fn resident_peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let bytes = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field))?;
        Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
    };
    let files = if cfg!(debug_assertions) { bytes("RssFile:")? } else { 0 };
    Some(bytes("VmHWM:")?.saturating_sub(files))
}
