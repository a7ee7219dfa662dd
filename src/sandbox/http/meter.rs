//! Contents on their way, counted over all requests of an invocation and held to their time.

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

use super::{Told, refused::Refused};

/// How much has gone in one direction, and how much may.
#[derive(Debug, Clone)]
pub(super) struct Allowance {
    used: Arc<AtomicU64>,
    bytes_max: u64,
}

impl Allowance {
    pub(super) fn new(bytes_max: u64) -> Allowance {
        Allowance { used: Arc::default(), bytes_max }
    }

    /// Whether there was room for so many more.
    fn take(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= self.bytes_max
    }

    pub(super) fn is_overdrawn(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.bytes_max
    }
}

/// A content that ends with an error where it becomes too much or takes too long.
pub(super) struct Metered<B> {
    body: B,
    allowance: Allowance,
    /// What is said where it is too much, and to whom.
    refused: Refused,
    told: Told,
    deadline: Pin<Box<Sleep>>,
    has_ended: bool,
}

impl<B> Metered<B> {
    pub(super) fn new(
        body: B,
        allowance: Allowance,
        refused: Refused,
        told: Told,
        deadline: Instant,
    ) -> Metered<B> {
        let deadline = Box::pin(sleep_until(deadline));
        Metered { body, allowance, refused, told, deadline, has_ended: false }
    }
}

impl<B> Body for Metered<B>
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
                return Poll::Ready(Some(Err(Error::HttpResponseTimeout)));
            }
        };
        let bytes = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        if bytes > 0 && !self.allowance.take(bytes) {
            self.has_ended = true;
            self.told.refuse(&self.refused);
            return Poll::Ready(Some(Err(self.refused.clone().into())));
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
