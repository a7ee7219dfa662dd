//! Text → [`PlanJson`]: checks size, depth, syntax (JSON, in files also YAML) and the contract's schema.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    PlanError, PlanErrors, PlanJson, STEPS_MAX,
    error::{THE_PLAN, quote},
    model::FOR_EACH_ITEMS_MAX,
    step_id::TOOL_ID_BYTES_MAX,
};
use narratoria_protocol::{
    JsonBounds, StrictJsonError, key_of_token, read_json, without_byte_order_mark,
};
use narratoria_skills::{
    Schema, StrictYamlError, ToolPathError, read_yaml, schema_view::SchemaType,
};

/// Largest plan that is parsed. 256 steps with a page of input each stay below it.
pub const PLAN_BYTES_MAX: usize = 1 << 20;

/// Plan JSON's own schema, as shipped.
const PLAN_JSON_SCHEMA: &str = include_str!("../../contracts/plan-json.schema.json");

const BOUNDS: JsonBounds = JsonBounds::of_bytes(PLAN_BYTES_MAX);

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of_contract(PLAN_JSON_SCHEMA));

/// The beginning of the validator's message about unknown fields.
const UNKNOWN_FIELDS: &str = "Additional properties are not allowed";

/// Parses a plan and reports every violation of its schema. [`super::Plan::build`] checks its meaning. Never panics,
/// whatever the bytes.
pub fn parse(text: &[u8]) -> Result<PlanJson, PlanErrors> {
    whole(check_document(read_json(text, BOUNDS).map_err(plan_error)?))
}

/// Parses a plan that a person hands over, in JSON or in YAML (S3 "Plan Persistence"). JSON begins with a bracket, a
/// quotation mark or nothing at all; everything else is YAML. A planner's text is never YAML: almost any sentence is.
pub fn parse_document(text: &[u8]) -> Result<PlanJson, PlanErrors> {
    whole(check_document(read_document(text)?))
}

/// The same, with the plan beside its violations where it can be read all the same, so that its meaning is checked too.
///
/// # Errors
///
/// Returns the violations of a document that cannot be read as a plan.
pub(crate) fn parse_with_violations(text: &[u8]) -> Result<(PlanJson, PlanErrors), PlanErrors> {
    match check_document(read_document(text)?) {
        (Some(plan), violations) => Ok((plan, violations)),
        (None, violations) => Err(violations),
    }
}

fn read_document(text: &[u8]) -> Result<Value, PlanErrors> {
    let start = without_byte_order_mark(text).trim_ascii_start().first();
    match start {
        None | Some(b'{' | b'[' | b'"') => Ok(read_json(text, BOUNDS).map_err(plan_error)?),
        Some(_) => Ok(read_yaml(text, BOUNDS).map_err(yaml_error)?),
    }
}

fn whole((plan, violations): (Option<PlanJson>, PlanErrors)) -> Result<PlanJson, PlanErrors> {
    plan.filter(|_| violations.is_empty()).ok_or(violations)
}

/// Returns the plan, if the document can be read as one, and all violations of its schema.
fn check_document(document: Value) -> (Option<PlanJson>, PlanErrors) {
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
    match serde_json::from_value(document) {
        Ok(plan) => (Some(plan), errors),
        Err(error) => {
            if errors.is_empty() {
                let (place, what) = (THE_PLAN.to_owned(), quote(&error.to_string()));
                errors.push(PlanError::SchemaViolation { place, what });
            }
            (None, errors)
        }
    }
}

/// Returns one error for each unknown field, with the fields that the contract allows.
fn unknown_fields<'d>(
    document: &'d Value,
    pointer: &str,
) -> impl Iterator<Item = PlanError> + use<'d> {
    let known = SchemaType::of_schema(SCHEMA.document()).at_pointer(document, pointer);
    let mut known = known.map(|shape| shape.fields()).unwrap_or_default();
    let place = field_path(document, pointer);
    let fields = document.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let unknown: Vec<&String> =
        fields.map(|(field, _)| field).filter(|field| !known.contains(field)).collect();
    // `$schema` and `$comment` are allowed, but no help in a hint.
    known.retain(|field| !field.starts_with('$'));
    unknown.into_iter().map(move |field| {
        let (place, field, known) = (place.clone(), quote(field), known.clone());
        PlanError::UnknownField { place, field, known }
    })
}

/// Returns the error that [`super::Plan::build`] would report. The validator could only show the pattern that a string
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

fn plan_error(error: StrictJsonError) -> PlanError {
    match error {
        StrictJsonError::TooLong { bytes, limit } => PlanError::TooLarge { bytes, limit },
        StrictJsonError::NotUtf8 { line, column } => PlanError::NotUtf8 { line, column },
        StrictJsonError::TooDeep { limit } => PlanError::TooDeep { limit },
        StrictJsonError::DuplicateKey { key, line, column } => {
            PlanError::DuplicateKey { key: quote(&key), line, column }
        }
        StrictJsonError::Number { number, line, column } => {
            PlanError::Number { number, line, column }
        }
        StrictJsonError::Syntax { what, line, column } => {
            PlanError::NotJson { line, column, what: quote(&what) }
        }
        error => PlanError::Unreadable { what: error.predicate() },
    }
}

fn yaml_error(error: StrictYamlError) -> PlanError {
    match error {
        StrictYamlError::Text(error) => plan_error(error),
        StrictYamlError::TooDeep { limit } => PlanError::TooDeep { limit },
        StrictYamlError::DuplicateKey { key, line, column } => {
            PlanError::DuplicateKey { key: quote(&key), line, column }
        }
        error @ (StrictYamlError::Alias | StrictYamlError::SeveralDocuments) => {
            PlanError::Unreadable { what: format!("cannot be used: {error}") }
        }
        error @ (StrictYamlError::TooManyValues { .. } | StrictYamlError::Syntax { .. }) => {
            PlanError::Unreadable {
                what: format!("is neither JSON nor YAML: {}", quote(&error.to_string())),
            }
        }
    }
}

/// `/tools/1/input/dice` becomes `tools[1] ("door").input.dice`.
fn field_path(document: &Value, pointer: &str) -> String {
    let mut place = String::new();
    let mut here = Some(document);
    let mut in_tools = false;
    for (depth, token) in pointer.split('/').skip(1).enumerate() {
        let token = key_of_token(token);
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
                here = here.and_then(|value| value.get(&*token));
            }
        }
    }
    if place.is_empty() { THE_PLAN.to_owned() } else { place }
}
