//! The guest's stdin: the request, an answer to each question that the guest asks, and the end. A guest that waits
//! for an answer waits for a person, so that time does not count against its deadline.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use narratoria_protocol::{ASKS_MAX, InvocationError, answer_line};
use tokio::{
    io::AsyncRead,
    sync::mpsc::{UnboundedReceiver, error::TryRecvError},
    time::Instant,
};
use wasmtime_wasi::{
    async_trait,
    cli::{IsTerminal, StdinStream},
    p2::{InputStream, Pollable, StreamError, StreamResult},
};

/// Answers to the questions that a script asks while it runs, in order. Closed when no more will come.
pub type Answers = UnboundedReceiver<String>;

struct StdinState {
    /// The rest of the request or of an answer.
    unread: Bytes,
    questions: u32,
    /// The number of questions whose answer the guest has read.
    answered: u32,
    /// `None` if no more answers will come.
    answers: Option<Answers>,
    /// Set while the guest is blocked in a read that only an answer can end.
    waiting_since: Option<Instant>,
    /// The sum of earlier waits.
    waited: Duration,
}

impl StdinState {
    /// Returns true if there are bytes, false at the end; pending while that depends on an answer.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if !self.unread.is_empty() {
            return Poll::Ready(true);
        }
        let Some(answers) = self.pending_answers() else { return Poll::Ready(false) };
        let answer = std::task::ready!(answers.poll_recv(context));
        Poll::Ready(self.accept_answer(answer))
    }

    /// Does the same as [`Self::poll`] without waiting: `None` instead of pending.
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

    /// Returns the source of the next answer, if the guest waits for one.
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
pub(crate) struct GuestStdin(Arc<Mutex<StdinState>>);

impl GuestStdin {
    pub(crate) fn new(request: Vec<u8>, answers: Option<Answers>) -> GuestStdin {
        GuestStdin(Arc::new(Mutex::new(StdinState {
            unread: Bytes::from(request),
            questions: 0,
            answered: 0,
            answers,
            waiting_since: None,
            waited: Duration::ZERO,
        })))
    }

    pub(crate) fn count_question(&self) -> Result<(), InvocationError> {
        let mut state = self.lock();
        if state.questions == ASKS_MAX {
            return Err(InvocationError::TooManyAsks { limit: ASKS_MAX });
        }
        state.questions += 1;
        Ok(())
    }

    /// Returns true if the guest is blocked until an answer comes.
    pub(crate) fn is_waiting(&self) -> bool {
        self.lock().waiting_since.is_some()
    }

    /// Returns how long the guest has been blocked in all waits that have ended.
    pub(crate) fn waited(&self) -> Duration {
        self.lock().waited
    }

    /// The time until a deadline, which every wait that has ended puts off.
    pub(crate) fn time_left(&self, deadline: Instant) -> Duration {
        (deadline + self.waited()).saturating_duration_since(Instant::now())
    }

    fn lock(&self) -> MutexGuard<'_, StdinState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the wait even if the read is dropped.
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
            let mut state = waiting.0.lock();
            let readable = state.poll(context);
            if readable.is_pending() && state.waiting_since.is_none() {
                state.waiting_since = Some(Instant::now());
            }
            readable.map(drop)
        })
        .await;
    }
}

impl InputStream for GuestStdin {
    /// Reads bytes. The end is not final: after a question there may be more to read.
    fn read(&mut self, bytes_max: usize) -> StreamResult<Bytes> {
        let mut state = self.lock();
        match state.try_poll() {
            Some(true) => {
                let bytes = bytes_max.min(state.unread.len());
                Ok(state.unread.split_to(bytes))
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

    /// Never called: only WASI 0.3 would use it, which the linker does not offer.
    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        Box::new(tokio::io::empty())
    }
}
