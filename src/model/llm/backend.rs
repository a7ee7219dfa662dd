//! llama.cpp itself, started once in a process, and what it has to say.

use std::{
    cell::RefCell,
    collections::VecDeque,
    ffi::{CStr, c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_sys_2 as sys;

/// Warnings and errors that are remembered: the last of them says why a load failed.
const PROBLEMS_MAX: usize = 8;

/// The one backend of this process. Never dropped: llama.cpp cannot be started twice.
pub(super) fn backend() -> Option<&'static LlamaBackend> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let start = || {
        #[expect(unsafe_code, reason = "the crate's own way to the log keeps no lines to look at")]
        // SAFETY: `hear` is a function without state, so it outlives everything; it never unwinds.
        unsafe {
            sys::llama_log_set(Some(log_callback), std::ptr::null_mut());
            sys::ggml_log_set(Some(log_callback), std::ptr::null_mut());
        }
        LlamaBackend::init().ok()
    };
    BACKEND.get_or_init(start).as_ref()
}

/// What llama.cpp complained about on this thread while `work` ran, without its function names: its errors,
/// or its warnings if there are none.
pub(super) fn with_llama_errors<T>(work: impl FnOnce() -> T) -> (T, String) {
    LLAMA_LOG.with_borrow_mut(|heard| heard.problems.clear());
    let done = work();
    let complaints = LLAMA_LOG.with_borrow_mut(|heard| std::mem::take(&mut heard.problems));
    let has_errors = complaints.iter().any(|(is_error, _)| *is_error);
    let mut unique: Vec<String> = Vec::new();
    for (_, line) in complaints.into_iter().filter(|(is_error, _)| *is_error == has_errors) {
        let line = line.strip_prefix(LOADING).unwrap_or(&line).to_owned();
        if line != FAILED && !unique.contains(&line) {
            unique.push(line);
        }
    }
    (done, unique.join("; "))
}

/// What stands before every reason, and what says nothing.
const LOADING: &str = "error loading model: ";
const FAILED: &str = "failed to load model";

/// What llama.cpp said, or the little that the crate knows.
pub(super) fn or_default(complaints: String, otherwise: &str) -> String {
    if complaints.is_empty() { otherwise.to_owned() } else { complaints }
}

thread_local! {
    static LLAMA_LOG: RefCell<LlamaLog> = RefCell::new(LlamaLog::default());
}

#[derive(Default)]
struct LlamaLog {
    line: String,
    level: sys::ggml_log_level,
    /// Errors and warnings.
    problems: VecDeque<(bool, String)>,
}

/// Gets pieces of lines from llama.cpp, on whatever thread it speaks.
extern "C" fn log_callback(level: sys::ggml_log_level, text: *const c_char, _: *mut c_void) {
    if text.is_null() {
        return;
    }
    #[expect(unsafe_code, reason = "llama.cpp hands over a C string")]
    // SAFETY: llama.cpp gives a string that ends with NUL and lives during the call.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    // A panic must not leave a function that C++ calls; a subscriber might have one.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let lines = LLAMA_LOG.try_with(|heard| match heard.try_borrow_mut() {
            Ok(mut heard) => heard.take_lines(level, &text),
            Err(_) => Vec::new(),
        });
        for (level, line) in lines.unwrap_or_default() {
            forward_to_tracing(level, &line);
        }
    }));
}

impl LlamaLog {
    /// Whole lines; the rest waits for its end.
    fn take_lines(
        &mut self,
        level: sys::ggml_log_level,
        text: &str,
    ) -> Vec<(sys::ggml_log_level, String)> {
        if level != sys::GGML_LOG_LEVEL_CONT {
            self.level = level;
        }
        self.line.push_str(text);
        let mut lines = Vec::new();
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if matches!(self.level, sys::GGML_LOG_LEVEL_WARN | sys::GGML_LOG_LEVEL_ERROR) {
                if self.problems.len() == PROBLEMS_MAX {
                    self.problems.pop_front();
                }
                let words: Vec<_> = without_function(line).split_whitespace().collect();
                let is_error = self.level == sys::GGML_LOG_LEVEL_ERROR;
                self.problems.push_back((is_error, words.join(" ")));
            }
            lines.push((self.level, line.to_owned()));
        }
        lines
    }
}

/// `load: bad thing` without `load`.
fn without_function(line: &str) -> &str {
    match line.split_once(": ") {
        Some((function, rest))
            if function
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "_:~".contains(char)) =>
        {
            rest
        }
        _ => line,
    }
}

/// llama.cpp calls it an error that it was asked to stop, and warns of everything that is not as large as it
/// could be. What is an error for the player comes back as one.
fn forward_to_tracing(level: sys::ggml_log_level, line: &str) {
    match level {
        sys::GGML_LOG_LEVEL_WARN | sys::GGML_LOG_LEVEL_ERROR => {
            tracing::debug!(target: "llama.cpp", "{line}");
        }
        _ => tracing::trace!(target: "llama.cpp", "{line}"),
    }
}
