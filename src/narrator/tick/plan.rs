//! The plan of a tick (S4 §3), as a model, a person or the lexical planner writes it: found in a text, and checked.

use std::sync::LazyLock;

use serde_json::Value;

use narratoria_protocol::{JsonBounds, Object, StrictJsonError, read_json};
use narratoria_skills::Schema;

/// Longest answer in which a plan is looked for, and longest plan: as long as any other plan.
pub const TICK_PLAN_BYTES_MAX: usize = narratoria_plan::PLAN_BYTES_MAX;

/// Actions beyond this warn (S4 §12): a plan should be focused. They run all the same.
pub const TICK_ACTIONS_ADVISED: usize = 4;

/// Where the JSON of an answer may stand (S4 §7).
const FENCE: &str = "```json";
const FENCE_END: &str = "```";

const SCHEMA_TEXT: &str = include_str!("../../../contracts/tick-plan.schema.json");

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of_contract(SCHEMA_TEXT));

/// A plan that has S4's form.
#[derive(Debug, Clone, PartialEq)]
pub struct TickPlan {
    /// As it was written, with the fields that S4 does not know.
    pub document: Object,
    pub rationale: String,
    pub scene_intention: String,
    pub pov_character: Option<String>,
    pub target_location: Option<String>,
    pub actions: Vec<TickAction>,
    pub expected_outcomes: Vec<String>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct TickAction {
    /// `memory.search` or `memory/search`.
    pub tool: String,
    pub args: Object,
    pub reason: Option<String>,
}

/// Why a text is no plan. The texts are S4's.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TickPlanError {
    #[error("Could not extract JSON from LLM response")]
    NoJson,
    #[error("Invalid JSON in plan: {0}")]
    InvalidJson(StrictJsonError),
    #[error("Plan validation failed: {what}")]
    Invalid {
        what: String,
        /// The document that is no plan.
        document: Box<Value>,
    },
}

impl TickPlanError {
    /// The class of the error in an error file.
    pub fn kind(&self) -> &'static str {
        match self {
            TickPlanError::NoJson => "ExtractionError",
            TickPlanError::InvalidJson(_) => "JsonError",
            TickPlanError::Invalid { .. } => "ValidationError",
        }
    }
}

impl TickPlan {
    /// Finds the plan in an answer: in a fence of `json`, or from the first `{` to the last `}`.
    pub fn parse(answer: &str) -> Result<TickPlan, TickPlanError> {
        let text = extract_json(answer).ok_or(TickPlanError::NoJson)?;
        let value = read_json(text.as_bytes(), JsonBounds::of_bytes(TICK_PLAN_BYTES_MAX));
        TickPlan::from_value(value.map_err(TickPlanError::InvalidJson)?)
    }

    /// Checks a document.
    pub fn from_value(value: Value) -> Result<TickPlan, TickPlanError> {
        let mismatches: Vec<String> = SCHEMA
            .mismatches(&value)
            .into_iter()
            .map(|mismatch| match mismatch.pointer.as_str() {
                "" => mismatch.what,
                pointer => format!("{pointer}: {}", mismatch.what),
            })
            .collect();
        let Value::Object(document) = value else {
            return Err(invalid(&mismatches, value));
        };
        if !mismatches.is_empty() {
            return Err(invalid(&mismatches, Value::Object(document)));
        }
        let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
        let action = |action: &Value| TickAction {
            tool: action["tool"].as_str().unwrap_or_default().to_owned(),
            args: action["args"].as_object().cloned().unwrap_or_default(),
            reason: action["reason"].as_str().map(str::to_owned),
        };
        let list = |key: &str| document.get(key).and_then(Value::as_array).into_iter().flatten();
        Ok(TickPlan {
            rationale: text("rationale").unwrap_or_default(),
            scene_intention: text("scene_intention").unwrap_or_default(),
            pov_character: text("pov_character"),
            target_location: text("target_location"),
            actions: list("actions").map(action).collect(),
            expected_outcomes: list("expected_outcomes")
                .filter_map(|outcome| outcome.as_str().map(str::to_owned))
                .collect(),
            document,
        })
    }

    /// What should be different about the plan, although it may run.
    pub fn warnings(&self) -> Vec<String> {
        let actions = self.actions.len();
        let too_many = format!(
            "the plan has {actions} actions; {TICK_ACTIONS_ADVISED} or fewer keep a scene focused"
        );
        let arcs_are_told = "all arcs are told, and no story tells one twice: from here on it has new people and another town";
        let begins_chapters = self
            .document
            .get("thread")
            .is_some_and(|thread| thread["chapter"] == 0 && thread["step"] == 0);
        let ended = begins_chapters.then(|| arcs_are_told.to_owned());
        (actions > TICK_ACTIONS_ADVISED).then_some(too_many).into_iter().chain(ended).collect()
    }
}

fn invalid(mismatches: &[String], document: Value) -> TickPlanError {
    let what = mismatches.join("; ");
    TickPlanError::Invalid { what, document: Box::new(document) }
}

/// S4 §7: the object in the first fence of `json` that holds one; without such a fence, everything from the first `{` to
/// the last `}`.
fn extract_json(answer: &str) -> Option<&str> {
    fenced(answer).or_else(|| object_in(answer))
}

