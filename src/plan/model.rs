//! A plan once nothing is left to check.

use std::{sync::Arc, time::Duration};

use super::{Condition, StepIdx, ValueTemplate};
use narratoria_protocol::Object;
use narratoria_skills::{RetryPolicy, Schema, Script, Skill};

/// How many items a `forEach` takes unless its `maxItems` says otherwise (DESIGN §4.1).
pub const FOR_EACH_ITEMS_DEFAULT: usize = 32;

/// What `maxItems` may be at most: a loop is no larger than a plan may be.
pub const FOR_EACH_ITEMS_MAX: usize = 256;

/// A plan that can run.
///
/// Invariant: `steps` is in run order (Kahn, ties in the order of the text) and `Step::needs` only
/// points backwards, so a cycle cannot be written down.
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
    /// Unique in the plan.
    pub tool_id: String,
    /// As written: a script's path, or `capability:<tag>`.
    pub tool_path: String,
    /// Who can run it, never empty. The first is the first choice by the plan's words and the manifests'
    /// priorities alone; who is healthy is known only when it runs (S3's arbiter).
    pub candidates: Vec<Candidate>,
    /// What the script gets; what it takes from other steps is filled in when it runs.
    pub input: ValueTemplate,
    /// Steps that must have ended before this one starts, ascending, all smaller than this one. Those that
    /// references and the condition imply are among them.
    pub needs: Vec<StepIdx>,
    /// Runs only if this holds.
    pub when: Option<Condition>,
    /// Runs once for each item.
    pub for_each: Option<ForEach>,
    /// What each output must meet.
    pub expect: Option<Schema>,
    /// Whether a person must agree first: the plan says so, or a candidate's manifest does.
    pub requires_approval: bool,
    /// A person took it out of the plan without taking it out of the text: it is skipped, and its
    /// dependents get null.
    pub skip: bool,
    /// Whether its failure fails the plan and skips its dependents (S0 FR-013).
    pub required: bool,
    /// Whether it may overlap others in a parallel plan (S0 FR-014).
    pub is_async: bool,
    /// For people.
    pub description: Option<String>,
    /// Why the planner chose it.
    pub reason: Option<String>,
    /// S3: for people and arbiters.
    pub instructions: Option<String>,
    /// S3: for people and arbiters.
    pub acceptance_criteria: Vec<String>,
    /// S3: for arbiters.
    pub suggested_skill: Option<String>,
}

/// Somebody who can run a step.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The skill, resolved.
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    /// Resolved: the step's own, else the skill's.
    pub retry: RetryPolicy,
    /// For one attempt; the step's own, else the script's.
    pub timeout: Duration,
}

/// A loop.
#[derive(Debug, Clone)]
pub struct ForEach {
    /// Must come to an array.
    pub items: ValueTemplate,
    /// More items than this are a failure, never a silent cut.
    pub items_max: usize,
}

impl Plan {
    /// `requestId`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Text to show before or instead of what the scripts narrate.
    pub fn narrative(&self) -> Option<&str> {
        self.narrative.as_deref()
    }

    /// All steps in run order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// One step. Panics only on an index of another plan.
    pub fn step(&self, idx: StepIdx) -> &Step {
        &self.steps[idx.0]
    }

    /// Whether async steps may overlap.
    pub fn parallel(&self) -> bool {
        self.parallel
    }

    /// `onFailure: "stop"`: after a required failure nothing new starts (DESIGN §4.3).
    pub fn stop_on_failure(&self) -> bool {
        self.stop_on_failure
    }

    /// Skills that no step uses, because earlier attempts of the turn or the session have lost them:
    /// those of the text first, then those that the host handed in.
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

    /// Whatever else the planner kept in `metadata`.
    pub fn metadata(&self) -> &Object {
        &self.metadata
    }
}

impl Step {
    /// The first choice.
    pub fn first_candidate(&self) -> &Candidate {
        &self.candidates[0]
    }
}

impl Candidate {
    /// The script, resolved.
    pub fn script(&self) -> &Script {
        &self.skill.scripts[self.script_idx]
    }

    /// `<skill>/<script>`, as shown everywhere.
    pub fn tool_path(&self) -> String {
        format!("{}/{}", self.skill.name, self.script().name)
    }

    /// `<skill>@<version>`, as S3's `executedBy` has it.
    pub fn executed_by(&self) -> String {
        format!("{}@{}", self.skill.name, self.skill.version)
    }
}
