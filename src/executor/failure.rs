//! Why an attempt, or a step before its first attempt, came to nothing.

use std::time::Duration;

use super::SkipReason;
use narratoria_plan::{ConditionError, FailureCategory, ReferenceError};
use narratoria_protocol::InvocationError;
use narratoria_protocol::Object;

/// Longest code in a trace. A script's own code is its own text; the contract's ceiling cuts it.
const CODE_CHARS_MAX: usize = 200;

/// Why an attempt, or a whole step, came to nothing. The text is what people and planners read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// `done` with `ok: false`: the script's own failure.
    #[error("{}", summary.as_deref().unwrap_or("gave up without saying why"))]
    GaveUp {
        /// One line for people.
        summary: Option<String>,
        /// The last `error` event's code.
        error_code: Option<String>,
        /// What it had to say all the same.
        output: Object,
    },
    /// The host ended it, or it ended against the rules.
    #[error("{0}")]
    Refused(InvocationError),
    /// An `assetId` is unique in its invocation (DESIGN §2).
    #[error("broke the protocol: it used the asset id `{asset_id}` twice")]
    DuplicateAsset {
        /// The id, cut short.
        asset_id: String,
    },
    /// It ended well, but its output is not what the step's `expect` asks for.
    #[error("its output is not what the plan expects: {what}{}", at(pointer))]
    UnexpectedOutput {
        /// Where in the output.
        pointer: String,
        /// What is wrong there.
        what: String,
    },
    /// The runner itself did not end the attempt in time.
    #[error("did not end within its time limit of {} ms and was abandoned", limit.as_millis())]
    Unresponsive {
        /// The limit.
        limit: Duration,
    },
    /// The runner panicked: our own fault, but no reason to lose the turn.
    #[error("the host crashed while it ran: {what}")]
    HostCrashed {
        /// The panic's text.
        what: String,
    },
    /// The player left and the grace was over.
    #[error("was cancelled")]
    Cancelled,
    /// A loop that was ended between two items, since nothing starts any more.
    #[error("was ended after {done} of {items} items ({})", because.as_str())]
    CutShort {
        /// Items that ended well; they do not count.
        done: usize,
        /// Items that there are.
        items: usize,
        /// What ended the plan.
        because: SkipReason,
    },
    /// Something that the input or the loop takes from another step is not there. No attempt was made.
    #[error(transparent)]
    Reference(ReferenceError),
    /// `when` has no answer. No attempt was made.
    #[error(transparent)]
    Condition(ConditionError),
    /// The filled input is not what the script takes. No attempt was made.
    #[error("its input is not what `{script}` takes: {what}{}", at(pointer))]
    InputMismatch {
        /// `<skill>/<script>`.
        script: String,
        /// Where in the input; starts with `/<item>` within a loop.
        pointer: String,
        /// What is wrong there.
        what: String,
    },
    /// What `forEach` comes to is no list. No attempt was made.
    #[error("`forEach` needs a list, but got {found}")]
    NotAList {
        /// What it is.
        found: &'static str,
    },
    /// What `forEach` comes to is too long. No attempt was made.
    #[error("`forEach` got {found} items, {limit} are allowed; `maxItems` sets the limit")]
    TooManyItems {
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Read back from a journal, which keeps no more of a failure than this.
    #[error("{message}")]
    Recorded {
        /// [`Failure::code`].
        code: String,
        /// Its text.
        message: String,
        /// [`Failure::category`].
        category: FailureCategory,
    },
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at `{pointer}`") }
}

impl Failure {
    /// Stable, for programs: the script's own code, or one of the host's.
    pub fn code(&self) -> String {
        let code = match self {
            Failure::GaveUp { error_code, .. } => error_code.as_deref().unwrap_or_default(),
            Failure::Refused(refusal) => refusal.code(),
            Failure::DuplicateAsset { .. } => "DUPLICATE_ASSET",
            Failure::UnexpectedOutput { .. } => "UNEXPECTED_OUTPUT",
            Failure::Unresponsive { .. } => "TOOL_TIMEOUT",
            Failure::HostCrashed { .. } => "HOST_CRASHED",
            Failure::Cancelled => "CANCELLED",
            Failure::CutShort { .. } => "CUT_SHORT",
            Failure::Reference(ReferenceError::Missing { .. }) => "REFERENCE_MISSING",
            Failure::Reference(ReferenceError::NoOutput { .. }) => "REFERENCE_NO_OUTPUT",
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

    /// S0 FR-027. What the plan asks for in vain is a plan that is not one.
    pub fn category(&self) -> FailureCategory {
        match self {
            Failure::GaveUp { .. } | Failure::UnexpectedOutput { .. } => {
                FailureCategory::ToolFailure
            }
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
            | Failure::Unresponsive { .. }
            | Failure::HostCrashed { .. }
            | Failure::CutShort { .. }
            | Failure::Cancelled => FailureCategory::ProcessError,
        }
    }

    /// Whether time ran out.
    pub fn is_timeout(&self) -> bool {
        matches!(
            self,
            Failure::Refused(InvocationError::TimedOut { .. })
                | Failure::Unresponsive { .. }
                | Failure::CutShort { because: SkipReason::PlanTimeout, .. }
                | Failure::Recorded { category: FailureCategory::Timeout, .. }
        )
    }
}
