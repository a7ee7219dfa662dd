//! Prepares a step before it gets its slot: its condition, its input, its approval.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    Approval, ApprovalPolicy, ExecutionEvent, Failure, Outcome, PendingRequestKind, SkipReason,
    prepared::{MismatchedCandidate, PreparedStep, RankedCandidate},
    run::Run,
    state_view,
};
use narratoria_plan::{
    Condition, ConditionBindings, FillBudget, ForEach, ReferenceScope, Step, StepIdx, ValueTemplate,
};
use narratoria_protocol::{Object, StoryState, json_kind};
use narratoria_skills::{Health, StateValueLists};

/// The value of a step without output.
static NULL_OUTPUT: Value = Value::Null;

/// The values that references and conditions of a step can read: outputs of finished steps.
struct OutputScope<'r, 'a> {
    run: &'r Run<'a>,
    item: Option<(&'r Value, usize)>,
}

impl ReferenceScope for OutputScope<'_, '_> {
    fn output(&self, step: StepIdx) -> Result<&Value, &'static str> {
        match self.run.trace_of(step).map(|trace| &trace.outcome) {
            Some(Outcome::Done { output, .. }) => Ok(output),
            Some(Outcome::Failed { .. }) => Err("failed"),
            Some(Outcome::TimedOut { .. }) => Err("ran out of time"),
            Some(Outcome::Skipped { because }) => Err(match because {
                SkipReason::ConditionFalse => "was skipped (condition_false)",
                SkipReason::Denied => "was skipped (denied)",
                SkipReason::SkippedByPlayer => "was skipped (skipped_by_player)",
                SkipReason::SkippedByPlanner => "was skipped (skipped_by_planner)",
                _ => "was skipped",
            }),
            None => Err("is not over"),
        }
    }

    fn tool_id(&self, step: StepIdx) -> &str {
        &self.run.plan.step(step).tool_id
    }

    fn item(&self) -> Option<(&Value, usize)> {
        self.item
    }
}

