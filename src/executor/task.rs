//! A future that may panic, polled by the loop itself or run by a task of its own.
//!
//! Handing work to another thread and back costs ten times as much as a step costs the loop, and more where other programs
//! want the cores: the thread that is woken waits for one. So a future becomes a task of its own only while another one is
//! active beside it. A script that runs alone never leaves the loop, which it returns to after each of its slices; the
//! sandbox limits them to a tenth of a millisecond.

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
    /// The owner polls it as long as it is alone; then it becomes a task.
    UntilAccompanied(Option<Pin<Box<dyn Future<Output = T> + Send>>>),
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
            Ok(future) => Task::UntilAccompanied(Some(future)),
            Err(panic) => Task::Panicked(panic_text(&*panic)),
        }
    }

    /// Polls the task, which is alone or has others beside it. Must not be called again after it was ready.
    pub(crate) fn poll(
        &mut self,
        is_alone: bool,
        context: &mut Context<'_>,
    ) -> Poll<Result<T, String>> {
        match self {
            Task::Inline(future) => poll_catching(future, context),
            Task::UntilAccompanied(future) => {
                let Some(mut polled) = future.take() else { return Poll::Pending };
                if let Poll::Ready(ended) = poll_catching(&mut polled, context) {
                    return Poll::Ready(ended);
                }
                if is_alone {
                    *future = Some(polled);
                    return Poll::Pending;
                }
                *self = Task::Spawned(spawn(polled));
                self.poll(is_alone, context)
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

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        thread::{self, ThreadId},
    };

    use super::Task;

    /// Two slices, each on the thread that it says.
    fn two_slices() -> Task<'static, [ThreadId; 2]> {
        Task::spawned(|| {
            Box::pin(async {
                let first = thread::current().id();
                tokio::task::yield_now().await;
                [first, thread::current().id()]
            })
        })
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_task_leaves_the_thread_of_its_owner_only_beside_another_one() {
        let own = thread::current().id();
        let mut alone = two_slices();
        let threads = poll_fn(|context| alone.poll(true, context)).await.unwrap();
        assert_eq!(threads, [own; 2]);
        let mut accompanied = two_slices();
        let [first, second] = poll_fn(|context| accompanied.poll(false, context)).await.unwrap();
        assert!(first == own && second != own);
    }
}
