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

use super::{Answers, InvocationError};
use narratoria_protocol::{ASKS_MAX, answer_line};

/// What there is to read, and for how long the guest has waited for it.
struct StdinState {
    /// What the guest has not read yet of the request or of an answer.
    unread: Bytes,
    /// Questions asked.
    questions: u32,
    /// Answers handed over.
    answered: u32,
    /// `None` where nobody will answer any more.
    answers: Option<Answers>,
    /// Since when the guest is blocked in a read that only an answer can end.
    waiting_since: Option<Instant>,
    /// How long it was blocked before.
    waited: Duration,
}

impl StdinState {
    /// Whether there are bytes (`true`) or this is the end (`false`); pending while only an answer
    /// could tell.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if !self.unread.is_empty() {
            return Poll::Ready(true);
        }
        let Some(answers) = self.pending_answers() else { return Poll::Ready(false) };
        let answer = std::task::ready!(answers.poll_recv(context));
        Poll::Ready(self.accept_answer(answer))
    }

    /// The same without waiting; `None` while only an answer could tell.
    fn try_poll(&mut self) -> Option<bool> {
        if !self.unread.is_empty() {
            return Some(true);
        }
        let Some(answers) = self.pending_answers() else { return Some(false) };
        let answer = match answers.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => return None,
        };
        Some(self.accept_answer(answer))
    }

    /// Where the next answer comes from, if the guest has asked for one.
    fn pending_answers(&mut self) -> Option<&mut Answers> {
        if self.questions > self.answered { self.answers.as_mut() } else { None }
    }

    fn accept_answer(&mut self, answer: Option<String>) -> bool {
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
pub(super) struct GuestStdin(Arc<Mutex<StdinState>>);

impl GuestStdin {
    pub(super) fn new(request: Vec<u8>, answers: Option<Answers>) -> GuestStdin {
        GuestStdin(Arc::new(Mutex::new(StdinState {
            unread: Bytes::from(request),
            questions: 0,
            answered: 0,
            answers,
            waiting_since: None,
            waited: Duration::ZERO,
        })))
    }

    /// The guest has asked something.
    pub(super) fn count_question(&self) -> Result<(), InvocationError> {
        let mut line = self.lock();
        if line.questions == ASKS_MAX {
            return Err(InvocationError::TooManyAsks { limit: ASKS_MAX });
        }
        line.questions += 1;
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

    fn lock(&self) -> MutexGuard<'_, StdinState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the waiting also where the read is given up.
struct AnswerWaitGuard<'a>(&'a GuestStdin);

impl Drop for AnswerWaitGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().stop_waiting();
    }
}

#[async_trait]
impl Pollable for GuestStdin {
    async fn ready(&mut self) {
        if self.lock().try_poll().is_some() {
            return;
        }
        let waiting = AnswerWaitGuard(self);
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

impl InputStream for GuestStdin {
    /// An end is never the last word: after a question there may be more to read.
    fn read(&mut self, bytes_max: usize) -> StreamResult<Bytes> {
        let mut line = self.lock();
        match line.try_poll() {
            Some(true) => {
                let bytes = bytes_max.min(line.unread.len());
                Ok(line.unread.split_to(bytes))
            }
            Some(false) => Err(StreamError::Closed),
            None => Ok(Bytes::new()),
        }
    }
}

impl IsTerminal for GuestStdin {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdinStream for GuestStdin {
    fn p2_stream(&self) -> Box<dyn InputStream> {
        Box::new(self.clone())
    }

    /// Only WASI 0.3 would ask for it, which the linker does not offer.
    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        Box::new(tokio::io::empty())
    }
}