impl Run<'_> {
    /// Handles a step whose needs have ended.
    pub(crate) fn handle_unblocked(&mut self, idx: StepIdx) {
        let step = self.plan.step(idx);
        if self.plan.parallel() {
            match self.prepare(idx) {
                Ok(prepared) => self.steps[idx.0].prepared = Some(prepared),
                Err(outcome) => return self.finish_step(idx, outcome),
            }
        } else {
            // In a serial plan the condition of a step is checked only at its turn, but a person is asked early.
            if step.requires_approval {
                self.steps[idx.0].prepared = self.prepare(idx).ok();
            }
            self.schedule.make_ready(idx);
        }
        if step.requires_approval && self.steps[idx.0].prepared.is_some() {
            self.ask_approval(idx, step);
        } else if self.plan.parallel() {
            self.schedule.make_ready(idx);
        }
    }

    fn ask_approval(&mut self, idx: StepIdx, step: &Step) {
        let granted = match self.options.approvals {
            ApprovalPolicy::Grant => true,
            ApprovalPolicy::Deny => false,
            ApprovalPolicy::Ask => {
                let Some(prepared) = &self.steps[idx.0].prepared else { return };
                let input = prepared.approval_input(step);
                self.awaiting_approval.insert(idx);
                self.pending
                    .add(&step.tool_id, PendingRequestKind::Approval { input: input.clone() });
                (self.on_event)(ExecutionEvent::StepWaiting { step: idx, input: &input });
                return;
            }
        };
        self.apply_approval(idx, granted, false);
    }

    /// Applies the decision of a person (`asked`) or of the options.
    pub(crate) fn apply_approval(&mut self, idx: StepIdx, granted: bool, asked: bool) {
        let step_run = &mut self.steps[idx.0];
        step_run.approval = Some(if granted { Approval::Granted } else { Approval::Denied });
        (self.on_event)(ExecutionEvent::StepDecided { step: idx, granted, asked });
        if !granted {
            self.finish_step(idx, Outcome::Skipped { because: SkipReason::Denied });
        } else if self.plan.parallel() {
            self.schedule.make_ready(idx);
        }
    }

    /// Checks everything that could keep a step from starting. Depends only on the step's ancestors, so it
    /// may run at any time after they have ended.
    pub(crate) fn prepare(&self, idx: StepIdx) -> Result<Box<PreparedStep>, Outcome> {
        let step = self.plan.step(idx);
        if let Some(when) = &step.when {
            match self.condition_holds(idx, step, when) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(Outcome::Skipped { because: SkipReason::ConditionFalse });
                }
                Err(why) => return Err(Outcome::failed(why)),
            }
        }
        self.fill_input(idx, step).map_err(Outcome::failed)
    }

    fn fill_input(&self, idx: StepIdx, step: &Step) -> Result<Box<PreparedStep>, Failure> {
        let (inputs, items) = match &step.for_each {
            Some(each) => self.fill_items(step, each)?,
            None if step.input.slots().is_empty() => (None, None),
            None => {
                let scope = OutputScope { run: self, item: None };
                let input = fill_object(&step.input, &scope, &mut FillBudget::default())?;
                (Some(vec![input]), None)
            }
        };
        let candidates = match &self.steps[idx.0].candidates {
            Some(candidates) => candidates.clone(),
            None => vec![RankedCandidate { candidate: 0, health: Health::Healthy }],
        };
        let (candidates, mismatched) =
            self.matching_candidates(idx, candidates, inputs.as_deref(), items.is_some())?;
        Ok(Box::new(PreparedStep {
            inputs,
            items,
            candidates,
            mismatched,
            executed_by: None,
            candidate_attempts: 0,
            attempt: 0,
            outputs: Vec::new(),
            summary: None,
        }))
    }

    /// Returns the inputs of a loop, if its template has references, and the number of its items.
    fn fill_items(
        &self,
        step: &Step,
        each: &ForEach,
    ) -> Result<(Option<Vec<Object>>, Option<usize>), Failure> {
        let items =
            each.items.fill(&OutputScope { run: self, item: None }).map_err(Failure::Reference)?;
        let Value::Array(items) = items else {
            return Err(Failure::NotAList { found: json_kind(&items) });
        };
        if items.len() > each.items_max {
            let (found, limit) = (items.len(), each.items_max);
            return Err(Failure::TooManyItems { found, limit });
        }
        let inputs = match step.input.slots().is_empty() {
            true => None,
            false => {
                let mut budget = FillBudget::default();
                let fill = |(at, item)| {
                    let scope = OutputScope { run: self, item: Some((item, at)) };
                    fill_object(&step.input, &scope, &mut budget)
                };
                Some(items.iter().enumerate().map(fill).collect::<Result<Vec<_>, _>>()?)
            }
        };
        Ok((inputs, Some(items.len())))
    }

    fn condition_holds(
        &self,
        idx: StepIdx,
        step: &Step,
        when: &Condition,
    ) -> Result<bool, Failure> {
        let scope = OutputScope { run: self, item: None };
        let output = |need: &StepIdx| scope.output(*need).unwrap_or(&NULL_OUTPUT);
        let steps: BTreeMap<&str, &Value> = when
            .steps()
            .iter()
            .map(|need| (self.plan.step(*need).tool_id.as_str(), output(need)))
            .collect();
        let state = match when.reads_state() {
            true => {
                let patches: Vec<&Object> = self.ancestor_patches(idx).collect();
                state_view::merged_state(self.start, &patches)
            }
            false => StoryState::default(),
        };
        let input = step.input.fill_or_null(&scope);
        let state = state.as_object();
        let bindings = ConditionBindings { steps, state, input: &input, output: None };
        when.holds(&bindings).map_err(Failure::Condition)
    }

    /// Returns the values that the candidates' inputs may draw from the state as the step sees it.
    fn state_values(&self, idx: StepIdx) -> StateValueLists {
        let candidates = self.plan.step(idx).candidates.iter();
        let pointers: Vec<&str> =
            candidates.flat_map(|one| one.script().input_schema.value_pointers()).collect();
        if pointers.is_empty() {
            return StateValueLists::default();
        }
        let reads: Vec<String> = pointers.iter().map(|pointer| (*pointer).to_owned()).collect();
        let patches: Vec<&Object> = self.ancestor_patches(idx).collect();
        let slices = state_view::state_slices(&reads, self.start, &patches);
        let nothing = Object::new();
        StateValueLists::read(pointers, slices.as_object().unwrap_or(&nothing))
    }

    /// Returns the candidates whose scripts accept the filled input, and the others with their reasons. `Plan::build`
    /// has checked inputs without references, except for values that they draw from the state.
    fn matching_candidates(
        &self,
        idx: StepIdx,
        candidates: Vec<RankedCandidate>,
        inputs: Option<&[Object]>,
        is_loop: bool,
    ) -> Result<(Vec<RankedCandidate>, Vec<MismatchedCandidate>), Failure> {
        let (step, state_values) = (self.plan.step(idx), self.state_values(idx));
        let values: Vec<Value> = match inputs {
            Some(inputs) => inputs.iter().cloned().map(Value::Object).collect(),
            None if state_values.is_empty() => return Ok((candidates, Vec::new())),
            None => vec![step.input.value().clone()],
        };
        let is_loop = is_loop && inputs.is_some();
        matching(step, candidates, &values, (&state_values, is_loop))
    }
}

fn matching(
    step: &Step,
    candidates: Vec<RankedCandidate>,
    values: &[Value],
    (state_values, is_loop): (&StateValueLists, bool),
) -> Result<(Vec<RankedCandidate>, Vec<MismatchedCandidate>), Failure> {
    let (mut matching, mut mismatched) = (Vec::with_capacity(candidates.len()), Vec::new());
    for ranked in candidates {
        let candidate = &step.candidates[ranked.candidate];
        let mismatch = values.iter().enumerate().find_map(|(item, value)| {
            let schema = &candidate.script().input_schema;
            let first = schema.mismatches_in_state(value, &[], state_values).into_iter().next()?;
            let item = if is_loop { format!("/{item}") } else { String::new() };
            Some(Failure::InputMismatch {
                script: candidate.tool_path(),
                pointer: format!("{item}{}", first.pointer),
                what: first.what,
            })
        });
        match mismatch {
            None => matching.push(ranked),
            Some(why) => mismatched.push((ranked.candidate, why)),
        }
    }
    match mismatched.first() {
        Some((_, why)) if matching.is_empty() => Err(why.clone()),
        _ => Ok((matching, mismatched)),
    }
}

fn fill_object(
    template: &ValueTemplate,
    scope: &OutputScope<'_, '_>,
    budget: &mut FillBudget,
) -> Result<Object, Failure> {
    match template.fill_within(scope, budget).map_err(Failure::Reference)? {
        Value::Object(input) => Ok(input),
        // Filling replaces only the members of an input, so an object stays an object.
        _ => Ok(Object::new()),
    }
}
