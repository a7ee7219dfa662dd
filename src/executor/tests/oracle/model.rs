//! The rules of execution as a slow and simple model: a list of steps, and a clock that jumps from one event
//! to the next. Shares types with the executor, but no behaviour.

mod after;
mod before;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    random_plan::RandomPlan,
    real::{self, APPROVE_INTERVAL_MS},
};
use crate::{
    Approval, Arbitration, ArbitrationReason, Attempt, ExecutedBy, Failure, Outcome,
    PassedOverCandidate, SkipReason, StepTrace, Trace,
};
use narratoria_plan::{FailureCategory, StepIdx};
use narratoria_protocol::Event;
use narratoria_protocol::StoryState;
use narratoria_skills::{Health, HealthTracker};

const GUARD_MARGIN_MS: u64 = 1_000;

pub(super) struct ReferenceModel<'a> {
    plan: &'a RandomPlan,
    now: u64,
    /// The rest of the plan's time.
    left: u64,
    steps: Vec<ModelStep>,
    halted: Option<SkipReason>,
    grace_at: Option<u64>,
    cancelled: bool,
    /// Decisions of people are applied up to this moment, inclusive.
    people_done: Option<u64>,
    health: HealthTracker,
}

#[derive(Default)]
struct ModelStep {
    phase: StepPhase,
    slot: bool,
    /// Candidates that may still run the step.
    order: Vec<usize>,
    by_health: Vec<usize>,
    /// One for each item.
    inputs: Vec<Value>,
    items: Option<usize>,
    prepared: bool,
    refused: Vec<usize>,
    outputs: Vec<Value>,
    tries: u32,
    attempt: u32,
    attempts: Vec<Attempt>,
    approval: Option<Approval>,
    arbitration: Option<Arbitration>,
    trace: Option<StepTrace>,
}

#[derive(Default, Clone)]
enum StepPhase {
    #[default]
    Blocked,
    Fresh,
    Ready,
    Waiting,
    Running {
        began: u64,
        limit: u64,
        /// `None` for an attempt that hangs.
        ends: Option<u64>,
        guard: u64,
        patch: Value,
        n: i64,
        stored: Option<Option<String>>,
    },
    BackingOff {
        until: u64,
    },
    Idle,
}

