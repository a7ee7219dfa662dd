//! What happens before a step's first attempt: its condition, its input, its approval, its executor.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use serde_json::Value;
use tokio::time::timeout;

use super::{
    ARBITER_TIMEOUT, Approval, ApprovalPolicy, Arbitration, ArbitrationReason, ArbitrationRequest,
    ExecutedBy, ExecutionEvent, Failure, Outcome, PassedOverCandidate, PendingRequestKind,
    SkipReason, StepProgress, StepTrace,
    arbiter::candidate_order,
    run::{PendingArbitration, Run, StepActivity},
    state_view,
    task::Task,
};
use narratoria_plan::{Condition, ConditionBindings, ReferenceScope, Step, StepIdx, ValueTemplate};
use narratoria_protocol::Object;
use narratoria_skills::{Health, HealthTracker};

/// Stands in where a step gave nothing.
static NULL_OUTPUT: Value = Value::Null;

/// A candidate of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankedCandidate {
    /// Index into the step's candidates.
    pub(super) candidate: usize,
    /// When the plan began.
    pub(super) health: Health,
}

/// A candidate whose script does not take the input, and what it has against it.
type MismatchedCandidate = (usize, Failure);

/// A step whose first attempt could start.
#[derive(Debug)]
pub(super) struct PreparedStep {
    /// Filled in, one for each item; none where the input is as written.
    inputs: Option<Vec<Object>>,
    /// How many items a loop has.
    pub(super) items: Option<usize>,
    /// The one at its head runs it; those behind it may take over.
    pub(super) candidates: Vec<RankedCandidate>,
    /// Candidates whose scripts do not take this input.
    mismatched: Vec<MismatchedCandidate>,
    /// Who is at the head, once it is known.
    pub(super) executed_by: Option<Arc<ExecutedBy>>,
    /// Attempts of the one at the head for the item at hand.
    pub(super) candidate_attempts: u32,
    /// Attempts for the item at hand.
    pub(super) attempt: u32,
    /// Of the items done; `Some` summary wins over an earlier one.
    pub(super) outputs: Vec<Value>,
    pub(super) summary: Option<String>,
}

impl PreparedStep {
    /// Index of the item at hand.
    pub(super) fn item(&self) -> Option<usize> {
        self.items.map(|_| self.outputs.len())
    }

    /// What the script gets now.
    pub(super) fn input(&self, step: &Step) -> Object {
        match &self.inputs {
            Some(inputs) => inputs.get(self.outputs.len()).cloned(),
            None => step.input.value().as_object().cloned(),
        }
        .unwrap_or_default()
    }

    fn approval_input(&self, step: &Step) -> Value {
        match (&self.inputs, self.items) {
            (Some(inputs), None) => inputs.first().cloned().map_or(Value::Null, Value::Object),
            (Some(inputs), Some(_)) => inputs.iter().cloned().map(Value::Object).collect(),
            (None, None) => step.input.value().clone(),
            (None, Some(items)) => Value::Array(vec![step.input.value().clone(); items]),
        }
    }
}

/// The candidates of each step that has several, in the order in which they are tried. Health is looked
/// at now and never again, so that the order does not depend on timing.
pub(super) fn rank_candidates(step: &Step, health: &HealthTracker) -> Vec<RankedCandidate> {
    let able = |candidate: usize| {
        let health = health.health(&step.candidates[candidate].skill.name);
        RankedCandidate { candidate, health }
    };
    candidate_order(step, health).into_iter().map(able).collect()
}

/// What a step's references and conditions look at: outputs of steps that are over.
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

