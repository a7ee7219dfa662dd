//! Finds the results of a turn's earlier plans that a new plan can reuse (S2, strategy 3): those of steps with the
//! same id, the same definition and unchanged needs. Also keeps a person's denials, so that the person is not asked
//! again. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use narratoria_executor::{Outcome, ReusedResults, SkipReason, StepTrace, Trace};
use narratoria_plan::{FailureCategory, Plan, PlanJson, StepIdx, same_definition, wire::ToolJson};

/// The results of the last plan that ran, by `toolId`, with those that it reused itself.
#[derive(Debug, Default)]
pub(super) struct PreviousResults {
    steps: BTreeMap<String, PreviousStep>,
    /// True if no step may use a disabled skill, not even with other input (S0 FR-008 to the letter).
    forbids_repair: bool,
}

/// A step of an earlier plan.
#[derive(Debug)]
struct PreviousStep {
    tool: ToolJson,
    needs: Vec<String>,
    /// Its result, or a person's denial. `None` if it has no result for another reason.
    result: Option<StepTrace>,
    /// True if its condition was false. The condition is checked again, on the same facts.
    is_condition_false: bool,
    /// The skill whose script itself reported that it could not handle the input.
    gave_up: Option<String>,
    /// The `toolId` of the step because of which it was skipped; `result` has the index in its own plan.
    blocked_by: Option<String>,
}

impl PreviousStep {
    /// Returns true if the same script may try again with other input.
    fn is_repairable(&self, failed_skills: &BTreeSet<String>) -> bool {
        self.gave_up.as_ref().is_some_and(|skill| !failed_skills.contains(skill))
    }

    fn has_no_output(&self) -> bool {
        !self.result.as_ref().is_some_and(|trace| matches!(trace.outcome, Outcome::Done { .. }))
    }
}

impl PreviousResults {
    /// Replaces the results with those of a plan that has run. Results of plans before it are dropped, because one that
    /// it did not reuse may depend on steps that it has replaced.
    pub(super) fn replace(&mut self, json: &PlanJson, plan: &Plan, trace: &Trace) {
        let forbids_repair = self.forbids_repair;
        let results = PreviousResults::of(json, plan, trace, |outcome| match outcome {
            Outcome::Done { .. } => true,
            Outcome::Skipped { because } => *because == SkipReason::Denied,
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => false,
        });
        *self = PreviousResults { forbids_repair, ..results };
    }

    /// Keeps later plans from repairing a step, so that no plan uses a disabled skill.
    pub(super) fn forbid_repair(&mut self) {
        self.forbids_repair = true;
    }

    /// Returns the results of steps that ran while their plan was being written. The complete plan reuses failures too:
    /// an early start gives a step no second chance.
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
            let because = SkipReason::ConditionFalse;
            let previous = PreviousStep {
                tool: (*tool).clone(),
                needs,
                result: is_final(&trace.outcome).then(|| trace.clone()),
                is_condition_false: trace.outcome == Outcome::Skipped { because },
                gave_up: gave_up(trace),
                blocked_by: blocked_by(&trace.outcome).map(|idx| plan.step(idx).tool_id.clone()),
            };
            steps.insert(step.tool_id.clone(), previous);
        }
        PreviousResults { steps, forbids_repair: false }
    }

    /// Returns the steps of a new plan that repair an earlier step: the same script, which reported that it could not
    /// handle the input, gets other input (S2, strategy 3). Their skills are disabled for the turn (S0 FR-024) and may
    /// be used only for this, unless they are among `failed_skills`, which failed permanently in this session.
    pub(super) fn repaired_ids(
        &self,
        json: &PlanJson,
        failed_skills: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let is_repaired = |tool: &&ToolJson| {
            self.steps.get(&tool.tool_id).is_some_and(|previous| {
                !self.forbids_repair
                    && previous.tool.tool_path == tool.tool_path
                    && previous.tool.input != tool.input
                    && previous.is_repairable(failed_skills)
            })
        };
        json.tools.iter().filter(is_repaired).map(|tool| tool.tool_id.clone()).collect()
    }

    /// Returns the steps that could be repaired in that way.
    pub(super) fn repairable_ids(&self, failed_skills: &BTreeSet<String>) -> BTreeSet<String> {
        let is_repairable =
            |step: &PreviousStep| !self.forbids_repair && step.is_repairable(failed_skills);
        let steps = self.steps.iter().filter(|(_, step)| is_repairable(step));
        steps.map(|(id, _)| id.clone()).collect()
    }

    /// Returns the steps of a new plan that can reuse their results: they are done or denied, and neither they nor
    /// their needs have changed. A need without output counts as unchanged if the new plan skips it, and so does one
    /// whose condition was false: its dependents see null either way.
    pub(super) fn reusable_ids(&self, json: &PlanJson) -> BTreeSet<String> {
        let tools: HashMap<&str, &ToolJson> =
            json.tools.iter().map(|tool| (tool.tool_id.as_str(), tool)).collect();
        let mut known: HashMap<&str, bool> = HashMap::new();
        for id in self.steps.keys() {
            self.is_unchanged(id, &tools, &mut known);
        }
        let has_result = |id: &str| self.steps.get(id).is_some_and(|step| step.result.is_some());
        let reusable = known.into_iter().filter(|(id, unchanged)| *unchanged && has_result(id));
        reusable.map(|(id, _)| id.to_owned()).collect()
    }

    /// The recursion ends, since the needs of a plan that ran have no cycle; it is at most as deep as the plan is
    /// long.
    fn is_unchanged<'a>(
        &'a self,
        id: &'a str,
        tools: &HashMap<&str, &ToolJson>,
        known: &mut HashMap<&'a str, bool>,
    ) -> bool {
        if let Some(unchanged) = known.get(id) {
            return *unchanged;
        }
        // This ends the recursion while the needs are checked, because the needs of two plans together may have a
        // cycle.
        known.insert(id, false);
        let (Some(previous), Some(tool)) = (self.steps.get(id), tools.get(id)) else {
            return false;
        };
        let unchanged = (previous.result.is_some() || previous.is_condition_false)
            && same_definition(&previous.tool, tool)
            && previous.needs.iter().all(|need| {
                let has_no_output = self.steps.get(need).is_some_and(PreviousStep::has_no_output);
                let skipped = tools.get(need.as_str()).is_some_and(|tool| tool.skip);
                (has_no_output && skipped) || self.is_unchanged(need, tools, known)
            });
        known.insert(id, unchanged);
        unchanged
    }

    /// Returns the results of `ids` by their index in the new plan.
    pub(super) fn reused(&self, ids: &BTreeSet<String>, plan: &Plan) -> ReusedResults {
        let place = |id: &str| plan.steps().iter().position(|step| step.tool_id == id);
        let steps = plan.steps().iter().enumerate().filter(|(_, step)| ids.contains(&step.tool_id));
        steps
            .filter_map(|(idx, step)| {
                let previous = self.steps.get(&step.tool_id)?;
                let mut trace = previous.result.clone()?;
                if let Some(blocked_by) = &previous.blocked_by {
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

/// Sets the index of the blocking step, which may be another one in the new plan.
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
