//! Errors in a compact plan, in words that a log shows.

use narratoria_protocol::visible::clip;

/// Longest piece of a model's text that an error repeats.
const QUOTE_CHARS_MAX: usize = 80;

/// Why a text is no compact plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactPlanError {
    #[error("the plan has {bytes} bytes, at most {limit} are read")]
    TooLong { bytes: usize, limit: usize },
    /// Not JSON, or JSON with a duplicate key.
    #[error("the plan {what}")]
    Unreadable { what: String },
    #[error("the plan has no list `steps`")]
    NoSteps,
    #[error("the plan has {steps} steps, not 1 to {limit}")]
    StepCount { steps: usize, limit: usize },
    #[error("step {idx} of the plan: {fault}")]
    InvalidStep {
        /// From 0, as the model counts.
        idx: usize,
        fault: CompactStepError,
    },
}

/// Why a value is no step of a compact plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactStepError {
    #[error("`{}` is no step", quoted(.found))]
    NotAStep { found: String },
    /// Not in the tool set, or disabled.
    #[error("`{}` is no tool that this plan may use", quoted(.found))]
    UnknownTool { found: String },
    #[error("`{path}` has {found} parts where {expected} belong")]
    WrongLength { path: String, found: usize, expected: usize },
    #[error("`{path}` has `{}` where an object belongs", quoted(.found))]
    InputNotObject { path: String, found: String },
    #[error("`{path}` has the reference `{}`, which names no output that fits there", quoted(.found))]
    InvalidReference { path: String, found: String },
    #[error("`{path}` has the note `{}`, which cannot stand there", quoted(.found))]
    InvalidNotes { path: String, found: String },
    #[error("`{path}` comes after `{}`, which is no list of numbers below {idx}", quoted(.found))]
    InvalidDependencies {
        path: String,
        found: String,
        /// The step's own index.
        idx: usize,
    },
}

fn quoted(text: &str) -> String {
    clip(text, QUOTE_CHARS_MAX).into_owned()
}
