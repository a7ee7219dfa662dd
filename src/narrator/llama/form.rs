//! How a step of a compact plan is written: the one place that knows.

use serde_json::{Map, Value, json};

use super::{
    expand::StepError,
    grammar::Shared,
    menu::{Item, Menu, Slots},
    shape::{Field, Shape, any_of, record_schema},
};
use crate::protocol::Object;

/// Most steps of a plan that a model writes. Each costs time that the player waits.
pub const PLAN_STEPS_MAX: usize = 4;

/// How steps are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `["skill/script", value, …, [0]]`: a value for each slot, `null` for one that is left out, and the steps that
    /// it comes after. Few tokens.
    Tuple,
    /// `{"use":"skill/script","with":{"slot":value},"after":[0]}`. What tuples are measured against.
    Keyed,
}

/// A step as it is written, taken apart.
#[derive(Debug)]
pub(super) struct Written<'m> {
    pub(super) item: &'m Item,
    /// What the model wrote of it; what the host says is not in it.
    pub(super) input: Object,
    /// Earlier steps, each once, in order.
    pub(super) after: Vec<usize>,
}

impl Form {
    /// What a step of this item looks like as the `idx`th of its plan.
    pub(super) fn step_schema(self, item: &Item, idx: usize, shared: &mut Shared) -> Value {
        let path = json!({"const": item.path});
        match self {
            Form::Tuple => {
                let mut parts = vec![path];
                match &item.slots {
                    Slots::Each(slots) => {
                        parts.extend(slots.iter().map(|slot| shared.part(slot_schema(slot))));
                    }
                    Slots::Whole(shape) => parts.push(shared.part(shape.schema())),
                }
                parts.push(after_schema(idx));
                tuple_schema(parts)
            }
            Form::Keyed => {
                let with = match &item.slots {
                    Slots::Each(slots) => record_schema(slots),
                    Slots::Whole(shape) => shape.schema(),
                };
                json!({
                    "type": "object",
                    "properties": {
                        "use": path,
                        "with": shared.part(with),
                        "after": after_schema(idx),
                    },
                    "required": ["use", "with", "after"],
                    "additionalProperties": false,
                })
            }
        }
    }

    /// A step with this input, of which what the host says is left out.
    pub(super) fn write_step(self, item: &Item, input: &Object, after: &[usize]) -> Value {
        match self {
            Form::Tuple => {
                let mut parts = vec![json!(item.path)];
                match &item.slots {
                    Slots::Each(slots) => parts.extend(
                        slots.iter().map(|slot| input.get(&slot.name).cloned().unwrap_or_default()),
                    ),
                    Slots::Whole(_) => parts.push(Value::Object(input.clone())),
                }
                parts.push(json!(after));
                Value::Array(parts)
            }
            Form::Keyed => {
                let with: Map<String, Value> = match &item.slots {
                    Slots::Each(slots) => slots
                        .iter()
                        .filter_map(|slot| {
                            Some((slot.name.clone(), input.get(&slot.name)?.clone()))
                        })
                        .collect(),
                    Slots::Whole(_) => input.clone(),
                };
                json!({"use": item.path, "with": with, "after": after})
            }
        }
    }

    /// The `idx`th step of a plan. Trusts nobody.
    pub(super) fn read_step(
        self,
        menu: &Menu,
        step: Value,
        idx: usize,
    ) -> Result<Written<'_>, StepError> {
        match (self, step) {
            (Form::Tuple, Value::Array(parts)) => read_tuple(menu, parts, idx),
            (Form::Keyed, Value::Object(parts)) => read_keyed(menu, parts, idx),
            (_, other) => Err(StepError::NoStep { found: other.to_string() }),
        }
    }
}

fn read_tuple(menu: &Menu, parts: Vec<Value>, idx: usize) -> Result<Written<'_>, StepError> {
    let found = parts.len();
    let mut parts = parts.into_iter();
    let item = known(menu, parts.next())?;
    let expected = 2 + match &item.slots {
        Slots::Each(slots) => slots.len(),
        Slots::Whole(_) => 1,
    };
    let after = parts.next_back().filter(|_| found == expected);
    let Some(after) = after else {
        return Err(StepError::Length { path: item.path.clone(), found, expected });
    };
    let input = match &item.slots {
        Slots::Each(slots) => slots
            .iter()
            .zip(parts)
            .filter(|(slot, value)| slot.is_required || !value.is_null())
            .map(|(slot, value)| (slot.name.clone(), value))
            .collect(),
        Slots::Whole(_) => object(item, parts.next())?,
    };
    Ok(Written { item, input, after: earlier(item, &after, idx)? })
}

fn read_keyed(menu: &Menu, mut parts: Object, idx: usize) -> Result<Written<'_>, StepError> {
    let item = known(menu, parts.remove("use"))?;
    let mut input = object(item, parts.remove("with"))?;
    if let Slots::Each(slots) = &item.slots {
        let names = |name: &str| slots.iter().any(|slot| slot.name == name);
        if let Some(name) = input.keys().find(|name| !names(name)) {
            return Err(StepError::Slot { path: item.path.clone(), name: name.clone() });
        }
        let keeps = |name: &str| slots.iter().any(|slot| slot.is_required && slot.name == name);
        input.retain(|name, value| !value.is_null() || keeps(name));
    }
    let after = parts.remove("after").unwrap_or_else(|| json!([]));
    Ok(Written { item, input, after: earlier(item, &after, idx)? })
}

fn known(menu: &Menu, path: Option<Value>) -> Result<&Item, StepError> {
    let path = path.unwrap_or_default();
    let item = path.as_str().and_then(|path| menu.item(path));
    item.ok_or_else(|| StepError::UnknownTool { found: path.to_string() })
}

fn object(item: &Item, value: Option<Value>) -> Result<Object, StepError> {
    match value {
        Some(Value::Object(fields)) => Ok(fields),
        other => Err(StepError::NoInput {
            path: item.path.clone(),
            found: other.unwrap_or_default().to_string(),
        }),
    }
}

fn earlier(item: &Item, after: &Value, idx: usize) -> Result<Vec<usize>, StepError> {
    let wrong = || StepError::After { path: item.path.clone(), found: after.to_string(), idx };
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
fn slot_schema(slot: &Field) -> Value {
    match (&slot.shape, slot.is_required) {
        (shape, true) => shape.schema(),
        (Shape::Words(words), false) => {
            json!({"enum": words.iter().cloned().chain([Value::Null]).collect::<Vec<_>>()})
        }
        (Shape::Either(shapes), false) => {
            any_of(shapes.iter().chain([&Shape::Null]).map(Shape::schema).collect())
        }
        (shape, false) => any_of(vec![shape.schema(), Shape::Null.schema()]),
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
