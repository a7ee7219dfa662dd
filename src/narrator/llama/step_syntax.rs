//! How a step of a compact plan is written: the one place that knows.

use serde_json::{Map, Value, json};

use super::{
    expand::CompactStepError,
    grammar::SchemaDefinitions,
    grammar_type::{GrammarField, GrammarType, any_of_schema, object_schema},
    tool_set::{Tool, ToolParameters, ToolSet},
};
use narratoria_protocol::Object;

/// Most steps of a plan that a model writes. Each costs time that the player waits.
pub const PLAN_STEPS_MAX: usize = 4;

/// How steps are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepSyntax {
    /// `["skill/script", value, …, [0]]`: a value for each slot, `null` for one that is left out, and the steps that
    /// it comes after. Few tokens.
    Tuple,
    /// `{"use":"skill/script","with":{"slot":value},"after":[0]}`. What tuples are measured against.
    Keyed,
}

/// A step as it is written, taken apart.
#[derive(Debug)]
pub(super) struct CompactStep<'m> {
    pub(super) tool: &'m Tool,
    /// What the model wrote of it; what the host says is not in it.
    pub(super) input: Object,
    /// Earlier steps, each once, in order.
    pub(super) after: Vec<usize>,
}

impl StepSyntax {
    /// What a step of this item looks like as the `idx`th of its plan.
    pub(super) fn step_schema(
        self,
        item: &Tool,
        idx: usize,
        shared: &mut SchemaDefinitions,
    ) -> Value {
        let path = json!({"const": item.path});
        match self {
            StepSyntax::Tuple => {
                let mut parts = vec![path];
                match &item.parameters {
                    ToolParameters::Properties(slots) => {
                        parts.extend(
                            slots
                                .iter()
                                .map(|slot| shared.reference_or_inline(parameter_schema(slot))),
                        );
                    }
                    ToolParameters::WholeInput(shape) => {
                        parts.push(shared.reference_or_inline(shape.schema()))
                    }
                }
                parts.push(after_schema(idx));
                tuple_schema(parts)
            }
            StepSyntax::Keyed => {
                let with = match &item.parameters {
                    ToolParameters::Properties(slots) => object_schema(slots),
                    ToolParameters::WholeInput(shape) => shape.schema(),
                };
                json!({
                    "type": "object",
                    "properties": {
                        "use": path,
                        "with": shared.reference_or_inline(with),
                        "after": after_schema(idx),
                    },
                    "required": ["use", "with", "after"],
                    "additionalProperties": false,
                })
            }
        }
    }

    /// A step with this input, of which what the host says is left out.
    pub(super) fn write_step(self, item: &Tool, input: &Object, after: &[usize]) -> Value {
        match self {
            StepSyntax::Tuple => {
                let mut parts = vec![json!(item.path)];
                match &item.parameters {
                    ToolParameters::Properties(slots) => parts.extend(
                        slots.iter().map(|slot| input.get(&slot.name).cloned().unwrap_or_default()),
                    ),
                    ToolParameters::WholeInput(_) => parts.push(Value::Object(input.clone())),
                }
                parts.push(json!(after));
                Value::Array(parts)
            }
            StepSyntax::Keyed => {
                let with: Map<String, Value> = match &item.parameters {
                    ToolParameters::Properties(slots) => slots
                        .iter()
                        .filter_map(|slot| {
                            Some((slot.name.clone(), input.get(&slot.name)?.clone()))
                        })
                        .collect(),
                    ToolParameters::WholeInput(_) => input.clone(),
                };
                json!({"use": item.path, "with": with, "after": after})
            }
        }
    }

    /// The `idx`th step of a plan. Trusts nobody.
    pub(super) fn read_step(
        self,
        menu: &ToolSet,
        step: Value,
        idx: usize,
    ) -> Result<CompactStep<'_>, CompactStepError> {
        match (self, step) {
            (StepSyntax::Tuple, Value::Array(parts)) => read_tuple(menu, parts, idx),
            (StepSyntax::Keyed, Value::Object(parts)) => read_keyed(menu, parts, idx),
            (_, other) => Err(CompactStepError::NotAStep { found: other.to_string() }),
        }
    }
}

