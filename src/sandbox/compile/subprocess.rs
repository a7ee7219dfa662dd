//! The parent's side: starts the compiling process, writes the component to it, and kills it at the time limit.

use std::{
    io::{self, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use super::{
    child::head,
    limits::{COMPILE_THREADS_MAX, CompileCost},
    reply::{is_out_of_memory, parse_reply, read_reply},
    settings::CompileSettings,
    slots::{CompileMessage, CompileSlot},
};
use crate::load_error::ComponentLoadError;

/// Most bytes of stderr that are read, to show them if the process dies.
const STDERR_BYTES_MAX: u64 = 4 << 10;

/// A running compiler, killed on drop.
pub(super) struct CompilerProcess(Child);

impl Drop for CompilerProcess {
    fn drop(&mut self) {
        // Errors mean that the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn start(
    program: &Path,
    args: &[String],
) -> Result<CompilerProcess, ComponentLoadError> {
    Command::new(program)
        .args(args)
        .env("RAYON_NUM_THREADS", COMPILE_THREADS_MAX.to_string())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map(CompilerProcess)
        .map_err(|why| process_error(format!("`{}` cannot be run: {why}", program.display())))
}

impl CompilerProcess {
    /// Writes the component and reads the code. Ends within `time_max`, at the latest when the process ends.
    pub(super) fn compile(
        mut self,
        wasm: &[u8],
        (settings, cost): (CompileSettings, CompileCost),
        time_max: Duration,
        slot: &CompileSlot<'_>,
    ) -> Result<Vec<u8>, ComponentLoadError> {
        let (sender, messages) = mpsc::channel();
        slot.notify_on_close(sender.clone())?;
        let mut stdin = self.0.stdin.take().expect("stdin is piped");
        let stdout = self.0.stdout.take().expect("stdout is piped");
        let stderr = self.0.stderr.take().expect("stderr is piped");
        // The scope ends when the pipes close, at the latest when the process ends.
        let (message, status, stderr) = thread::scope(|scope| {
            scope.spawn(|| {
                // A process that dies before it has read everything shows it by its reply. The pipe stays open:
                // closing it tells the process that the parent has gone.
                let _ = stdin.write_all(&head(settings.is_unreserved, cost, wasm.len() as u64));
                let _ = stdin.write_all(wasm).and_then(|()| stdin.flush());
            });
            scope.spawn(move || {
                // The receiver is gone after a timeout.
                let _ = sender.send(CompileMessage::Output(read_reply(stdout)));
            });
            let stderr = scope.spawn(move || {
                let mut text = Vec::new();
                let _ = stderr.take(STDERR_BYTES_MAX).read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            });
            let message = messages.recv_timeout(time_max);
            // Killing does not change the status of a process that has ended.
            let _ = self.0.kill();
            let status = self.0.wait();
            (message, status, stderr.join().unwrap_or_default())
        });
        match message {
            Ok(CompileMessage::Stop) => Err(ComponentLoadError::Stopped),
            Ok(CompileMessage::Output(Ok(reply))) => match parse_reply(reply, settings, cost)? {
                Some(code) => Ok(code),
                None => Err(exit_error(status, &stderr, cost)),
            },
            Ok(CompileMessage::Output(Err(why))) => {
                Err(process_error(format!("its output cannot be read: {why}")))
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(ComponentLoadError::CompileTooLong { limit: time_max })
            }
            Err(RecvTimeoutError::Disconnected) => Err(exit_error(status, &stderr, cost)),
        }
    }
}

fn process_error(what: String) -> ComponentLoadError {
    ComponentLoadError::Compiler { what }
}

/// Returns why the process died, as far as its status and stderr show it.
fn exit_error(
    status: io::Result<ExitStatus>,
    stderr: &str,
    cost: CompileCost,
) -> ComponentLoadError {
    let status = match status {
        Ok(status) => status,
        Err(why) => return process_error(format!("it cannot be waited for: {why}")),
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        /// On Linux and macOS alike.
        const SIGXCPU: i32 = 24;
        if status.signal() == Some(SIGXCPU) {
            let limit = Duration::from_secs(cost.cpu_seconds);
            return ComponentLoadError::CompileTooLong { limit };
        }
    }
    if is_out_of_memory(stderr) {
        return ComponentLoadError::CompileTooLarge { limit: cost.memory_bytes };
    }
    let first_line = stderr.lines().next().unwrap_or("it said nothing");
    process_error(format!("it died ({status}): {first_line}"))
}
