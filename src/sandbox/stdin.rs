//! The guest's stdin: the request, then its end, and between them an answer for each question that the
//! guest has asked. A guest that waits for an answer waits for a person, so its clock stands still.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use tokio::{io::AsyncRead, sync::mpsc::error::TryRecvError, time::Instant};
use wasmtime_wasi::{
    async_trait,
    cli::{IsTerminal, StdinStream},
    p2::{InputStream, Pollable, StreamError, StreamResult},
};

use super::{Answers, Refusal};
use crate::protocol::{ASKS_MAX, answer_line};

/// What there is to read, and for how long the guest has waited for it.
struct Line {
    /// What the guest has not read yet of the request or of an answer.
    unread: Bytes,
    /// Questions asked.
    asked: u32,
    /// Answers handed over.
    answered: u32,
    /// `None` where nobody will answer any more.
    answers: Option<Answers>,
    /// Since when the guest is blocked in a read that only an answer can end.
    waiting_since: Option<Instant>,
    /// How long it was blocked before.
    waited: Duration,
}

impl Line {
    /// Whether there are bytes (`true`) or this is the end (`false`); pending while only an answer
    /// could tell.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if !self.unread.is_empty() {
            return Poll::Ready(true);
        }
        let Some(answers) = self.awaited() else { return Poll::Ready(false) };
        let answer = std::task::ready!(answers.poll_recv(context));
        Poll::Ready(self.take(answer))
    }

    /// The same without waiting; `None` while only an answer could tell.
    fn look(&mut self) -> Option<bool> {
        if !self.unread.is_empty() {
            return Some(true);
        }
        let Some(answers) = self.awaited() else { return Some(false) };
        let answer = match answers.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => return None,
        };
        Some(self.take(answer))
    }

    /// Where the next answer comes from, if the guest has asked for one.
    fn awaited(&mut self) -> Option<&mut Answers> {
        if self.asked > self.answered { self.answers.as_mut() } else { None }
    }

    fn take(&mut self, answer: Option<String>) -> bool {
        match answer {
            Some(answer) => {
                self.answered += 1;
                self.unread = Bytes::from(answer_line(&answer));
                true
            }
            None => {
                self.answers = None;
                false
            }
        }
    }

    fn stop_waiting(&mut self) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += since.elapsed();
        }
    }
}

/// The guest's stdin, shared between its streams and the invocation that owns them.
#[derive(Clone)]
pub(super) struct Stdin(Arc<Mutex<Line>>);

impl Stdin {
    pub(super) fn new(request: Vec<u8>, answers: Option<Answers>) -> Stdin {
        Stdin(Arc::new(Mutex::new(Line {
            unread: Bytes::from(request),
            asked: 0,
            answered: 0,
            answers,
            waiting_since: None,
            waited: Duration::ZERO,
        })))
    }

    /// The guest has asked something.
    pub(super) fn ask(&self) -> Result<(), Refusal> {
        let mut line = self.lock();
        if line.asked == ASKS_MAX {
            return Err(Refusal::TooManyAsks { limit: ASKS_MAX });
        }
        line.asked += 1;
        Ok(())
    }

    /// Whether the guest is blocked until an answer comes.
    pub(super) fn is_waiting(&self) -> bool {
        self.lock().waiting_since.is_some()
    }

    /// How long the guest was blocked until an answer came.
    pub(super) fn waited(&self) -> Duration {
        self.lock().waited
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the waiting also where the read is given up.
struct Waiting<'a>(&'a Stdin);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().stop_waiting();
    }
}

#[async_trait]
impl Pollable for Stdin {
    async fn ready(&mut self) {
        if self.lock().look().is_some() {
            return;
        }
        let waiting = Waiting(self);
        poll_fn(|context| {
            let mut line = waiting.0.lock();
            let answered = line.poll(context);
            if answered.is_pending() && line.waiting_since.is_none() {
                line.waiting_since = Some(Instant::now());
            }
            answered.map(drop)
        })
        .await;
    }
}

impl InputStream for Stdin {
    /// An end is never the last word: after a question there may be more to read.
    fn read(&mut self, bytes_max: usize) -> StreamResult<Bytes> {
        let mut line = self.lock();
        match line.look() {
            Some(true) => {
                let bytes = bytes_max.min(line.unread.len());
                Ok(line.unread.split_to(bytes))
            }
            Some(false) => Err(StreamError::Closed),
            None => Ok(Bytes::new()),
        }
    }
}

impl IsTerminal for Stdin {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdinStream for Stdin {
    fn p2_stream(&self) -> Box<dyn InputStream> {
        Box::new(self.clone())
    }

    /// Only WASI 0.3 would ask for it, which the linker does not offer.
    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        Box::new(tokio::io::empty())
    }
}
