//! Why an attempt, or a step before its first attempt, failed.

use std::time::Duration;

use crate::{SkipReason, StateRefusal, TURN_CONTENT_BYTES_MAX, TURN_CONTENT_VALUES_MAX};
use narratoria_plan::{ConditionError, FailureCategory, ReferenceError};
use narratoria_protocol::{InvocationError, Object};
use narratoria_skills::Script;

/// Longest code in a trace. A script chooses its own code; the contract limits the length.
const CODE_CHARS_MAX: usize = 200;

/// Why an attempt, or a whole step, failed. People and planners read the text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// `done` with `ok: false`: the script's own failure.
    #[error("{}", summary.as_deref().unwrap_or("gave up without saying why"))]
    GaveUp {
        summary: Option<String>,
        /// Code of the last `error` event.
        error_code: Option<String>,
        output: Object,
    },
    /// The host ended the script, or the script broke the protocol.
    #[error("{0}")]
    Refused(InvocationError),
    /// An `assetId` is unique in its invocation (docs/architecture.md, "The wire").
    #[error("broke the protocol: it used the asset id `{asset_id}` twice")]
    DuplicateAsset {
        /// Cut short.
        asset_id: String,
    },
    /// The script succeeded, but its output does not match the step's `expect`.
    #[error("its output is not what the plan expects: {what}{}", at(pointer))]
    UnexpectedOutput {
        /// Place in the output.
        pointer: String,
        what: String,
    },
    /// The script succeeded, but its output does not meet an acceptance criterion that has a rule (S3).
    #[error("its output does not meet the criterion \"{criterion}\": {what}")]
    CriterionUnmet {
        /// Cut short.
        criterion: String,
        what: String,
    },
    /// The content that it wrote for the story exceeds its part of the turn's record.
    #[error(
        "wrote more than its part of what a turn records: all steps together have {TURN_CONTENT_BYTES_MAX} bytes \
         and {TURN_CONTENT_VALUES_MAX} JSON values for patches, assets, UI events, outputs and store writes"
    )]
    RecordFull,
    /// Its patches do not become part of the state.
    #[error(transparent)]
    State(StateRefusal),
    /// The runner itself did not end the attempt in time.
    #[error("did not end within its time limit of {} ms and was abandoned", limit.as_millis())]
    Unresponsive { limit: Duration },
    /// The plan's time ended before the attempt's own.
    #[error("ran until the plan's time limit of {} ms was over", limit.as_millis())]
    PlanTimeout {
        /// [`crate::ExecutionOptions::plan_timeout`].
        limit: Duration,
    },
    /// The runner panicked. That is the host's fault, but must not lose the turn.
    #[error("the host crashed while it ran: {what}")]
    HostCrashed {
        /// The message of the panic.
        what: String,
    },
    /// The player left, and the attempt outlived the grace.
    #[error("was cancelled")]
    Cancelled,
    /// A halt of the plan ended a loop between two items.
    #[error("was ended after {done} of {items} items ({})", because.as_str())]
    CutShort {
        /// Items that succeeded. Their results do not count.
        done: usize,
        items: usize,
        because: SkipReason,
    },
    /// A reference of the input or of the loop has no value. There was no attempt.
    #[error(transparent)]
    Reference(ReferenceError),
    /// `when` has no result. There was no attempt.
    #[error(transparent)]
    Condition(ConditionError),
    /// The filled input does not match the script's schema. There was no attempt.
    #[error("its input is not what `{script}` takes: {what}{}", at(pointer))]
    InputMismatch {
        /// `<skill>/<script>`.
        script: String,
        /// Place in the input; starts with `/<item>` within a loop.
        pointer: String,
        what: String,
    },
    /// The value of `forEach` is not a list. There was no attempt.
    #[error("`forEach` needs a list, but got {found}")]
    NotAList { found: &'static str },
    /// The value of `forEach` is too long. There was no attempt.
    #[error("`forEach` got {found} items, {limit} are allowed; `maxItems` sets the limit")]
    TooManyItems { found: usize, limit: usize },
    /// Read back from a journal, which stores only these parts of a failure.
    #[error("{message}")]
    Recorded { code: String, message: String, category: FailureCategory },
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at `{pointer}`") }
}

