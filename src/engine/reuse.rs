//! What of a turn's earlier plans need not run again (S2, strategy 3): results of steps that a new plan
//! has under the same id, with the same definition, and with nothing new before them. Pure. What a person
//! has denied is not asked again either.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use narratoria_executor::{Outcome, ReusedResults, SkipReason, StepTrace, Trace};
use narratoria_plan::{FailureCategory, Plan, PlanJson, StepIdx, same_definition, wire::ToolJson};

/// Results of the last plan that ran, by `toolId`; what it had kept of those before it is among them.
#[derive(Debug, Default)]
pub(super) struct PreviousResults {
    steps: BTreeMap<String, PreviousStep>,
}

/// A step of an earlier plan.
#[derive(Debug)]
struct PreviousStep {
    tool: ToolJson,
    needs: Vec<String>,
    /// What it did, or that a person would not have it. None when it gave nothing for another reason.
    result: Option<StepTrace>,
    /// Its condition did not hold. It is asked again, of the same facts.
    is_condition_false: bool,
    /// The skill whose script said itself that it could not do it, with what it was given.
    gave_up: Option<String>,
    /// The step because of which it was skipped, as `done` knows it by a place of its own plan.
    blocked_by: Option<String>,
}

impl PreviousStep {
    /// Whether its script may be given something else: it gave up itself, and is not `lost`.
    fn is_repairable(&self, lost: &BTreeSet<String>) -> bool {
        self.gave_up.as_ref().is_some_and(|skill| !lost.contains(skill))
    }

    fn gave_nothing(&self) -> bool {
        !self.result.as_ref().is_some_and(|done| matches!(done.outcome, Outcome::Done { .. }))
    }
}

impl PreviousResults {
    /// A plan has run. Those before it are forgotten: a result that it did not keep may rest on others
    /// that it has replaced.
    pub(super) fn replace(&mut self, json: &PlanJson, plan: &Plan, trace: &Trace) {
        *self = PreviousResults::of(json, plan, trace, |outcome| match outcome {
            Outcome::Done { .. } => true,
            Outcome::Skipped { because } => *because == SkipReason::Denied,
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => false,
        });
    }

    /// What steps of a plan came to while it was being written. The whole plan keeps all of it, failures
    /// too: that a step started early gives it no other chance.
    pub(super) fn of_eager_steps(json: &PlanJson, plan: &Plan, trace: &Trace) -> PreviousResults {
        PreviousResults::of(json, plan, trace, |_| true)
    }

    fn of(
        json: &PlanJson,
        plan: &Plan,
        trace: &Trace,
        is_final: impl Fn(&Outcome) -> bool,
    ) -> PreviousResults {
        let mut steps = BTreeMap::new();
        let tools: HashMap<&str, &ToolJson> =
            json.tools.iter().map(|tool| (tool.tool_id.as_str(), tool)).collect();
        for (step, trace) in plan.steps().iter().zip(&trace.steps) {
            let Some(tool) = tools.get(step.tool_id.as_str()) else { continue };
            let needs = step.needs.iter().map(|need| plan.step(*need).tool_id.clone()).collect();
            let done = is_final(&trace.outcome).then(|| trace.clone());
            let because = SkipReason::ConditionFalse;
            let is_left_out = trace.outcome == Outcome::Skipped { because };
            let gave_up = gave_up(trace);
            let blocked_by = blocked_by(&trace.outcome).map(|idx| plan.step(idx).tool_id.clone());
            let tool = (*tool).clone();
            let ended = PreviousStep {
                tool,
                needs,
                result: done,
                is_condition_false: is_left_out,
                gave_up,
                blocked_by,
            };
            steps.insert(step.tool_id.clone(), ended);
        }
        PreviousResults { steps }
    }

    /// Steps of a new plan that try again with other input what a script has said it could not do (S2,
    /// strategy 3). Their skills are disabled for the turn (S0 FR-024) and may be used for this alone,
    /// unless they are `lost`: have failed for good in this session.
    pub(super) fn repaired_ids(
        &self,
        json: &PlanJson,
        lost: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let is_mended = |tool: &&ToolJson| {
            self.steps.get(&tool.tool_id).is_some_and(|ended| {
                ended.tool.tool_path == tool.tool_path
                    && ended.tool.input != tool.input
                    && ended.is_repairable(lost)
            })
        };
        json.tools.iter().filter(is_mended).map(|tool| tool.tool_id.clone()).collect()
    }

