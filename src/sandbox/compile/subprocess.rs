//! The parent's end: starts the process that compiles, hands it the component, and waits no longer than
//! it may take.

use std::{
    io::{self, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use super::{
    COMPILE_CPU_SECONDS_MAX, COMPILE_MEMORY_BYTES_MAX, COMPILE_THREADS_MAX, COMPILED_BYTES_MAX,
    CompileMessage, CompileSettings, CompileSlot, child::CompileReply,
};
use crate::ComponentLoadError;

/// What is read of its last words, which are shown if it dies.
const LAST_WORDS_BYTES_MAX: u64 = 4 << 10;

/// Killed where it is given up, whatever the reason.
pub(super) struct CompilerProcess(Child);

impl Drop for CompilerProcess {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing left to do.
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
    /// Hands it the component and takes the code. Ends within `time_max`, with the process or before it.
    pub(super) fn compile(
        mut self,
        wasm: &[u8],
        settings: CompileSettings,
        time_max: Duration,
        turn: &CompileSlot<'_>,
    ) -> Result<Vec<u8>, ComponentLoadError> {
        let (sender, news) = mpsc::channel();
        turn.notify_on_close(sender.clone())?;
        let mut stdin = self.0.stdin.take().expect("it was asked for");
        let stdout = self.0.stdout.take().expect("it was asked for");
        let stderr = self.0.stderr.take().expect("it was asked for");
        // The scope ends when the pipes do, that is, with the process at the latest.
        let (wrote, status, last_words) = thread::scope(|scope| {
            scope.spawn(|| {
                // Who dies before it has read everything says so by its answer. The pipe stays open: its end
                // tells the process that nobody waits for it any more.
                let _ = stdin.write_all(&[u8::from(settings.is_unreserved)]);
                let _ = stdin.write_all(&(wasm.len() as u64).to_le_bytes());
                let _ = stdin.write_all(wasm).and_then(|()| stdin.flush());
            });
            scope.spawn(move || {
                let mut answer = Vec::new();
                let bytes_max = COMPILED_BYTES_MAX + CompileReply::HEAD_BYTES + 1;
                let read = stdout.take(bytes_max).read_to_end(&mut answer);
                // Nobody listens where the time was over.
                let _ = sender.send(CompileMessage::Output(read.map(|_| answer)));
            });
            let last_words = scope.spawn(move || {
                let mut words = Vec::new();
                let _ = stderr.take(LAST_WORDS_BYTES_MAX).read_to_end(&mut words);
                String::from_utf8_lossy(&words).into_owned()
            });
            let wrote = news.recv_timeout(time_max);
            // Whoever has written all, or has died, keeps the status it has.
            let _ = self.0.kill();
            let status = self.0.wait();
            (wrote, status, last_words.join().unwrap_or_default())
        });
        match wrote {
            Ok(CompileMessage::Stop) => Err(ComponentLoadError::Stopped),
            Ok(CompileMessage::Output(Ok(answer))) => {
                match CompileReply::parse(answer, settings)? {
                    Some(code) => Ok(code),
                    None => Err(exit_error(status, &last_words)),
                }
            }
            Ok(CompileMessage::Output(Err(why))) => {
                Err(process_error(format!("it cannot be heard: {why}")))
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(ComponentLoadError::CompileTooLong { limit: time_max })
            }
            Err(RecvTimeoutError::Disconnected) => Err(exit_error(status, &last_words)),
        }
    }
}

fn process_error(what: String) -> ComponentLoadError {
    ComponentLoadError::Compiler { what }
}

/// What it died of, as far as that can be told.
fn exit_error(status: io::Result<ExitStatus>, last_words: &str) -> ComponentLoadError {
    let status = match status {
        Ok(status) => status,
        Err(why) => return process_error(format!("it cannot be waited for: {why}")),
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        /// Of Linux and macOS alike.
        const SIGXCPU: i32 = 24;
        if status.signal() == Some(SIGXCPU) {
            let limit = Duration::from_secs(COMPILE_CPU_SECONDS_MAX);
            return ComponentLoadError::CompileTooLong { limit };
        }
    }
    if is_out_of_memory(last_words) {
        return ComponentLoadError::CompileTooLarge { limit: COMPILE_MEMORY_BYTES_MAX };
    }
    let words = last_words.lines().next().unwrap_or("it said nothing");
    process_error(format!("it died ({status}): {words}"))
}

/// What Rust's allocator, the threads' starter and the operating system say.
pub(super) fn is_out_of_memory(words: &str) -> bool {
    ["memory allocation of", "os error 12", "Resource temporarily unavailable"]
        .iter()
        .any(|sign| words.contains(sign))
}
