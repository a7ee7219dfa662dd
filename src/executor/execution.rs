//! The input of an execution: a plan, its surroundings and its options.

use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{PendingRequests, PlanArbiter, Runner, StateRules, StepTrace, TurnRecordBudget};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{EntityReader, StoreMap, StoryState};
use narratoria_skills::HealthTracker;

/// S0 FR-018.
pub const PLAN_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest time that an attempt may take, even if plan and manifest allow more. Equals a manifest's own limit.
pub(crate) const STEP_TIMEOUT_MAX: Duration = Duration::from_secs(300);

/// How long in-flight steps may go on after the player leaves (S0 §6).
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Most events and pieces of narration that all scripts of a plan together may write after a cancel. The grace is for
/// finishing: a script that floods its output would keep the host busy, and the player waiting, for all of it.
pub const GRACE_EVENTS_MAX: usize = 256;

/// Each skill's store at the start of the turn, shared with the attempts that read it. A skill without an
/// entry has stored nothing yet.
pub type StoreSnapshots = BTreeMap<String, Arc<StoreMap>>;

/// Results of steps that ran in an earlier version of the plan. The steps that a reused step needs should
/// be reused too.
pub type ReusedResults = BTreeMap<StepIdx, StepTrace>;

/// A plan to execute, with everything that the executor needs for it.
pub struct Execution<'a> {
    pub plan: &'a Plan,
    /// The story's state before the plan.
    pub start: &'a StoryState,
    /// Rights of the installed skills over the state.
    pub rules: &'a StateRules,
    /// The skills' stores before the plan.
    pub stores: &'a StoreSnapshots,
    /// The story's entities before the plan.
    pub entities: Arc<dyn EntityReader>,
    /// Steps that do not run again.
    pub reused_results: ReusedResults,
    pub runner: Arc<dyn Runner>,
    /// Belongs to the session, and records every attempt.
    pub health: &'a mut HealthTracker,
    /// Cancelled when the player leaves.
    pub cancel: CancellationToken,
    pub options: &'a ExecutionOptions,
    /// Receives approvals and questions. It must not serve another running plan.
    pub pending: &'a PendingRequests,
    /// May overrule the rule that chooses a step's skill.
    pub arbiter: Option<PlanArbiter>,
}

#[derive(Debug, Clone)]
pub struct ExecutionOptions {
    /// Attempts that may run at once in a parallel plan (S0 §5.3(3): at most the cores).
    pub slots: NonZeroUsize,
    /// The turn's seed, from which each step gets its own.
    pub seed: u64,
    /// The time for the whole plan.
    pub plan_timeout: Duration,
    /// The part of it that earlier versions of the plan have used.
    pub plan_time_used: Duration,
    /// Limits every step's own timeout.
    pub step_timeout_max: Duration,
    /// Time that in-flight attempts get after a cancel.
    pub shutdown_grace: Duration,
    /// Ends that time early. Has no effect before the cancel.
    pub grace_cut: CancellationToken,
    pub approvals: ApprovalPolicy,
    pub questions: QuestionPolicy,
    /// The rest of the turn's record budget; its plans share it.
    pub record: TurnRecordBudget,
}

/// How the executor treats steps that need approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalPolicy {
    /// A person decides, through [`PendingRequests`].
    Ask,
    /// The executor approves every step.
    Grant,
    /// The executor denies every step.
    Deny,
}

/// How the executor treats questions of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionPolicy {
    /// A person answers, through [`PendingRequests`].
    Ask,
    /// A script that asks reads the end of its input.
    Unanswered,
}

impl ExecutionOptions {
    /// `slots` and `seed` have no default, because the library inspects no machine and draws no random
    /// numbers. The other defaults: [`PLAN_TIMEOUT`], all of it left, [`STEP_TIMEOUT_MAX`], [`SHUTDOWN_GRACE`] that
    /// nothing cuts, [`ApprovalPolicy::Deny`] and [`QuestionPolicy::Unanswered`], because there may be no person to
    /// ask, and the record of a whole turn.
    pub fn new(slots: NonZeroUsize, seed: u64) -> ExecutionOptions {
        ExecutionOptions {
            slots,
            seed,
            plan_timeout: PLAN_TIMEOUT,
            plan_time_used: Duration::ZERO,
            step_timeout_max: STEP_TIMEOUT_MAX,
            shutdown_grace: SHUTDOWN_GRACE,
            grace_cut: CancellationToken::new(),
            approvals: ApprovalPolicy::Deny,
            questions: QuestionPolicy::Unanswered,
            record: TurnRecordBudget::whole(),
        }
    }
}
