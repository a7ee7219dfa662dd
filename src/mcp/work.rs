//! The author's tools as processes of their own: what they write is bounded, and so is their time; one that nobody waits for is
//! killed.

use std::{
    io::{self, BufRead as _, BufReader, Read, Write as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use narratoria_protocol::{JsonBounds, read_json, visible::visible_line};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    WorkProcess,
    call_error::CallError,
    limits::{MCP_PROCESS_TIME_MAX, MCP_REPORT_BYTES_MAX},
};

/// Bytes of the notes of a process that are kept, the last ones.
const NOTES_BYTES: usize = 8192;

/// Longest line of the notes.
const NOTE_BYTES: u64 = 2048;

/// How often a process that has closed its output is looked at.
const LOOK_TIME: Duration = Duration::from_millis(10);

/// What a process has written.
struct Finished {
    status: ExitStatus,
    report: Vec<u8>,
    is_cut: bool,
    notes: String,
}

/// Takes each note of a process as it comes.
pub(crate) type NoteSink = Box<dyn FnMut(&str) + Send>;

/// Runs a process to its end, and returns its report.
pub(crate) async fn run(
    process: WorkProcess,
    on_note: NoteSink,
) -> Result<CallToolResult, CallError> {
    let slot = ChildSlot::default();
    let _guard = ChildStopper(slot.clone());
    let (sender, receiver) = oneshot::channel();
    let program = process.program.display().to_string();
    thread::Builder::new()
        .name("work".to_owned())
        .spawn(move || {
            // The receiver is gone if nobody waits.
            let _ = sender.send(work(&process, &slot, on_note));
        })
        .map_err(|error| CallError::failed(error.to_string()))?;
    let finished = match timeout(MCP_PROCESS_TIME_MAX, receiver).await {
        Ok(Ok(finished)) => finished,
        Ok(Err(_)) => return Err(CallError::failed("the process came to no end")),
        Err(_) => {
            let seconds = MCP_PROCESS_TIME_MAX.as_secs();
            return Err(CallError::failed(format!("it takes more than {seconds} s")));
        }
    };
    let finished = finished
        .map_err(|error| CallError::failed(format!("`{program}` cannot be run: {error}")))?;
    result_of(&finished)
}

/// The report with the exit code, or the notes if there is no report.
fn result_of(finished: &Finished) -> Result<CallToolResult, CallError> {
    let Finished { status, report, is_cut, notes } = finished;
    if *is_cut {
        return Err(CallError::failed(format!(
            "the report has more than {MCP_REPORT_BYTES_MAX} bytes"
        ))
        .hint("ask for less at a time"));
    }
    let report = read_report(report);
    let Some(report) = report.filter(|_| status.code().is_some()) else {
        let why = match notes.trim() {
            "" => format!("it has ended without a report ({status})"),
            notes => notes.to_owned(),
        };
        return Ok(CallToolResult::error(vec![ContentBlock::text(why)]));
    };
    let notes: Vec<&str> = notes.lines().collect();
    let document = json!({"exitCode": status.code(), "report": report, "notes": notes});
    let mut result = CallToolResult::success(vec![ContentBlock::text(document.to_string())]);
    result.structured_content = Some(document);
    Ok(result)
}

/// One document, or a list of one a line.
fn read_report(bytes: &[u8]) -> Option<Value> {
    let bounds = JsonBounds::of_bytes(MCP_REPORT_BYTES_MAX);
    if let Ok(document) = read_json(bytes, bounds) {
        return Some(document);
    }
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let lines: Vec<Value> =
        lines.map(|line| read_json(line, bounds)).collect::<Result<_, _>>().ok()?;
    (!lines.is_empty()).then_some(Value::Array(lines))
}

/// The child of a piece of work, shared by the thread that reads it and the call that waits for it.
#[derive(Clone, Default)]
struct ChildSlot(Arc<Mutex<SlotState>>);

#[derive(Default)]
enum SlotState {
    #[default]
    NotStarted,
    Running(Child),
    Stopped,
}

impl ChildSlot {
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the child, unless nobody waits for it any more.
    fn start(&self, command: &mut Command) -> io::Result<ChildPipes> {
        let mut state = self.lock();
        if matches!(*state, SlotState::Stopped) {
            return Err(io::Error::from(io::ErrorKind::Interrupted));
        }
        let mut child = command.spawn()?;
        let pipes = ChildPipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        *state = SlotState::Running(child);
        Ok(pipes)
    }

    /// Waits for the child, and lets others stop it meanwhile.
    fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            if let SlotState::Running(child) = &mut *self.lock()
                && let Some(status) = child.try_wait()?
            {
                return Ok(status);
            }
            thread::sleep(LOOK_TIME);
        }
    }

    /// Kills the child and what it has started, or keeps it from being started.
    fn stop(&self) {
        let mut state = self.lock();
        match &mut *state {
            SlotState::Running(child) => kill(child),
            SlotState::NotStarted | SlotState::Stopped => *state = SlotState::Stopped,
        }
    }
}

/// Stops the child when the call that waits for it has gone.
struct ChildStopper(ChildSlot);

impl Drop for ChildStopper {
    fn drop(&mut self) {
        self.0.stop();
    }
}

struct ChildPipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