fn fenced(answer: &str) -> Option<&str> {
    let mut rest = answer;
    while let Some((_, after)) = rest.split_once(FENCE) {
        let body = after.trim_start();
        if body.starts_with('{') {
            // A string of the plan may hold a fence of its own: the plan ends where a fence ends behind a brace.
            let ends = body.match_indices(FENCE_END);
            let complete =
                ends.map(|(at, _)| body[..at].trim_end()).find(|text| text.ends_with('}'));
            if complete.is_some() {
                return complete;
            }
        }
        rest = after;
    }
    None
}

fn object_in(text: &str) -> Option<&str> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    (start < end).then(|| &text[start..=end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(answer: &str) -> String {
        match TickPlan::parse(answer) {
            Ok(plan) => {
                let tools: Vec<&str> =
                    plan.actions.iter().map(|action| action.tool.as_str()).collect();
                format!("{} / {} / {}", plan.rationale, plan.scene_intention, tools.join(" "))
            }
            Err(error) => error.to_string(),
        }
    }

    const SMALLEST: &str = r#"{"rationale":"r","scene_intention":"s","actions":[]}"#;

    /// S4 "Plan schema defined and validated", "rationale", "scene_intention": all else is optional.
    #[test]
    fn the_smallest_plan_has_three_fields() {
        assert_eq!(check(SMALLEST), "r / s / ");
        for field in ["rationale", "scene_intention", "actions"] {
            let mut plan: Value = serde_json::from_str(SMALLEST).unwrap();
            plan.as_object_mut().unwrap().remove(field);
            let found = check(&plan.to_string());
            assert_eq!(
                found,
                format!("Plan validation failed: \"{field}\" is a required property")
            );
        }
    }

    /// S4 "actions", "pov_character", "target_location", "expected_outcomes", "unknown keys".
    #[test]
    fn every_other_field_is_optional_and_unknown_ones_are_kept() {
        let plan = json!({
            "rationale": "r", "scene_intention": "s", "pov_character": "C0", "target_location": null,
            "expected_outcomes": ["one", "two"], "mood": {"grey": true},
            "actions": [{"tool": "memory.search", "args": {"query": "q"}, "reason": "why", "extra": 1}],
        });
        let read = TickPlan::from_value(plan.clone()).unwrap();
        assert_eq!(read.pov_character.as_deref(), Some("C0"));
        assert_eq!(read.target_location, None);
        assert_eq!(read.expected_outcomes, ["one", "two"]);
        let actions: Vec<&str> = read.actions.iter().map(|action| action.tool.as_str()).collect();
        assert_eq!(actions, ["memory.search"]);
        assert_eq!(read.actions[0].reason.as_deref(), Some("why"));
        assert_eq!(Value::Object(read.document), plan);
    }

    /// S4 "Could not extract JSON", "Invalid JSON in plan", "Plan validation failed", "json fence".
    #[test]
    fn a_plan_is_found_in_a_fence_or_between_braces() {
        let fenced = format!("Here it is:\n```json\n{SMALLEST}\n```\nGood luck {{you}}!");
        assert_eq!(check(&fenced), "r / s / ");
        assert_eq!(check(&format!("I think {SMALLEST} is best.")), "r / s / ");
        let quoting = r#"```json
{"rationale":"a fence ``` in a text","scene_intention":"s","actions":[]}
```"#;
        assert_eq!(check(quoting), "a fence ``` in a text / s / ");
        assert_eq!(check(&format!("```json\nnot yet\n``` then {SMALLEST}")), "r / s / ");
        insta::assert_snapshot!(check("I would rather not."), @"Could not extract JSON from LLM response");
        insta::assert_snapshot!(check("} {"), @"Could not extract JSON from LLM response");
        insta::assert_snapshot!(check("{rationale}"), @"Invalid JSON in plan: key must be a string at line 1 column 2");
        insta::assert_snapshot!(
            check(r#"{"rationale": 1, "scene_intention": "s", "actions": [{"tool": "a.b"}]}"#),
            @r#"Plan validation failed: /rationale: 1 is not of type "string"; /actions/0: "args" is a required property"#
        );
        insta::assert_snapshot!(
            check(r#"{"rationale": "a", "rationale": "b"}"#),
            @r#"Invalid JSON in plan: the key "rationale" stands twice in one object at line 1 column 30"#
        );
    }

    /// S4 "Soft limit of 4 tools": the plan runs all the same.
    #[test]
    fn more_than_four_actions_warn() {
        let plan = |count: usize| {
            let action = json!({"tool": "memory.search", "args": {}});
            let actions = vec![action; count];
            let plan = json!({"rationale": "r", "scene_intention": "s", "actions": actions});
            TickPlan::from_value(plan).unwrap().warnings()
        };
        assert_eq!(plan(4), Vec::<String>::new());
        assert_eq!(plan(5), ["the plan has 5 actions; 4 or fewer keep a scene focused"]);
    }

    proptest! {
        /// A model may write anything.
        #[test]
        fn any_answer_is_a_plan_or_an_error(answer in "[`json{}\\[\\]\":,a\\s]{0,200}|\\PC{0,200}") {
            let _ = check(&answer);
        }

        #[test]
        fn a_plan_in_a_fence_is_that_plan(text in "[^`]{0,60}", around in "[^`{}]{0,40}") {
            let plan = json!({"rationale": text, "scene_intention": "s", "actions": []});
            let answer = format!("{around}```json\n{plan:#}\n```{around}");
            prop_assert_eq!(TickPlan::parse(&answer).unwrap().rationale, text);
        }
    }
}