/// A failure without the details that the model does not predict.
pub(super) fn recorded_failure(code: &str) -> Failure {
    let category = FailureCategory::InvalidJson;
    Failure::Recorded { code: code.to_owned(), message: String::new(), category }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl<'a> ReferenceModel<'a> {
    pub(super) fn run(
        rough: &'a RandomPlan,
        reused_results: BTreeMap<StepIdx, StepTrace>,
    ) -> (Trace, HealthTracker) {
        let health = real::health(rough);
        let mut model = ReferenceModel {
            plan: rough,
            now: 0,
            left: rough.plan_ms,
            steps: rough.steps.iter().map(|_| ModelStep::default()).collect(),
            halted: None,
            grace_at: None,
            cancelled: false,
            people_done: None,
            health,
        };
        for idx in 0..rough.steps.len() {
            model.steps[idx].by_health = model.order_by_health(idx);
        }
        for (idx, mut trace) in reused_results {
            trace.reused = true;
            model.steps[idx.0].trace = Some(trace);
        }
        model.unblock_steps();
        loop {
            model.process_due();
            while model.start_one() {}
            if model.steps.iter().all(|step| step.trace.is_some()) {
                return model.into_trace();
            }
            model.advance_clock();
        }
    }

    fn order_by_health(&self, idx: usize) -> Vec<usize> {
        let by = &self.plan.steps[idx].by;
        if by.len() == 1 {
            return vec![0];
        }
        let rank = |candidate: usize| match self.health.health(&format!("k{}", by[candidate].skill))
        {
            Health::Healthy => 0,
            Health::Degraded => 1,
            Health::TemporaryFailure => 2,
            Health::PermanentFailure => 3,
        };
        let failed_permanently = (0..by.len()).filter(|candidate| rank(*candidate) == 3).count();
        let mut order = Vec::new();
        for wanted in 0..4 {
            if wanted == 3 && failed_permanently < by.len() {
                break;
            }
            order.extend((0..by.len()).filter(|candidate| rank(*candidate) == wanted));
        }
        order
    }

    // Timers and decisions that fall due.

    fn process_due(&mut self) {
        let looks = self.people_done != Some(self.now);
        self.people_done = Some(self.now);
        if looks && self.plan.cancel_at == Some(self.now) {
            self.cancelled = true;
            self.halt(SkipReason::Cancelled);
            self.grace_at = Some(self.now + self.plan.grace_ms);
        }
        if looks {
            self.people();
        }
        let may_time_out =
            !matches!(self.halted, Some(SkipReason::PlanTimeout | SkipReason::Cancelled));
        if self.left == 0 && may_time_out {
            self.halt(SkipReason::PlanTimeout);
        }
        let mut retries: Vec<(u64, usize)> = Vec::new();
        for (idx, step) in self.steps.iter().enumerate() {
            if let StepPhase::BackingOff { until } = step.phase
                && until <= self.now
            {
                retries.push((until, idx));
            }
        }
        retries.sort();
        for (_, idx) in retries {
            self.start_attempt(idx);
        }
        for idx in 0..self.steps.len() {
            if let StepPhase::Running { guard, limit, .. } = self.steps[idx].phase
                && guard <= self.now
            {
                self.end(idx, Err(Failure::Unresponsive { limit: ms(limit) }), false);
            }
        }
        if self.grace_at.is_some_and(|at| at <= self.now) {
            self.grace_at = None;
            for idx in 0..self.steps.len() {
                if matches!(self.steps[idx].phase, StepPhase::Running { .. }) {
                    self.end(idx, Err(Failure::Cancelled), false);
                }
            }
        }
        let ended: Vec<usize> = (0..self.steps.len())
            .filter(|idx| {
                matches!(self.steps[*idx].phase, StepPhase::Running { ends: Some(at), .. } if at <= self.now)
            })
            .collect();
        for idx in ended {
            self.natural_end(idx);
        }
    }

    fn people(&mut self) {
        let last = self.last_act();
        for (at, idx, yes) in self.plan.people.clone() {
            if at == self.now && matches!(self.steps[idx].phase, StepPhase::Waiting) {
                self.decide(idx, yes);
            }
        }
        if self.now > last && (self.now - last).is_multiple_of(APPROVE_INTERVAL_MS) {
            for idx in 0..self.steps.len() {
                if matches!(self.steps[idx].phase, StepPhase::Waiting) {
                    self.decide(idx, true);
                }
            }
        }
    }

    fn last_act(&self) -> u64 {
        let people = self.plan.people.iter().map(|(at, ..)| *at);
        people.chain(self.plan.cancel_at).max().unwrap_or(0)
    }

    fn decide(&mut self, idx: usize, yes: bool) {
        self.steps[idx].approval = Some(if yes { Approval::Granted } else { Approval::Denied });
        if yes {
            self.steps[idx].phase = StepPhase::Ready;
        } else {
            self.finish(idx, skipped(SkipReason::Denied));
        }
    }

    // Steps and attempts that start.

    fn start_one(&mut self) -> bool {
        if self.halted.is_some() || self.left == 0 {
            return false;
        }
        let find =
            |phase: fn(&StepPhase) -> bool| self.steps.iter().position(|step| phase(&step.phase));
        if let Some(fresh) = find(|phase| matches!(phase, StepPhase::Fresh)) {
            self.freshen(fresh);
            return true;
        }
        let holders: Vec<usize> =
            (0..self.steps.len()).filter(|idx| self.steps[*idx].slot).collect();
        let next = match self.plan.parallel {
            true => {
                if holders.len() >= self.plan.slots
                    || holders.iter().any(|idx| !self.plan.steps[*idx].is_async)
                {
                    return false;
                }
                find(|phase| matches!(phase, StepPhase::Ready))
            }
            false => {
                let next = find(|phase| matches!(phase, StepPhase::Ready | StepPhase::Waiting));
                let waits = |idx: &usize| matches!(self.steps[*idx].phase, StepPhase::Waiting);
                if !holders.is_empty() || next.as_ref().is_some_and(waits) {
                    return false;
                }
                next
            }
        };
        let Some(next) = next else { return false };
        self.steps[next].slot = true;
        self.begin(next);
        true
    }

    fn freshen(&mut self, idx: usize) {
        let asks = self.plan.steps[idx].approval;
        self.steps[idx].phase = StepPhase::Ready;
        if self.plan.parallel || asks {
            match self.prepare(idx) {
                Ok(()) => {}
                Err(outcome) if self.plan.parallel => return self.finish(idx, outcome),
                Err(_) => return,
            }
        }
        if asks {
            match self.plan.preset_approval {
                None => self.steps[idx].phase = StepPhase::Waiting,
                Some(yes) => self.decide(idx, yes),
            }
        }
    }

    fn begin(&mut self, idx: usize) {
        self.steps[idx].phase = StepPhase::Idle;
        if let Err(outcome) = self.prepare(idx) {
            return self.finish(idx, outcome);
        }
        if self.steps[idx].items == Some(0) {
            return self.finish(idx, done(json!([])));
        }
        let step = &self.steps[idx];
        let by = &self.plan.steps[idx].by;
        let chosen = step.order[0];
        if by.len() > 1 {
            let mut passed_over = Vec::new();
            for (candidate, rough) in by.iter().enumerate() {
                let why = if step.refused.contains(&candidate) {
                    "input".to_owned()
                } else if !step.by_health.contains(&candidate) {
                    Health::PermanentFailure.as_str().to_owned()
                } else if candidate < chosen {
                    self.health_at_start(rough.skill).as_str().to_owned()
                } else {
                    continue;
                };
                passed_over.push(PassedOverCandidate { candidate: executed_by(rough.skill), why });
            }
            self.steps[idx].arbitration = Some(Arbitration {
                chosen: Some(executed_by(by[chosen].skill)),
                why: ArbitrationReason::Rule,
                passed_over,
                takeovers: Vec::new(),
            });
        }
        self.start_attempt(idx);
    }

    fn health_at_start(&self, skill: usize) -> Health {
        real::health(self.plan).health(&format!("k{skill}"))
    }

    // Attempts and steps that end.

    fn close(&mut self, idx: usize, outcome: Outcome) {
        let st = &mut self.steps[idx];
        st.phase = StepPhase::Idle;
        st.slot = false;
        st.trace = Some(StepTrace {
            outcome,
            attempts: std::mem::take(&mut st.attempts),
            approval: st.approval,
            arbitration: st.arbitration.take(),
            items: st.items,
            reused: false,
        });
    }

    fn finish(&mut self, idx: usize, outcome: Outcome) {
        let rough = &self.plan.steps[idx];
        let stops = outcome.failure().is_some() && !rough.optional && self.plan.stop;
        self.close(idx, outcome);
        self.unblock_steps();
        if stops && self.halted.is_none() {
            self.halt(SkipReason::PlanStopped);
        }
    }

    fn halt(&mut self, why: SkipReason) {
        self.halted = Some(why);
        for idx in 0..self.steps.len() {
            if self.steps[idx].trace.is_some() {
                continue;
            }
            if let StepPhase::Running { guard, .. } = &mut self.steps[idx].phase {
                if why == SkipReason::PlanTimeout {
                    *guard = (*guard).min(self.now + GUARD_MARGIN_MS);
                }
                continue;
            }
            let st = &self.steps[idx];
            let outcome = match (st.attempts.last().and_then(|last| last.failure.clone()), st.items)
            {
                (Some(failure), _) => failed(failure),
                (None, Some(items)) if !st.outputs.is_empty() => {
                    let done = st.outputs.len();
                    failed(Failure::CutShort { done, items, because: why })
                }
                _ => skipped(self.block_reason(idx).unwrap_or(why)),
            };
            self.finish(idx, outcome);
        }
    }

    // Time.

    fn advance_clock(&mut self) {
        let waiting = self.steps.iter().any(|step| matches!(step.phase, StepPhase::Waiting));
        let busy = self.steps.iter().any(|step| step.slot);
        let stands = waiting && !busy;
        let may_time_out =
            !matches!(self.halted, Some(SkipReason::PlanTimeout | SkipReason::Cancelled));
        let mut next: Vec<u64> = Vec::new();
        if !stands && may_time_out {
            next.push(self.now + self.left);
        }
        for step in &self.steps {
            match &step.phase {
                StepPhase::Running { ends, guard, .. } => {
                    next.push(*guard);
                    next.extend(*ends);
                }
                StepPhase::BackingOff { until } => next.push(*until),
                _ => {}
            }
        }
        next.extend(self.grace_at);
        next.extend(self.plan.people.iter().map(|(at, ..)| *at).filter(|at| *at > self.now));
        next.extend(self.plan.cancel_at.filter(|at| *at > self.now));
        let last = self.last_act();
        let looks = self.now.saturating_sub(last) / APPROVE_INTERVAL_MS + 1;
        next.push(last + APPROVE_INTERVAL_MS * looks);
        let next = next.into_iter().min().unwrap();
        if !stands {
            self.left = self.left.saturating_sub(next - self.now);
        }
        self.now = next;
    }

    fn into_trace(mut self) -> (Trace, HealthTracker) {
        let steps: Vec<StepTrace> =
            self.steps.iter_mut().map(|step| step.trace.take().unwrap()).collect();
        let mut state = real::start();
        let mut disabled = std::collections::BTreeSet::new();
        let mut success = true;
        for (idx, step) in steps.iter().enumerate() {
            let is_done = matches!(step.outcome, Outcome::Done { .. });
            let counts = |attempt: &&Attempt| is_done && attempt.failure.is_none();
            step.attempts.iter().filter(counts).for_each(|attempt| apply(&mut state, attempt));
            let is_meant = match step.outcome {
                Outcome::Skipped { because } => matches!(
                    because,
                    SkipReason::ConditionFalse
                        | SkipReason::Denied
                        | SkipReason::DependencyDenied(_)
                        | SkipReason::SkippedByPlayer
                ),
                _ => is_done,
            };
            success &= is_meant || self.plan.steps[idx].optional;
            self.settle(idx, step, &mut disabled);
        }
        disabled.extend(self.health.permanent_failures().map(str::to_owned));
        let (cancelled, elapsed) = (self.cancelled, ms(self.now));
        let trace = Trace { success, cancelled, steps, state, disabled_skills: disabled, elapsed };
        (trace, self.health)
    }
}

fn apply(state: &mut StoryState, attempt: &Attempt) {
    for message in &attempt.events {
        if let Event::StatePatch { patch } = &message.event {
            state.apply(patch);
        }
    }
}

pub(super) fn code(why: &Failure) -> String {
    why.code()
}

fn executed_by(skill: usize) -> Arc<ExecutedBy> {
    let (script, version) = ("run".to_owned(), "1.2.3".to_owned());
    Arc::new(ExecutedBy { skill: format!("k{skill}"), script, version })
}

fn done(output: Value) -> Outcome {
    Outcome::Done { summary: None, output }
}

fn skipped(because: SkipReason) -> Outcome {
    Outcome::Skipped { because }
}

fn failed(why: Failure) -> Outcome {
    if why.is_timeout() { Outcome::TimedOut { why } } else { Outcome::Failed { why } }
}
