//! The one loop that owns everything of a plan that is being executed.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::{self, AbortHandle, JoinError, JoinSet},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    Attempt, Call, Failure, GUARD_MARGIN, News, Options, Outcome, Runner, SkipReason, StepTrace,
    Trace, judge::Judged, schedule::Schedule, settle::Settler, step_seed, view,
};
use crate::{
    plan::{Plan, Step, StepIdx},
    protocol::{Message, OPERATION_RUN, Object, Request},
    sandbox::Invocation,
    skills::HealthBook,
    story::State,
};

/// Stands for "never": tokio's clock has no such instant, and no game lasts as long.
const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// A plan that is being executed.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    start: &'a State,
    options: &'a Options,
    runner: Arc<dyn Runner>,
    news: &'a mut (dyn FnMut(News<'_>) + Send),
    begun: Instant,
    deadline: Instant,
    schedule: Schedule,
    ancestors: view::Ancestors,
    steps: Vec<Progress>,
    /// Steps that are not over.
    left: usize,
    /// Why nothing new starts.
    halted: Option<Halt>,
    settler: Settler<'a>,
    tasks: JoinSet<Invocation>,
    /// Whose attempt each task is. A task that was given up is not in it any more.
    owners: HashMap<task::Id, StepIdx>,
    timers: BinaryHeap<Reverse<(Instant, Timer)>>,
    outbox: UnboundedSender<Said>,
    inbox: UnboundedReceiver<Said>,
}

/// One step on its way.
#[derive(Default)]
struct Progress {
    /// Those that are over.
    attempts: Vec<Attempt>,
    running: Option<Running>,
    /// Set once, when the step is over.
    over: Option<StepTrace>,
}

/// An attempt on its way.
struct Running {
    handle: AbortHandle,
    began: Instant,
    limit: Duration,
    events: Vec<Message>,
}

/// An event on its way to the loop. The sandbox bounds how many one attempt writes, so the queue needs
/// no bound of its own.
struct Said {
    step: StepIdx,
    attempt: u32,
    message: Message,
}

/// Why nothing new starts. The later ones override the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Halt {
    Stopped,
    PlanTimeout,
    Cancelled,
}

