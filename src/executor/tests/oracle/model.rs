//! The rules of execution, slowly: a list of steps, a clock that jumps from one event to the next, and
//! nothing that is clever. Shares types with the executor, and nothing that it does.

mod after;
mod before;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    real::{self, LOOKS_MS},
    rough::Rough,
};
use crate::{
    executor::{
        Approval, Arbitration, Attempt, Choice, Failure, Outcome, PassedOver, SkipReason,
        StepTrace, Trace, Who,
    },
    plan::{FailureCategory, StepIdx},
    protocol::Event,
    skills::{Health, HealthBook},
    story::State,
};

const PATIENCE_MS: u64 = 1_000;

pub(super) struct Model<'a> {
    rough: &'a Rough,
    now: u64,
    /// Of the plan's time.
    left: u64,
    steps: Vec<St>,
    halted: Option<SkipReason>,
    grace_at: Option<u64>,
    cancelled: bool,
    /// What people did is done up to here, this moment included.
    people_done: Option<u64>,
    health: HealthBook,
}

#[derive(Default)]
struct St {
    phase: Phase,
    slot: bool,
    /// Candidates that may still run it.
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
    over: Option<StepTrace>,
}

#[derive(Default, Clone)]
enum Phase {
    #[default]
    Blocked,
    Fresh,
    Ready,
    Waiting,
    Running {
        began: u64,
        limit: u64,
        /// None of one that hangs.
        ends: Option<u64>,
        guard: u64,
        patch: Value,
        n: i64,
        kept: Option<Option<String>>,
    },
    BackingOff {
        until: u64,
    },
    Idle,
}

