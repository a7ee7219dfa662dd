//! A plan that has passed all checks.

use std::{sync::Arc, time::Duration};

use super::{Condition, Criterion, StepIdx, ValueTemplate};
use narratoria_protocol::Object;
use narratoria_skills::{RetryPolicy, Schema, Script, Skill};

/// Most items of a `forEach` without `maxItems` (docs/plans.md, "Loops").
pub const FOR_EACH_ITEMS_DEFAULT: usize = 32;

/// Upper bound of `maxItems`: a loop is no larger than a plan may be.
pub(crate) const FOR_EACH_ITEMS_MAX: usize = 256;

/// A plan that can run.
///
/// Invariant: `steps` is in run order (Kahn, ties in the order of the text) and [`Step::needs`] only points backwards, so
/// a cycle cannot be written down.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) id: String,
    pub(super) narrative: Option<String>,
    pub(super) steps: Vec<Step>,
    pub(super) parallel: bool,
    pub(super) stop_on_failure: bool,
    pub(super) disabled_skills: Vec<String>,
    pub(super) attempt: u32,
    pub(super) parent_plan_id: Option<String>,
    pub(super) metadata: Object,
}

/// One invocation of one script, or one for each item of a loop.
#[derive(Debug, Clone)]
pub struct Step {
    pub tool_id: String,
    /// The path as written: that of a script, or `capability:<tag>`.
    pub tool_path: String,
    /// Scripts that can run the step, never empty. The plan's words and the manifests' priorities decide the order; the
    /// arbiter (S3) considers health when the step runs.
    pub candidates: Vec<Candidate>,
    /// The executor fills in references when the step runs.
    pub input: ValueTemplate,
    /// Steps that must end before this one starts, ascending, all smaller than this one. Includes those that references and
    /// the condition imply.
    pub needs: Vec<StepIdx>,
    /// The step runs only if this holds.
    pub when: Option<Condition>,
    /// The step runs once for each item.
    pub for_each: Option<ForEach>,
    /// The schema that each output must meet.
    pub expect: Option<Schema>,
    /// True if a person must approve the step, because the plan or a candidate's manifest says so.
    pub requires_approval: bool,
    /// True if a person disabled the step in review, or the planner wrote it so. It is skipped, and its dependents get
    /// null.
    pub skip: bool,
    /// True if the planner disabled it.
    pub is_planners_skip: bool,
    /// True if its failure fails the plan and skips its dependents (S0 FR-013).
    pub required: bool,
    /// True if the step may overlap others in a parallel plan (S0 FR-014).
    pub is_async: bool,
    /// For people.
    pub description: Option<String>,
    /// Why the planner chose it.
    pub reason: Option<String>,
    /// S3: read by people and arbiters.
    pub instructions: Option<String>,
    /// S3: the conditions that each output must meet.
    pub acceptance_criteria: Vec<Criterion>,
    /// S3: read by arbiters.
    pub suggested_skill: Option<String>,
    /// The skill whose trigger added the step, if another one runs it.
    pub asked_by: Option<String>,
}

/// A script that can run a step.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    /// The step's own policy, otherwise the skill's.
    pub retry: RetryPolicy,
    /// Time limit of one attempt: the step's own, otherwise the script's.
    pub timeout: Duration,
}

/// A loop (`forEach`).
#[derive(Debug, Clone)]
pub struct ForEach {
    /// Must give an array.
    pub items: ValueTemplate,
    /// More items fail the step; they are never dropped silently.
    pub items_max: usize,
}

impl Plan {
    /// `requestId`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Text to show before or instead of the scripts' narration.
    pub fn narrative(&self) -> Option<&str> {
        self.narrative.as_deref()
    }

    /// Returns the steps in run order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Panics on an index of another plan.
    pub fn step(&self, idx: StepIdx) -> &Step {
        &self.steps[idx.0]
    }

    /// Returns true if async steps may overlap.
    pub fn parallel(&self) -> bool {
        self.parallel
    }

    /// `onFailure: "stop"`: after a required failure nothing new starts (docs/plans.md, "Order, time and failure").
    pub fn stop_on_failure(&self) -> bool {
        self.stop_on_failure
    }

    /// Skills that no step uses, because they failed in earlier attempts of the turn or the session: those of the text
    /// first, then those of [`crate::BuildOptions`].
    pub fn disabled_skills(&self) -> &[String] {
        &self.disabled_skills
    }

    /// `metadata.generationAttempt`, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// `metadata.parentPlanId`: the plan that failed before this one (S0 FR-010).
    pub fn parent_plan_id(&self) -> Option<&str> {
        self.parent_plan_id.as_deref()
    }

    /// Other fields of `metadata`.
    pub fn metadata(&self) -> &Object {
        &self.metadata
    }
}

impl Step {
    pub fn first_candidate(&self) -> &Candidate {
        &self.candidates[0]
    }

    /// Returns the skill that answers for the step: the one whose trigger asked for it, otherwise the one that ran it.
    /// A trigger writes the input, and the input decides what the script does and whether it can succeed.
    pub fn responsible_skill<'s>(&'s self, ran: &'s str) -> &'s str {
        self.asked_by.as_deref().unwrap_or(ran)
    }
}

impl Candidate {
    pub fn script(&self) -> &Script {
        &self.skill.scripts[self.script_idx]
    }

    /// `<skill>/<script>`.
    pub fn tool_path(&self) -> String {
        format!("{}/{}", self.skill.name, self.script().name)
    }

    /// Returns `<skill>@<version>`, the form of S3's `executedBy`.
    pub fn executed_by(&self) -> String {
        format!("{}@{}", self.skill.name, self.skill.version)
    }
}
