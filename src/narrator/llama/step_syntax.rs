//! The syntax of a step in a compact plan: `["skill/script", value, …, [0]]`. It has a value for each parameter, `null` for
//! an omitted one, and the indices of earlier steps that it depends on. Tuples need fewer tokens than objects.

use serde_json::{Value, json};

use super::{
    compact_error::CompactStepError,
    grammar_type::{GrammarField, GrammarType, any_of_schema},
    schema_definitions::SchemaDefinitions,
    tool::{Tool, ToolParameters},
};
use narratoria_protocol::Object;

/// Most steps of a plan that a model writes. The player waits for each of them.
pub(super) const PLAN_STEPS_MAX: usize = 4;

/// A parsed step.
#[derive(Debug)]
pub(super) struct CompactStep<'m> {
    pub(super) tool: &'m Tool,
    /// Without the verbatim parameters.
    pub(super) input: Object,
    /// Indices of earlier steps, ascending, each once.
    pub(super) after: Vec<usize>,
}

/// The schema of a step that runs `tool` as step `idx` of its plan.
pub(super) fn step_schema(tool: &Tool, idx: usize, definitions: &mut SchemaDefinitions) -> Value {
    let mut parts = vec![json!({"const": tool.path})];
    match &tool.parameters {
        ToolParameters::Properties(fields) => parts.extend(
            fields.iter().map(|field| definitions.reference_or_inline(parameter_schema(field))),
        ),
        ToolParameters::WholeInput(input) => {
            parts.push(definitions.reference_or_inline(input.schema()));
        }
    }
    parts.push(after_schema(idx));
    tuple_schema(parts)
}

/// Writes a step with this input. Verbatim parameters are left out, because the host fills them in.
pub(super) fn write_step(tool: &Tool, input: &Object, after: &[usize]) -> Value {
    let mut parts = vec![json!(tool.path)];
    match &tool.parameters {
        ToolParameters::Properties(fields) => parts
            .extend(fields.iter().map(|field| input.get(&field.name).cloned().unwrap_or_default())),
        ToolParameters::WholeInput(_) => parts.push(Value::Object(input.clone())),
    }
    parts.push(json!(after));
    Value::Array(parts)
}

/// Reads step `idx` of a plan. Any JSON is possible here: a model without a grammar writes anything.
pub(super) fn read_step<'t>(
    find: impl Fn(&str) -> Option<&'t Tool>,
    step: Value,
    idx: usize,
) -> Result<CompactStep<'t>, CompactStepError> {
    let parts = match step {
        Value::Array(parts) => parts,
        other => return Err(CompactStepError::NotAStep { found: other.to_string() }),
    };
    let found = parts.len();
    let mut parts = parts.into_iter();
    let path = parts.next().unwrap_or_default();
    let tool = path.as_str().and_then(find);
    let tool = tool.ok_or_else(|| CompactStepError::UnknownTool { found: path.to_string() })?;
    let expected = 2 + match &tool.parameters {
        ToolParameters::Properties(fields) => fields.len(),
        ToolParameters::WholeInput(_) => 1,
    };
    let after = parts.next_back().filter(|_| found == expected);
    let Some(after) = after else {
        return Err(CompactStepError::WrongLength { path: tool.path.clone(), found, expected });
    };
    let input = match &tool.parameters {
        ToolParameters::Properties(fields) => fields
            .iter()
            .zip(parts)
            .filter(|(field, value)| field.is_required || !value.is_null())
            .map(|(field, value)| (field.name.clone(), value))
            .collect(),
        ToolParameters::WholeInput(_) => input_object(tool, parts.next())?,
    };
    Ok(CompactStep { tool, input, after: parse_dependencies(tool, &after, idx)? })
}

fn input_object(tool: &Tool, value: Option<Value>) -> Result<Object, CompactStepError> {
    match value {
        Some(Value::Object(fields)) => Ok(fields),
        other => Err(CompactStepError::InputNotObject {
            path: tool.path.clone(),
            found: other.unwrap_or_default().to_string(),
        }),
    }
}

fn parse_dependencies(
    tool: &Tool,
    after: &Value,
    idx: usize,
) -> Result<Vec<usize>, CompactStepError> {
    let wrong = || CompactStepError::InvalidDependencies {
        path: tool.path.clone(),
        found: after.to_string(),
        idx,
    };
    let mut steps = Vec::new();
    for step in after.as_array().ok_or_else(wrong)? {
        let step = step.as_u64().and_then(|step| usize::try_from(step).ok());
        steps.push(step.filter(|step| *step < idx).ok_or_else(wrong)?);
    }
    steps.sort_unstable();
    steps.dedup();
    Ok(steps)
}

/// An optional parameter also takes `null`.
fn parameter_schema(field: &GrammarField) -> Value {
    match (&field.grammar_type, field.is_required) {
        (grammar_type, true) => grammar_type.schema(),
        (GrammarType::Enum(values), false) => {
            json!({"enum": values.iter().cloned().chain([Value::Null]).collect::<Vec<_>>()})
        }
        (GrammarType::AnyOf(types), false) => any_of_schema(
            types.iter().chain([&GrammarType::Null]).map(GrammarType::schema).collect(),
        ),
        (grammar_type, false) => {
            any_of_schema(vec![grammar_type.schema(), GrammarType::Null.schema()])
        }
    }
}

fn tuple_schema(parts: Vec<Value>) -> Value {
    let count = parts.len();
    json!({
        "type": "array",
        "prefixItems": parts,
        "items": false,
        "minItems": count,
        "maxItems": count,
    })
}

/// Allows every subset of the earlier steps, in ascending order.
fn after_schema(idx: usize) -> Value {
    let sets = (0..1_usize << idx)
        .map(|set| Value::from_iter((0..idx).filter(|step| set & (1 << step) != 0)));
    json!({"enum": sets.collect::<Vec<_>>()})
}
