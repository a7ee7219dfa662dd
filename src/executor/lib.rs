//! The executor: [`Plan`](narratoria_plan::Plan) → [`Trace`]. Runs the steps of a plan: order, tasks, timers,
//! retries, approvals and questions.
//!
//! Depends on `plan`, `protocol` and `skills` alone, and needs neither wasmtime nor SQLite: a [`Runner`]
//! runs the scripts, and an [`InvocationOutcome`](narratoria_protocol::InvocationOutcome) is plain data.
//! Knows nothing of the engine's replanning or of where a trace is stored.
//!
//! One loop owns all state of a running plan. The tasks only run scripts and send messages to it.
//!
//! # Determinism
//!
//! Timing does not change the result. A step sees the state at the start plus the patches of its
//! ancestors in plan order; the final state merges all patches in plan order; the health tracker records
//! attempts in plan order. Only limits (a timeout, the plan's deadline, a cancel, `onFailure: "stop"`)
//! depend on time (docs/plans.md, "Order, time and failure").
//!
//! # Limits
//!
//! | limit | running attempts | the other steps |
//! |---|---|---|
//! | a step's timeout | end as a timeout, and retry like after any failure | go on |
//! | the plan's timeout | end with it, without a retry | skipped, `plan_timeout` |
//! | a required failure under `onFailure: "stop"` | go on, without a retry | skipped, `plan_stopped` |
//! | the token is cancelled | get [`ExecutionOptions::shutdown_grace`], without a retry | skipped, `cancelled` |
//!
//! A step that waits for approval counts as one of the other steps: it holds no slot. The plan's time
//! stands still while nothing runs or backs off and only people can continue the plan; an attempt's time
//! stands still while its question is open. After a cancel and after the plan's timeout the executor
//! withdraws every open request and opens no new one.

mod acceptance;
mod arbiter;
mod arbitrate;
mod attempt;
mod attempt_result;
mod clock;
mod decisions;
mod entity_account;
mod entity_ledger;
mod event;
mod execution;
mod failure;
mod finish;
mod halt;
mod health;
pub mod journal;
mod memory_author;
mod outcome;
mod pending;
mod prepare;
mod prepared;
mod questions;
mod record_budget;
mod run;
mod run_loop;
mod runner;
mod schedule;
mod seed;
mod skip;
mod state_gate;
mod state_refusal;
mod state_rules;
mod state_view;
mod step_run;
mod store_ledger;
mod task;
#[cfg(test)]
mod tests;
mod trace;
pub mod wire;
mod write_gate;

pub use arbiter::{
    Arbitration, ArbitrationReason, ExecutedBy, PassedOverCandidate, PlanArbiter, Takeover,
};
pub use event::ExecutionEvent;
pub use execution::{
    ApprovalPolicy, Execution, ExecutionOptions, GRACE_EVENTS_MAX, PLAN_TIMEOUT, QuestionPolicy,
    ReusedResults, SHUTDOWN_GRACE, StoreSnapshots,
};
pub use failure::Failure;
pub use outcome::{Approval, Outcome};
pub use pending::{DecisionError, PendingRequest, PendingRequestKind, PendingRequests};
pub use questions::PLAN_ASKS_MAX;
pub use record_budget::{
    TURN_CONTENT_BYTES_MAX, TURN_CONTENT_VALUES_MAX, TURN_EVENT_BYTES_MAX, TURN_EVENTS_MAX,
    TurnRecordBudget,
};
pub use runner::{AttemptCall, Runner};
pub use skip::SkipReason;
pub use state_refusal::StateRefusal;
pub use state_rules::StateRules;
pub use trace::{Attempt, StepTrace, Trace, TraceAsset, UiEvent};

use run::Run;

/// Executes a plan to its end. A script that fails is data in the [`Trace`], so this returns no error.
///
/// The loop that watches the timers calls `on_event`, which must not block. `on_event` may decide requests
/// in [`Execution::pending`].
pub async fn execute(
    execution: Execution<'_>,
    on_event: &mut (dyn FnMut(ExecutionEvent<'_>) + Send),
) -> Trace {
    let cancel = execution.cancel.clone();
    let _close = CloseOnDrop(execution.pending);
    let mut run = Run::new(execution, on_event);
    run.drive(&cancel).await;
    run.into_trace()
}

/// Closes the pending requests even if the caller drops the future of [`execute`].
struct CloseOnDrop<'a>(&'a PendingRequests);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
