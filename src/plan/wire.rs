//! Plan JSON as planners write it (`contracts/plan-json.schema.json`, S0 §5.2), unchecked.
//!
//! Version 1. It adds optional fields to those of S0; docs/plans.md explains them.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Number, Value};

use super::{CriterionJson, CriterionJudge};
use narratoria_protocol::Object;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanJson {
    /// For editors; not read.
    #[serde(default, rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// For people; kept through edits.
    #[serde(default, rename = "$comment", skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// A UUID: the plan's id.
    pub request_id: String,
    /// Text to show before or instead of narration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrative: Option<String>,
    pub tools: Vec<ToolJson>,
    /// True if async tools may overlap.
    #[serde(default)]
    pub parallel: bool,
    /// Skills that the planner must not use.
    #[serde(default)]
    pub disabled_skills: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFailureJson>,
    #[serde(default)]
    pub metadata: MetadataJson,
}

impl PlanJson {
    /// Creates a plan that runs one step at a time, and nothing else.
    pub fn new(request_id: String, tools: Vec<ToolJson>) -> PlanJson {
        PlanJson {
            schema: None,
            comment: None,
            request_id,
            narrative: None,
            tools,
            parallel: false,
            disabled_skills: Vec::new(),
            on_failure: None,
            metadata: MetadataJson::default(),
        }
    }
}

/// One invocation of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolJson {
    pub tool_id: String,
    /// `<skill>/<script>`, `<skill>.<script>`, `skills/<skill>/scripts/<file>.wasm` or `capability:<tag>`.
    pub tool_path: String,
    #[serde(default)]
    pub input: Object,
    /// `toolId`s of the steps that must end first.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Default: the script's own, which defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Default: the script's own, which defaults to false.
    #[serde(default, rename = "async", skip_serializing_if = "Option::is_none")]
    pub is_async: Option<bool>,
    /// Default: the skill's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicyJson>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why the planner chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Default: the script's own.
    #[serde(default, deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// True if a person must approve the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_approval: Option<bool>,
    /// A CEL condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// A list, or a reference to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<Value>,
    /// Bound of `forEach`.
    #[serde(default, deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// A JSON Schema that the output must meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Value>,
    /// True if a person disabled the step in review.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip: bool,
    /// S3: the conditions that the output must meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance_criteria: Vec<CriterionJson>,
    /// S3: read by people and arbiters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// S3: read by arbiters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_skill: Option<String>,
    /// The installed skill whose trigger added the step. A failure counts against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
}

impl ToolJson {
    /// Creates a step that leaves everything to the script's own defaults and depends on none.
    pub fn new(tool_id: String, tool_path: String, input: Object) -> ToolJson {
        ToolJson {
            tool_id,
            tool_path,
            input,
            dependencies: Vec::new(),
            required: None,
            is_async: None,
            retry_policy: None,
            description: None,
            reason: None,
            timeout_ms: None,
            requires_approval: None,
            when: None,
            for_each: None,
            max_items: None,
            expect: None,
            skip: false,
            acceptance_criteria: Vec::new(),
            instructions: None,
            suggested_skill: None,
            asked_by: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicyJson {
    /// 0–10.
    #[serde(default, deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Milliseconds before the first retry.
    #[serde(default, deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
}

/// The plan's reaction to the failure of a required tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnFailureJson {
    /// Independent steps go on.
    Continue,
    /// No further step starts.
    Stop,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetadataJson {
    /// From 1 (S0 FR-010).
    #[serde(default = "first_attempt", deserialize_with = "attempt")]
    pub generation_attempt: u32,
    /// The plan that failed before this one (S0 FR-010).
    #[serde(default)]
    pub parent_plan_id: Option<String>,
    /// Other fields.
    #[serde(flatten)]
    pub extra: Object,
}

/// Returns true if two tools do the same, ignoring texts for people and the order of dependencies. A step with the same
/// definition keeps its result when the plan changes around it.
pub fn same_definition(one: &ToolJson, other: &ToolJson) -> bool {
    let bare = |tool: &ToolJson| {
        let mut bare = tool.clone();
        (bare.description, bare.reason, bare.instructions) = (None, None, None);
        // A criterion with a rule decides whether an output counts.
        bare.acceptance_criteria.retain(|criterion| criterion.judge() != CriterionJudge::Player);
        bare.dependencies.sort_unstable();
        bare.dependencies.dedup();
        bare
    };
    bare(one) == bare(other)
}

/// Reads a whole number as JSON Schema does: `5.0` is one.
fn whole<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let Some(number) = Option::<Number>::deserialize(from)? else { return Ok(None) };
    // Below 2^53, where every whole number is exact.
    let exact = |number: &f64| number.fract() == 0.0 && (0.0..9e15).contains(number);
    let found = number.as_u64().or_else(|| number.as_f64().filter(exact).map(|found| found as u64));
    let found = found.and_then(|found| T::try_from(found).ok());
    found
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("`{number}` is no whole number in range")))
}

fn attempt<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    whole(from)?.ok_or_else(|| D::Error::custom("`generationAttempt` is null"))
}

fn first_attempt() -> u32 {
    1
}

impl Default for MetadataJson {
    fn default() -> MetadataJson {
        MetadataJson { generation_attempt: 1, parent_plan_id: None, extra: Object::new() }
    }
}
