//! Reports to programs why a review let nothing run (`contracts/cancelled-plan.schema.json`).

use serde::Serialize;

/// The reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CancelReason {
    /// The reviewer wrote `cancel`.
    Cancelled,
    /// An order on a pipe failed.
    OrderFailed,
    /// The lines ended before the plan was started.
    LinesEnded,
    /// Ctrl-C.
    Interrupted,
}

/// The last line of `--format json` if a review let nothing run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelledPlan {
    /// Always true. It marks the document, because a result has no such field.
    cancelled: bool,
    plan_id: String,
    reason: CancelReason,
    /// The order that failed, as it was written. `None` if it was no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CancelledPlan {
    pub(super) fn new(plan_id: &str, reason: CancelReason) -> CancelledPlan {
        let plan_id = plan_id.to_owned();
        CancelledPlan { cancelled: true, plan_id, reason, order: None, error: None }
    }

    pub(super) fn by_failed_order(
        plan_id: &str,
        order: Option<String>,
        error: String,
    ) -> CancelledPlan {
        let cancelled = CancelledPlan::new(plan_id, CancelReason::OrderFailed);
        CancelledPlan { order, error: Some(error), ..cancelled }
    }

    pub(super) fn reason(&self) -> CancelReason {
        self.reason
    }
}
