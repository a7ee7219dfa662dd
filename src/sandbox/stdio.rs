//! The guest's stdout, decoded as it is written, and its stderr, of which the tail is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    async_trait,
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamError, StreamResult},
};

use super::{InvocationError, InvocationOutput, InvocationOutputSink, stdin::GuestStdin};
use narratoria_protocol::visible::visible;
use narratoria_protocol::{Decoder, Event, Message, Object};

/// How much of stderr is kept: enough for a panic message with its backtrace.
pub const STDERR_TAIL_BYTES_MAX: usize = 8 << 10;

/// Most bytes the guest may hand over in one write; also bounds what `write-zeroes` makes us allocate.
const WRITE_BYTES_MAX: usize = 64 << 10;

/// Everything heard from one guest.
pub(super) struct StdioCollector {
    decoder: Decoder,
    sink: InvocationOutputSink,
    /// Where the answers to its questions come out.
    stdin: GuestStdin,
    stdout_limit: u64,
    pub(super) stdout_bytes: u64,
    pub(super) error: Option<InvocationError>,
    pub(super) done: Option<DoneEvent>,
    /// Code and message of the last `error` event.
    pub(super) last_error: Option<(String, String)>,
    stderr: Vec<u8>,
}

/// The `done` event.
pub(super) struct DoneEvent {
    pub(super) ok: bool,
    pub(super) summary: Option<String>,
    pub(super) output: Option<Object>,
}

impl StdioCollector {
    pub(super) fn new(
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
            stderr: Vec::new(),
        }
    }

    fn write_stdout(&mut self, bytes: &[u8]) -> Result<(), InvocationError> {
        self.stdout_bytes += bytes.len() as u64;
        if self.stdout_bytes > self.stdout_limit {
            return Err(InvocationError::StdoutFull { limit: self.stdout_limit });
        }
        let (sink, done, last_error) = (&mut self.sink, &mut self.done, &mut self.last_error);
        let mut asked = Ok(());
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
                    event if event.question().is_some() => asked = self.stdin.count_question(),
                    _ => {}
                }
                if asked.is_ok() {
                    sink(InvocationOutput::Event(message));
                }
            })
            .map_err(InvocationError::Protocol)?;
        asked
    }

    /// Says what is not written on stdout.
    pub(super) fn emit(&mut self, said: InvocationOutput) {
        (self.sink)(said);
    }

    /// Whether the output may end here.
    pub(super) fn finish(&self) -> Result<(), InvocationError> {
        self.decoder.finish().map_err(InvocationError::Protocol)
    }

    fn write_stderr(&mut self, bytes: &[u8]) {
        self.stderr.extend_from_slice(bytes);
        if self.stderr.len() > 2 * STDERR_TAIL_BYTES_MAX {
            let cut = self.stderr.len() - STDERR_TAIL_BYTES_MAX;
            self.stderr.drain(..cut);
        }
    }

    /// The tail as text that is safe to show.
    pub(super) fn stderr_tail(&self) -> String {
        let start = self.stderr.len().saturating_sub(STDERR_TAIL_BYTES_MAX);
        visible(&String::from_utf8_lossy(&self.stderr[start..])).into_owned()
    }
}

/// Shared between the guest's streams and the invocation that owns them.
#[derive(Clone)]
pub(super) struct SharedStdioCollector(Arc<Mutex<StdioCollector>>);

impl SharedStdioCollector {
    pub(super) fn new(heard: StdioCollector) -> SharedStdioCollector {
        SharedStdioCollector(Arc::new(Mutex::new(heard)))
    }

    /// A sink that panicked has poisoned the lock; what was heard before is still true.
    pub(super) fn lock(&self) -> MutexGuard<'_, StdioCollector> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone)]
pub(super) struct GuestStdout(pub(super) SharedStdioCollector);

#[derive(Clone)]
pub(super) struct GuestStderr(pub(super) SharedStdioCollector);

impl OutputStream for GuestStdout {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut heard = self.0.lock();
        let result = match heard.error.clone() {
            Some(refusal) => Err(refusal),
            None => heard.write_stdout(&bytes),
        };
        result.map_err(|refusal| {
            heard.error = Some(refusal);
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

            /// Only WASI 0.3 would ask for it, which the linker does not offer.
            fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
                Box::new(tokio::io::sink())
            }
        }
    };
}

standard_stream!(GuestStdout);
standard_stream!(GuestStderr);