/// What falls due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    PlanDeadline,
    Retry(StepIdx),
    /// This attempt, from 1, has overstayed.
    Guard(StepIdx, usize),
    GraceOver,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        start: &'a State,
        runner: Arc<dyn Runner>,
        health: &'a mut HealthBook,
        options: &'a Options,
        news: &'a mut (dyn FnMut(News<'_>) + Send),
    ) -> Run<'a> {
        let begun = Instant::now();
        let (outbox, inbox) = mpsc::unbounded_channel();
        let mut run = Run {
            plan,
            start,
            options,
            runner,
            news,
            begun,
            deadline: after(begun, options.plan_timeout),
            schedule: Schedule::new(plan, options.slots),
            ancestors: view::Ancestors::new(plan),
            steps: plan.steps().iter().map(|_| Progress::default()).collect(),
            left: plan.steps().len(),
            halted: None,
            settler: Settler::new(plan, options, health),
            tasks: JoinSet::new(),
            owners: HashMap::new(),
            timers: BinaryHeap::new(),
            outbox,
            inbox,
        };
        run.remind(run.deadline, Timer::PlanDeadline);
        run
    }

    /// Everything that can happen, in one list.
    pub(super) async fn drive(&mut self, cancel: &CancellationToken) {
        (self.news)(News::PlanStarted { steps: self.plan.steps().len() });
        let mut cancel_heard = cancel.is_cancelled();
        if cancel_heard {
            self.cancel();
        }
        let cancelled = cancel.cancelled();
        let alarm = sleep_until(self.deadline);
        tokio::pin!(cancelled, alarm);
        loop {
            self.start_ready();
            if self.left == 0 {
                return;
            }
            let due = self.timers.peek().map_or(self.deadline, |Reverse((due, _))| *due);
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            tokio::select! { biased;
                () = &mut cancelled, if !cancel_heard => {
                    cancel_heard = true;
                    self.cancel();
                }
                () = &mut alarm => self.alarm_rang(),
                Some(said) = self.inbox.recv() => self.hear(said),
                Some(ended) = self.tasks.join_next_with_id() => self.task_ended(ended),
            }
        }
    }

    fn start_ready(&mut self) {
        // Past the deadline the alarm is about to ring.
        while self.halted.is_none() && Instant::now() < self.deadline {
            let Some(step) = self.schedule.take_next(self.plan) else { return };
            self.start_attempt(step);
        }
    }

    fn start_attempt(&mut self, idx: StepIdx) {
        let began = Instant::now();
        let attempt = self.steps[idx.0].attempts.len() + 1;
        let limit = self.limit_of(idx).min(self.deadline.saturating_duration_since(began));
        let step = self.plan.step(idx);
        let call = Call {
            skill: step.first().skill.clone(),
            script_idx: step.first().script_idx,
            request: self.request(idx, step),
            timeout: limit,
            step_idx: idx,
            attempt: attempt as u32,
        };
        let (runner, outbox) = (self.runner.clone(), self.outbox.clone());
        let told = call.attempt;
        let sink = Box::new(move |message| {
            // The loop has gone only when the plan is over, and then nobody listens.
            let _ = outbox.send(Said { step: idx, attempt: told, message });
        });
        // Within the task, so that a runner that panics takes no more than its own attempt with it.
        let handle = self.tasks.spawn(async move { runner.run(call, sink).await });
        self.owners.insert(handle.id(), idx);
        self.steps[idx.0].running = Some(Running { handle, began, limit, events: Vec::new() });
        self.remind(after(began, limit + GUARD_MARGIN), Timer::Guard(idx, attempt));
        (self.news)(News::StepStarted { step: idx, attempt: told });
    }

    fn limit_of(&self, idx: StepIdx) -> Duration {
        self.plan.step(idx).first().timeout.min(self.options.step_timeout_max)
    }

    fn request(&self, idx: StepIdx, step: &Step) -> Request {
        let reads = &step.first().script().reads;
        let over = |idx: StepIdx| self.steps[idx.0].over.as_ref();
        let patches: Vec<&Object> = match reads.is_empty() {
            true => Vec::new(),
            false => self.ancestors.of(idx).filter_map(over).flat_map(StepTrace::patches).collect(),
        };
        let inputs: Object = step
            .needs
            .iter()
            .map(|need| {
                let output = match over(*need).map(|trace| &trace.outcome) {
                    Some(Outcome::Done { output, .. }) => output.clone().into(),
                    _ => serde_json::Value::Null,
                };
                (self.plan.step(*need).tool_id.clone(), output)
            })
            .collect();
        Request {
            request_id: self.plan.id().to_owned(),
            tool: step.tool_id.clone(),
            operation: OPERATION_RUN.to_owned(),
            input: step.input.value().as_object().cloned().unwrap_or_default(),
            config: step.first().skill.config.clone(),
            state: view::seen(reads, self.start, &patches),
            inputs,
            seed: step_seed(self.options.seed, &step.tool_id),
        }
    }

    /// Late words of an attempt that was given up are not heard.
    fn hear(&mut self, Said { step, attempt, message }: Said) {
        let progress = &mut self.steps[step.0];
        let is_current = progress.attempts.len() + 1 == attempt as usize;
        if let Some(running) = progress.running.as_mut().filter(|_| is_current) {
            (self.news)(News::StepSaid { step, attempt, message: &message });
            running.events.push(message);
        }
    }

    fn task_ended(&mut self, ended: Result<(task::Id, Invocation), JoinError>) {
        // A task sends all it has to say before it ends.
        while let Ok(said) = self.inbox.try_recv() {
            self.hear(said);
        }
        let (id, ended) = match ended {
            Ok((id, invocation)) => (id, Ok(invocation)),
            Err(error) => (error.id(), Err(error)),
        };
        let Some(idx) = self.owners.remove(&id) else { return };
        let Some(running) = self.steps[idx.0].running.take() else { return };
        let judged = match ended {
            Ok(invocation) => Judged::of(invocation, &running.events),
            Err(error) => Judged::crashed(error),
        };
        self.attempt_ended(idx, running, judged);
    }

    /// Stops waiting for an attempt; its future is dropped as soon as its task is asked again.
    fn abandon(&mut self, idx: StepIdx, why: impl FnOnce(Duration) -> Failure) {
        let Some(running) = self.steps[idx.0].running.take() else { return };
        running.handle.abort();
        self.owners.remove(&running.handle.id());
        let judged = Judged::abandoned(why(running.limit));
        self.attempt_ended(idx, running, judged);
    }

    fn attempt_ended(&mut self, idx: StepIdx, running: Running, judged: Judged) {
        let attempts = &mut self.steps[idx.0].attempts;
        attempts.push(Attempt {
            started: running.began - self.begun,
            elapsed: running.began.elapsed(),
            limit: running.limit,
            events: running.events,
            events_left_off: 0,
            usage: judged.usage,
            stderr_tail: judged.stderr_tail,
            failure: judged.ended.as_ref().err().cloned(),
        });
        let attempt = attempts.len() as u32;
        match judged.ended {
            Ok((summary, output)) => self.finish(idx, Outcome::Done { summary, output }),
            Err(why) => match self.retry_delay(idx, attempt) {
                Some(delay) => {
                    if let Some(last) = self.steps[idx.0].attempts.last_mut() {
                        last.shorten();
                    }
                    (self.news)(News::StepRetrying { step: idx, attempt, delay, why: &why });
                    self.remind(after(Instant::now(), delay), Timer::Retry(idx));
                }
                None => self.finish(idx, failed(why)),
            },
        }
    }

    /// S1 §2.1: `backoff × 2^(n−1)` before the n-th retry. None when there is no other attempt: they are
    /// used up, the plan's deadline would be past (DESIGN §4.3), or nothing starts any more.
    fn retry_delay(&self, idx: StepIdx, failed_attempts: u32) -> Option<Duration> {
        let retry = self.plan.step(idx).first().retry;
        if self.halted.is_some() || failed_attempts > retry.retries_max {
            return None;
        }
        let factor = 2_u32.saturating_pow(failed_attempts - 1);
        let delay = retry.backoff.saturating_mul(factor);
        (after(Instant::now(), delay) < self.deadline).then_some(delay)
    }

    /// Closes a step, and with it those that now can never run.
    fn finish(&mut self, idx: StepIdx, outcome: Outcome) {
        if !matches!(outcome, Outcome::Skipped { .. }) {
            self.schedule.release(self.plan, idx);
        }
        let stops = self.halted.is_none()
            && outcome.failure().is_some()
            && self.plan.step(idx).required
            && self.plan.stop_on_failure();
        let mut closing = VecDeque::from([(idx, outcome)]);
        while let Some((idx, outcome)) = closing.pop_front() {
            self.close(idx, outcome);
            for dependent in self.schedule.over(idx) {
                if self.steps[dependent.0].over.is_some() {
                    continue;
                }
                match self.blocked(dependent) {
                    Some(because) => closing.push_back((dependent, Outcome::Skipped { because })),
                    None => self.schedule.make_ready(dependent),
                }
            }
        }
        if stops {
            self.halt(Halt::Stopped);
        }
    }

    fn close(&mut self, idx: StepIdx, outcome: Outcome) {
        let progress = &mut self.steps[idx.0];
        let attempts = std::mem::take(&mut progress.attempts);
        let trace = progress.over.insert(StepTrace { outcome, attempts });
        self.left -= 1;
        (self.news)(News::StepFinished { step: idx, trace });
        self.settler.settle(|idx| self.steps[idx.0].over.as_ref(), self.news);
    }

    /// Why a step whose needs are over must not run (S0 FR-013): the first of them, in plan order, that a
    /// required failure or a skip has closed to it.
    fn blocked(&self, idx: StepIdx) -> Option<SkipReason> {
        self.plan.step(idx).needs.iter().find_map(|need| {
            match &self.steps[need.0].over.as_ref()?.outcome {
                Outcome::Failed { .. } | Outcome::TimedOut { .. } => {
                    self.plan.step(*need).required.then_some(SkipReason::DependencyFailed(*need))
                }
                Outcome::Skipped { because } => Some(*because),
                Outcome::Done { .. } => None,
            }
        })
    }

    fn cancel(&mut self) {
        self.halt(Halt::Cancelled);
        self.remind(after(Instant::now(), self.options.shutdown_grace), Timer::GraceOver);
    }

    /// From now on nothing starts: what never began is skipped, and what waits for a retry has failed.
    fn halt(&mut self, why: Halt) {
        self.halted = self.halted.max(Some(why));
        self.schedule.clear();
        for idx in (0..self.steps.len()).map(StepIdx) {
            let progress = &self.steps[idx.0];
            if progress.over.is_some() || progress.running.is_some() {
                continue;
            }
            match progress.attempts.last().and_then(|last| last.failure.clone()) {
                Some(why) => self.finish(idx, failed(why)),
                None => {
                    let because = self.blocked(idx).unwrap_or(why.skip_reason());
                    self.finish(idx, Outcome::Skipped { because });
                }
            }
        }
        self.schedule.clear();
    }

    fn alarm_rang(&mut self) {
        let now = Instant::now();
        while let Some(Reverse((due, timer))) = self.timers.peek().copied() {
            if due > now {
                return;
            }
            self.timers.pop();
            match timer {
                Timer::PlanDeadline => self.halt(Halt::PlanTimeout),
                // Past the deadline the plan's own timer is next.
                Timer::Retry(idx) if self.steps[idx.0].over.is_none() && now < self.deadline => {
                    self.start_attempt(idx);
                }
                Timer::Guard(idx, attempt) if self.steps[idx.0].attempts.len() + 1 == attempt => {
                    self.abandon(idx, |limit| Failure::Unresponsive { limit });
                }
                Timer::GraceOver => {
                    for idx in (0..self.steps.len()).map(StepIdx) {
                        self.abandon(idx, |_| Failure::Cancelled);
                    }
                }
                Timer::Retry(_) | Timer::Guard(..) => {}
            }
        }
    }

    fn remind(&mut self, due: Instant, timer: Timer) {
        self.timers.push(Reverse((due, timer)));
    }

    /// Call once [`Run::drive`] has ended.
    pub(super) fn conclude(self) -> Trace {
        let steps: Vec<StepTrace> =
            self.steps.into_iter().filter_map(|progress| progress.over).collect();
        let mut state = self.start.clone();
        for patch in steps.iter().flat_map(StepTrace::patches) {
            state.apply(patch);
        }
        let success = self
            .plan
            .steps()
            .iter()
            .zip(&steps)
            .all(|(step, over)| !step.required || matches!(over.outcome, Outcome::Done { .. }));
        let cancelled = self.halted == Some(Halt::Cancelled);
        let elapsed = self.begun.elapsed();
        (self.news)(News::PlanFinished { success, cancelled, elapsed });
        let disabled_skills = self.settler.disabled_skills(&steps);
        Trace { success, cancelled, steps, state, disabled_skills, elapsed }
    }
}

impl Halt {
    fn skip_reason(self) -> SkipReason {
        match self {
            Halt::Stopped => SkipReason::PlanStopped,
            Halt::PlanTimeout => SkipReason::PlanTimeout,
            Halt::Cancelled => SkipReason::Cancelled,
        }
    }
}

fn failed(why: Failure) -> Outcome {
    if why.is_timeout() { Outcome::TimedOut { why } } else { Outcome::Failed { why } }
}

fn after(instant: Instant, delay: Duration) -> Instant {
    instant.checked_add(delay.min(NEVER)).unwrap_or(instant)
}
