//! What an input takes from other steps: a whole string such as `$roll` or `$roll.dice[0]`
//! (DESIGN §4.1). `$$` at the start of a string is a literal dollar.

mod check_error;
pub(super) mod grammar;
#[cfg(test)]
mod tests;

use std::{convert::Infallible, fmt};

use narratoria_protocol::json_kind;
use serde_json::Value;

pub use check_error::ReferenceCheckError;
pub use grammar::{REFERENCE_BYTES_MAX, REFERENCE_PARTS_MAX};

use super::{
    StepIdx,
    error::{join_names, quote},
};

/// A JSON value in which some strings stand for something that is known only when the step runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueTemplate {
    /// As written, `$$` already made `$`. What stands in a hole is not used.
    pub(super) value: Value,
    pub(super) slots: Vec<ReferenceSlot>,
}

/// A place to fill.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceSlot {
    /// JSON pointer into the value; empty for the whole of it.
    pub pointer: String,
    /// What belongs there.
    pub reference: Reference,
}

/// `$roll.dice[0]`, resolved as far as it can be before anything runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// As written, dollar included.
    pub text: String,
    /// What the path starts from.
    pub source: ReferenceSource,
    /// The way into it.
    pub path: Vec<PathPart>,
}

/// Where a reference starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceSource {
    /// Another step's output.
    Step(StepIdx),
    /// The item of this turn of the step's own `forEach`: `$item`.
    Item,
    /// Its place in the list, from 0: `$index`.
    Index,
}

/// One part of a reference's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    /// `.total`
    Key(String),
    /// `[0]`
    Index(usize),
}

/// As in a reference.
impl fmt::Display for PathPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathPart::Key(key) => write!(f, ".{key}"),
            PathPart::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// What references are filled from.
pub trait ReferenceScope {
    /// The output of a step that is over: `Err` says why there is none, such as `skipped (condition_false)`
    /// or `failed`.
    fn output(&self, step: StepIdx) -> Result<&Value, &'static str>;

    /// The `toolId`, for messages.
    fn tool_id(&self, step: StepIdx) -> &str;

    /// Within a `forEach`: the item and its place.
    fn item(&self) -> Option<(&Value, usize)>;
}

/// A reference that leads nowhere at run time. The text is what people and planners read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The step gave an output, but not this part of it.
    #[error("`{reference}` has no value: {what}")]
    Missing {
        /// As written.
        reference: String,
        /// What is there instead.
        what: String,
    },
    /// The step gave nothing. As a whole it is null; a part of it is not.
    #[error("`{reference}` has no value: step `{step}` {why}")]
    NoOutput {
        /// As written.
        reference: String,
        /// The step.
        step: String,
        /// Such as `was skipped (condition_false)`.
        why: String,
    },
}

impl ValueTemplate {
    /// A value without holes.
    pub fn literal(value: Value) -> ValueTemplate {
        ValueTemplate { value, slots: Vec::new() }
    }

    /// As written; holes hold their reference's text.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// In the order of the text.
    pub fn slots(&self) -> &[ReferenceSlot] {
        &self.slots
    }

    /// From the order of the text to the order of the run.
    pub(super) fn renumber_steps(&mut self, place_of: &[usize]) {
        for hole in &mut self.slots {
            if let ReferenceSource::Step(step) = &mut hole.reference.source {
                step.0 = place_of[step.0];
            }
        }
    }

    /// Fills every hole. A whole step without an output fills it with null (DESIGN §4.3).
    pub fn fill(&self, scope: &dyn ReferenceScope) -> Result<Value, ReferenceError> {
        self.fill_with(|reference| reference.read(scope))
    }

    /// The same, where what has no value is null: for a condition that may be there to keep it from being
    /// missed.
    pub fn fill_or_null(&self, scope: &dyn ReferenceScope) -> Value {
        let known = |reference: &Reference| reference.read(scope).unwrap_or(Value::Null);
        let Ok(value) = self.fill_with(|reference| Ok::<_, Infallible>(known(reference)));
        value
    }

    fn fill_with<E>(&self, read: impl Fn(&Reference) -> Result<Value, E>) -> Result<Value, E> {
        let mut value = self.value.clone();
        for hole in &self.slots {
            let found = read(&hole.reference)?;
            if let Some(place) = value.pointer_mut(&hole.pointer) {
                *place = found;
            }
        }
        Ok(value)
    }
}

impl Reference {
    /// The value that it leads to.
    pub fn read(&self, scope: &dyn ReferenceScope) -> Result<Value, ReferenceError> {
        let index;
        let start = match self.source {
            ReferenceSource::Step(step) => match scope.output(step) {
                Ok(output) => output,
                Err(_) if self.path.is_empty() => return Ok(Value::Null),
                Err(why) => {
                    return Err(ReferenceError::NoOutput {
                        reference: self.text.clone(),
                        step: scope.tool_id(step).to_owned(),
                        why: why.to_owned(),
                    });
                }
            },
            ReferenceSource::Item => scope.item().map_or(&Value::Null, |(item, _)| item),
            ReferenceSource::Index => {
                index = Value::from(scope.item().map_or(0, |(_, index)| index));
                &index
            }
        };
        let mut at = start;
        for part in &self.path {
            let next = match part {
                PathPart::Key(key) => at.get(key),
                PathPart::Index(index) => at.get(index),
            };
            at = next.ok_or_else(|| ReferenceError::Missing {
                reference: self.text.clone(),
                what: missing_value_message(at, part),
            })?;
        }
        Ok(at.clone())
    }
}

fn missing_value_message(at: &Value, part: &PathPart) -> String {
    match (at, part) {
        (Value::Object(fields), PathPart::Key(key)) if fields.is_empty() => {
            format!("`{}` is asked of an object without fields", quote(key))
        }
        (Value::Object(fields), PathPart::Key(key)) => {
            let names: Vec<String> = fields.keys().map(|name| quote(name)).collect();
            format!("there is no `{}`, only {}", quote(key), join_names(&names))
        }
        (Value::Array(items), PathPart::Index(index)) => {
            format!("there is no item {index}, the list has {}", items.len())
        }
        (Value::Array(_), PathPart::Key(key)) => format!("`{}` is asked of a list", quote(key)),
        (_, PathPart::Key(key)) => format!("`{}` is asked of {}", quote(key), json_kind(at)),
        (_, PathPart::Index(index)) => format!("item {index} is asked of {}", json_kind(at)),
    }
}
