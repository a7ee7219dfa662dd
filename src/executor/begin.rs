//! What happens before a step's first attempt: its condition, its input, its approval, its executor.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use serde_json::Value;
use tokio::time::timeout;

use super::{
    ARBITER_TIMEOUT, Approval, Approvals, ArbiterAsk, Arbitration, Choice, Failure, News, Outcome,
    PassedOver, SkipReason, StepProgress, StepTrace, WaitingFor, Who,
    arbiter::order,
    run::{Active, Choosing, Run},
    task::Task,
    view,
};
use crate::{
    plan::{Condition, Facts, Scope, Step, StepIdx, ValueTemplate},
    protocol::Object,
    skills::{Health, HealthBook},
};

/// Stands in where a step gave nothing.
static NOTHING: Value = Value::Null;

/// A candidate of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Able {
    /// Index into the step's candidates.
    pub(super) candidate: usize,
    /// When the plan began.
    pub(super) health: Health,
}

/// A candidate whose script does not take the input, and what it has against it.
type Refused = (usize, Failure);

/// A step whose first attempt could start.
#[derive(Debug)]
pub(super) struct Work {
    /// Filled in, one for each item; none where the input is as written.
    inputs: Option<Vec<Object>>,
    /// How many items a loop has.
    pub(super) items: Option<usize>,
    /// The one at its head runs it; those behind it may take over.
    pub(super) able: Vec<Able>,
    /// Candidates whose scripts do not take this input.
    refused: Vec<Refused>,
    /// Who is at the head, once it is known.
    pub(super) by: Option<Arc<Who>>,
    /// Attempts of the one at the head for the item at hand.
    pub(super) tries: u32,
    /// Attempts for the item at hand.
    pub(super) attempt: u32,
    /// Of the items done; `Some` summary wins over an earlier one.
    pub(super) outputs: Vec<Value>,
    pub(super) summary: Option<String>,
}

impl Work {
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

