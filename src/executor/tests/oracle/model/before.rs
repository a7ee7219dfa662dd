//! What keeps a step from starting, and what it sees.

use serde_json::{Value, json};

use super::{Model, Phase, apply, failed, plain, skipped};
use crate::{
    executor::{
        Attempt, Outcome, SkipReason, StepTrace,
        tests::oracle::{
            real::{self, takes_objects},
            rough::{Each, Input, When},
        },
    },
    plan::StepIdx,
    sandbox::StoreWrite,
};

impl Model<'_> {
    pub(super) fn output(&self, idx: usize) -> Option<&Value> {
        match &self.steps[idx].over.as_ref()?.outcome {
            Outcome::Done { output, .. } => Some(output),
            _ => None,
        }
    }

    pub(super) fn prepare(&mut self, idx: usize) -> Result<(), Outcome> {
        if self.steps[idx].prepared {
            return Ok(());
        }
        let step = &self.rough.steps[idx];
        if let Some(when) = step.when {
            match self.holds(idx, when) {
                None => return Err(failed(plain("CONDITION_UNANSWERED"))),
                Some(false) => return Err(skipped(SkipReason::ConditionFalse)),
                Some(true) => {}
            }
        }
        let items = match step.each {
            None => None,
            Some(Each::Literal(items)) => Some((0..items).map(|item| json!(item)).collect()),
            Some(Each::List(from, max)) => match self.output(from) {
                None => return Err(failed(plain("REFERENCE_NO_OUTPUT"))),
                Some(Value::Array(_)) => return Err(failed(plain("REFERENCE_MISSING"))),
                Some(output) => {
                    let list = output["list"].as_array().unwrap().clone();
                    if list.len() > max {
                        return Err(failed(plain("TOO_MANY_ITEMS")));
                    }
                    Some(list)
                }
            },
            Some(Each::Whole(from)) => match self.output(from) {
                Some(Value::Array(items)) => Some(items.clone()),
                _ => return Err(failed(plain("NOT_A_LIST"))),
            },
        };
        let mut inputs = Vec::new();
        match &items {
            None => inputs.push(self.input(idx, None).map_err(|code| failed(plain(code)))?),
            Some(items) => {
                for (at, item) in items.iter().enumerate() {
                    let input = self.input(idx, Some((item, at)));
                    inputs.push(input.map_err(|code| failed(plain(code)))?);
                }
            }
        }
        let is_literal = matches!(step.input, Input::Nothing | Input::Literal(_));
        let fits = |candidate: &usize| {
            let fits_one = |input: &Value| !input.is_object() && !input.is_array();
            let skill = step.by[*candidate].skill;
            is_literal || takes_objects(skill) || inputs.iter().all(fits_one)
        };
        let all = self.steps[idx].by_health.clone();
        let (order, refused): (Vec<usize>, Vec<usize>) = all.into_iter().partition(fits);
        if order.is_empty() {
            return Err(failed(plain("INPUT_MISMATCH")));
        }
        let st = &mut self.steps[idx];
        (st.order, st.refused, st.inputs) = (order, refused, inputs);
        st.items = items.map(|items| items.len());
        st.prepared = true;
        Ok(())
    }

    /// What stands at `x`; null is as good as nothing there.
    pub(super) fn input(
        &self,
        idx: usize,
        item: Option<(&Value, usize)>,
    ) -> Result<Value, &'static str> {
        Ok(match self.rough.steps[idx].input {
            Input::Nothing => Value::Null,
            Input::Literal(x) => json!(x),
            Input::Whole(from) => self.output(from).cloned().unwrap_or(Value::Null),
            Input::Field(from) => match self.output(from) {
                None => return Err("REFERENCE_NO_OUTPUT"),
                Some(Value::Array(_)) => return Err("REFERENCE_MISSING"),
                Some(output) => output["n"].clone(),
            },
            Input::First(from) => match self.output(from) {
                None => return Err("REFERENCE_NO_OUTPUT"),
                Some(Value::Array(items)) if !items.is_empty() => items[0]["n"].clone(),
                Some(_) => return Err("REFERENCE_MISSING"),
            },
            Input::Item => item.map_or(Value::Null, |(item, _)| item.clone()),
            Input::Index => item.map_or(Value::Null, |(_, at)| json!(at)),
        })
    }

    /// None where there is no answer.
    pub(super) fn holds(&self, idx: usize, when: When) -> Option<bool> {
        match when {
            When::More(from, k) => match self.output(from) {
                Some(Value::Object(output)) => Some(output["n"].as_i64().unwrap() > k),
                _ => None,
            },
            When::Nothing(from) => Some(self.output(from).is_none()),
            When::State(k) => Some(self.state_before(idx)["total"].as_i64().unwrap() > k),
            When::Input(k) => {
                let x = self.input(idx, None).unwrap_or(Value::Null);
                Some(x.as_i64().is_some_and(|x| x > k))
            }
        }
    }

    pub(super) fn needs_it(&self, later: usize, earlier: usize) -> bool {
        let needs = self.rough.steps[later].all_needs();
        needs.contains(&earlier) || needs.iter().any(|need| self.needs_it(*need, earlier))
    }

    /// Successful attempts that a step sees, in plan order, its own last.
    pub(super) fn seen(&self, idx: usize) -> Vec<&Attempt> {
        let mut seen = Vec::new();
        for earlier in 0..idx {
            if let Some(StepTrace { outcome: Outcome::Done { .. }, attempts, .. }) =
                &self.steps[earlier].over
                && self.needs_it(idx, earlier)
            {
                seen.extend(attempts.iter().filter(|attempt| attempt.failure.is_none()));
            }
        }
        seen.extend(self.steps[idx].attempts.iter().filter(|attempt| attempt.failure.is_none()));
        seen
    }

    pub(super) fn state_before(&self, idx: usize) -> Value {
        let mut state = real::start();
        for attempt in self.seen(idx) {
            apply(&mut state, attempt);
        }
        Value::Object(state.as_object().clone())
    }

    pub(super) fn kept_before(&self, idx: usize, skill: usize) -> Option<String> {
        let name = format!("k{skill}");
        let store = real::stores().remove(&name);
        let mut kept = store.and_then(|store| store.get("c").cloned());
        for attempt in self.seen(idx) {
            if attempt.by.skill == name {
                for StoreWrite { value, .. } in &attempt.writes {
                    kept.clone_from(value);
                }
            }
        }
        kept
    }

    /// Steps all of whose needs are over may start, or never will.
    pub(super) fn look_for_free(&mut self) {
        loop {
            let free = (0..self.steps.len()).find(|idx| {
                let st = &self.steps[*idx];
                let is_over = |need: &usize| self.steps[*need].over.is_some();
                st.over.is_none()
                    && matches!(st.phase, Phase::Blocked)
                    && self.rough.steps[*idx].all_needs().iter().all(is_over)
                    && (self.halted.is_none() || self.blocked(*idx).is_some())
            });
            let Some(free) = free else { return };
            match self.blocked(free) {
                Some(because) => self.close(free, skipped(because)),
                None => self.steps[free].phase = Phase::Fresh,
            }
        }
    }

    pub(super) fn blocked(&self, idx: usize) -> Option<SkipReason> {
        if self.rough.steps[idx].skip {
            return Some(SkipReason::SkippedByPlayer);
        }
        for need in self.rough.steps[idx].all_needs() {
            let required = !self.rough.steps[need].optional;
            let Some(over) = &self.steps[need].over else { continue };
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