impl Failure {
    /// Returns a stable code for programs: the script's own, or one of the host.
    pub fn code(&self) -> String {
        let code = match self {
            Failure::GaveUp { error_code, .. } => error_code.as_deref().unwrap_or_default(),
            Failure::Refused(refusal) => refusal.code(),
            Failure::DuplicateAsset { .. } => "DUPLICATE_ASSET",
            Failure::UnexpectedOutput { .. } => "UNEXPECTED_OUTPUT",
            Failure::CriterionUnmet { .. } => "CRITERION_UNMET",
            Failure::RecordFull => "RECORD_EXCEEDED",
            Failure::State(refusal) => refusal.code(),
            Failure::Unresponsive { .. } => "TOOL_TIMEOUT",
            Failure::PlanTimeout { .. } => "PLAN_TIMEOUT",
            Failure::HostCrashed { .. } => "HOST_CRASHED",
            Failure::Cancelled => "CANCELLED",
            Failure::CutShort { .. } => "CUT_SHORT",
            Failure::Reference(ReferenceError::Missing { .. }) => "REFERENCE_MISSING",
            Failure::Reference(ReferenceError::NoOutput { .. }) => "REFERENCE_NO_OUTPUT",
            Failure::Reference(ReferenceError::TooLarge { .. }) => "REFERENCE_TOO_LARGE",
            Failure::Condition(_) => "CONDITION_UNANSWERED",
            Failure::InputMismatch { .. } => "INPUT_MISMATCH",
            Failure::NotAList { .. } => "NOT_A_LIST",
            Failure::TooManyItems { .. } => "TOO_MANY_ITEMS",
            Failure::Recorded { code, .. } => code,
        };
        match code {
            "" => "TOOL_FAILED".to_owned(),
            code => code.chars().take(CODE_CHARS_MAX).collect(),
        }
    }

    /// S0 FR-027. Returns the category. A plan that asks for something impossible counts as an invalid plan.
    pub fn category(&self) -> FailureCategory {
        match self {
            Failure::GaveUp { .. }
            | Failure::UnexpectedOutput { .. }
            | Failure::CriterionUnmet { .. }
            | Failure::State(_) => FailureCategory::ToolFailure,
            Failure::Refused(InvocationError::Protocol(_))
            | Failure::DuplicateAsset { .. }
            | Failure::Reference(_)
            | Failure::Condition(_)
            | Failure::InputMismatch { .. }
            | Failure::NotAList { .. }
            | Failure::TooManyItems { .. } => FailureCategory::InvalidJson,
            Failure::Recorded { category, .. } => *category,
            _ if self.is_timeout() => FailureCategory::Timeout,
            Failure::Refused(_)
            | Failure::RecordFull
            | Failure::Unresponsive { .. }
            | Failure::PlanTimeout { .. }
            | Failure::HostCrashed { .. }
            | Failure::CutShort { .. }
            | Failure::Cancelled => FailureCategory::ProcessError,
        }
    }

    /// Returns true if the attempt would have exceeded a sum of the turn or of the story.
    pub(crate) fn is_sum_of_turn(&self) -> bool {
        matches!(
            self,
            Failure::State(_)
                | Failure::RecordFull
                | Failure::Refused(InvocationError::TurnDiskFull { .. })
        )
    }

    /// Returns true if the script says that its input is at fault.
    pub(crate) fn blames_input_of(&self, script: &Script) -> bool {
        let Failure::GaveUp { error_code: Some(code), .. } = self else { return false };
        script.input_errors.contains(code)
    }

    pub fn is_timeout(&self) -> bool {
        matches!(
            self,
            Failure::Refused(InvocationError::TimedOut { .. })
                | Failure::Unresponsive { .. }
                | Failure::PlanTimeout { .. }
                | Failure::CutShort { because: SkipReason::PlanTimeout, .. }
                | Failure::Recorded { category: FailureCategory::Timeout, .. }
        )
    }
}
