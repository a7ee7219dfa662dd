//! The state of a running plan. One loop owns it; the modules that extend [`Run`] each hold one concern:
//! `run_loop` the loop, `prepare` and `arbitrate` the time before the first attempt, `attempt` the
//! attempts, `decisions` approvals and answers, `finish` and `halt` the end of a step and of the plan.

use std::{collections::BTreeSet, sync::Arc};

use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    time::Instant,
};

use crate::{
    Execution, ExecutionEvent, ExecutionOptions, Outcome, PendingRequests, PlanArbiter,
    ReusedResults, Runner, SkipReason, StepTrace, StoreSnapshots,
    clock::Countdown,
    entity_ledger::EntityLedger,
    health::HealthUpdater,
    prepared::rank_candidates,
    record_budget::{PlanRecordBudget, RecordSize},
    schedule::Schedule,
    skip::HaltReason,
    state_gate::StateGate,
    state_view,
    step_run::{AttemptOutput, StepRun},
    store_ledger::StoreLedger,
    write_gate::WriteGate,
};
use narratoria_plan::{Plan, Step, StepIdx};
use narratoria_protocol::{Object, StoryState};

pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) start: &'a StoryState,
    pub(crate) gate: StateGate<'a>,
    pub(crate) store_gate: WriteGate<'a, StoreLedger<'a>>,
    pub(crate) entity_gate: WriteGate<'a, EntityLedger<'a>>,
    pub(crate) stores: &'a StoreSnapshots,
    pub(crate) reused_results: ReusedResults,
    pub(crate) options: &'a ExecutionOptions,
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) arbiter: Option<PlanArbiter>,
    pub(crate) pending: &'a PendingRequests,
    pub(crate) on_event: &'a mut (dyn FnMut(ExecutionEvent<'_>) + Send),
    pub(crate) started: Instant,
    /// The rest of the plan's time. Stands still while only people can continue the plan.
    pub(crate) clock: Countdown,
    /// When the executor drops in-flight attempts after a cancel.
    pub(crate) grace_over: Option<Instant>,
    /// The number of outputs since the cancel.
    pub(crate) grace_events: usize,
    pub(crate) schedule: Schedule,
    pub(crate) steps: Vec<StepRun<'a>>,
    /// Steps whose needs have ended and that the loop has not handled yet.
    pub(crate) unblocked: BTreeSet<StepIdx>,
    pub(crate) awaiting_approval: BTreeSet<StepIdx>,
    /// The number of attempts that wait for an answer.
    pub(crate) open_questions: usize,
    /// The number of all questions so far, answered or not.
    pub(crate) questions_asked: usize,
    /// Steps with something to poll.
    pub(crate) active: BTreeSet<StepIdx>,
    /// When failed steps retry.
    pub(crate) retries: BTreeSet<(Instant, StepIdx)>,
    /// The number of steps that have not ended.
    pub(crate) steps_left: usize,
    /// Why the plan starts nothing more.
    pub(crate) halted: Option<HaltReason>,
    pub(crate) health: HealthUpdater<'a>,
    pub(crate) record: PlanRecordBudget,
    /// Serial number of the last attempt.
    pub(crate) last_serial: u64,
    pub(crate) outbox: UnboundedSender<AttemptOutput>,
    pub(crate) inbox: UnboundedReceiver<AttemptOutput>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        execution: Execution<'a>,
        on_event: &'a mut (dyn FnMut(ExecutionEvent<'_>) + Send),
    ) -> Run<'a> {
        let Execution { plan, health, options, .. } = execution;
        let started = Instant::now();
        let (outbox, inbox) = mpsc::unbounded_channel();
        let reused = execution.reused_results.values().map(StepTrace::record_size);
        let reused = reused.fold(RecordSize::default(), RecordSize::plus);
        let to_run = plan.steps().len().saturating_sub(execution.reused_results.len());
        let record = PlanRecordBudget::open(&options.record, to_run, reused);
        let step_run = |step: &Step| StepRun {
            candidates: (step.candidates.len() > 1).then(|| rank_candidates(step, health)),
            ..StepRun::default()
        };
        Run {
            plan,
            start: execution.start,
            gate: StateGate::new(plan, execution.start, execution.rules),
            store_gate: WriteGate::new(plan, StoreLedger::new(execution.stores, execution.rules)),
            entity_gate: WriteGate::new(
                plan,
                EntityLedger::new(plan, execution.entities, execution.rules),
            ),
            stores: execution.stores,
            reused_results: execution.reused_results,
            options,
            runner: execution.runner,
            arbiter: execution.arbiter,
            pending: execution.pending,
            on_event,
            started,
            clock: Countdown::new(
                options.plan_timeout.saturating_sub(options.plan_time_used),
                started,
            ),
            grace_over: None,
            grace_events: 0,
            schedule: Schedule::new(plan, options.slots),
            steps: plan.steps().iter().map(step_run).collect(),
            unblocked: BTreeSet::new(),
            awaiting_approval: BTreeSet::new(),
            open_questions: 0,
            questions_asked: 0,
            active: BTreeSet::new(),
            retries: BTreeSet::new(),
            steps_left: plan.steps().len(),
            halted: None,
            health: HealthUpdater::new(plan, options, health),
            record,
            last_serial: 0,
            outbox,
            inbox,
        }
    }

    pub(crate) fn trace_of(&self, idx: StepIdx) -> Option<&StepTrace> {
        self.steps[idx.0].trace.as_ref()
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::now()
    }

    /// Returns the patches of a step's ancestors, in plan order.
    pub(crate) fn ancestor_patches(&self, idx: StepIdx) -> impl Iterator<Item = &Object> {
        let ancestors = state_view::ancestors(self.plan, idx).into_iter();
        ancestors.filter_map(|idx| self.trace_of(idx)).flat_map(StepTrace::patches)
    }

    /// Returns why a step whose needs have ended must not run (S0 FR-013): the first need, in plan order, that is a
    /// required failure, a required denial or a skip. A removal of the step itself precedes all of
    /// them. Even such a step ends only once its needs have, because its dependents see the patches of its
    /// ancestors.
    pub(crate) fn block_reason(&self, idx: StepIdx) -> Option<SkipReason> {
        let step = self.plan.step(idx);
        if step.skip {
            return Some(match step.is_planners_skip {
                true => SkipReason::SkippedByPlanner,
                false => SkipReason::SkippedByPlayer,
            });
        }
        step.needs.iter().find_map(|need| {
            let required = self.plan.step(*need).required;
            match &self.trace_of(*need)?.outcome {
                Outcome::Failed { .. } | Outcome::TimedOut { .. } => {
                    required.then_some(SkipReason::DependencyFailed(*need))
                }
                Outcome::Skipped { because: SkipReason::Denied } => {
                    required.then_some(SkipReason::DependencyDenied(*need))
                }
                Outcome::Skipped {
                    because:
                        SkipReason::ConditionFalse
                        | SkipReason::SkippedByPlayer
                        | SkipReason::SkippedByPlanner,
                } => None,
                Outcome::Skipped { because } => Some(*because),
                Outcome::Done { .. } => None,
            }
        })
    }
}
