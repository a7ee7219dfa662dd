//! Plans as documents: a whole record, or only the plan in a form that can run again, as JSON and as YAML.

use serde_json::{Value, json};

use crate::PlanRow;
use narratoria_plan::TASK_KEY;
use narratoria_protocol::{
    Object,
    visible::{is_harmless, visible_yaml},
};

/// The beginning of the task of a plan from a file, if the plan names no sentence.
const FILE_TASK_START: &str = "(the plan ";

/// Returns a plan as one JSON object (`contracts/plan-export.schema.json`): the fields of S3's record, and the number, turn and planner of the plan, Plan
/// JSON, the execution result and the errors. Takes the plan by value, because a copy of a long result would take some
/// hundred megabytes.
pub fn export_plan(plan: PlanRow, ordinal: u64, turn: u64) -> Value {
    let record = plan
        .record
        .as_ref()
        .map(|record| serde_json::to_value(record).expect("a record is made of JSON"));
    let mut document = match record {
        Some(Value::Object(record)) => record,
        _ => object(json!({
            "id": plan.id,
            "status": plan.status.as_str(),
            "previousPlanId": plan.parent_plan_id,
            "createdBy": plan.planner,
            "createdAt": plan.created_at.to_string(),
        })),
    };
    // If the plan was replaced, its record has an older status.
    document.insert("status".to_owned(), json!(plan.status.as_str()));
    document.extend(object(json!({
        "ordinal": ordinal,
        "turn": turn,
        "attempt": plan.attempt,
        "planner": plan.planner,
        "errors": plan.errors,
    })));
    document.insert("plan".to_owned(), plan.plan);
    document.insert("result".to_owned(), plan.result.unwrap_or_default());
    Value::Object(document)
}

/// Returns only the plan, in a form that can run again. It has the player's sentence as `metadata.task`; that of a plan
/// from a file only names the file.
pub fn export_runnable_plan(plan: &PlanRow) -> Value {
    let mut document = plan.plan.clone();
    let task = plan.record.as_ref().map(|record| record.task.as_str());
    if let (Some(task), Some(fields)) = (task, document.as_object_mut())
        && !task.starts_with(FILE_TASK_START)
        && fields.contains_key("tools")
    {
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.entry(TASK_KEY).or_insert_with(|| task.into());
        }
    }
    document
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// Renders JSON as YAML that reads back as the same JSON.
pub fn to_yaml(value: &Value) -> String {
    let text = serde_saphyr::to_string(value).expect("YAML can express all JSON");
    if text.chars().all(is_harmless) {
        return text;
    }
    // A person may read it on a terminal, so control characters must be escaped. JSON is also YAML, and can
    // escape every character.
    let json = serde_json::to_string_pretty(value).expect("the value is JSON");
    format!("{}\n", visible_yaml(&json))
}
