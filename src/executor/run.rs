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
    Approval, Arbiter, Arbitration, Attempt, Desk, Execution, Failure, Kept, News, Options,
    Outcome, Runner, SkipReason, StepTrace, Stores, Trace, Who,
    begin::{Able, Work, able},
    clock::{Countdown, NEVER, after},
    halt::Halt,
    people::Asked,
    schedule::Schedule,
    settle::Settler,
    task::Task,
    view,
};
use crate::{
    plan::{Plan, StepIdx},
    protocol::Message,
    sandbox::{Invocation, Said},
    story::State,
};

/// A plan that is being executed.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) start: &'a State,
    pub(super) stores: &'a Stores,
    kept: Kept,
    pub(super) options: &'a Options,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) arbiter: Option<Arc<dyn Arbiter>>,
    pub(super) desk: &'a Desk,
    pub(super) news: &'a mut (dyn FnMut(News<'_>) + Send),
    pub(super) begun: Instant,
    /// What is left of the plan's time. Stands still while only people are waited for.
    pub(super) clock: Countdown,
    /// After a cancel: when in-flight attempts are dropped.
    pub(super) grace_over: Option<Instant>,
    pub(super) schedule: Schedule,
    pub(super) steps: Vec<Progress<'a>>,
    /// Steps whose needs are over, not looked at yet.
    pub(super) fresh: BTreeSet<StepIdx>,
    /// Steps that wait for approval.
    pub(super) waiting: BTreeSet<StepIdx>,
    /// Attempts that wait for an answer.
    pub(super) asking: usize,
    /// Steps with something to poll.
    pub(super) active: BTreeSet<StepIdx>,
    /// When steps that failed are tried again.
    pub(super) retries: BTreeSet<(Instant, StepIdx)>,
    /// Steps that are not over.
    left: usize,
    /// Why nothing new starts.
    pub(super) halted: Option<Halt>,
    settler: Settler<'a>,
    /// Of the last attempt.
    pub(super) serial: u64,
    pub(super) outbox: UnboundedSender<Heard>,
    inbox: UnboundedReceiver<Heard>,
}

/// One step on its way.
#[derive(Default)]
pub(super) struct Progress<'a> {
    /// Of a step with several candidates: those that may run it.
    pub(super) able: Option<Vec<Able>>,
    pub(super) work: Option<Box<Work>>,
    pub(super) approval: Option<Approval>,
    pub(super) arbitration: Option<Arbitration>,
    pub(super) has_slot: bool,
    pub(super) active: Active<'a>,
    /// Those that are over.
    pub(super) attempts: Vec<Attempt>,
    /// Set once, when the step is over.
    pub(super) over: Option<StepTrace>,
}

/// What a step is doing.
#[derive(Default)]
pub(super) enum Active<'a> {
    #[default]
    Idle,
    Choosing(Choosing<'a>),
    /// Boxed, since few steps run at once and every step has its place.
    Running(Box<Running>),
    BackingOff,
}

/// The arbiter is thinking.
pub(super) struct Choosing<'a> {
    /// None when it took too long.
    pub(super) task: Task<'a, Option<Option<usize>>>,
    /// Among how many it chooses.
    pub(super) healthy: usize,
}

/// An attempt on its way.
pub(super) struct Running {
    pub(super) task: Task<'static, Invocation>,
    pub(super) serial: u64,
    pub(super) by: Arc<Who>,
    pub(super) began: Instant,
    pub(super) limit: Duration,
    /// When we lose patience with a runner that hangs.
    pub(super) guard: Countdown,
    pub(super) events: Vec<Message>,
    pub(super) asked: Asked,
}