/// Kills a child that has not ended.
fn kill(child: &mut Child) {
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Runs the process on this thread.
fn work(process: &WorkProcess, slot: &ChildSlot, on_note: NoteSink) -> io::Result<Finished> {
    let mut command = Command::new(&process.program);
    command
        .args(&process.arguments)
        .envs(process.variables.iter().cloned())
        .current_dir(&process.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A group of its own: Ctrl-C reaches this process alone, and what the child has started ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let ChildPipes { stdin, stdout, stderr } = slot.start(&mut command)?;
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A process that does not read all of it has its reasons.
                let _ = stdin.write_all(&process.input);
            }
        });
        let notes =
            scope.spawn(|| stderr.map(|from| read_notes(from, on_note)).unwrap_or_default());
        let read = stdout.map(read_bounded).transpose();
        if !matches!(read, Ok(Some((_, false)))) {
            slot.stop();
        }
        let status = slot.wait();
        let notes = notes.join().unwrap_or_default();
        let (report, is_cut) = read?.unwrap_or_default();
        Ok(Finished { status: status?, report, is_cut, notes })
    })
}

/// The bytes up to the limit of a report, and whether there are more.
fn read_bounded(from: impl Read) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.take(MCP_REPORT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() > MCP_REPORT_BYTES_MAX;
    Ok((bytes, is_cut))
}

/// The last lines of what a process says beside its report.
fn read_notes(from: impl Read, mut on_note: NoteSink) -> String {
    let (mut from, mut notes) = (BufReader::new(from), String::new());
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(NOTE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return notes,
            Ok(_) => {}
        }
        let line = visible_line(&String::from_utf8_lossy(&line));
        if line.trim().is_empty() {
            continue;
        }
        on_note(line.trim_end());
        notes.push_str(line.trim_end());
        notes.push('\n');
        while notes.len() > NOTES_BYTES {
            let first = notes.find('\n').map_or(notes.len(), |end| end + 1);
            notes.drain(..first);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        sync::{Arc, Mutex},
        time::{Duration, Instant},
    };

    use super::run;
    use crate::{WorkProcess, limits::MCP_REPORT_BYTES_MAX};

    fn shell(script: &str, input: &str) -> WorkProcess {
        WorkProcess {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: "/".into(),
            variables: vec![("PLACE", "north".into())],
            input: input.as_bytes().to_vec(),
        }
    }

    #[expect(clippy::unwrap_used, reason = "only tests call it")]
    async fn result(script: &str, input: &str) -> serde_json::Value {
        let ran = run(shell(script, input), Box::new(|_| {})).await;
        let ran = ran.unwrap_or_else(|error| error.into_result().unwrap());
        serde_json::to_value(ran).unwrap()
    }

    #[tokio::test]
    async fn a_report_is_one_document_or_one_a_line_with_exit_code_and_notes() {
        let ran = result("cat; echo \"to the $PLACE\" >&2; exit 1", "{\"ok\": false}").await;
        assert_eq!(ran["isError"], false);
        let expect = serde_json::json!({
            "exitCode": 1, "report": {"ok": false}, "notes": ["to the north"],
        });
        assert_eq!(ran["structuredContent"], expect);
        let ran = result("echo '{}'; echo '[1]'", "").await;
        assert_eq!(ran["structuredContent"]["report"], serde_json::json!([{}, [1]]));
    }

    #[tokio::test]
    async fn a_process_without_a_report_is_an_error_in_its_own_words() {
        let ran = result("echo 'error: there is no skill' >&2; exit 3", "").await;
        assert_eq!(ran["isError"], true);
        assert_eq!(ran["content"][0]["text"], "error: there is no skill");
        let ran = result("kill -9 $$", "").await;
        assert!(ran["content"][0]["text"].as_str().unwrap().contains("without a report"), "{ran}");
    }

    #[tokio::test]
    async fn a_flood_is_cut_and_its_process_killed() {
        let ran = result("yes; yes >&2", "").await;
        let expect = format!("the report has more than {MCP_REPORT_BYTES_MAX} bytes");
        assert!(ran["content"][0]["text"].as_str().unwrap().contains(&expect), "{ran}");
    }

    #[tokio::test]
    async fn a_process_ends_with_the_call_that_waits_for_it_and_so_do_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("mark");
        let script = format!(
            "echo begun >&2; (while sleep 0.05; do date +%s%N > {0}.new; mv {0}.new {0}; done) & wait",
            mark.display()
        );
        let begun = Arc::new(Mutex::new(None));
        let (sender, receiver) = tokio::sync::oneshot::channel();
        *begun.lock().unwrap() = Some(sender);
        let on_note = Box::new(move |_: &str| {
            if let Some(sender) = begun.lock().unwrap().take() {
                let _: Result<(), ()> = sender.send(());
            }
        });
        tokio::select! {
            ran = run(shell(&script, ""), on_note) => panic!("{ran:?}"),
            begun = receiver => begun.unwrap(),
        }
        // What is killed writes no more.
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut last = std::fs::read(&mark).ok();
        let mut still_since = Instant::now();
        while still_since.elapsed() < Duration::from_millis(600) {
            assert!(Instant::now() < deadline, "a child goes on");
            tokio::time::sleep(Duration::from_millis(20)).await;
            let now = std::fs::read(&mark).ok();
            if now != last {
                (last, still_since) = (now, Instant::now());
            }
        }
    }
}
