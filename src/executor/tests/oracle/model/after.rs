//! Attempts, and their effect on the health of their skills.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    GUARD_MARGIN_MS, ReferenceModel, StepPhase, code, done, executed_by, failed, ms,
    recorded_failure,
};
use crate::{
    Attempt, Failure, StepTrace, Takeover,
    tests::{
        harness::object,
        oracle::{
            random_plan::AttemptAct,
            real::{USAGE, has_store, number, written},
        },
    },
};
use narratoria_protocol::InvocationError;
use narratoria_protocol::{Event, Message};
use narratoria_skills::HealthSignal;

impl ReferenceModel<'_> {
    pub(super) fn start_attempt(&mut self, idx: usize) {
        let rough = &self.plan.steps[idx];
        let by = &rough.by[self.steps[idx].order[0]];
        let stored = has_store(by.skill).then(|| self.stored_before(idx, by.skill));
        let total = self.state_before(idx)["total"].as_i64().unwrap();
        let inputs: i64 =
            rough.all_needs().iter().map(|need| self.output(*need).map_or(0, number)).sum();
        let at = self.steps[idx].outputs.len();
        let x = number(&self.steps[idx].inputs[at]);
        let count = stored.clone().flatten().map_or(0, |count| count.parse::<i64>().unwrap());
        let n = (total + 3 * count + 5 * inputs + 7 * x) % 8;
        let st = &mut self.steps[idx];
        st.attempt += 1;
        let id = format!("s{idx}");
        let patch = json!({"total": n, "by": {id: st.attempt}});
        let (act, took) = by.acts[(at + st.attempt as usize - 1) % by.acts.len()];
        let limit = by.timeout.min(self.left);
        st.phase = StepPhase::Running {
            began: self.now,
            limit,
            ends: (act != AttemptAct::Hangs).then_some(self.now + took.min(limit)),
            guard: self.now + limit + GUARD_MARGIN_MS,
            patch,
            n,
            stored,
        };
    }

    pub(super) fn natural_end(&mut self, idx: usize) {
        let StepPhase::Running { limit, n, .. } = self.steps[idx].phase.clone() else { return };
        let st = &self.steps[idx];
        let rough = &self.plan.steps[idx];
        let by = &rough.by[st.order[0]];
        let (act, took) = by.acts[(st.outputs.len() + st.attempt as usize - 1) % by.acts.len()];
        let refused = |refusal| Err(Failure::Refused(refusal));
        let ended = match act {
            _ if took > limit => refused(InvocationError::TimedOut { limit: ms(limit) }),
            AttemptAct::Panics => Err(Failure::HostCrashed { what: "fell over".to_owned() }),
            AttemptAct::Traps => refused(InvocationError::Trapped { what: "oops".to_owned() }),
            AttemptAct::GivesUp => {
                Err(Failure::GaveUp { summary: None, error_code: None, output: Default::default() })
            }
            AttemptAct::Done | AttemptAct::Hangs if rough.expect.is_some_and(|least| n < least) => {
                Err(recorded_failure("UNEXPECTED_OUTPUT"))
            }
            AttemptAct::Done | AttemptAct::Hangs => {
                let list: Vec<i64> = (0..n % 4).collect();
                Ok(json!({"n": n, "list": list}))
            }
        };
        self.end(idx, ended, true);
    }

    /// `spoke`: the runner itself reported the end.
    pub(super) fn end(&mut self, idx: usize, ended: Result<Value, Failure>, spoke: bool) {
        let phase = std::mem::replace(&mut self.steps[idx].phase, StepPhase::Idle);
        let StepPhase::Running { began, limit, patch, stored, .. } = phase else { return };
        let own_limit = self.plan.steps[idx].by[self.steps[idx].order[0]].timeout;
        let ended = ended.map_err(|why| match why.is_timeout() && limit < own_limit {
            true => Failure::PlanTimeout { limit: ms(self.plan.plan_ms) },
            false => why,
        });
        let crashed = matches!(ended, Err(Failure::HostCrashed { .. }));
        let spoke = spoke && !crashed;
        let st = &mut self.steps[idx];
        let skill = self.plan.steps[idx].by[st.order[0]].skill;
        let event = Event::StatePatch { patch: object(patch) };
        st.attempts.push(Attempt {
            executed_by: executed_by(skill),
            item: st.items.map(|_| st.outputs.len()),
            started: ms(began),
            elapsed: ms(self.now - began),
            limit: ms(limit),
            events: vec![Message { request_id: None, timestamp: None, event }],
            events_left_off: 0,
            writes: if spoke { stored.map(written).unwrap_or_default() } else { Vec::new() },
            files: Vec::new(),
            usage: if spoke { USAGE } else { Default::default() },
            stderr_tail: String::new(),
            failure: ended.as_ref().err().cloned(),
        });
        match ended {
            Ok(output) => self.item_done(idx, output),
            Err(why) => self.attempt_failed(idx, why),
        }
    }

    pub(super) fn item_done(&mut self, idx: usize, output: Value) {
        let st = &mut self.steps[idx];
        let Some(items) = st.items else { return self.finish(idx, done(output)) };
        st.outputs.push(output);
        (st.tries, st.attempt) = (0, 0);
        if st.outputs.len() == items {
            let outputs = json!(st.outputs);
            return self.finish(idx, done(outputs));
        }
        match self.halted {
            Some(because) => {
                let done = st.outputs.len();
                self.finish(idx, failed(Failure::CutShort { done, items, because }));
            }
            None if self.left == 0 => {}
            None => self.start_attempt(idx),
        }
    }

    pub(super) fn attempt_failed(&mut self, idx: usize, why: Failure) {
        let st = &mut self.steps[idx];
        let by = &self.plan.steps[idx].by;
        let current = &by[st.order[0]];
        if self.halted.is_some() || self.left == 0 {
            return self.finish(idx, failed(why));
        }
        let delay = current.backoff << st.tries;
        if st.tries < current.retries && delay < self.left {
            drop_writes(&mut st.attempts);
            st.tries += 1;
            st.phase = StepPhase::BackingOff { until: self.now + delay };
            return;
        }
        if st.order.len() == 1 {
            return self.finish(idx, failed(why));
        }
        drop_writes(&mut st.attempts);
        let from = executed_by(current.skill);
        st.order.remove(0);
        st.tries = 0;
        let to = executed_by(by[st.order[0]].skill);
        let item = st.items.map(|_| st.outputs.len());
        let takeover = Takeover { from, to, why: code(&why), item };
        st.arbitration.as_mut().unwrap().takeovers.push(takeover);
        self.start_attempt(idx);
    }

    /// Records the attempts of one skill at one item.
    pub(super) fn settle(&mut self, idx: usize, step: &StepTrace, disabled: &mut BTreeSet<String>) {
        let (mut tries, mut has_signal) = (0, false);
        for (at, attempt) in step.attempts.iter().enumerate() {
            let skill = &attempt.executed_by.skill;
            let by = &self.plan.steps[idx].by;
            let own = by.iter().find(|by| format!("k{}", by.skill) == *skill).unwrap();
            let signal = match &attempt.failure {
                None => Some(HealthSignal::Succeeded),
                Some(Failure::Cancelled | Failure::HostCrashed { .. }) => None,
                Some(why) if !why.is_timeout() => Some(HealthSignal::Failed),
                Some(_) if attempt.limit < ms(own.timeout) => None,
                Some(_) => Some(HealthSignal::TimedOut),
            };
            (tries, has_signal) = (tries + 1, has_signal || signal.is_some());
            if let Some(signal) = signal.filter(|_| !step.reused) {
                self.health.record(skill, signal);
            }
            let next = step.attempts.get(at + 1);
            if next.is_some_and(|next| {
                next.executed_by == attempt.executed_by && next.item == attempt.item
            }) {
                continue;
            }
            if attempt.failure.is_some() {
                if tries > own.retries && has_signal && !step.reused {
                    self.health.record(skill, HealthSignal::RetriesExhausted);
                }
                if attempt.failure != Some(Failure::Cancelled) {
                    disabled.insert(skill.clone());
                }
            }
            (tries, has_signal) = (0, false);
        }
    }
}

/// The writes of a failed attempt never count, so the trace does not hold them once another attempt follows.
fn drop_writes(attempts: &mut [Attempt]) {
    if let Some(last) = attempts.last_mut() {
        last.writes.clear();
    }
}
