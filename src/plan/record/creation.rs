//! Creates records: from a plan, from the version before, and from JSON.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    PlanContext, PlanRecord, PlanRecordError, PlanStatus, StepRecord, StepStatus,
    operations::is_unfinished,
};
use crate::{Plan, PlanJson, wire::ToolJson};
use narratoria_protocol::Object;

/// The field `metadata.version`: the version of the plan's text, if it is not the first.
pub const VERSION_KEY: &str = "version";

/// The field `metadata.task`: the sentence that the plan answers.
pub const TASK_KEY: &str = "task";
/// The field `metadata.reasoning`: why the planner made this plan.
const REASONING_KEY: &str = "reasoning";
/// The field `metadata.context`: a [`PlanContext`].
pub const CONTEXT_KEY: &str = "context";

/// Reads null as a value, because an output may be null.
pub(super) fn some_value<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl StepRecord {
    /// Creates a step before its start. [`PlanRecord::create`] sets its index.
    pub fn pending(tool_id: impl Into<String>, description: impl Into<String>) -> StepRecord {
        StepRecord {
            index: 0,
            tool_id: tool_id.into(),
            description: description.into(),
            status: StepStatus::Pending,
            suggested_skill: None,
            executed_by: None,
            started_at: None,
            estimated_duration: None,
            completed_at: None,
            output: None,
            error: None,
            reason: None,
            affected_files: Vec::new(),
            depends_on: Vec::new(),
            instructions: None,
            acceptance_criteria: Vec::new(),
            judgments: Vec::new(),
        }
    }

    fn from_tool_json(tool: &ToolJson, index: usize, depends_on: Vec<usize>) -> StepRecord {
        let description = tool.description.clone().unwrap_or_else(|| tool.tool_path.clone());
        StepRecord {
            index,
            depends_on,
            suggested_skill: tool.suggested_skill.clone(),
            instructions: tool.instructions.clone(),
            acceptance_criteria: tool
                .acceptance_criteria
                .iter()
                .map(|one| one.text().to_owned())
                .collect(),
            ..StepRecord::pending(tool.tool_id.clone(), description)
        }
    }
}

impl PlanRecord {
    /// S3 `createPlan`: creates a draft, version 1.
    pub fn create(
        id: impl Into<String>,
        task: impl Into<String>,
        mut steps: Vec<StepRecord>,
        created_by: impl Into<String>,
        at: Timestamp,
    ) -> PlanRecord {
        for (index, step) in steps.iter_mut().enumerate() {
            step.index = index;
        }
        let mut record = PlanRecord {
            id: id.into(),
            task: task.into(),
            status: PlanStatus::Draft,
            version: 1,
            previous_plan_id: None,
            created_by: created_by.into(),
            created_at: at,
            updated_at: at,
            current_step_index: 0,
            steps,
            changes: None,
            reasoning: None,
            context: PlanContext::default(),
            estimated_duration: None,
            metadata: Object::new(),
        };
        record.current_step_index = record.next_pending(None).unwrap_or(record.steps.len());
        record
    }

    /// Creates the record of a plan before its start. If `order`, the built form of the same plan, is given, the steps
    /// are in run order and their dependencies include the implied ones; otherwise both are as in the text.
    pub fn from_plan_json(
        json: &PlanJson,
        order: Option<&Plan>,
        task: impl Into<String>,
        created_by: impl Into<String>,
        at: Timestamp,
    ) -> PlanRecord {
        let steps = match order {
            Some(plan) => steps_in_run_order(json, plan),
            None => steps_as_written(json),
        };
        let mut record = PlanRecord::create(&json.request_id, task, steps, created_by, at);
        record.metadata = json.metadata.extra.clone();
        let mut take = |key: &str| record.metadata.shift_remove(key);
        if let Some(Value::String(task)) = take(TASK_KEY) {
            record.task = task;
        }
        if let Some(Value::String(reasoning)) = take(REASONING_KEY) {
            record.reasoning = Some(reasoning);
        }
        // The contract has already checked the context of a parsed plan.
        let context = take(CONTEXT_KEY).map(serde_json::from_value);
        record.context = context.and_then(Result::ok).unwrap_or_default();
        let version = record.metadata.shift_remove(VERSION_KEY);
        let version = version.as_ref().and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        record.version = version.unwrap_or(1).max(1);
        record.previous_plan_id = json.metadata.parent_plan_id.clone();
        record
    }