    fn told_input(&self, step: &Step) -> Value {
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
pub(super) fn able(step: &Step, health: &HealthBook) -> Vec<Able> {
    let able = |candidate: usize| {
        let health = health.health(&step.candidates[candidate].skill.name);
        Able { candidate, health }
    };
    order(step, health).into_iter().map(able).collect()
}

/// What a step's references and conditions look at: outputs of steps that are over.
struct Outputs<'r, 'a> {
    run: &'r Run<'a>,
    item: Option<(&'r Value, usize)>,
}

impl Scope for Outputs<'_, '_> {
    fn output(&self, step: StepIdx) -> Result<&Value, &'static str> {
        match self.run.over(step).map(|trace| &trace.outcome) {
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
    pub(super) fn freshen(&mut self, idx: StepIdx) {
        let step = self.plan.step(idx);
        if self.plan.parallel() {
            match self.prepare(idx) {
                Ok(work) => self.steps[idx.0].work = Some(work),
                Err(outcome) => return self.finish(idx, outcome),
            }
        } else {
            // One after the other: what comes of its condition is of no interest before its turn, but a
            // person is asked early.
            if step.requires_approval {
                self.steps[idx.0].work = self.prepare(idx).ok();
            }
            self.schedule.make_ready(idx);
        }
        if step.requires_approval && self.steps[idx.0].work.is_some() {
            self.ask_approval(idx, step);
        } else if self.plan.parallel() {
            self.schedule.make_ready(idx);
        }
    }

    fn ask_approval(&mut self, idx: StepIdx, step: &Step) {
        let granted = match self.options.approvals {
            Approvals::Grant => true,
            Approvals::Deny => false,
            Approvals::Ask => {
                let Some(work) = &self.steps[idx.0].work else { return };
                let input = work.told_input(step);
                self.waiting.insert(idx);
                self.desk.put(&step.tool_id, WaitingFor::Approval { input: input.clone() });
                (self.news)(News::StepWaiting { step: idx, input: &input });
                return;
            }
        };
        self.decided(idx, granted, false);
    }

    /// A person, or the options, have decided whether a step may start.
    pub(super) fn decided(&mut self, idx: StepIdx, granted: bool, asked: bool) {
        let progress = &mut self.steps[idx.0];
        progress.approval = Some(if granted { Approval::Granted } else { Approval::Denied });
        (self.news)(News::StepDecided { step: idx, granted, asked });
        if !granted {
            self.finish(idx, Outcome::Skipped { because: SkipReason::Denied });
        } else if self.plan.parallel() {
            self.schedule.make_ready(idx);
        }
    }

    /// Looks at everything that could keep a step from starting. Depends on its ancestors alone, so it
    /// does not matter when it is done.
    fn prepare(&self, idx: StepIdx) -> Result<Box<Work>, Outcome> {
        let step = self.plan.step(idx);
        if let Some(when) = &step.when {
            match self.holds(idx, step, when) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(Outcome::Skipped { because: SkipReason::ConditionFalse });
                }
                Err(why) => return Err(Outcome::failed(why)),
            }
        }
        self.fill(idx, step).map_err(Outcome::failed)
    }

    fn fill(&self, idx: StepIdx, step: &Step) -> Result<Box<Work>, Failure> {
        let fill = |item| filled(&step.input, &Outputs { run: self, item });
        let (inputs, items) = match &step.for_each {
            None if step.input.holes().is_empty() => (None, None),
            None => (Some(vec![fill(None)?]), None),
            Some(each) => {
                let items = each
                    .items
                    .fill(&Outputs { run: self, item: None })
                    .map_err(Failure::Reference)?;
                let Value::Array(items) = items else {
                    return Err(Failure::NotAList { found: kind(&items) });
                };
                if items.len() > each.items_max {
                    let (found, limit) = (items.len(), each.items_max);
                    return Err(Failure::TooManyItems { found, limit });
                }
                let inputs = match step.input.holes().is_empty() {
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
        let able = match &self.steps[idx.0].able {
            Some(able) => able.clone(),
            None => vec![Able { candidate: 0, health: Health::Healthy }],
        };
        let (able, refused) = self.fitting(step, able, inputs.as_deref(), items.is_some())?;
        Ok(Box::new(Work {
            inputs,
            items,
            able,
            refused,
            by: None,
            tries: 0,
            attempt: 0,
            outputs: Vec::new(),
            summary: None,
        }))
    }

    /// Those whose scripts take the filled input, and the others with what they have against it. Inputs
    /// without references were checked when the plan was built.
    fn fitting(
        &self,
        step: &Step,
        able: Vec<Able>,
        inputs: Option<&[Object]>,
        is_loop: bool,
    ) -> Result<(Vec<Able>, Vec<Refused>), Failure> {
        let Some(inputs) = inputs else { return Ok((able, Vec::new())) };
        let values: Vec<Value> = inputs.iter().cloned().map(Value::Object).collect();
        let (mut fitting, mut refused) = (Vec::with_capacity(able.len()), Vec::new());
        for one in able {
            let candidate = &step.candidates[one.candidate];
            let mismatch = values.iter().enumerate().find_map(|(item, value)| {
                let first = candidate.script().input_schema.mismatches(value).into_iter().next()?;
                let item = if is_loop { format!("/{item}") } else { String::new() };
                Some(Failure::Input {
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

    fn holds(&self, idx: StepIdx, step: &Step, when: &Condition) -> Result<bool, Failure> {
        let scope = Outputs { run: self, item: None };
        let output = |need: &StepIdx| scope.output(*need).unwrap_or(&NOTHING);
        let steps: BTreeMap<&str, &Value> = when
            .steps()
            .iter()
            .map(|need| (self.plan.step(*need).tool_id.as_str(), output(need)))
            .collect();
        let state = match when.reads_state() {
            true => {
                let patches = self.patches_before(idx);
                let patches: Vec<&Object> = patches.collect();
                view::everything(self.start, &patches)
            }
            false => crate::story::State::default(),
        };
        let input = step.input.fill_known(&scope);
        let facts = Facts { steps, state: state.as_object(), input: &input };
        when.holds(&facts).map_err(Failure::Condition)
    }

    /// A step that has just got its slot.
    pub(super) fn begin(&mut self, idx: StepIdx) {
        self.steps[idx.0].has_slot = true;
        if self.steps[idx.0].work.is_none() {
            match self.prepare(idx) {
                Ok(work) => self.steps[idx.0].work = Some(work),
                Err(outcome) => return self.finish(idx, outcome),
            }
        }
        let Some(work) = &self.steps[idx.0].work else { return };
        if work.items == Some(0) {
            let output = Value::Array(Vec::new());
            return self.finish(idx, Outcome::Done { summary: None, output });
        }
        let healthy = work.able.iter().filter(|able| able.health == Health::Healthy).count();
        match self.arbiter.clone().filter(|_| healthy > 1) {
            None => self.chosen(idx, Choice::Rule),
            Some(arbiter) => {
                let ask = ArbiterAsk {
                    plan: self.plan,
                    progress: self.progress(),
                    step: idx,
                    candidates: work.able[..healthy].iter().map(|able| able.candidate).collect(),
                };
                let task = Task::here(|| {
                    Box::pin(
                        async move { timeout(ARBITER_TIMEOUT, arbiter.choose(ask)).await.ok() },
                    )
                });
                self.steps[idx.0].active = Active::Choosing(Choosing { task, healthy });
                self.active.insert(idx);
            }
        }
    }

    /// The arbiter has spoken; `None` for one that was too slow, and an error for one that fell over.
    pub(super) fn arbitrated(
        &mut self,
        idx: StepIdx,
        healthy: usize,
        answer: Result<Option<Option<usize>>, String>,
    ) {
        let Some(work) = &mut self.steps[idx.0].work else { return };
        let why = match answer {
            Ok(None) => Choice::ArbiterSlow,
            Ok(Some(None)) | Err(_) => Choice::ArbiterSilent,
            Ok(Some(Some(at))) if at >= healthy => Choice::ArbiterWrong,
            Ok(Some(Some(at))) => {
                work.able[..=at].rotate_right(1);
                Choice::Arbiter
            }
        };
        self.chosen(idx, why);
    }

    fn chosen(&mut self, idx: StepIdx, why: Choice) {
        let (plan, now) = (self.plan, self.now());
        let step = plan.step(idx);
        let progress = &mut self.steps[idx.0];
        if let Some(work) = &mut progress.work {
            let chosen = work.able[0].candidate;
            let by = Who::of(step, chosen);
            if step.candidates.len() > 1 {
                let passed_over = passed_over(step, work, chosen, progress.able.as_deref());
                let chosen = Some(by.clone());
                progress.arbitration =
                    Some(Arbitration { chosen, why, passed_over, takeovers: Vec::new() });
            }
            work.by = Some(by);
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
            .map(|progress| match &progress.over {
                Some(trace) => trace.progress(),
                None if progress.has_slot => StepProgress::InProgress,
                None => StepProgress::Pending,
            })
            .collect()
    }

    /// Patches of a step's ancestors, in plan order.
    pub(super) fn patches_before(&self, idx: StepIdx) -> impl Iterator<Item = &Object> {
        let ancestors = view::ancestors(self.plan, idx).into_iter();
        ancestors.filter_map(|idx| self.over(idx)).flat_map(StepTrace::patches)
    }
}

fn passed_over(step: &Step, work: &Work, chosen: usize, able: Option<&[Able]>) -> Vec<PassedOver> {
    let told = |candidate: usize| -> Option<String> {
        if let Some((_, failure)) = work.refused.iter().find(|(refused, _)| *refused == candidate) {
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
            told(candidate).map(|why| PassedOver { who: Who::of(step, candidate), why })
        })
        .collect()
}

fn filled(template: &ValueTemplate, scope: &Outputs<'_, '_>) -> Result<Object, Failure> {
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
