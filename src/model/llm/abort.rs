//! Stops a computation in the middle. llama.cpp calls back after every step, which takes about a millisecond.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputeAbortReason {
    Deadline,
    /// The job was cancelled or its future dropped, or the model is being unloaded.
    Cancelled,
    /// A job waits, and this work was only reading ahead.
    Preempted,
}

/// Reasons to stop the work that runs now.
pub(super) struct AbortConditions {
    /// `None` for reading ahead.
    pub deadline: Option<Instant>,
    pub cancel: CancellationToken,
    /// Set when the future of the job is dropped.
    pub abandoned: Arc<AtomicBool>,
    /// Any job goes first.
    pub yields_to_jobs: bool,
}

/// Checked by llama.cpp while it computes, and by the worker between computations.
pub(super) struct AbortCheck {
    queue: Arc<JobQueue>,
    conditions: Mutex<(Option<AbortConditions>, Option<ComputeAbortReason>)>,
}

impl AbortCheck {
    pub(super) fn new(queue: Arc<JobQueue>) -> AbortCheck {
        AbortCheck { queue, conditions: Mutex::new((None, None)) }
    }

    /// Sets the conditions of the work that begins now.
    pub(super) fn arm(&self, conditions: AbortConditions) {
        *self.conditions.lock().unwrap_or_else(PoisonError::into_inner) = (Some(conditions), None);
    }

    /// Why the work must stop, if it must. The first reason stays until the next [`Self::arm`].
    pub(super) fn reason(&self) -> Option<ComputeAbortReason> {
        let mut state = self.conditions.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(conditions), None) = &*state else { return state.1 };
        let reason = if conditions.cancel.is_cancelled()
            || conditions.abandoned.load(Ordering::Relaxed)
            || self.queue.is_closed()
        {
            Some(ComputeAbortReason::Cancelled)
        } else if conditions.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(ComputeAbortReason::Deadline)
        } else if conditions.yields_to_jobs && self.queue.has_jobs() {
            Some(ComputeAbortReason::Preempted)
        } else {
            None
        };
        state.1 = reason;
        reason
    }
}

// One private field of exactly this type: llama-cpp-2 and llama-cpp-sys-2 are pinned for it.
const _: () = assert!(
    size_of::<LlamaContextParams>() == size_of::<sys::llama_context_params>()
        && align_of::<LlamaContextParams>() == align_of::<sys::llama_context_params>()
);

/// Lets a context check `abort`, which must outlive the context.
pub(super) fn with_abort_check(
    params: LlamaContextParams,
    abort: &Arc<AbortCheck>,
) -> LlamaContextParams {
    #[expect(unsafe_code, reason = "the crate has no way to set llama.cpp's abort callback")]
    // SAFETY: the crate's type has one field of the other type. Both versions are pinned, and the assertion above
    // compares their layouts.
    unsafe {
        let mut raw: sys::llama_context_params = std::mem::transmute(params);
        raw.abort_callback = Some(abort_callback);
        raw.abort_callback_data = Arc::as_ptr(abort).cast_mut().cast();
        std::mem::transmute(raw)
    }
}

extern "C" fn abort_callback(data: *mut c_void) -> bool {
    #[expect(unsafe_code, reason = "llama.cpp passes the pointer of `abort_callback_data` back")]
    // SAFETY: it is the pointer of `with_abort_check`, whose caller keeps the value alive.
    let abort = unsafe { &*data.cast_const().cast::<AbortCheck>() };
    // A panic must not leave a function that C++ calls.
    catch_unwind(AssertUnwindSafe(|| abort.reason().is_some())).unwrap_or(true)
}
