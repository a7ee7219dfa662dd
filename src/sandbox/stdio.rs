//! The guest's stdout, decoded as it is written, and the tail of its stderr.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use narratoria_protocol::{
    Decoder, Event, InvocationError, InvocationOutput, InvocationOutputSink, Message, Object,
    visible::visible,
};
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    async_trait,
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamError, StreamResult},
};

use crate::stdin::GuestStdin;

/// Most bytes of stderr in the outcome: enough for a panic message with its backtrace.
pub const STDERR_TAIL_BYTES_MAX: usize = 8 << 10;

/// Most bytes that the guest may write at once. Also limits what `write-zeroes` makes the host allocate.
const WRITE_BYTES_MAX: usize = 64 << 10;

/// Everything that one guest has written.
pub(crate) struct StdioCollector {
    decoder: Decoder,
    sink: InvocationOutputSink,
    /// Counts the questions, so that it reads as many answers.
    stdin: GuestStdin,
    stdout_limit: u64,
    pub(crate) stdout_bytes: u64,
    pub(crate) error: Option<InvocationError>,
    pub(crate) done: Option<DoneEvent>,
    /// Code and message of the last `error` event.
    pub(crate) last_error: Option<(String, String)>,
    /// The number of requests that the network failed.
    pub(crate) network_failures: u32,
    stderr: Vec<u8>,
    /// The number of bytes that were removed from `stderr`.
    stderr_dropped: u64,
}

/// The `done` event.
pub(crate) struct DoneEvent {
    pub(crate) ok: bool,
    pub(crate) summary: Option<String>,
    pub(crate) output: Option<Object>,
}

impl StdioCollector {
    pub(crate) fn new(
        stdout_limit: u64,
        sink: InvocationOutputSink,
        stdin: GuestStdin,
    ) -> StdioCollector {
        StdioCollector {
            decoder: Decoder::default(),
            sink,
            stdin,
            stdout_limit,
            stdout_bytes: 0,
            error: None,
            done: None,
            last_error: None,
            network_failures: 0,
            stderr: Vec::new(),
            stderr_dropped: 0,
        }
    }

    fn write_stdout(&mut self, bytes: &[u8]) -> Result<(), InvocationError> {
        self.stdout_bytes += bytes.len() as u64;
        if self.stdout_bytes > self.stdout_limit {
            return Err(InvocationError::StdoutFull { limit: self.stdout_limit });
        }
        let (sink, done, last_error) = (&mut self.sink, &mut self.done, &mut self.last_error);
        let mut within_limit = Ok(());
        self.decoder
            .push(bytes, |message: Message| {
                match &message.event {
                    Event::Done { ok, summary, output } => {
                        *done = Some(DoneEvent {
                            ok: *ok,
                            summary: summary.clone(),
                            output: output.clone(),
                        });
                    }
                    Event::Error { error_code, error_message, .. } => {
                        *last_error = Some((error_code.clone(), error_message.clone()));
                    }
                    event if event.question().is_some() => {
                        within_limit = self.stdin.count_question();
                    }
                    _ => {}
                }
                if within_limit.is_ok() {
                    sink(InvocationOutput::Event(message));
                }
            })
            .map_err(InvocationError::Protocol)?;
        within_limit
    }

    /// Sends output that does not come from stdout.
    pub(crate) fn emit(&mut self, output: InvocationOutput) {
        (self.sink)(output);
    }

    /// Checks that stdout may end here.
    pub(crate) fn finish(&self) -> Result<(), InvocationError> {
        self.decoder.finish().map_err(InvocationError::Protocol)
    }

    fn write_stderr(&mut self, bytes: &[u8]) {
        self.stderr.extend_from_slice(bytes);
        if self.stderr.len() > 2 * STDERR_TAIL_BYTES_MAX {
            let cut = self.stderr.len() - STDERR_TAIL_BYTES_MAX;
            self.stderr.drain(..cut);
            self.stderr_dropped += cut as u64;
        }
    }

