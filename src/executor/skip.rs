//! Why a step never began, and why a plan starts no more steps.

use narratoria_plan::StepIdx;

/// Why a step never began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// A required step failed that this one needs, directly or not.
    DependencyFailed(StepIdx),
    /// A person denied a required step that this one needs, directly or not.
    DependencyDenied(StepIdx),
    /// Its own condition does not hold.
    ConditionFalse,
    /// A person did not approve it.
    Denied,
    /// A person took it out of the plan in review.
    SkippedByPlayer,
    /// The planner took it out of its own plan, such as after a failure (S2 "Skip and continue").
    SkippedByPlanner,
    /// The plan's time had ended.
    PlanTimeout,
    /// A required step failed under `onFailure: "stop"`.
    PlanStopped,
    /// The player left.
    Cancelled,
}

/// Why a plan starts nothing more. A later variant overrides an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HaltReason {
    Stopped,
    PlanTimeout,
    Cancelled,
}

impl SkipReason {
    /// Returns true if a person or the planner decided it for this very step.
    pub fn is_decision(self) -> bool {
        matches!(
            self,
            SkipReason::Denied | SkipReason::SkippedByPlayer | SkipReason::SkippedByPlanner
        )
    }

    /// Returns true if the step was left out on purpose, so that the plan may succeed without it.
    pub fn is_intended(self) -> bool {
        match self {
            SkipReason::ConditionFalse
            | SkipReason::Denied
            | SkipReason::DependencyDenied(_)
            | SkipReason::SkippedByPlayer
            | SkipReason::SkippedByPlanner => true,
            SkipReason::DependencyFailed(_)
            | SkipReason::PlanTimeout
            | SkipReason::PlanStopped
            | SkipReason::Cancelled => false,
        }
    }

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::DependencyFailed(_) => "dependency_failed",
            SkipReason::DependencyDenied(_) => "dependency_denied",
            SkipReason::ConditionFalse => "condition_false",
            SkipReason::Denied => "denied",
            SkipReason::SkippedByPlayer => "skipped_by_player",
            SkipReason::SkippedByPlanner => "skipped_by_planner",
            SkipReason::PlanTimeout => "plan_timeout",
            SkipReason::PlanStopped => "plan_stopped",
            SkipReason::Cancelled => "cancelled",
        }
    }
}

impl HaltReason {
    pub(crate) fn skip_reason(self) -> SkipReason {
        match self {
            HaltReason::Stopped => SkipReason::PlanStopped,
            HaltReason::PlanTimeout => SkipReason::PlanTimeout,
            HaltReason::Cancelled => SkipReason::Cancelled,
        }
    }
}