    /// Steps that could be mended in that way.
    pub(super) fn repairable_ids(&self, lost: &BTreeSet<String>) -> BTreeSet<String> {
        let mendable = self.steps.iter().filter(|(_, ended)| ended.is_repairable(lost));
        mendable.map(|(id, _)| id.clone()).collect()
    }

    /// Which steps of a new plan keep their results: done or denied, unchanged, and so is all that they
    /// need. A need that gave nothing counts as unchanged when the new plan skips it, and so does one that
    /// its condition leaves out again: its dependents see null either way.
    pub(super) fn reusable_ids(&self, json: &PlanJson) -> BTreeSet<String> {
        let tools: HashMap<&str, &ToolJson> =
            json.tools.iter().map(|tool| (tool.tool_id.as_str(), tool)).collect();
        let mut known: HashMap<&str, bool> = HashMap::new();
        for id in self.steps.keys() {
            self.is_unchanged(id, &tools, &mut known);
        }
        let done = |id: &str| self.steps.get(id).is_some_and(|ended| ended.result.is_some());
        let kept = known.into_iter().filter(|(id, unchanged)| *unchanged && done(id));
        kept.map(|(id, _)| id.to_owned()).collect()
    }

    /// Ends: the needs of a plan that ran have no circle. Deep only as a plan is long.
    fn is_unchanged<'a>(
        &'a self,
        id: &'a str,
        tools: &HashMap<&str, &ToolJson>,
        known: &mut HashMap<&'a str, bool>,
    ) -> bool {
        if let Some(unchanged) = known.get(id) {
            return *unchanged;
        }
        // Until it is known: two plans may disagree about who needs whom.
        known.insert(id, false);
        let (Some(ended), Some(tool)) = (self.steps.get(id), tools.get(id)) else { return false };
        let unchanged = (ended.result.is_some() || ended.is_condition_false)
            && same_definition(&ended.tool, tool)
            && ended.needs.iter().all(|need| {
                let gave_nothing = self.steps.get(need).is_some_and(PreviousStep::gave_nothing);
                let skipped = tools.get(need.as_str()).is_some_and(|tool| tool.skip);
                (gave_nothing && skipped) || self.is_unchanged(need, tools, known)
            });
        known.insert(id, unchanged);
        unchanged
    }

    /// The results themselves, for the executor.
    pub(super) fn reused(&self, ids: &BTreeSet<String>, plan: &Plan) -> ReusedResults {
        let place = |id: &str| plan.steps().iter().position(|step| step.tool_id == id);
        let steps = plan.steps().iter().enumerate().filter(|(_, step)| ids.contains(&step.tool_id));
        steps
            .filter_map(|(idx, step)| {
                let ended = self.steps.get(&step.tool_id)?;
                let mut trace = ended.result.clone()?;
                if let Some(blocked_by) = &ended.blocked_by {
                    set_blocking_step(&mut trace.outcome, StepIdx(place(blocked_by)?));
                }
                Some((StepIdx(idx), trace))
            })
            .collect()
    }
}

fn blocked_by(outcome: &Outcome) -> Option<StepIdx> {
    match outcome {
        Outcome::Skipped {
            because: SkipReason::DependencyFailed(idx) | SkipReason::DependencyDenied(idx),
        } => Some(*idx),
        _ => None,
    }
}

/// The same plan may have it in another place.
fn set_blocking_step(outcome: &mut Outcome, to: StepIdx) {
    if let Outcome::Skipped {
        because: SkipReason::DependencyFailed(idx) | SkipReason::DependencyDenied(idx),
    } = outcome
    {
        *idx = to;
    }
}

fn gave_up(trace: &StepTrace) -> Option<String> {
    let why = trace.outcome.failure()?;
    let last = trace.attempts.last()?;
    (why.category() == FailureCategory::ToolFailure).then(|| last.executed_by.skill.clone())
}
