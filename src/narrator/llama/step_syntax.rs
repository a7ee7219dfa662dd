//! The syntax of a step in a compact plan: `["skill/script", value, …, [0]]`. It has a value for each parameter, `null` for
//! an omitted one, and the indices of earlier steps that it depends on. A value may refer to an earlier step's output, and
//! notes may follow. Tuples need fewer tokens than objects.

use serde_json::{Value, json};

use super::{
    compact_error::CompactStepError,
    grammar_type::{GrammarField, GrammarType, any_of_schema},
    schema_definitions::SchemaDefinitions,
    step_notes::{StepNotes, notes_schema},
    tool::{Tool, ToolParameters},
    tool_outputs::{
        OutputField, OutputReference, find_output, fitting, read_reference, reference_schema,
    },
};
use narratoria_protocol::Object;

/// Most steps of a plan that a model writes. The player waits for each of them.
pub(super) const PLAN_STEPS_MAX: usize = 4;

/// A parsed step.
#[derive(Debug)]
pub(super) struct CompactStep<'m> {
    pub(super) tool: &'m Tool,
    /// Without the verbatim parameters and the references.
    pub(super) input: Object,
    /// Parameters that take an earlier step's output.
    pub(super) references: Vec<(&'m GrammarField, OutputReference)>,
    /// Indices of earlier steps, ascending, each once.
    pub(super) after: Vec<usize>,
    pub(super) notes: StepNotes,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StepPlace {
    /// From 0.
    pub(super) idx: usize,
    /// True if the plan replaces one that failed.
    pub(super) is_recovery: bool,
}

/// The schema of a step that runs `tool` at this place of its plan, after steps that may have these outputs.
pub(super) fn step_schema(
    tool: &Tool,
    place: StepPlace,
    outputs: &[&OutputField],
    definitions: &mut SchemaDefinitions,
) -> Value {
    let mut parts = vec![json!({"const": tool.path})];
    match &tool.parameters {
        ToolParameters::Properties(fields) => parts.extend(fields.iter().map(|field| {
            let value = definitions.reference_or_inline(parameter_schema(field));
            let fitting = if place.idx > 0 { fitting(field, outputs) } else { Vec::new() };
            if fitting.is_empty() {
                return value;
            }
            let reference = definitions.reference_or_inline(reference_schema(&fitting));
            any_of_schema(vec![value, reference])
        })),
        ToolParameters::WholeInput(input) => {
            parts.push(definitions.reference_or_inline(input.schema()));
        }
    }
    parts.push(after_schema(place.idx));
    let notes = notes_schema(place.idx, outputs, place.is_recovery);
    tuple_schema(parts, definitions.reference_or_inline(notes))
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

/// Reads a step of a plan. Any JSON is possible here: a model without a grammar writes anything.
pub(super) fn read_step<'t>(
    tools: &[&'t Tool],
    step: Value,
    place: StepPlace,
) -> Result<CompactStep<'t>, CompactStepError> {
    let parts = match step {
        Value::Array(parts) => parts,
        other => return Err(CompactStepError::NotAStep { found: other.to_string() }),
    };
    let found = parts.len();
    let mut parts = parts.into_iter();
    let path = parts.next().unwrap_or_default();
    let tool = path.as_str().and_then(|path| tools.iter().copied().find(|tool| tool.path == path));
    let tool = tool.ok_or_else(|| CompactStepError::UnknownTool { found: path.to_string() })?;
    let expected = 2 + match &tool.parameters {
        ToolParameters::Properties(fields) => fields.len(),
        ToolParameters::WholeInput(_) => 1,
    };
    let notes = if found == expected + 1 { parts.next_back() } else { None };
    let after = parts.next_back().filter(|_| found == expected || notes.is_some());
    let Some(after) = after else {
        return Err(CompactStepError::WrongLength { path: tool.path.clone(), found, expected });
    };
    let outputs: Vec<&OutputField> = tools.iter().flat_map(|tool| &tool.outputs).collect();
    let mut references = Vec::new();
    let input = match &tool.parameters {
        ToolParameters::Properties(fields) => {
            let mut input = Object::new();
            for (field, value) in fields.iter().zip(parts) {
                match read_field_reference(&outputs, field, &value, place.idx) {
                    Some(Ok(reference)) => references.push((field, reference)),
                    Some(Err(found)) => {
                        let path = tool.path.clone();
                        return Err(CompactStepError::InvalidReference { path, found });
                    }
                    None if field.is_required || !value.is_null() => {
                        input.insert(field.name.clone(), value);
                    }
                    None => {}
                }
            }
            input
        }
        ToolParameters::WholeInput(_) => input_object(tool, parts.next())?,
    };
    let read_notes = |notes| StepNotes::read(notes, place.idx, &outputs, place.is_recovery);
    let notes = notes
        .map(read_notes)
        .transpose()
        .map_err(|found| CompactStepError::InvalidNotes { path: tool.path.clone(), found })?;
    let after = parse_dependencies(tool, &after, place.idx)?;
    Ok(CompactStep { tool, input, references, after, notes: notes.unwrap_or_default() })
}

/// Reads a reference in place of a parameter's value. None if the parameter takes no reference, or has a value.
fn read_field_reference(
    outputs: &[&OutputField],
    field: &GrammarField,
    value: &Value,
    idx: usize,
) -> Option<Result<OutputReference, String>> {
    if idx == 0 {
        return None;
    }
    read_reference(value, |path| {
        let output = find_output(outputs, path)?;
        (!fitting(field, &[output]).is_empty()).then(|| output.reference())
    })
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
pub(super) fn parameter_schema(field: &GrammarField) -> Value {
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

/// A list of these parts, and perhaps notes at its end.
fn tuple_schema(mut parts: Vec<Value>, notes: Value) -> Value {
    let count = parts.len();
    parts.push(notes);
    json!({
        "type": "array",
        "prefixItems": parts,
        "items": false,
        "minItems": count,
        "maxItems": count + 1,
    })
}

/// Allows every subset of the earlier steps, in ascending order.
fn after_schema(idx: usize) -> Value {
    let sets = (0..1_usize << idx)
        .map(|set| Value::from_iter((0..idx).filter(|step| set & (1 << step) != 0)));
    json!({"enum": sets.collect::<Vec<_>>()})
}