/// A failure without the words that only its maker knows.
pub(super) fn plain(code: &str) -> Failure {
    let category = FailureCategory::InvalidJson;
    Failure::Recorded { code: code.to_owned(), message: String::new(), category }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl<'a> Model<'a> {
    pub(super) fn run(rough: &'a Rough, kept: BTreeMap<StepIdx, StepTrace>) -> (Trace, HealthBook) {
        let health = real::health(rough);
        let mut model = Model {
            rough,
            now: 0,
            left: rough.plan_ms,
            steps: rough.steps.iter().map(|_| St::default()).collect(),
            halted: None,
            grace_at: None,
            cancelled: false,
            people_done: None,
            health,
        };
        for idx in 0..rough.steps.len() {
            model.steps[idx].by_health = model.order_by_health(idx);
        }
        for (idx, mut trace) in kept {
            trace.kept = true;
            model.steps[idx.0].over = Some(trace);
        }
        model.look_for_free();
        loop {
            model.due();
            while model.start_one() {}
            if model.steps.iter().all(|step| step.over.is_some()) {
                return model.conclude();
            }
            model.jump();
        }
    }

    fn order_by_health(&self, idx: usize) -> Vec<usize> {
        let by = &self.rough.steps[idx].by;
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
        let lost = (0..by.len()).filter(|candidate| rank(*candidate) == 3).count();
        let mut order = Vec::new();
        for wanted in 0..4 {
            if wanted == 3 && lost < by.len() {
                break;
            }
            order.extend((0..by.len()).filter(|candidate| rank(*candidate) == wanted));
        }
        order
    }

    // What falls due.

    fn due(&mut self) {
        let looks = self.people_done != Some(self.now);
        self.people_done = Some(self.now);
        if looks && self.rough.cancel_at == Some(self.now) {
            self.cancelled = true;
            self.halt(SkipReason::Cancelled);
            self.grace_at = Some(self.now + self.rough.grace_ms);
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
            if let Phase::BackingOff { until } = step.phase
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
            if let Phase::Running { guard, limit, .. } = self.steps[idx].phase
                && guard <= self.now
            {
                self.end(idx, Err(Failure::Unresponsive { limit: ms(limit) }), false);
            }
        }
        if self.grace_at.is_some_and(|at| at <= self.now) {
            self.grace_at = None;
            for idx in 0..self.steps.len() {
                if matches!(self.steps[idx].phase, Phase::Running { .. }) {
                    self.end(idx, Err(Failure::Cancelled), false);
                }
            }
        }
        let ended: Vec<usize> = (0..self.steps.len())
            .filter(|idx| {
                matches!(self.steps[*idx].phase, Phase::Running { ends: Some(at), .. } if at <= self.now)
            })
            .collect();
        for idx in ended {
            self.natural_end(idx);
        }
    }

    fn people(&mut self) {
        let last = self.last_act();
        for (at, idx, yes) in self.rough.people.clone() {
            if at == self.now && matches!(self.steps[idx].phase, Phase::Waiting) {
                self.decide(idx, yes);
            }
        }
        if self.now > last && (self.now - last).is_multiple_of(LOOKS_MS) {
            for idx in 0..self.steps.len() {
                if matches!(self.steps[idx].phase, Phase::Waiting) {
                    self.decide(idx, true);
                }
            }
        }
    }

    fn last_act(&self) -> u64 {
        let people = self.rough.people.iter().map(|(at, ..)| *at);
        people.chain(self.rough.cancel_at).max().unwrap_or(0)
    }

    fn decide(&mut self, idx: usize, yes: bool) {
        self.steps[idx].approval = Some(if yes { Approval::Granted } else { Approval::Denied });
        if yes {
            self.steps[idx].phase = Phase::Ready;
        } else {
            self.finish(idx, skipped(SkipReason::Denied));
        }
    }

    // What starts.

    fn start_one(&mut self) -> bool {
        if self.halted.is_some() || self.left == 0 {
            return false;
        }
        let find =
            |phase: fn(&Phase) -> bool| self.steps.iter().position(|step| phase(&step.phase));
        if let Some(fresh) = find(|phase| matches!(phase, Phase::Fresh)) {
            self.freshen(fresh);
            return true;
        }
        let holders: Vec<usize> =
            (0..self.steps.len()).filter(|idx| self.steps[*idx].slot).collect();
        let next = match self.rough.parallel {
            true => {
                if holders.len() >= self.rough.slots
                    || holders.iter().any(|idx| !self.rough.steps[*idx].is_async)
                {
                    return false;
                }
                find(|phase| matches!(phase, Phase::Ready))
            }
            false => {
                let next = find(|phase| matches!(phase, Phase::Ready | Phase::Waiting));
                let waits = |idx: &usize| matches!(self.steps[*idx].phase, Phase::Waiting);
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
        let asks = self.rough.steps[idx].approval;
        self.steps[idx].phase = Phase::Ready;
        if self.rough.parallel || asks {
            match self.prepare(idx) {
                Ok(()) => {}
                Err(outcome) if self.rough.parallel => return self.finish(idx, outcome),
                Err(_) => return,
            }
        }
        if asks {
            match self.rough.unasked {
                None => self.steps[idx].phase = Phase::Waiting,
                Some(yes) => self.decide(idx, yes),
            }
        }
    }

    fn begin(&mut self, idx: usize) {
        self.steps[idx].phase = Phase::Idle;
        if let Err(outcome) = self.prepare(idx) {
            return self.finish(idx, outcome);
        }
        if self.steps[idx].items == Some(0) {
            return self.finish(idx, done(json!([])));
        }
        let step = &self.steps[idx];
        let by = &self.rough.steps[idx].by;
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
                passed_over.push(PassedOver { who: who(rough.skill), why });
            }
            self.steps[idx].arbitration = Some(Arbitration {
                chosen: Some(who(by[chosen].skill)),
                why: Choice::Rule,
                passed_over,
                takeovers: Vec::new(),
            });
        }
        self.start_attempt(idx);
    }

    fn health_at_start(&self, skill: usize) -> Health {
        real::health(self.rough).health(&format!("k{skill}"))
    }

    // What is over.

    fn close(&mut self, idx: usize, outcome: Outcome) {
        let st = &mut self.steps[idx];
        st.phase = Phase::Idle;
        st.slot = false;
        st.over = Some(StepTrace {
            outcome,
            attempts: std::mem::take(&mut st.attempts),
            approval: st.approval,
            arbitration: st.arbitration.take(),
            items: st.items,
            kept: false,
        });
    }

    fn finish(&mut self, idx: usize, outcome: Outcome) {
        let rough = &self.rough.steps[idx];
        let stops = outcome.failure().is_some() && !rough.optional && self.rough.stop;
        self.close(idx, outcome);
        self.look_for_free();
        if stops && self.halted.is_none() {
            self.halt(SkipReason::PlanStopped);
        }
    }

    fn halt(&mut self, why: SkipReason) {
        self.halted = Some(why);
        for idx in 0..self.steps.len() {
            if self.steps[idx].over.is_some() {
                continue;
            }
            if let Phase::Running { guard, .. } = &mut self.steps[idx].phase {
                if why == SkipReason::PlanTimeout {
                    *guard = (*guard).min(self.now + PATIENCE_MS);
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
                _ => skipped(self.blocked(idx).unwrap_or(why)),
            };
            self.finish(idx, outcome);
        }
    }

    // Time.

    fn jump(&mut self) {
        let waiting = self.steps.iter().any(|step| matches!(step.phase, Phase::Waiting));
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
                Phase::Running { ends, guard, .. } => {
                    next.push(*guard);
                    next.extend(*ends);
                }
                Phase::BackingOff { until } => next.push(*until),
                _ => {}
            }
        }
        next.extend(self.grace_at);
        next.extend(self.rough.people.iter().map(|(at, ..)| *at).filter(|at| *at > self.now));
        next.extend(self.rough.cancel_at.filter(|at| *at > self.now));
        let last = self.last_act();
        let looks = self.now.saturating_sub(last) / LOOKS_MS + 1;
        next.push(last + LOOKS_MS * looks);
        let next = next.into_iter().min().unwrap();
        if !stands {
            self.left = self.left.saturating_sub(next - self.now);
        }
        self.now = next;
    }

    fn conclude(mut self) -> (Trace, HealthBook) {
        let steps: Vec<StepTrace> =
            self.steps.iter_mut().map(|step| step.over.take().unwrap()).collect();
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
            success &= is_meant || self.rough.steps[idx].optional;
            self.settle(idx, step, &mut disabled);
        }
        disabled.extend(self.health.permanent_failures().map(str::to_owned));
        let (cancelled, elapsed) = (self.cancelled, ms(self.now));
        let trace = Trace { success, cancelled, steps, state, disabled_skills: disabled, elapsed };
        (trace, self.health)
    }
}

fn apply(state: &mut State, attempt: &Attempt) {
    for message in &attempt.events {
        if let Event::StatePatch { patch } = &message.event {
            state.apply(patch);
        }
    }
}

pub(super) fn code(why: &Failure) -> String {
    why.code()
}

fn who(skill: usize) -> Arc<Who> {
    let (script, version) = ("run".to_owned(), "1.2.3".to_owned());
    Arc::new(Who { skill: format!("k{skill}"), script, version })
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