impl<'a> Run<'a> {
    /// A step whose needs are over.
    pub(super) fn handle_unblocked(&mut self, idx: StepIdx) {
        let step = self.plan.step(idx);
        if self.plan.parallel() {
            match self.prepare(idx) {
                Ok(work) => self.steps[idx.0].prepared = Some(work),
                Err(outcome) => return self.finish_step(idx, outcome),
            }
        } else {
            // One after the other: what comes of its condition is of no interest before its turn, but a
            // person is asked early.
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
                let Some(work) = &self.steps[idx.0].prepared else { return };
                let input = work.approval_input(step);
                self.awaiting_approval.insert(idx);
                self.pending
                    .add(&step.tool_id, PendingRequestKind::Approval { input: input.clone() });
                (self.on_event)(ExecutionEvent::StepWaiting { step: idx, input: &input });
                return;
            }
        };
        self.apply_approval(idx, granted, false);
    }

    /// A person, or the options, have decided whether a step may start.
    pub(super) fn apply_approval(&mut self, idx: StepIdx, granted: bool, asked: bool) {
        let progress = &mut self.steps[idx.0];
        progress.approval = Some(if granted { Approval::Granted } else { Approval::Denied });
        (self.on_event)(ExecutionEvent::StepDecided { step: idx, granted, asked });
        if !granted {
            self.finish_step(idx, Outcome::Skipped { because: SkipReason::Denied });
        } else if self.plan.parallel() {
            self.schedule.make_ready(idx);
        }
    }

    /// Looks at everything that could keep a step from starting. Depends on its ancestors alone, so it
    /// does not matter when it is done.
    fn prepare(&self, idx: StepIdx) -> Result<Box<PreparedStep>, Outcome> {
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
        let fill = |item| fill_object(&step.input, &OutputScope { run: self, item });
        let (inputs, items) = match &step.for_each {
            None if step.input.slots().is_empty() => (None, None),
            None => (Some(vec![fill(None)?]), None),
            Some(each) => {
                let items = each
                    .items
                    .fill(&OutputScope { run: self, item: None })
                    .map_err(Failure::Reference)?;
                let Value::Array(items) = items else {
                    return Err(Failure::NotAList { found: kind(&items) });
                };
                if items.len() > each.items_max {
                    let (found, limit) = (items.len(), each.items_max);
                    return Err(Failure::TooManyItems { found, limit });
                }
                let inputs = match step.input.slots().is_empty() {
                    true => None,
                    false => {
                        let each =
                            items.iter().enumerate().map(|(at, item)| fill(Some((item, at))));
                        Some(each.collect::<Result<Vec<_>, _>>()?)
                    }
                };
                (inputs, Some(items.len()))
            }
        };
        let able = match &self.steps[idx.0].candidates {
            Some(able) => able.clone(),
            None => vec![RankedCandidate { candidate: 0, health: Health::Healthy }],
        };
        let (able, refused) =
            self.matching_candidates(step, able, inputs.as_deref(), items.is_some())?;
        Ok(Box::new(PreparedStep {
            inputs,
            items,
            candidates: able,
            mismatched: refused,
            executed_by: None,
            candidate_attempts: 0,
            attempt: 0,
            outputs: Vec::new(),
            summary: None,
        }))
    }

    /// Those whose scripts take the filled input, and the others with what they have against it. Inputs
    /// without references were checked when the plan was built.
    fn matching_candidates(
        &self,
        step: &Step,
        able: Vec<RankedCandidate>,
        inputs: Option<&[Object]>,
        is_loop: bool,
    ) -> Result<(Vec<RankedCandidate>, Vec<MismatchedCandidate>), Failure> {
        let Some(inputs) = inputs else { return Ok((able, Vec::new())) };
        let values: Vec<Value> = inputs.iter().cloned().map(Value::Object).collect();
        let (mut fitting, mut refused) = (Vec::with_capacity(able.len()), Vec::new());
        for one in able {
            let candidate = &step.candidates[one.candidate];
            let mismatch = values.iter().enumerate().find_map(|(item, value)| {
                let first = candidate.script().input_schema.mismatches(value).into_iter().next()?;
                let item = if is_loop { format!("/{item}") } else { String::new() };
                Some(Failure::InputMismatch {
                    script: candidate.tool_path(),
                    pointer: format!("{item}{}", first.pointer),
                    what: first.what,
                })
            });
            match mismatch {
                None => fitting.push(one),
                Some(why) => refused.push((one.candidate, why)),
            }
        }
        match refused.first() {
            Some((_, why)) if fitting.is_empty() => Err(why.clone()),
            _ => Ok((fitting, refused)),
        }
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
                let patches = self.ancestor_patches(idx);
                let patches: Vec<&Object> = patches.collect();
                state_view::merged_state(self.start, &patches)
            }
            false => narratoria_protocol::StoryState::default(),
        };
        let input = step.input.fill_or_null(&scope);
        let facts = ConditionBindings { steps, state: state.as_object(), input: &input };
        when.holds(&facts).map_err(Failure::Condition)
    }

    /// A step that has just got its slot.
    pub(super) fn begin_step(&mut self, idx: StepIdx) {
        self.steps[idx.0].has_slot = true;
        if self.steps[idx.0].prepared.is_none() {
            match self.prepare(idx) {
                Ok(work) => self.steps[idx.0].prepared = Some(work),
                Err(outcome) => return self.finish_step(idx, outcome),
            }
        }
        let Some(work) = &self.steps[idx.0].prepared else { return };
        if work.items == Some(0) {
            let output = Value::Array(Vec::new());
            return self.finish_step(idx, Outcome::Done { summary: None, output });
        }
        let healthy = work.candidates.iter().filter(|able| able.health == Health::Healthy).count();
        match self.arbiter.clone().filter(|_| healthy > 1) {
            None => self.start_chosen(idx, ArbitrationReason::Rule),
            Some(arbiter) => {
                let ask = ArbitrationRequest {
                    plan: self.plan,
                    progress: self.progress(),
                    step: idx,
                    candidates: work.candidates[..healthy]
                        .iter()
                        .map(|able| able.candidate)
                        .collect(),
                };
                let task = Task::inline(|| {
                    Box::pin(
                        async move { timeout(ARBITER_TIMEOUT, arbiter.choose(ask)).await.ok() },
                    )
                });
                self.steps[idx.0].activity =
                    StepActivity::Arbitrating(PendingArbitration { task, healthy });
                self.active.insert(idx);
            }
        }
    }

    /// The arbiter has spoken; `None` for one that was too slow, and an error for one that fell over.
    pub(super) fn handle_arbitration(
        &mut self,
        idx: StepIdx,
        healthy: usize,
        answer: Result<Option<Option<usize>>, String>,
    ) {
        let Some(work) = &mut self.steps[idx.0].prepared else { return };
        let why = match answer {
            Ok(None) => ArbitrationReason::ArbiterSlow,
            Ok(Some(None)) | Err(_) => ArbitrationReason::ArbiterSilent,
            Ok(Some(Some(at))) if at >= healthy => ArbitrationReason::ArbiterWrong,
            Ok(Some(Some(at))) => {
                work.candidates[..=at].rotate_right(1);
                ArbitrationReason::Arbiter
            }
        };
        self.start_chosen(idx, why);
    }

    fn start_chosen(&mut self, idx: StepIdx, why: ArbitrationReason) {
        let (plan, now) = (self.plan, self.now());
        let step = plan.step(idx);
        let progress = &mut self.steps[idx.0];
        if let Some(work) = &mut progress.prepared {
            let chosen = work.candidates[0].candidate;
            let by = ExecutedBy::of(step, chosen);
            if step.candidates.len() > 1 {
                let passed_over = passed_over(step, work, chosen, progress.candidates.as_deref());
                let chosen = Some(by.clone());
                progress.arbitration =
                    Some(Arbitration { chosen, why, passed_over, takeovers: Vec::new() });
            }
            work.executed_by = Some(by);
        }
        if self.clock.is_over(now) {
            // The alarm is about to ring, and what has not begun is skipped then.
            return;
        }
        self.start_attempt(idx);
    }

    fn progress(&self) -> Vec<StepProgress> {
        self.steps
            .iter()
            .map(|progress| match &progress.trace {
                Some(trace) => trace.progress(),
                None if progress.has_slot => StepProgress::InProgress,
                None => StepProgress::Pending,
            })
            .collect()
    }

    /// Patches of a step's ancestors, in plan order.
    pub(super) fn ancestor_patches(&self, idx: StepIdx) -> impl Iterator<Item = &Object> {
        let ancestors = state_view::ancestors(self.plan, idx).into_iter();
        ancestors.filter_map(|idx| self.trace_of(idx)).flat_map(StepTrace::patches)
    }
}