/// What a script said, on its way to the loop. The sandbox bounds how much one attempt says, so the queue
/// needs no bound of its own.
pub(super) struct Heard {
    pub(super) step: StepIdx,
    /// Of the attempt.
    pub(super) serial: u64,
    pub(super) said: Said,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        execution: Execution<'a>,
        news: &'a mut (dyn FnMut(News<'_>) + Send),
    ) -> Run<'a> {
        let Execution { plan, start, stores, kept, runner, health, options, desk, arbiter, .. } =
            execution;
        let begun = Instant::now();
        let (outbox, inbox) = mpsc::unbounded_channel();
        let progress = |step: &crate::plan::Step| Progress {
            able: (step.candidates.len() > 1).then(|| able(step, health)),
            ..Progress::default()
        };
        Run {
            plan,
            start,
            stores,
            kept,
            options,
            runner,
            arbiter,
            desk,
            news,
            begun,
            clock: Countdown::new(options.plan_timeout, begun),
            grace_over: None,
            schedule: Schedule::new(plan, options.slots),
            steps: plan.steps().iter().map(progress).collect(),
            fresh: BTreeSet::new(),
            waiting: BTreeSet::new(),
            asking: 0,
            active: BTreeSet::new(),
            retries: BTreeSet::new(),
            left: plan.steps().len(),
            halted: None,
            settler: Settler::new(plan, options, health),
            serial: 0,
            outbox,
            inbox,
        }
    }

    /// Everything that can happen, in one list.
    pub(super) async fn drive(&mut self, cancel: &CancellationToken) {
        self.desk.open(self.plan.steps().iter().map(|step| step.tool_id.as_str()));
        (self.news)(News::PlanStarted { steps: self.plan.steps().len() });
        self.close_known();
        let mut cancel_heard = cancel.is_cancelled();
        if cancel_heard {
            self.cancel();
        }
        let desk = self.desk;
        let mut cancelled = pin!(cancel.cancelled());
        let mut decided = pin!(desk.decided());
        let mut alarm = pin!(sleep_until(after(self.begun, NEVER)));
        loop {
            self.start_ready();
            if self.left == 0 {
                return;
            }
            let due = self.due().unwrap_or(after(self.begun, NEVER));
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
                    decided.set(desk.decided());
                    happened = true;
                    self.take_orders();
                }
                // What was decided may have made something fall due at this very moment.
                if alarm.as_mut().poll(context).is_ready() || happened {
                    happened = true;
                    self.alarm_rang();
                }
                happened |= self.poll_active(context);
                if happened { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    /// Closes what is known before anything runs: results that were kept, and first steps that a person took
    /// out.
    fn close_known(&mut self) {
        let mut kept = Vec::new();
        for (idx, mut trace) in std::mem::take(&mut self.kept) {
            let Some(progress) = self.steps.get_mut(idx.0) else { continue };
            trace.kept = true;
            let trace = progress.over.insert(trace);
            self.left -= 1;
            (self.news)(News::StepKept { step: idx, trace });
            kept.push(idx);
        }
        kept.into_iter().for_each(|idx| self.tell_dependents(idx));
        for idx in (0..self.steps.len()).map(StepIdx) {
            if !self.plan.step(idx).needs.is_empty() || self.over(idx).is_some() {
                continue;
            }
            match self.blocked(idx) {
                Some(because) => self.finish(idx, Outcome::Skipped { because }),
                None => _ = self.fresh.insert(idx),
            }
        }
        self.settle();
        let failed = |idx: StepIdx| self.over(idx).is_some_and(|it| it.outcome.failure().is_some());
        if self.plan.stop_on_failure()
            && (0..self.steps.len())
                .map(StepIdx)
                .any(|at| self.plan.step(at).required && failed(at))
        {
            self.halt(Halt::Stopped);
        }
    }

    pub(super) fn over(&self, idx: StepIdx) -> Option<&StepTrace> {
        self.steps[idx.0].over.as_ref()
    }

    pub(super) fn now(&self) -> Instant {
        Instant::now()
    }

    fn start_ready(&mut self) {
        // Past the deadline the alarm is about to ring.
        while self.halted.is_none() && !self.clock.is_over(self.now()) {
            if let Some(idx) = self.fresh.pop_first() {
                self.freshen(idx);
                continue;
            }
            let waiting = &self.waiting;
            let Some(idx) = self.schedule.take_next(self.plan, |idx| waiting.contains(&idx)) else {
                return;
            };
            self.begin(idx);
        }
    }

    /// When to look up next.
    fn due(&mut self) -> Option<Instant> {
        let people = self.asking + self.waiting.len();
        let only_people = people > 0 && self.schedule.running() == self.asking;
        self.clock.run(!only_people, self.now());
        let plan = match self.halted < Some(Halt::PlanTimeout) {
            true => self.clock.due(),
            false => None,
        };
        let retry = self.retries.first().map(|(due, _)| *due);
        let guard = self.active.iter().filter_map(|idx| match &self.steps[idx.0].active {
            Active::Running(running) => running.guard.due(),
            Active::Choosing(_) | Active::BackingOff | Active::Idle => None,
        });
        [plan, retry, self.grace_over].into_iter().flatten().chain(guard).min()
    }

    fn alarm_rang(&mut self) {
        let now = self.now();
        if self.halted < Some(Halt::PlanTimeout) && self.clock.is_over(now) {
            self.halt(Halt::PlanTimeout);
        }
        while let Some((due, idx)) = self.retries.first().copied()
            && due <= now
        {
            self.retries.pop_first();
            self.start_attempt(idx);
        }
        for idx in self.active.clone() {
            if let Active::Running(running) = &self.steps[idx.0].active
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
            match &mut self.steps[idx.0].active {
                Active::Running(running) => {
                    if let Poll::Ready(end) = running.task.poll(context) {
                        ended.push((*idx, running.serial, end));
                    }
                }
                Active::Choosing(choosing) => {
                    if let Poll::Ready(answer) = choosing.task.poll(context) {
                        chosen.push((*idx, choosing.healthy, answer));
                    }
                }
                Active::Idle | Active::BackingOff => {}
            }
        }
        let mut happened = !ended.is_empty() || !chosen.is_empty();
        while let Poll::Ready(Some(said)) = self.inbox.poll_recv(context) {
            happened = true;
            self.hear(said);
        }
        if !ended.is_empty() {
            // A task sends all it has to say before it ends, so it is there. But `poll_recv` finds nothing
            // also while another thread is sending, or once this task has used up its budget.
            while let Ok(said) = self.inbox.try_recv() {
                self.hear(said);
            }
        }
        for (idx, healthy, answer) in chosen {
            self.steps[idx.0].active = Active::Idle;
            self.active.remove(&idx);
            self.arbitrated(idx, healthy, answer);
        }
        for (idx, serial, end) in ended {
            match &self.steps[idx.0].active {
                Active::Running(running) if running.serial == serial => self.task_ended(idx, end),
                _ => {}
            }
        }
        happened
    }

    /// Closes a step, and with it those that now can never run.
    pub(super) fn finish(&mut self, idx: StepIdx, outcome: Outcome) {
        let stops = self.halted.is_none()
            && outcome.failure().is_some()
            && self.plan.step(idx).required
            && self.plan.stop_on_failure();
        self.close(idx, outcome);
        self.tell_dependents(idx);
        if stops {
            self.halt(Halt::Stopped);
        }
    }

    /// A step is over; those of its dependents that can never run now are too, and theirs.
    fn tell_dependents(&mut self, idx: StepIdx) {
        let mut closed = VecDeque::new();
        let mut next = Some(idx);
        while let Some(idx) = next {
            for at in self.schedule.dependents(idx) {
                let Some(dependent) = self.schedule.told(at) else { continue };
                if self.over(dependent).is_some() {
                    continue;
                }
                match self.blocked(dependent) {
                    Some(because) => {
                        self.close(dependent, Outcome::Skipped { because });
                        closed.push_back(dependent);
                    }
                    None if self.halted.is_none() => _ = self.fresh.insert(dependent),
                    None => {}
                }
            }
            next = closed.pop_front();
        }
    }

    fn close(&mut self, idx: StepIdx, outcome: Outcome) {
        let step = self.plan.step(idx);
        let progress = &mut self.steps[idx.0];
        if std::mem::take(&mut progress.has_slot) {
            self.schedule.release(self.plan, idx);
        } else if step.requires_approval {
            self.schedule.forget(idx);
            if self.waiting.remove(&idx) {
                self.desk.withdraw(&step.tool_id);
            }
        }
        progress.active = Active::Idle;
        let trace = progress.over.insert(StepTrace {
            outcome,
            attempts: std::mem::take(&mut progress.attempts),
            approval: progress.approval,
            arbitration: progress.arbitration.take(),
            items: progress.work.take().and_then(|work| work.items),
            kept: false,
        });
        self.left -= 1;
        (self.news)(News::StepFinished { step: idx, trace });
        self.settle();
    }

    fn settle(&mut self) {
        self.settler.settle(|idx| self.steps[idx.0].over.as_ref(), self.news);
    }

    /// Why a step whose needs are over must not run (S0 FR-013): the first of them, in plan order, that a
    /// required failure, a required denial or a skip has closed to it. A person who took it out comes
    /// before all of them; even such a step is over only once its needs are, since those that need it see
    /// what its ancestors did.
    pub(super) fn blocked(&self, idx: StepIdx) -> Option<SkipReason> {
        let step = self.plan.step(idx);
        if step.skip {
            return Some(SkipReason::SkippedByPlayer);
        }
        step.needs.iter().find_map(|need| {
            let required = self.plan.step(*need).required;
            match &self.over(*need)?.outcome {
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
    pub(super) fn conclude(self) -> Trace {
        self.desk.close();
        let steps: Vec<StepTrace> =
            self.steps.into_iter().filter_map(|progress| progress.over).collect();
        let patches: Vec<_> = steps.iter().flat_map(StepTrace::patches).collect();
        let state = view::everything(self.start, &patches);
        let success = self.plan.steps().iter().zip(&steps).all(|(step, over)| {
            !step.required
                || match &over.outcome {
                    Outcome::Done { .. } => true,
                    Outcome::Skipped { because } => because.is_meant(),
                    Outcome::Failed { .. } | Outcome::TimedOut { .. } => false,
                }
        });
        let cancelled = self.halted == Some(Halt::Cancelled);
        let elapsed = self.begun.elapsed();
        let time_left = self.clock.left(Instant::now());
        (self.news)(News::PlanFinished { success, cancelled, elapsed, time_left });
        let disabled_skills = self.settler.disabled_skills(&steps);
        Trace { success, cancelled, steps, state, disabled_skills, elapsed }
    }
}
