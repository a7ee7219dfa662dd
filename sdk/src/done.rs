//! The end of a script: [`Done`] or [`SkillError`].

use std::fmt;

use serde::Serialize;

use crate::Value;

/// The script succeeded. `O` is the type of its output, and gives the output's schema.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a script ends by returning this"]
#[non_exhaustive]
pub struct Done<O = ()> {
    /// One line for people.
    pub summary: Option<String>,
    /// The value that dependent steps read. Must serialise to an object; `()` means none.
    pub output: O,
}

impl Done {
    /// Success without summary and output.
    pub fn ok() -> Done {
        Done { summary: None, output: () }
    }
}

impl<O> Done<O> {
    /// Adds a summary of one line, for people.
    pub fn summary(mut self, summary: impl Into<String>) -> Done<O> {
        self.summary = Some(summary.into());
        self
    }

    /// Adds the output, which the steps that depend on this one read.
    pub fn output<P>(self, output: P) -> Done<P> {
        Done { summary: self.summary, output }
    }
}

/// The script failed. The error becomes an `error` event and `done` with `ok: false`.
///
/// The operator `?` turns every error type into this one, with the code [`SkillError::FAILED`] and the causes in the
/// message. For that reason this type is not itself a `std::error::Error`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SkillError {
    /// Stable, machine-readable, such as `FORMULA_TOO_LONG`.
    pub code: String,
    /// For people: the thing, the value, the limit and the remedy.
    pub message: String,
    /// Opaque extras.
    pub details: Option<Value>,
}

impl SkillError {
    /// The code of an error that came through `?`.
    pub const FAILED: &str = "FAILED";

    /// The code of a request over HTTP that the host has refused: to another host than those granted, or
    /// beyond a limit.
    pub const HTTP_REFUSED: &str = "HTTP_REFUSED";

    /// The code of a request over HTTP that took too long.
    pub const HTTP_TIMED_OUT: &str = "HTTP_TIMED_OUT";

    /// The code of a request over HTTP that has failed, for example because the player is offline.
    pub const HTTP_FAILED: &str = "HTTP_FAILED";

    /// The code of a question without an answer: there is no player, or the player declined.
    pub const NOBODY_ANSWERED: &str = "NOBODY_ANSWERED";

    /// The code of a text that was not written because there is no language model, or not yet.
    pub const LLM_UNAVAILABLE: &str = "LLM_UNAVAILABLE";

    /// The code of a text that goes beyond a limit, which the message names.
    pub const LLM_REFUSED: &str = "LLM_REFUSED";

    /// The code of a text of which nothing was written in time.
    pub const LLM_TIMED_OUT: &str = "LLM_TIMED_OUT";

    /// The code of a text that the language model failed to write.
    pub const LLM_FAILED: &str = "LLM_FAILED";

    /// An error without details.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> SkillError {
        SkillError { code: code.into(), message: message.into(), details: None }
    }

    /// Adds structured extras; a value that has no JSON form is left out.
    #[must_use]
    pub fn details(mut self, details: impl Serialize) -> SkillError {
        self.details = serde_json::to_value(details).ok();
        self
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.message)
    }
}

impl<E: std::error::Error> From<E> for SkillError {
    fn from(error: E) -> SkillError {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            message.push_str(": ");
            message.push_str(&inner.to_string());
            cause = inner.source();
        }
        SkillError::new(SkillError::FAILED, message)
    }
}
