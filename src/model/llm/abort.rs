//! Stopping in the middle of a computation. llama.cpp asks after every step whether to go on; a step takes a
//! millisecond or so.

use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_sys_2 as sys;
use tokio_util::sync::CancellationToken;

use super::queue::JobQueue;

/// Why to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputeAbortReason {
    /// Its time is over.
    Deadline,
    /// Nobody wants it, or the model is to end.
    Cancelled,
    /// Somebody waits, and this was only reading ahead.
    Preempted,
}

/// What somebody may do to work that runs.
pub(super) struct AbortConditions {
    /// Reading ahead has none.
    pub deadline: Option<Instant>,
    pub cancel: CancellationToken,
    /// Nobody listens any more.
    pub abandoned: Arc<AtomicBool>,
    /// Whether anybody who waits goes first.
    pub yields_to_jobs: bool,
}

/// Asked by llama.cpp while it computes, and by the worker in between.
pub(super) struct AbortCheck {
    queue: Arc<JobQueue>,
    conditions: Mutex<(Option<AbortConditions>, Option<ComputeAbortReason>)>,
}

impl AbortCheck {
    pub(super) fn new(queue: Arc<JobQueue>) -> AbortCheck {
        AbortCheck { queue, conditions: Mutex::new((None, None)) }
    }

    /// For the work that begins now.
    pub(super) fn arm(&self, watch: AbortConditions) {
        *self.conditions.lock().unwrap_or_else(PoisonError::into_inner) = (Some(watch), None);
    }

    /// Whether the work is to stop. Once it is, it stays so until the next one.
    pub(super) fn reason(&self) -> Option<ComputeAbortReason> {
        let mut watch = self.conditions.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(work), None) = &*watch else { return watch.1 };
        let why = if work.cancel.is_cancelled()
            || work.abandoned.load(Ordering::Relaxed)
            || self.queue.is_closed()
        {
            Some(ComputeAbortReason::Cancelled)
        } else if work.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(ComputeAbortReason::Deadline)
        } else if work.yields_to_jobs && self.queue.has_jobs() {
            Some(ComputeAbortReason::Preempted)
        } else {
            None
        };
        watch.1 = why;
        why
    }
}

// One private field of exactly this type: llama-cpp-2 and llama-cpp-sys-2 are pinned for it.
const _: () = assert!(
    size_of::<LlamaContextParams>() == size_of::<sys::llama_context_params>()
        && align_of::<LlamaContextParams>() == align_of::<sys::llama_context_params>()
);

/// Makes a context that asks `stop`, which must live longer than the context.
pub(super) fn with_abort_check(
    params: LlamaContextParams,
    stop: &Arc<AbortCheck>,
) -> LlamaContextParams {
    #[expect(unsafe_code, reason = "the crate has no way to set llama.cpp's abort callback")]
    // SAFETY: the type has one field, the other type; both are pinned and their layout is asserted above.
    unsafe {
        let mut raw: sys::llama_context_params = std::mem::transmute(params);
        raw.abort_callback = Some(abort_callback);
        raw.abort_callback_data = Arc::as_ptr(stop).cast_mut().cast();
        std::mem::transmute(raw)
    }
}

extern "C" fn abort_callback(stop: *mut c_void) -> bool {
    #[expect(unsafe_code, reason = "llama.cpp hands back the pointer that it was given")]
    // SAFETY: it is the pointer of `with_stop`, whose owner keeps it alive.
    let stop = unsafe { &*stop.cast_const().cast::<AbortCheck>() };
    // A panic must not leave a function that C++ calls.
    catch_unwind(AssertUnwindSafe(|| stop.reason().is_some())).unwrap_or(true)
}
