//! The conditions for the start of a step, and its view of the state.

use serde_json::{Value, json};

use super::{ReferenceModel, StepPhase, apply, failed, recorded_failure, skipped};
use crate::{
    Attempt, Outcome, SkipReason, StepTrace,
    tests::oracle::{
        random_plan::{RandomCondition, RandomInput, RandomLoop},
        real::{self, takes_objects},
    },
};
use narratoria_plan::StepIdx;
use narratoria_protocol::StoreWrite;

impl ReferenceModel<'_> {
    pub(super) fn output(&self, idx: usize) -> Option<&Value> {
        match &self.steps[idx].trace.as_ref()?.outcome {
            Outcome::Done { output, .. } => Some(output),
            _ => None,
        }
    }

    pub(super) fn prepare(&mut self, idx: usize) -> Result<(), Outcome> {
        if self.steps[idx].prepared {
            return Ok(());
        }
        let step = &self.plan.steps[idx];
        if let Some(when) = step.when {
            match self.holds(idx, when) {
                None => return Err(failed(recorded_failure("CONDITION_UNANSWERED"))),
                Some(false) => return Err(skipped(SkipReason::ConditionFalse)),
                Some(true) => {}
            }
        }
        let items = match step.each {
            None => None,
            Some(RandomLoop::Literal(items)) => Some((0..items).map(|item| json!(item)).collect()),
            Some(RandomLoop::List(from, max)) => match self.output(from) {
                None => return Err(failed(recorded_failure("REFERENCE_NO_OUTPUT"))),
                Some(Value::Array(_)) => return Err(failed(recorded_failure("REFERENCE_MISSING"))),
                Some(output) => {
                    let list = output["list"].as_array().unwrap().clone();
                    if list.len() > max {
                        return Err(failed(recorded_failure("TOO_MANY_ITEMS")));
                    }
                    Some(list)
                }
            },
            Some(RandomLoop::Whole(from)) => match self.output(from) {
                Some(Value::Array(items)) => Some(items.clone()),
                _ => return Err(failed(recorded_failure("NOT_A_LIST"))),
            },
        };
        let mut inputs = Vec::new();
        match &items {
            None => {
                inputs.push(self.input(idx, None).map_err(|code| failed(recorded_failure(code)))?)
            }
            Some(items) => {
                for (at, item) in items.iter().enumerate() {
                    let input = self.input(idx, Some((item, at)));
                    inputs.push(input.map_err(|code| failed(recorded_failure(code)))?);
                }
            }
        }
        let is_literal = matches!(step.input, RandomInput::Nothing | RandomInput::Literal(_));
        let fits = |candidate: &usize| {
            let fits_one = |input: &Value| !input.is_object() && !input.is_array();
            let skill = step.by[*candidate].skill;
            is_literal || takes_objects(skill) || inputs.iter().all(fits_one)
        };
        let all = self.steps[idx].by_health.clone();
        let (order, refused): (Vec<usize>, Vec<usize>) = all.into_iter().partition(fits);
        if order.is_empty() {
            return Err(failed(recorded_failure("INPUT_MISMATCH")));
        }
        let st = &mut self.steps[idx];
        (st.order, st.refused, st.inputs) = (order, refused, inputs);
        st.items = items.map(|items| items.len());
        st.prepared = true;
        Ok(())
    }

    /// The value at `x`. Null counts as absent.
    pub(super) fn input(
        &self,
        idx: usize,
        item: Option<(&Value, usize)>,
    ) -> Result<Value, &'static str> {
        Ok(match self.plan.steps[idx].input {
            RandomInput::Nothing => Value::Null,
            RandomInput::Literal(x) => json!(x),
            RandomInput::Whole(from) => self.output(from).cloned().unwrap_or(Value::Null),
            RandomInput::Field(from) => match self.output(from) {
                None => return Err("REFERENCE_NO_OUTPUT"),
                Some(Value::Array(_)) => return Err("REFERENCE_MISSING"),
                Some(output) => output["n"].clone(),
            },
            RandomInput::First(from) => match self.output(from) {
                None => return Err("REFERENCE_NO_OUTPUT"),
                Some(Value::Array(items)) if !items.is_empty() => items[0]["n"].clone(),
                Some(_) => return Err("REFERENCE_MISSING"),
            },
            RandomInput::Item => item.map_or(Value::Null, |(item, _)| item.clone()),
            RandomInput::Index => item.map_or(Value::Null, |(_, at)| json!(at)),
        })
    }

    /// `None` if the condition has no result.
    pub(super) fn holds(&self, idx: usize, when: RandomCondition) -> Option<bool> {
        match when {
            RandomCondition::More(from, k) => match self.output(from) {
                Some(Value::Object(output)) => Some(output["n"].as_i64().unwrap() > k),
                _ => None,
            },
            RandomCondition::Nothing(from) => Some(self.output(from).is_none()),
            RandomCondition::State(k) => {
                Some(self.state_before(idx)["total"].as_i64().unwrap() > k)
            }
            RandomCondition::Input(k) => {
                let x = self.input(idx, None).unwrap_or(Value::Null);
                Some(x.as_i64().is_some_and(|x| x > k))
            }
        }
    }

    pub(super) fn is_ancestor(&self, later: usize, earlier: usize) -> bool {
        let needs = self.plan.steps[later].all_needs();
        needs.contains(&earlier) || needs.iter().any(|need| self.is_ancestor(*need, earlier))
    }

    /// Successful attempts whose effects a step sees, in plan order, its own last.
    pub(super) fn visible_attempts(&self, idx: usize) -> Vec<&Attempt> {
        let mut seen = Vec::new();
        for earlier in 0..idx {
            if let Some(StepTrace { outcome: Outcome::Done { .. }, attempts, .. }) =
                &self.steps[earlier].trace
                && self.is_ancestor(idx, earlier)
            {
                seen.extend(attempts.iter().filter(|attempt| attempt.failure.is_none()));
            }
        }
        seen.extend(self.steps[idx].attempts.iter().filter(|attempt| attempt.failure.is_none()));
        seen
    }

    pub(super) fn state_before(&self, idx: usize) -> Value {
        let mut state = real::start();
        for attempt in self.visible_attempts(idx) {
            apply(&mut state, attempt);
        }
        Value::Object(state.as_object().clone())
    }

    pub(super) fn stored_before(&self, idx: usize, skill: usize) -> Option<String> {
        let name = format!("k{skill}");
        let store = real::stores().remove(&name);
        let mut stored = store.and_then(|store| store.get("c").cloned());
        for attempt in self.visible_attempts(idx) {
            if attempt.executed_by.skill == name {
                for StoreWrite { value, .. } in &attempt.writes {
                    stored.clone_from(value);
                }
            }
        }
        stored
    }

    /// Looks at the steps whose needs are all over.
    pub(super) fn unblock_steps(&mut self) {
        loop {
            let free = (0..self.steps.len()).find(|idx| {
                let st = &self.steps[*idx];
                let is_over = |need: &usize| self.steps[*need].trace.is_some();
                st.trace.is_none()
                    && matches!(st.phase, StepPhase::Blocked)
                    && self.plan.steps[*idx].all_needs().iter().all(is_over)
                    && (self.halted.is_none() || self.block_reason(*idx).is_some())
            });
            let Some(free) = free else { return };
            match self.block_reason(free) {
                Some(because) => self.close(free, skipped(because)),
                None => self.steps[free].phase = StepPhase::Fresh,
            }
        }
    }

    pub(super) fn block_reason(&self, idx: usize) -> Option<SkipReason> {
        if self.plan.steps[idx].skip {
            return Some(SkipReason::SkippedByPlayer);
        }
        for need in self.plan.steps[idx].all_needs() {
            let required = !self.plan.steps[need].optional;
            let Some(over) = &self.steps[need].trace else { continue };
            match &over.outcome {
                Outcome::Done { .. } => {}
                Outcome::Failed { .. } | Outcome::TimedOut { .. } if required => {
                    return Some(SkipReason::DependencyFailed(StepIdx(need)));
                }
                Outcome::Failed { .. } | Outcome::TimedOut { .. } => {}
                Outcome::Skipped { because } => match because {
                    SkipReason::ConditionFalse | SkipReason::SkippedByPlayer => {}
                    SkipReason::Denied if required => {
                        return Some(SkipReason::DependencyDenied(StepIdx(need)));
                    }
                    SkipReason::Denied => {}
                    other => return Some(*other),
                },
            }
        }
        None
    }
}
