//! The limits of a turn and the policies that apply while it runs.

use std::{fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use narratoria_executor::{
    ApprovalPolicy, ExecutionOptions, PLAN_TIMEOUT, QuestionPolicy, SHUTDOWN_GRACE,
};
use tokio_util::sync::CancellationToken;

use super::Update;

#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Steps that may run at the same time.
    pub slots: NonZeroUsize,
    /// The time of one plan (S0 FR-018).
    pub plan_timeout: Duration,
    /// The time of one generation (S0 FR-006). Afterwards the lexical planner answers.
    pub generation_timeout: Duration,
    /// Plans made in one turn (S0 FR-023).
    pub attempts_max: u32,
    /// How long steps in flight may go on when the turn is stopped (S0 §6).
    pub shutdown_grace: Duration,
    /// Cancelled when the program leaves at once; ends the grace early.
    pub grace_cut: CancellationToken,
    /// The points in which this host is freer than the letter of S0.
    pub freedoms: PlanFreedoms,
    /// For steps that need approval.
    pub approvals: ApprovalPolicy,
    /// For scripts that ask the player something.
    pub questions: QuestionPolicy,
    /// True if the same story, seed and sentences must give the same updates to the byte. Updates of steps
    /// that run at the same time then come in plan order, and every time in an update is 0. The story keeps
    /// the real times.
    pub repeatable: bool,
    /// True if [`Session::play`](crate::Session::play) and [`Session::resume`](crate::Session::resume) return the
    /// execution result of the last plan. A front end that only shows the turn has no use for it.
    pub returns_result: bool,
    /// Is told all updates of turns, for instance for a trace.
    pub observer: Option<Arc<dyn TurnObserver>>,
}

/// Is told the updates of one turn, each before the front end has it. It must not block.
pub type TurnWatch = Box<dyn FnMut(&Update) + Send>;

/// Follows the turns of sessions from outside, without a say in them. A clone of the options shares it.
pub trait TurnObserver: fmt::Debug + Send + Sync {
    /// What follows the next turn.
    fn watch(&self) -> TurnWatch;
}

/// Two ways in which plans are better than the letter of S0. A player who wants the letter turns them off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanFreedoms {
    /// The first steps of a plan may start while the planner still writes the rest. The letter of S0 FR-012 checks the
    /// whole plan before anything runs.
    pub early_steps: bool,
    /// A later plan may give a script that gave up other input, though its skill is disabled (S2, strategy 3). The letter
    /// of S0 FR-008 keeps disabled skills out of every later plan.
    pub repaired_steps: bool,
}

impl Default for PlanFreedoms {
    /// Turns both on.
    fn default() -> PlanFreedoms {
        PlanFreedoms { early_steps: true, repaired_steps: true }
    }
}

impl SessionOptions {
    /// The defaults of S1 §7: 60 s a plan, 5 s a generation, 5 attempts, 5 s grace; not repeatable.
    pub fn new(slots: NonZeroUsize) -> SessionOptions {
        SessionOptions {
            slots,
            plan_timeout: PLAN_TIMEOUT,
            generation_timeout: Duration::from_secs(5),
            attempts_max: 5,
            shutdown_grace: SHUTDOWN_GRACE,
            grace_cut: CancellationToken::new(),
            freedoms: PlanFreedoms::default(),
            approvals: ApprovalPolicy::Ask,
            questions: QuestionPolicy::Ask,
            repeatable: false,
            returns_result: true,
            observer: None,
        }
    }

    pub(crate) fn execution_options(&self, seed: u64) -> ExecutionOptions {
        ExecutionOptions {
            plan_timeout: self.plan_timeout,
            shutdown_grace: self.shutdown_grace,
            grace_cut: self.grace_cut.clone(),
            approvals: self.approvals,
            questions: self.questions,
            ..ExecutionOptions::new(self.slots, seed)
        }
    }
}