fn read_tuple(
    menu: &ToolSet,
    parts: Vec<Value>,
    idx: usize,
) -> Result<CompactStep<'_>, CompactStepError> {
    let found = parts.len();
    let mut parts = parts.into_iter();
    let item = find_tool(menu, parts.next())?;
    let expected = 2 + match &item.parameters {
        ToolParameters::Properties(slots) => slots.len(),
        ToolParameters::WholeInput(_) => 1,
    };
    let after = parts.next_back().filter(|_| found == expected);
    let Some(after) = after else {
        return Err(CompactStepError::WrongLength { path: item.path.clone(), found, expected });
    };
    let input = match &item.parameters {
        ToolParameters::Properties(slots) => slots
            .iter()
            .zip(parts)
            .filter(|(slot, value)| slot.is_required || !value.is_null())
            .map(|(slot, value)| (slot.name.clone(), value))
            .collect(),
        ToolParameters::WholeInput(_) => input_object(item, parts.next())?,
    };
    Ok(CompactStep { tool: item, input, after: parse_dependencies(item, &after, idx)? })
}

fn read_keyed(
    menu: &ToolSet,
    mut parts: Object,
    idx: usize,
) -> Result<CompactStep<'_>, CompactStepError> {
    let item = find_tool(menu, parts.remove("use"))?;
    let mut input = input_object(item, parts.remove("with"))?;
    if let ToolParameters::Properties(slots) = &item.parameters {
        let names = |name: &str| slots.iter().any(|slot| slot.name == name);
        if let Some(name) = input.keys().find(|name| !names(name)) {
            return Err(CompactStepError::UnknownParameter {
                path: item.path.clone(),
                name: name.clone(),
            });
        }
        let keeps = |name: &str| slots.iter().any(|slot| slot.is_required && slot.name == name);
        input.retain(|name, value| !value.is_null() || keeps(name));
    }
    let after = parts.remove("after").unwrap_or_else(|| json!([]));
    Ok(CompactStep { tool: item, input, after: parse_dependencies(item, &after, idx)? })
}

fn find_tool(menu: &ToolSet, path: Option<Value>) -> Result<&Tool, CompactStepError> {
    let path = path.unwrap_or_default();
    let item = path.as_str().and_then(|path| menu.tool(path));
    item.ok_or_else(|| CompactStepError::UnknownTool { found: path.to_string() })
}

fn input_object(item: &Tool, value: Option<Value>) -> Result<Object, CompactStepError> {
    match value {
        Some(Value::Object(fields)) => Ok(fields),
        other => Err(CompactStepError::InputNotObject {
            path: item.path.clone(),
            found: other.unwrap_or_default().to_string(),
        }),
    }
}

fn parse_dependencies(
    item: &Tool,
    after: &Value,
    idx: usize,
) -> Result<Vec<usize>, CompactStepError> {
    let wrong = || CompactStepError::InvalidDependencies {
        path: item.path.clone(),
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

/// A required slot takes what its shape has, an optional one `null` besides.
fn parameter_schema(slot: &GrammarField) -> Value {
    match (&slot.grammar_type, slot.is_required) {
        (shape, true) => shape.schema(),
        (GrammarType::Enum(words), false) => {
            json!({"enum": words.iter().cloned().chain([Value::Null]).collect::<Vec<_>>()})
        }
        (GrammarType::AnyOf(shapes), false) => any_of_schema(
            shapes.iter().chain([&GrammarType::Null]).map(GrammarType::schema).collect(),
        ),
        (shape, false) => any_of_schema(vec![shape.schema(), GrammarType::Null.schema()]),
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

/// Every set of earlier steps, in order, each once.
fn after_schema(idx: usize) -> Value {
    let sets = (0..1_usize << idx)
        .map(|set| Value::from_iter((0..idx).filter(|step| set & (1 << step) != 0)));
    json!({"enum": sets.collect::<Vec<_>>()})
}