    /// Returns the tail as text that is safe to show. A tail that was cut begins with a line that says so.
    pub(crate) fn stderr_tail(&self) -> String {
        stderr_tail(&self.stderr, self.stderr_dropped)
    }
}

/// Returns the last bytes of a stderr. `dropped` bytes came before `kept`.
fn stderr_tail(kept: &[u8], dropped: u64) -> String {
    let mut start = kept.len().saturating_sub(STDERR_TAIL_BYTES_MAX);
    if start > 0 || dropped > 0 {
        // The cut must not be in the middle of a character, whose later bytes are 10xxxxxx.
        let later = kept[start..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80);
        start += later.count();
    }
    let tail = visible(&String::from_utf8_lossy(&kept[start..])).into_owned();
    match dropped + start as u64 {
        0 => tail,
        left_off => format!("[{left_off} earlier bytes of stderr are left off]\n{tail}"),
    }
}

/// Shared between the guest's streams and the invocation that owns them.
#[derive(Clone)]
pub(crate) struct SharedStdioCollector(Arc<Mutex<StdioCollector>>);

impl SharedStdioCollector {
    pub(crate) fn new(collector: StdioCollector) -> SharedStdioCollector {
        SharedStdioCollector(Arc::new(Mutex::new(collector)))
    }

    /// Locks even if a sink panicked and poisoned the lock, because everything collected before is still valid.
    pub(crate) fn lock(&self) -> MutexGuard<'_, StdioCollector> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone)]
pub(crate) struct GuestStdout(pub(crate) SharedStdioCollector);

#[derive(Clone)]
pub(crate) struct GuestStderr(pub(crate) SharedStdioCollector);

impl OutputStream for GuestStdout {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut collector = self.0.lock();
        let result = match collector.error.clone() {
            Some(error) => Err(error),
            None => collector.write_stdout(&bytes),
        };
        result.map_err(|error| {
            collector.error = Some(error);
            StreamError::trap("the host refused the output")
        })
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES_MAX)
    }
}

impl OutputStream for GuestStderr {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.0.lock().write_stderr(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES_MAX)
    }
}

macro_rules! standard_stream {
    ($stream:ty) => {
        #[async_trait]
        impl Pollable for $stream {
            async fn ready(&mut self) {}
        }

        impl IsTerminal for $stream {
            fn is_terminal(&self) -> bool {
                false
            }
        }

        impl StdoutStream for $stream {
            fn p2_stream(&self) -> Box<dyn OutputStream> {
                Box::new(self.clone())
            }

            /// Never called: only WASI 0.3 would use it, which the linker does not offer.
            fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
                Box::new(tokio::io::sink())
            }
        }
    };
}

standard_stream!(GuestStdout);
standard_stream!(GuestStderr);

#[cfg(test)]
mod tests {
    use super::{STDERR_TAIL_BYTES_MAX, stderr_tail};

    /// S0 FR-029: a trace does not hide that something is missing.
    #[test]
    fn a_cut_tail_of_stderr_says_how_much_is_left_off() {
        let most = "e".repeat(STDERR_TAIL_BYTES_MAX);
        assert_eq!(stderr_tail(b"", 0), "");
        assert_eq!(stderr_tail(most.as_bytes(), 0), most);
        let longer = format!("ab{most}");
        let cut = format!("[2 earlier bytes of stderr are left off]\n{most}");
        assert_eq!(stderr_tail(longer.as_bytes(), 0), cut);
        let cut = format!("[9002 earlier bytes of stderr are left off]\n{most}");
        assert_eq!(stderr_tail(longer.as_bytes(), 9_000), cut);
    }

    #[test]
    fn a_tail_begins_with_a_whole_character() {
        let text = "\u{20ac}".to_owned() + &"e".repeat(STDERR_TAIL_BYTES_MAX - 1);
        let expect = "[3 earlier bytes of stderr are left off]\ne";
        assert!(stderr_tail(text.as_bytes(), 0).starts_with(expect));
    }
}