fn passed_over(
    step: &Step,
    work: &PreparedStep,
    chosen: usize,
    able: Option<&[RankedCandidate]>,
) -> Vec<PassedOverCandidate> {
    let told = |candidate: usize| -> Option<String> {
        if let Some((_, failure)) =
            work.mismatched.iter().find(|(refused, _)| *refused == candidate)
        {
            return Some(failure.to_string());
        }
        let able = able.unwrap_or_default().iter().find(|able| able.candidate == candidate);
        match (able, candidate.cmp(&chosen)) {
            (None, _) => Some(Health::PermanentFailure.as_str().to_owned()),
            (Some(able), Ordering::Less) if able.health != Health::Healthy => {
                Some(able.health.as_str().to_owned())
            }
            (Some(_), Ordering::Less) => Some("the arbiter chose another".to_owned()),
            (Some(_), Ordering::Equal | Ordering::Greater) => None,
        }
    };
    (0..step.candidates.len())
        .filter(|candidate| *candidate != chosen)
        .filter_map(|candidate| {
            told(candidate)
                .map(|why| PassedOverCandidate { candidate: ExecutedBy::of(step, candidate), why })
        })
        .collect()
}

fn fill_object(template: &ValueTemplate, scope: &OutputScope<'_, '_>) -> Result<Object, Failure> {
    match template.fill(scope).map_err(Failure::Reference)? {
        Value::Object(input) => Ok(input),
        // An input is an object as written, and only what is in it is filled.
        _ => Ok(Object::new()),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
