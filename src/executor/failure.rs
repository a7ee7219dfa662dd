//! Why an attempt came to nothing.

use std::time::Duration;

use crate::{plan::FailureCategory, protocol::Object, sandbox::Refusal};

/// Longest code in a trace. A script's own code is its own text; the contract's ceiling cuts it.
const CODE_CHARS_MAX: usize = 200;

/// Why an attempt came to nothing. The text is what people and planners read.
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
    Refused(Refusal),
    /// An `assetId` is unique in its invocation (DESIGN §2).
    #[error("broke the protocol: it used the asset id `{asset_id}` twice")]
    DuplicateAsset {
        /// The id, cut short.
        asset_id: String,
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
}

impl Failure {
    /// Stable, for programs: the script's own code, or one of the host's.
    pub fn code(&self) -> String {
        let code = match self {
            Failure::GaveUp { error_code, .. } => error_code.as_deref().unwrap_or_default(),
            Failure::Refused(refusal) => refusal.code(),
            Failure::DuplicateAsset { .. } => "DUPLICATE_ASSET",
            Failure::Unresponsive { .. } => "TOOL_TIMEOUT",
            Failure::HostCrashed { .. } => "HOST_CRASHED",
            Failure::Cancelled => "CANCELLED",
        };
        match code {
            "" => "TOOL_FAILED".to_owned(),
            code => code.chars().take(CODE_CHARS_MAX).collect(),
        }
    }

    /// S0 FR-027.
    pub fn category(&self) -> FailureCategory {
        match self {
            Failure::GaveUp { .. } => FailureCategory::ToolFailure,
            Failure::Refused(Refusal::Protocol(_)) | Failure::DuplicateAsset { .. } => {
                FailureCategory::InvalidJson
            }
            _ if self.is_timeout() => FailureCategory::Timeout,
            Failure::Refused(_)
            | Failure::Unresponsive { .. }
            | Failure::HostCrashed { .. }
            | Failure::Cancelled => FailureCategory::ProcessError,
        }
    }

    /// Whether time ran out.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Failure::Refused(Refusal::TimedOut { .. }) | Failure::Unresponsive { .. })
    }
}
