//! Errors of a plan's text, with hints if there are any.

mod plan_error;

use std::{fmt, ops::RangeInclusive};

use narratoria_protocol::visible::{clip, visible_word};

pub(super) use plan_error::THE_PLAN;
pub use plan_error::{PlanError, script_of_file};

/// Most errors that are listed. Neither a person nor a planner that tries again reads more.
const PLAN_ERRORS_MAX: usize = 32;

/// Most names that a hint lists.
const HINT_NAMES_MAX: usize = 12;

/// Longest piece of the planner's text that a message quotes.
const QUOTE_CHARS_MAX: usize = 80;

/// Why a plan failed, in the words of S0 FR-027 and the contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureCategory {
    /// A script reported a failure, or broke the protocol.
    ToolFailure,
    CircularDependency,
    Timeout,
    /// A plan or a script wrote unreadable JSON.
    InvalidJson,
    /// A script trapped or exited with an error.
    ProcessError,
}

impl FailureCategory {
    pub fn as_str(self) -> &'static str {
        match self {
            FailureCategory::ToolFailure => "tool_failure",
            FailureCategory::CircularDependency => "circular_dependency",
            FailureCategory::Timeout => "timeout",
            FailureCategory::InvalidJson => "invalid_json",
            FailureCategory::ProcessError => "process_error",
        }
    }

    /// The inverse of [`FailureCategory::as_str`].
    pub fn parse(word: &str) -> Option<FailureCategory> {
        use FailureCategory::{
            CircularDependency, InvalidJson, ProcessError, Timeout, ToolFailure,
        };
        let all = [ToolFailure, CircularDependency, Timeout, InvalidJson, ProcessError];
        all.into_iter().find(|category| category.as_str() == word)
    }
}

/// All errors of one plan. Never empty when returned; lists at most [`PLAN_ERRORS_MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanErrors {
    errors: Vec<PlanError>,
    left_off: usize,
}

impl PlanErrors {
    /// Adds an error. Beyond [`PLAN_ERRORS_MAX`], errors are only counted.
    pub(super) fn push(&mut self, error: PlanError) {
        if self.is_full() {
            self.left_off += 1;
        } else {
            self.errors.push(error);
        }
    }

    /// Adds what else is wrong. An error that both found stands once, with the hint that knows the catalog.
    pub(super) fn with_meaning(self, found: PlanErrors) -> PlanErrors {
        let messages: Vec<String> = found.errors.iter().map(PlanError::to_string).collect();
        let is_new = |error: &PlanError| !messages.contains(&error.to_string());
        let mut all = PlanErrors { errors: Vec::new(), left_off: self.left_off + found.left_off };
        let errors = self.errors.into_iter().filter(is_new).chain(found.errors);
        errors.for_each(|error| all.push(error));
        all
    }

    pub(super) fn check_range(&mut self, place: &str, found: u64, range: &RangeInclusive<u64>) {
        if !range.contains(&found) {
            let (place, min, max) = (place.to_owned(), *range.start(), *range.end());
            self.push(PlanError::OutOfRange { place, found, min, max });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns true if the next error is only counted, so that its hint is not worth computing.
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= PLAN_ERRORS_MAX
    }

    /// Returns the errors in the order of the plan's text, as far as they have one.
    pub fn iter(&self) -> impl Iterator<Item = &PlanError> {
        self.errors.iter()
    }

    /// Counts the errors that [`PlanErrors::iter`] leaves out.
    pub fn left_off(&self) -> usize {
        self.left_off
    }

    /// Returns `circular_dependency` if a cycle is among the errors, otherwise `invalid_json` (S0 FR-027).
    pub fn category(&self) -> FailureCategory {
        self.errors
            .iter()
            .map(PlanError::category)
            .find(|category| *category == FailureCategory::CircularDependency)
            .unwrap_or(FailureCategory::InvalidJson)
    }

    /// Returns the hints of all errors, each once.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        for hint in self.errors.iter().filter_map(PlanError::hint) {
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        hints
    }
}

impl From<PlanError> for PlanErrors {
    fn from(error: PlanError) -> PlanErrors {
        PlanErrors { errors: vec![error], left_off: 0 }
    }
}

/// One error a line.
impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            let line_end = if at == 0 { "" } else { "\n" };
            write!(f, "{line_end}{error}")?;
        }
        match self.left_off {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for PlanErrors {}

/// Joins a few names for a hint.
pub(super) fn join_names(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown = names.iter().take(HINT_NAMES_MAX).map(String::as_str).collect::<Vec<_>>();
    match names.len().saturating_sub(HINT_NAMES_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns a piece of the planner's text for a message: clipped and escaped.
pub fn quote(text: &str) -> String {
    visible_word(&clip(text, QUOTE_CHARS_MAX)).into_owned()
}
