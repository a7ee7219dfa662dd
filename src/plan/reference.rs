//! References of an input to other steps: a whole string such as `$roll` or `$roll.dice[0]`. `$$` at the start of a string
//! is a literal dollar (docs/plans.md, "References").

mod check_error;
mod embedded;
pub(super) mod grammar;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, convert::Infallible, fmt};

use narratoria_protocol::json_kind;
use serde_json::Value;

pub use check_error::ReferenceCheckError;
pub use embedded::{EmbeddedReference, embedded_references};
pub use grammar::REFERENCE_BYTES_MAX;

use super::{
    StepIdx,
    error::{join_names, quote},
};

/// Most bytes that references put into the input of one step, over all items of a loop. A reference is a few
/// characters, but its output may have a megabyte: without a sum, a plan of some kilobytes would fill any memory.
pub const FILLED_INPUT_BYTES_MAX: usize = 4 << 20;

/// A JSON value with references that are resolved when the step runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueTemplate {
    /// As written, with `$$` unescaped to `$`. The value at a slot is not used.
    pub(super) value: Value,
    pub(super) slots: Vec<ReferenceSlot>,
}

/// A place in a [`ValueTemplate`] that a reference fills.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceSlot {
    /// JSON pointer into the value; empty for the whole value.
    pub pointer: String,
    pub reference: Reference,
}

/// A reference such as `$roll.dice[0]`, with its step resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// As written, including the dollar.
    pub text: String,
    pub source: ReferenceSource,
    pub path: Vec<PathPart>,
}

/// The value at which a reference's path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceSource {
    /// Another step's output.
    Step(StepIdx),
    /// `$item`: the current item of the step's own `forEach`.
    Item,
    /// `$index`: the item's index, from 0.
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

impl fmt::Display for PathPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathPart::Key(key) => write!(f, ".{key}"),
            PathPart::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// The values that references read.
pub trait ReferenceScope {
    /// Returns the output of a step that has ended. `Err` says why there is none, such as `skipped (condition_false)`
    /// or
    /// `failed`.
    fn output(&self, step: StepIdx) -> Result<&Value, &'static str>;

    /// Returns the `toolId`, for messages.
    fn tool_id(&self, step: StepIdx) -> &str;

    /// Returns the current item and its index, within a `forEach`.
    fn item(&self) -> Option<(&Value, usize)>;
}

/// A reference that has no value at run time. People and planners read this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The step's output lacks this part.
    #[error("`{reference}` has no value: {what}")]
    Missing {
        reference: String,
        /// The members that the output has.
        what: String,
    },
    /// The step has no output. A reference to the whole step would give null; one to a part of it fails.
    #[error("`{reference}` has no value: step `{step}` {why}")]
    NoOutput {
        reference: String,
        step: String,
        /// Such as `was skipped (condition_false)`.
        why: String,
    },
    /// The references of an input give more bytes than it may have.
    #[error(
        "`{reference}` makes the input larger than {limit} bytes: refer to a part of the output, or to fewer of them"
    )]
    TooLarge { reference: String, limit: usize },
}

/// The rest of [`FILLED_INPUT_BYTES_MAX`].
#[derive(Debug)]
pub struct FillBudget(usize);

impl Default for FillBudget {
    fn default() -> FillBudget {
        FillBudget(FILLED_INPUT_BYTES_MAX)
    }
}

impl FillBudget {
    /// Takes the size of a value off. Returns false if it does not fit. Walks the value no further than the budget
    /// allows.
    fn take(&mut self, value: &Value) -> bool {
        let own = 8 + match value {
            Value::String(text) => text.len(),
            _ => 0,
        };
        let Some(left) = self.0.checked_sub(own) else { return false };
        self.0 = left;
        match value {
            Value::Array(items) => items.iter().all(|item| self.take(item)),
            Value::Object(fields) => fields.iter().all(|(name, field)| {
                let left = self.0.checked_sub(name.len());
                left.is_some_and(|left| {
                    self.0 = left;
                    self.take(field)
                })
            }),
            _ => true,
        }
    }
}

impl ValueTemplate {
    /// Creates a value without references.
    pub fn literal(value: Value) -> ValueTemplate {
        ValueTemplate { value, slots: Vec::new() }
    }

    /// Returns the value as written; a slot holds its reference's text.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the slots in the order of the text.
    pub fn slots(&self) -> &[ReferenceSlot] {
        &self.slots
    }

    /// Renumbers steps from text order to run order.
    pub(super) fn renumber_steps(&mut self, place_of: &[usize]) {
        for slot in &mut self.slots {
            if let ReferenceSource::Step(step) = &mut slot.reference.source {
                step.0 = place_of[step.0];
            }
        }
    }

    /// Fills every slot. A reference to a whole step without an output gives null (docs/plans.md, "References").
    pub fn fill(&self, scope: &dyn ReferenceScope) -> Result<Value, ReferenceError> {
        self.fill_within(scope, &mut FillBudget::default())
    }

    /// Does the same as [`ValueTemplate::fill`] for one of several inputs that share a budget.
    pub fn fill_within(
        &self,
        scope: &dyn ReferenceScope,
        budget: &mut FillBudget,
    ) -> Result<Value, ReferenceError> {
        self.fill_with(|reference| {
            let found = reference.locate(scope)?;
            match budget.take(&found) {
                true => Ok(found.into_owned()),
                false => Err(ReferenceError::TooLarge {
                    reference: reference.text.clone(),
                    limit: FILLED_INPUT_BYTES_MAX,
                }),
            }
        })
    }

    /// Fills every slot, with null if a reference has no value or one that is too large. A condition may exist to
    /// handle exactly that case.
    pub fn fill_or_null(&self, scope: &dyn ReferenceScope) -> Value {
        let mut budget = FillBudget::default();
        let mut known = |reference: &Reference| {
            let found = reference.locate(scope).ok().filter(|found| budget.take(found));
            found.map_or(Value::Null, Cow::into_owned)
        };
        let Ok(value) = self.fill_with(|reference| Ok::<_, Infallible>(known(reference)));
        value
    }

    fn fill_with<E>(
        &self,
        mut read: impl FnMut(&Reference) -> Result<Value, E>,
    ) -> Result<Value, E> {
        let mut value = self.value.clone();
        for slot in &self.slots {
            let found = read(&slot.reference)?;
            if let Some(place) = value.pointer_mut(&slot.pointer) {
                *place = found;
            }
        }
        Ok(value)
    }
}

impl Reference {
    /// Returns the value that the reference leads to, without a copy if possible.
    fn locate<'s>(&self, scope: &'s dyn ReferenceScope) -> Result<Cow<'s, Value>, ReferenceError> {
        let start = match self.source {
            ReferenceSource::Step(step) => match scope.output(step) {
                Ok(output) => output,
                Err(_) if self.path.is_empty() => return Ok(Cow::Owned(Value::Null)),
                Err(why) => {
                    return Err(ReferenceError::NoOutput {
                        reference: self.text.clone(),
                        step: scope.tool_id(step).to_owned(),
                        why: why.to_owned(),
                    });
                }
            },
            ReferenceSource::Item => scope.item().map_or(&Value::Null, |(item, _)| item),
            // A number has no parts.
            ReferenceSource::Index => {
                let index = Value::from(scope.item().map_or(0, |(_, index)| index));
                return match self.path.first() {
                    None => Ok(Cow::Owned(index)),
                    Some(part) => Err(ReferenceError::Missing {
                        reference: self.text.clone(),
                        what: missing_value_message(&index, part),
                    }),
                };
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
        Ok(Cow::Borrowed(at))
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
