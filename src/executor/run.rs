//! The one loop that owns everything of a plan that is being executed.

use std::{
    collections::{BTreeSet, VecDeque},
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    Approval, Arbiter, Arbitration, Attempt, ExecutedBy, Execution, ExecutionEvent,
    ExecutionOptions, Failure, Outcome, PendingRequests, ReusedResults, Runner, SkipReason,
    StepTrace, StoreSnapshots, Trace,
    clock::{Countdown, NEVER, after},
    decisions::OpenQuestions,
    halt::HaltReason,
    health::HealthUpdater,
    prepare::{PreparedStep, RankedCandidate, rank_candidates},
    schedule::Schedule,
    state_view,
    task::Task,
};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::Message;
use narratoria_protocol::StoryState;
use narratoria_protocol::{InvocationOutcome, InvocationOutput};

/// A plan that is being executed.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) start: &'a StoryState,
    pub(super) stores: &'a StoreSnapshots,
    reused_results: ReusedResults,
    pub(super) options: &'a ExecutionOptions,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) arbiter: Option<Arc<dyn Arbiter>>,
    pub(super) pending: &'a PendingRequests,
    pub(super) on_event: &'a mut (dyn FnMut(ExecutionEvent<'_>) + Send),
    pub(super) started: Instant,
    /// What is left of the plan's time. Stands still while only people are waited for.
    pub(super) clock: Countdown,
    /// After a cancel: when in-flight attempts are dropped.
    pub(super) grace_over: Option<Instant>,
    pub(super) schedule: Schedule,
    pub(super) steps: Vec<StepRun<'a>>,
    /// Steps whose needs are over, not looked at yet.
    pub(super) unblocked: BTreeSet<StepIdx>,
    /// Steps that wait for approval.
    pub(super) awaiting_approval: BTreeSet<StepIdx>,
    /// Attempts that wait for an answer.
    pub(super) open_questions: usize,
    /// Steps with something to poll.
    pub(super) active: BTreeSet<StepIdx>,
    /// When steps that failed are tried again.
    pub(super) retries: BTreeSet<(Instant, StepIdx)>,
    /// Steps that are not over.
    steps_left: usize,
    /// Why nothing new starts.
    pub(super) halted: Option<HaltReason>,
    health: HealthUpdater<'a>,
    /// Of the last attempt.
    pub(super) last_serial: u64,
    pub(super) outbox: UnboundedSender<AttemptOutput>,
    inbox: UnboundedReceiver<AttemptOutput>,
}

/// One step on its way.
#[derive(Default)]
pub(super) struct StepRun<'a> {
    /// Of a step with several candidates: those that may run it.
    pub(super) candidates: Option<Vec<RankedCandidate>>,
    pub(super) prepared: Option<Box<PreparedStep>>,
    pub(super) approval: Option<Approval>,
    pub(super) arbitration: Option<Arbitration>,
    pub(super) has_slot: bool,
    pub(super) activity: StepActivity<'a>,
    /// Those that are over.
    pub(super) attempts: Vec<Attempt>,
    /// Set once, when the step is over.
    pub(super) trace: Option<StepTrace>,
}

/// What a step is doing.
#[derive(Default)]
pub(super) enum StepActivity<'a> {
    #[default]
    Idle,
    Arbitrating(PendingArbitration<'a>),
    /// Boxed, since few steps run at once and every step has its place.
    Running(Box<RunningAttempt>),
    BackingOff,
}

/// The arbiter is thinking.
pub(super) struct PendingArbitration<'a> {
    /// None when it took too long.
    pub(super) task: Task<'a, Option<Option<usize>>>,
    /// Among how many it chooses.
    pub(super) healthy: usize,
}

/// An attempt on its way.
pub(super) struct RunningAttempt {
    pub(super) task: Task<'static, InvocationOutcome>,
    pub(super) serial: u64,
    pub(super) executed_by: Arc<ExecutedBy>,
    pub(super) started: Instant,
    pub(super) limit: Duration,
    /// When we lose patience with a runner that hangs.
    pub(super) guard: Countdown,
    pub(super) events: Vec<Message>,
    pub(super) questions: OpenQuestions,
}

