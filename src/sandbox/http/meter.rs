//! Request and response bodies, counted over all requests of an invocation and held to their deadline.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};
use wasmtime_wasi_http::Error;

use super::refusal::{HttpLog, HttpRefusal};

/// Bytes of all bodies in one direction, used and allowed.
#[derive(Debug, Clone)]
pub(super) struct ByteBudget {
    used: Arc<AtomicU64>,
    bytes_max: u64,
}

impl ByteBudget {
    pub(super) fn new(bytes_max: u64) -> ByteBudget {
        ByteBudget { used: Arc::default(), bytes_max }
    }

    /// Counts the bytes. Returns true if they are within the budget.
    fn try_spend(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= self.bytes_max
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.bytes_max
    }
}

/// A body that ends with an error if it exceeds its budget or its deadline.
pub(super) struct MeteredBody<B> {
    body: B,
    budget: ByteBudget,
    /// Recorded in the log when the budget is exceeded.
    refusal: HttpRefusal,
    log: HttpLog,
    deadline: Pin<Box<Sleep>>,
    has_ended: bool,
}

impl<B> MeteredBody<B> {
    pub(super) fn new(
        body: B,
        budget: ByteBudget,
        refusal: HttpRefusal,
        log: HttpLog,
        deadline: Instant,
    ) -> MeteredBody<B> {
        let deadline = Box::pin(sleep_until(deadline));
        MeteredBody { body, budget, refusal, log, deadline, has_ended: false }
    }
}

impl<B> Body for MeteredBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Error>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                ready!(self.deadline.as_mut().poll(context));
                self.has_ended = true;
                self.log.record_failure(&Error::HttpResponseTimeout);
                return Poll::Ready(Some(Err(Error::HttpResponseTimeout)));
            }
        };
        let bytes = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        if bytes > 0 && !self.budget.try_spend(bytes) {
            self.has_ended = true;
            self.log.record(&self.refusal);
            return Poll::Ready(Some(Err(self.refusal.clone().into())));
        }
        let log = &self.log;
        let failed = |error: B::Error| {
            let error = error.into();
            log.record_failure(&error);
            error
        };
        Poll::Ready(frame.map(|frame| frame.map_err(failed)))
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
