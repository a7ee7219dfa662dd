//! llama.cpp itself, started once in a process, and its log.

use std::{
    cell::RefCell,
    collections::VecDeque,
    ffi::{CStr, c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_sys_2 as sys;

/// Warnings and errors that the log holds: the last ones say why loading failed.
const PROBLEMS_MAX: usize = 8;

/// The one backend of this process. Never dropped: llama.cpp cannot be started twice.
pub(super) fn backend() -> Option<&'static LlamaBackend> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let start = || {
        #[expect(unsafe_code, reason = "the crate's own log forwarding does not expose the lines")]
        // SAFETY: `log_callback` is a function without state, so it outlives everything; it never unwinds.
        unsafe {
            sys::llama_log_set(Some(log_callback), std::ptr::null_mut());
            sys::ggml_log_set(Some(log_callback), std::ptr::null_mut());
        }
        LlamaBackend::init().ok()
    };
    BACKEND.get_or_init(start).as_ref()
}

/// Runs `work`, and returns the errors that llama.cpp logged meanwhile on this thread, or its warnings if there are
/// no errors. Its function names are left out.
pub(super) fn with_llama_errors<T>(work: impl FnOnce() -> T) -> (T, String) {
    LLAMA_LOG.with_borrow_mut(|log| log.problems.clear());
    let result = work();
    let problems = LLAMA_LOG.with_borrow_mut(|log| std::mem::take(&mut log.problems));
    let has_errors = problems.iter().any(|(is_error, _)| *is_error);
    let mut unique: Vec<String> = Vec::new();
    for (_, line) in problems.into_iter().filter(|(is_error, _)| *is_error == has_errors) {
        let line = line.strip_prefix(LOADING).unwrap_or(&line).to_owned();
        if line != FAILED && !unique.contains(&line) {
            unique.push(line);
        }
    }
    (result, unique.join("; "))
}

/// A prefix of every reason, and a line without one.
const LOADING: &str = "error loading model: ";
const FAILED: &str = "failed to load model";

pub(super) fn or_default(problems: String, default: &str) -> String {
    if problems.is_empty() { default.to_owned() } else { problems }
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

/// llama.cpp calls it with pieces of lines, on any thread.
extern "C" fn log_callback(level: sys::ggml_log_level, text: *const c_char, _: *mut c_void) {
    if text.is_null() {
        return;
    }
    #[expect(unsafe_code, reason = "llama.cpp passes a C string")]
    // SAFETY: llama.cpp passes a string that ends with NUL and lives during the call.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    // A panic must not leave a function that C++ calls, and a tracing subscriber may panic.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let lines = LLAMA_LOG.try_with(|log| match log.try_borrow_mut() {
            Ok(mut log) => log.take_lines(level, &text),
            Err(_) => Vec::new(),
        });
        for (level, line) in lines.unwrap_or_default() {
            forward_to_tracing(level, &line);
        }
    }));
}

impl LlamaLog {
    /// Returns the complete lines; the rest waits for its line end.
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

/// Demotes every level: llama.cpp logs a requested abort as an error, and warns of every size below the possible
/// one. Errors that matter to the player are returned as errors.
fn forward_to_tracing(level: sys::ggml_log_level, line: &str) {
    match level {
        sys::GGML_LOG_LEVEL_WARN | sys::GGML_LOG_LEVEL_ERROR => {
            tracing::debug!(target: "llama.cpp", "{line}");
        }
        _ => tracing::trace!(target: "llama.cpp", "{line}"),
    }
}