/// What a script said, on its way to the loop. The sandbox bounds how much one attempt says, so the queue
/// needs no bound of its own.
pub(super) struct AttemptOutput {
    pub(super) step: StepIdx,
    /// Of the attempt.
    pub(super) serial: u64,
    pub(super) output: InvocationOutput,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        execution: Execution<'a>,
        news: &'a mut (dyn FnMut(ExecutionEvent<'_>) + Send),
    ) -> Run<'a> {
        let Execution {
            plan,
            start,
            stores,
            reused_results: kept,
            runner,
            health,
            options,
            pending: desk,
            arbiter,
            ..
        } = execution;
        let begun = Instant::now();
        let (outbox, inbox) = mpsc::unbounded_channel();
        let progress = |step: &narratoria_plan::Step| StepRun {
            candidates: (step.candidates.len() > 1).then(|| rank_candidates(step, health)),
            ..StepRun::default()
        };
        Run {
            plan,
            start,
            stores,
            reused_results: kept,
            options,
            runner,
            arbiter,
            pending: desk,
            on_event: news,
            started: begun,
            clock: Countdown::new(options.plan_timeout, begun),
            grace_over: None,
            schedule: Schedule::new(plan, options.slots),
            steps: plan.steps().iter().map(progress).collect(),
            unblocked: BTreeSet::new(),
            awaiting_approval: BTreeSet::new(),
            open_questions: 0,
            active: BTreeSet::new(),
            retries: BTreeSet::new(),
            steps_left: plan.steps().len(),
            halted: None,
            health: HealthUpdater::new(plan, options, health),
            last_serial: 0,
            outbox,
            inbox,
        }
    }

    /// Everything that can happen, in one list.
    pub(super) async fn drive(&mut self, cancel: &CancellationToken) {
        self.pending.open(self.plan.steps().iter().map(|step| step.tool_id.as_str()));
        (self.on_event)(ExecutionEvent::PlanStarted { steps: self.plan.steps().len() });
        self.init_steps();
        let mut cancel_heard = cancel.is_cancelled();
        if cancel_heard {
            self.cancel();
        }
        let desk = self.pending;
        let mut cancelled = pin!(cancel.cancelled());
        let mut decided = pin!(desk.decision_made());
        let mut alarm = pin!(sleep_until(after(self.started, NEVER)));
        loop {
            self.start_ready();
            if self.steps_left == 0 {
                return;
            }
            let due = self.next_deadline().unwrap_or(after(self.started, NEVER));
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            // Whatever falls due at the same moment is dealt with before anything new starts.
            poll_fn(|context| {
                let mut happened = false;
                if !cancel_heard && cancelled.as_mut().poll(context).is_ready() {
                    cancel_heard = true;
                    happened = true;
                    self.cancel();
                }
                if decided.as_mut().poll(context).is_ready() {
                    decided.set(desk.decision_made());
                    happened = true;
                    self.take_decisions();
                }
                // What was decided may have made something fall due at this very moment.
                if alarm.as_mut().poll(context).is_ready() || happened {
                    happened = true;
                    self.handle_timers();
                }
                happened |= self.poll_active(context);
                if happened { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    /// Closes what is known before anything runs: results that were kept, and first steps that a person took
    /// out.
    fn init_steps(&mut self) {
        let mut kept = Vec::new();
        for (idx, mut trace) in std::mem::take(&mut self.reused_results) {
            let Some(progress) = self.steps.get_mut(idx.0) else { continue };
            trace.reused = true;
            let trace = progress.trace.insert(trace);
            self.steps_left -= 1;
            (self.on_event)(ExecutionEvent::StepReused { step: idx, trace });
            kept.push(idx);
        }
        kept.into_iter().for_each(|idx| self.notify_dependents(idx));
        for idx in (0..self.steps.len()).map(StepIdx) {
            if !self.plan.step(idx).needs.is_empty() || self.trace_of(idx).is_some() {
                continue;
            }
            match self.block_reason(idx) {
                Some(because) => self.finish_step(idx, Outcome::Skipped { because }),
                None => _ = self.unblocked.insert(idx),
            }
        }
        self.settle_health();
        let failed =
            |idx: StepIdx| self.trace_of(idx).is_some_and(|it| it.outcome.failure().is_some());
        if self.plan.stop_on_failure()
            && (0..self.steps.len())
                .map(StepIdx)
                .any(|at| self.plan.step(at).required && failed(at))
        {
            self.halt(HaltReason::Stopped);
        }
    }

    pub(super) fn trace_of(&self, idx: StepIdx) -> Option<&StepTrace> {
        self.steps[idx.0].trace.as_ref()
    }

    pub(super) fn now(&self) -> Instant {
        Instant::now()
    }

    fn start_ready(&mut self) {
        // Past the deadline the alarm is about to ring.
        while self.halted.is_none() && !self.clock.is_over(self.now()) {
            if let Some(idx) = self.unblocked.pop_first() {
                self.handle_unblocked(idx);
                continue;
            }
            let waiting = &self.awaiting_approval;
            let Some(idx) = self.schedule.take_next(self.plan, |idx| waiting.contains(&idx)) else {
                return;
            };
            self.begin_step(idx);
        }
    }

    /// When to look up next.
    fn next_deadline(&mut self) -> Option<Instant> {
        let people = self.open_questions + self.awaiting_approval.len();
        let only_people = people > 0 && self.schedule.running() == self.open_questions;
        self.clock.set_running(!only_people, self.now());
        let plan = match self.halted < Some(HaltReason::PlanTimeout) {
            true => self.clock.deadline(),
            false => None,
        };
        let retry = self.retries.first().map(|(due, _)| *due);
        let guard = self.active.iter().filter_map(|idx| match &self.steps[idx.0].activity {
            StepActivity::Running(running) => running.guard.deadline(),
            StepActivity::Arbitrating(_) | StepActivity::BackingOff | StepActivity::Idle => None,
        });
        [plan, retry, self.grace_over].into_iter().flatten().chain(guard).min()
    }

    fn handle_timers(&mut self) {
        let now = self.now();
        if self.halted < Some(HaltReason::PlanTimeout) && self.clock.is_over(now) {
            self.halt(HaltReason::PlanTimeout);
        }
        while let Some((due, idx)) = self.retries.first().copied()
            && due <= now
        {
            self.retries.pop_first();
            self.start_attempt(idx);
        }
        for idx in self.active.clone() {
            if let StepActivity::Running(running) = &self.steps[idx.0].activity
                && running.guard.is_over(now)
            {
                self.abandon(idx, |limit| Failure::Unresponsive { limit });
            }
        }
        if self.grace_over.is_some_and(|due| due <= now) {
            self.grace_over = None;
            for idx in self.active.clone() {
                self.abandon(idx, |_| Failure::Cancelled);
            }
        }
    }

    /// Whether anything came of it.
    fn poll_active(&mut self, context: &mut Context<'_>) -> bool {
        let mut ended = Vec::new();
        let mut chosen = Vec::new();
        for idx in &self.active {
            match &mut self.steps[idx.0].activity {
                StepActivity::Running(running) => {
                    if let Poll::Ready(end) = running.task.poll(context) {
                        ended.push((*idx, running.serial, end));
                    }
                }
                StepActivity::Arbitrating(choosing) => {
                    if let Poll::Ready(answer) = choosing.task.poll(context) {
                        chosen.push((*idx, choosing.healthy, answer));
                    }
                }
                StepActivity::Idle | StepActivity::BackingOff => {}
            }
        }
        let mut happened = !ended.is_empty() || !chosen.is_empty();
        while let Poll::Ready(Some(said)) = self.inbox.poll_recv(context) {
            happened = true;
            self.handle_output(said);
        }
        if !ended.is_empty() {
            // A task sends all it has to say before it ends, so it is there. But `poll_recv` finds nothing
            // also while another thread is sending, or once this task has used up its budget.
            while let Ok(said) = self.inbox.try_recv() {
                self.handle_output(said);
            }
        }
        for (idx, healthy, answer) in chosen {
            self.steps[idx.0].activity = StepActivity::Idle;
            self.active.remove(&idx);
            self.handle_arbitration(idx, healthy, answer);
        }
        for (idx, serial, end) in ended {
            match &self.steps[idx.0].activity {
                StepActivity::Running(running) if running.serial == serial => {
                    self.task_ended(idx, end)
                }
                _ => {}
            }
        }
        happened
    }

    /// Closes a step, and with it those that now can never run.
    pub(super) fn finish_step(&mut self, idx: StepIdx, outcome: Outcome) {
        let stops = self.halted.is_none()
            && outcome.failure().is_some()
            && self.plan.step(idx).required
            && self.plan.stop_on_failure();
        self.close_step(idx, outcome);
        self.notify_dependents(idx);
        if stops {
            self.halt(HaltReason::Stopped);
        }
    }

    /// A step is over; those of its dependents that can never run now are too, and theirs.
    fn notify_dependents(&mut self, idx: StepIdx) {
        let mut closed = VecDeque::new();
        let mut next = Some(idx);
        while let Some(idx) = next {
            for at in self.schedule.dependents(idx) {
                let Some(dependent) = self.schedule.need_finished(at) else { continue };
                if self.trace_of(dependent).is_some() {
                    continue;
                }
                match self.block_reason(dependent) {
                    Some(because) => {
                        self.close_step(dependent, Outcome::Skipped { because });
                        closed.push_back(dependent);
                    }
                    None if self.halted.is_none() => _ = self.unblocked.insert(dependent),
                    None => {}
                }
            }
            next = closed.pop_front();
        }
    }

    fn close_step(&mut self, idx: StepIdx, outcome: Outcome) {
        let step = self.plan.step(idx);
        let progress = &mut self.steps[idx.0];
        if std::mem::take(&mut progress.has_slot) {
            self.schedule.release(self.plan, idx);
        } else if step.requires_approval {
            self.schedule.remove(idx);
            if self.awaiting_approval.remove(&idx) {
                self.pending.withdraw(&step.tool_id);
            }
        }
        progress.activity = StepActivity::Idle;
        let trace = progress.trace.insert(StepTrace {
            outcome,
            attempts: std::mem::take(&mut progress.attempts),
            approval: progress.approval,
            arbitration: progress.arbitration.take(),
            items: progress.prepared.take().and_then(|work| work.items),
            reused: false,
        });
        self.steps_left -= 1;
        (self.on_event)(ExecutionEvent::StepFinished { step: idx, trace });
        self.settle_health();
    }

    fn settle_health(&mut self) {
        self.health.settle(|idx| self.steps[idx.0].trace.as_ref(), self.on_event);
    }

    /// Why a step whose needs are over must not run (S0 FR-013): the first of them, in plan order, that a
    /// required failure, a required denial or a skip has closed to it. A person who took it out comes
    /// before all of them; even such a step is over only once its needs are, since those that need it see
    /// what its ancestors did.
    pub(super) fn block_reason(&self, idx: StepIdx) -> Option<SkipReason> {
        let step = self.plan.step(idx);
        if step.skip {
            return Some(SkipReason::SkippedByPlayer);
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
                    because: SkipReason::ConditionFalse | SkipReason::SkippedByPlayer,
                } => None,
                Outcome::Skipped { because } => Some(*because),
                Outcome::Done { .. } => None,
            }
        })
    }

    /// Call once [`Run::drive`] has ended.
    pub(super) fn into_trace(self) -> Trace {
        self.pending.close();
        let steps: Vec<StepTrace> =
            self.steps.into_iter().filter_map(|progress| progress.trace).collect();
        let patches: Vec<_> = steps.iter().flat_map(StepTrace::patches).collect();
        let state = state_view::merged_state(self.start, &patches);
        let success = self.plan.steps().iter().zip(&steps).all(|(step, over)| {
            !step.required
                || match &over.outcome {
                    Outcome::Done { .. } => true,
                    Outcome::Skipped { because } => because.is_intended(),
                    Outcome::Failed { .. } | Outcome::TimedOut { .. } => false,
                }
        });
        let cancelled = self.halted == Some(HaltReason::Cancelled);
        let elapsed = self.started.elapsed();
        let time_left = self.clock.left(Instant::now());
        (self.on_event)(ExecutionEvent::PlanFinished { success, cancelled, elapsed, time_left });
        let disabled_skills = self.health.disabled_skills(&steps);
        Trace { success, cancelled, steps, state, disabled_skills, elapsed }
    }
}
