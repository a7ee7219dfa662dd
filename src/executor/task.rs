//! A future that may panic, polled by the loop itself or run by a task of its own.
//!
//! Handing work to another thread and back costs ten times as much as a step costs the loop. So the loop
//! polls a future once before it spawns a task for it: a script that ends within its first slice, which
//! the sandbox limits to a tenth of a millisecond, never leaves the loop.

use std::{
    any::Any,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::task::{JoinHandle, spawn};

use narratoria_plan::quote;

/// Ends with the value, or with the text of a panic. Dropping it ends the future or the task.
pub(crate) enum Task<'a, T> {
    /// The owner polls it, on its own thread.
    Inline(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    /// The owner polls it once, then it becomes a task.
    PollOnce(Option<Pin<Box<dyn Future<Output = T> + Send>>>),
    /// Runs as a task of its own.
    Spawned(JoinHandle<T>),
    /// The function that makes the future panicked.
    Panicked(String),
}

impl<'a, T: Send + 'static> Task<'a, T> {
    pub(crate) fn inline(
        make: impl FnOnce() -> Pin<Box<dyn Future<Output = T> + Send + 'a>>,
    ) -> Task<'a, T> {
        match catch_unwind(AssertUnwindSafe(make)) {
            Ok(future) => Task::Inline(future),
            Err(panic) => Task::Panicked(panic_text(&*panic)),
        }
    }

    pub(crate) fn spawned(
        make: impl FnOnce() -> Pin<Box<dyn Future<Output = T> + Send>>,
    ) -> Task<'a, T> {
        match catch_unwind(AssertUnwindSafe(make)) {
            Ok(future) => Task::PollOnce(Some(future)),
            Err(panic) => Task::Panicked(panic_text(&*panic)),
        }
    }

    /// Polls the task. Must not be called again after it was ready.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, String>> {
        match self {
            Task::Inline(future) => poll_catching(future, context),
            Task::PollOnce(future) => {
                let Some(mut future) = future.take() else { return Poll::Pending };
                if let Poll::Ready(ended) = poll_catching(&mut future, context) {
                    return Poll::Ready(ended);
                }
                *self = Task::Spawned(spawn(future));
                self.poll(context)
            }
            Task::Spawned(handle) => Pin::new(handle).poll(context).map(|ended| {
                ended.map_err(|error| match error.try_into_panic() {
                    Ok(panic) => panic_text(&*panic),
                    Err(error) => quote(&error.to_string()),
                })
            }),
            Task::Panicked(what) => Poll::Ready(Err(std::mem::take(what))),
        }
    }
}

fn poll_catching<F: Future + ?Sized>(
    future: &mut Pin<Box<F>>,
    context: &mut Context<'_>,
) -> Poll<Result<F::Output, String>> {
    match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
    }
}

impl<T> Drop for Task<'_, T> {
    fn drop(&mut self) {
        if let Task::Spawned(handle) = self {
            handle.abort();
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => quote(text),
        (_, Some(text)) => quote(text),
        _ => "a panic without a text".to_owned(),
    }
}