    /// S3 `replan`: creates the next version. It has no results yet; see [`PlanRecord::reuse_results`]. The caller
    /// writes its
    /// `changes` and `reasoning`.
    pub fn replan(
        &self,
        new: &PlanJson,
        order: Option<&Plan>,
        created_by: impl Into<String>,
        at: Timestamp,
    ) -> PlanRecord {
        let mut record =
            PlanRecord::from_plan_json(new, order, &self.task, created_by, at.max(self.updated_at));
        record.version = self.version.saturating_add(1);
        record.previous_plan_id = Some(self.id.clone());
        record
    }

    /// Takes over the results of the steps `tool_ids` from an earlier version, so that they do not run again. Steps that
    /// are not complete there or not part of this plan are ignored. If `earlier` is an interrupted record of this same
    /// version, failed and skipped steps are taken over too.
    pub fn reuse_results(
        &mut self,
        earlier: &PlanRecord,
        tool_ids: &BTreeSet<&str>,
        at: Timestamp,
    ) {
        let is_same = self.id == earlier.id;
        for done in &earlier.steps {
            let is_over = done.status == StepStatus::Complete || (is_same && !is_unfinished(done));
            let is_kept = is_over && tool_ids.contains(done.tool_id.as_str());
            let step = self.steps.iter_mut().find(|step| step.tool_id == done.tool_id);
            let Some(step) = step.filter(|step| is_kept && step.is_waiting()) else {
                continue;
            };
            step.status = done.status;
            step.executed_by.clone_from(&done.executed_by);
            step.output.clone_from(&done.output);
            step.error.clone_from(&done.error);
            step.reason.clone_from(&done.reason);
            step.affected_files.clone_from(&done.affected_files);
            step.judgments.clone_from(&done.judgments);
            (step.started_at, step.completed_at) = (done.started_at, done.completed_at);
        }
        self.touch(at);
        self.refresh_status_and_current_step();
    }

    /// Deserializes a record, then checks its indices and its version.
    pub fn from_json(value: Value) -> Result<PlanRecord, PlanRecordError> {
        let unreadable = |what: String| PlanRecordError::Unreadable { what };
        let record: PlanRecord =
            serde_json::from_value(value).map_err(|error| unreadable(error.to_string()))?;
        let steps = record.steps.len();
        for (index, step) in record.steps.iter().enumerate() {
            if step.index != index {
                let (tool_id, found) = (&step.tool_id, step.index);
                return Err(unreadable(format!(
                    "step `{tool_id}` has index {found}, it is at {index}"
                )));
            }
            if let Some(need) =
                step.depends_on.iter().find(|need| **need >= steps || **need == index)
            {
                let tool_id = &step.tool_id;
                return Err(unreadable(format!(
                    "step `{tool_id}` depends on step {need} of {steps}"
                )));
            }
        }
        if record.current_step_index > steps {
            let found = record.current_step_index;
            return Err(unreadable(format!(
                "currentStepIndex is {found}, there are {steps} steps"
            )));
        }
        if record.version == 0 {
            return Err(unreadable("version is 0, the first is 1".to_owned()));
        }
        Ok(record)
    }

    /// Returns the JSON of `contracts/plan-record.schema.json`.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("a record has text keys and finite numbers")
    }
}

fn steps_as_written(json: &PlanJson) -> Vec<StepRecord> {
    let places: BTreeMap<&str, usize> =
        json.tools.iter().enumerate().map(|(at, tool)| (tool.tool_id.as_str(), at)).collect();
    let steps = json.tools.iter().enumerate().map(|(at, tool)| {
        let needs = tool.dependencies.iter().filter_map(|id| places.get(id.as_str()).copied());
        let needs: BTreeSet<usize> = needs.filter(|need| *need != at).collect();
        StepRecord::from_tool_json(tool, at, needs.into_iter().collect())
    });
    steps.collect()
}

fn steps_in_run_order(json: &PlanJson, plan: &Plan) -> Vec<StepRecord> {
    let tools: BTreeMap<&str, &ToolJson> =
        json.tools.iter().map(|tool| (tool.tool_id.as_str(), tool)).collect();
    let steps = plan.steps().iter().enumerate().filter_map(|(at, step)| {
        let needs = step.needs.iter().map(|need| need.0).collect();
        tools.get(step.tool_id.as_str()).map(|tool| StepRecord::from_tool_json(tool, at, needs))
    });
    steps.collect()
}
