//! One step of a running plan: its candidates, its current activity and its finished attempts.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{
    Approval, Arbitration, Attempt, ExecutedBy, Outcome, StepTrace,
    clock::Countdown,
    prepared::{PreparedStep, RankedCandidate},
    questions::OpenQuestions,
    record_budget::{AttemptRecord, StepRecordAllowance},
    task::Task,
};
use narratoria_plan::StepIdx;
use narratoria_protocol::{InvocationOutcome, InvocationOutput, Message};

#[derive(Default)]
pub(crate) struct StepRun<'a> {
    /// For a step with several candidates: those that may run it.
    pub(crate) candidates: Option<Vec<RankedCandidate>>,
    pub(crate) prepared: Option<Box<PreparedStep>>,
    pub(crate) approval: Option<Approval>,
    pub(crate) arbitration: Option<Arbitration>,
    pub(crate) has_slot: bool,
    pub(crate) activity: StepActivity<'a>,
    /// Record budget of the step, for all of its attempts.
    pub(crate) record: Option<StepRecordAllowance>,
    /// Only finished attempts.
    pub(crate) attempts: Vec<Attempt>,
    /// Set once, when the step has ended.
    pub(crate) trace: Option<StepTrace>,
}

#[derive(Default)]
pub(crate) enum StepActivity<'a> {
    #[default]
    Idle,
    Arbitrating(PendingArbitration<'a>),
    /// Boxed, because few steps run at once and every step reserves this space.
    Running(Box<RunningAttempt>),
    BackingOff,
    /// The step has ended with this outcome, but whether its patches fit depends on an earlier step. Holds no slot.
    Held(Box<Outcome>),
}

/// A choice of the arbiter in progress.
pub(crate) struct PendingArbitration<'a> {
    /// `None` if the arbiter took too long.
    pub(crate) task: Task<'a, Option<Option<usize>>>,
    /// The number of candidates that it may choose from.
    pub(crate) healthy: usize,
}

pub(crate) struct RunningAttempt {
    pub(crate) task: Task<'static, InvocationOutcome>,
    pub(crate) serial: u64,
    pub(crate) executed_by: Arc<ExecutedBy>,
    pub(crate) started: Instant,
    pub(crate) limit: Duration,
    /// True if this is the rest of the plan's time, not the script's own limit.
    pub(crate) is_cut_by_plan: bool,
    /// Time after which the executor abandons a runner that hangs.
    pub(crate) guard: Countdown,
    pub(crate) events: Vec<Message>,
    pub(crate) record: Arc<AttemptRecord>,
    pub(crate) questions: OpenQuestions,
}

/// One output of a script on its way to the loop. [`AttemptRecord`] limits what all attempts of a turn send, so the
/// queue needs no limit of its own.
pub(crate) struct AttemptOutput {
    pub(crate) step: StepIdx,
    /// Serial number of the attempt.
    pub(crate) serial: u64,
    /// `None` if the attempt has written more than the turn may record.
    pub(crate) output: Option<InvocationOutput>,
}
