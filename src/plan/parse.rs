//! Text → [`PlanJson`]: checks size, depth, JSON syntax and the contract's schema.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    PlanError, PlanErrors, PlanJson, STEPS_MAX,
    error::{THE_PLAN, quote},
    model::FOR_EACH_ITEMS_MAX,
    step_id::TOOL_ID_BYTES_MAX,
};
use narratoria_protocol::{DEPTH_MAX, nests_deeper_than};
use narratoria_skills::{Schema, ToolPathError, schema_view::SchemaType};

/// Largest plan that is parsed. 256 steps with a page of input each stay below it.
pub const PLAN_BYTES_MAX: usize = 1 << 20;

/// Plan JSON's own schema, as shipped.
const PLAN_JSON_SCHEMA: &str = include_str!("../../contracts/plan-json.schema.json");

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let document = serde_json::from_str(PLAN_JSON_SCHEMA).expect("the contract is compiled in");
    Schema::build(document).expect("the contract is a schema, a test says so")
});

/// How the validator's message about unknown fields begins.
const UNKNOWN_FIELDS: &str = "Additional properties are not allowed";

/// Parses a plan and reports every violation of its schema. [`super::Plan::build`] checks its meaning. Never panics,
/// whatever the bytes.
pub fn parse(text: &[u8]) -> Result<PlanJson, PlanErrors> {
    if text.len() > PLAN_BYTES_MAX {
        return Err(PlanError::TooLarge { bytes: text.len(), limit: PLAN_BYTES_MAX }.into());
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let (line, column) = position(&text[..error.valid_up_to()]);
        PlanError::NotUtf8 { line, column }
    })?;
    if nests_deeper_than(DEPTH_MAX, text.as_bytes()) {
        return Err(PlanError::TooDeep { limit: DEPTH_MAX }.into());
    }
    let document: Value = serde_json::from_str(text).map_err(|error| PlanError::NotJson {
        line: error.line(),
        column: error.column().max(1),
        what: without_position(&error),
    })?;
    let mut errors = PlanErrors::default();
    for mismatch in SCHEMA.mismatches(&document) {
        if mismatch.what.starts_with(UNKNOWN_FIELDS) {
            unknown_fields(&document, &mismatch.pointer).for_each(|error| errors.push(error));
            continue;
        }
        errors.push(specific_error(&document, &mismatch.pointer).unwrap_or_else(|| {
            let place = field_path(&document, &mismatch.pointer);
            PlanError::SchemaViolation { place, what: mismatch.what }
        }));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    serde_json::from_value(document).map_err(|error| {
        PlanError::SchemaViolation { place: THE_PLAN.to_owned(), what: quote(&error.to_string()) }
            .into()
    })
}

/// One error for each unknown field, with the fields that the contract allows.
fn unknown_fields<'d>(
    document: &'d Value,
    pointer: &str,
) -> impl Iterator<Item = PlanError> + use<'d> {
    let known = SchemaType::of_schema(SCHEMA.document()).at_pointer(document, pointer);
    let known = known.map(|shape| shape.fields()).unwrap_or_default();
    let place = field_path(document, pointer);
    let fields = document.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let unknown: Vec<&String> =
        fields.map(|(field, _)| field).filter(|field| !known.contains(field)).collect();
    unknown.into_iter().map(move |field| {
        let (place, field, known) = (place.clone(), quote(field), known.clone());
        PlanError::UnknownField { place, field, known }
    })
}

/// The error that [`super::Plan::build`] would report. The validator could only show the pattern that a string
/// violates, or the whole of a list that is too long.
fn specific_error(document: &Value, pointer: &str) -> Option<PlanError> {
    let found = document.pointer(pointer)?;
    let place = || field_path(document, pointer);
    match (found, pointer.split('/').collect::<Vec<_>>().as_slice()) {
        (Value::Array(tools), ["", "tools"]) if tools.len() > STEPS_MAX => {
            return Some(PlanError::TooManySteps { steps: tools.len(), limit: STEPS_MAX });
        }
        (Value::Array(items), ["", "tools", _, "forEach"]) if items.len() > FOR_EACH_ITEMS_MAX => {
            let (items, limit) = (items.len(), FOR_EACH_ITEMS_MAX);
            return Some(PlanError::TooManyItems { place: place(), items, limit });
        }
        (found, ["", "tools", _, "forEach"]) => {
            let found = quote(&found.to_string());
            return Some(PlanError::InvalidForEach { place: place(), found });
        }
        _ => {}
    }
    let found = found.as_str()?;
    match pointer.split('/').collect::<Vec<_>>().as_slice() {
        ["", "requestId"] => Some(PlanError::NotUuid { field: "requestId", found: quote(found) }),
        ["", "metadata", "parentPlanId"] => {
            Some(PlanError::NotUuid { field: "metadata.parentPlanId", found: quote(found) })
        }
        ["", "tools", at, "toolId"] => Some(PlanError::InvalidId {
            at: at.parse().ok()?,
            found: quote(found),
            limit: TOOL_ID_BYTES_MAX,
        }),
        ["", "tools", at, "toolPath"] => Some(PlanError::ToolPath {
            step: quote(document["tools"][at.parse::<usize>().ok()?]["toolId"].as_str()?),
            why: ToolPathError::Malformed { path: quote(found) },
            known: Vec::new(),
        }),
        _ => None,
    }
}

/// Line and column of the byte after `before`, both from 1.
fn position(before: &[u8]) -> (usize, usize) {
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (line, before.len() - line_start + 1)
}

/// Cuts off the position, because [`PlanError::NotJson`] has its own.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    quote(text.split(" at line ").next().unwrap_or(&text))
}

/// `/tools/1/input/dice` becomes `tools[1] ("door").input.dice`.
fn field_path(document: &Value, pointer: &str) -> String {
    let mut place = String::new();
    let mut here = Some(document);
    let mut in_tools = false;
    for (depth, token) in pointer.split('/').skip(1).enumerate() {
        let token = token.replace("~1", "/").replace("~0", "~");
        match here {
            Some(Value::Array(items)) => {
                place.push_str(&format!("[{token}]"));
                here = token.parse::<usize>().ok().and_then(|at| items.get(at));
                if depth == 1 && in_tools {
                    let id = here.and_then(|tool| tool.get("toolId")).and_then(Value::as_str);
                    if let Some(id) = id {
                        place.push_str(&format!(" (\"{}\")", quote(id)));
                    }
                }
            }
            _ => {
                in_tools = depth == 0 && token == "tools";
                if !place.is_empty() {
                    place.push('.');
                }
                place.push_str(&quote(&token));
                here = here.and_then(|value| value.get(&token));
            }
        }
    }
    if place.is_empty() { THE_PLAN.to_owned() } else { place }
}
