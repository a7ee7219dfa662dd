//! Plan templates (S2): a plan in which some values have names, to be filled in later. Pure.
//!
//! `${name}` stands for a parameter: as a whole string for its value, of whatever type, and within
//! a longer string for its text. `$${` is a literal `${`. Placeholders may stand in inputs and in
//! a `forEach`, and in what people read. A value that is filled in is always taken literally: it can become
//! neither a reference nor another placeholder.
//!
//! The JSON is `contracts/plan-template.schema.json`; version 1.

mod fill;
mod make;
mod placeholder;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PlanErrors, parse::PLAN_BYTES_MAX};
pub use placeholder::PlaceholderError;

/// Most parameters of a template: what a person still fills in by hand.
pub const TEMPLATE_PARAMETERS_MAX: usize = 32;

/// Longest name of a template or a parameter.
pub const TEMPLATE_NAME_BYTES_MAX: usize = 64;

/// Longest value on the command line, in bytes: a long page of text.
pub const TEMPLATE_VALUE_BYTES_MAX: usize = 1 << 16;

/// Largest template, in bytes: it is a plan and a few names.
pub const TEMPLATE_BYTES_MAX: usize = 2 * PLAN_BYTES_MAX;

/// The contract, as shipped.
pub const PLAN_TEMPLATE_JSON_SCHEMA: &str =
    include_str!("../../contracts/plan-template.schema.json");

/// A plan with parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanTemplate {
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// What can be filled in.
    #[serde(default)]
    pub parameters: Vec<TemplateParameter>,
    /// Plan JSON with placeholders, without an id and without lineage.
    pub plan: Value,
}

/// What can be filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateParameter {
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// What it must be.
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// Taken where nobody says otherwise. Without one the parameter must be given.
    #[serde(
        default,
        deserialize_with = "make::some_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub default: Option<Value>,
}

/// Types of JSON that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ParameterType {
    /// Text, as it is typed.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list, as JSON.
    Array,
    /// An object, as JSON.
    Object,
}

/// Why there is no template, or no plan from one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanTemplateError {
    /// Names are typed and are names of files.
    #[error(
        "`{name}` cannot be the name of a {of}; a name is 1 to {TEMPLATE_NAME_BYTES_MAX} lower-case letters, digits and `-`"
    )]
    InvalidName {
        /// As given.
        name: String,
        /// `template` or `parameter`.
        of: &'static str,
    },
    /// Two parameters could not be told apart.
    #[error("there are two parameters `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Nobody could say which one a value stands for.
    #[error("the parameters `{first}` and `{second}` stand for the same value")]
    DuplicateValue {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// Too many to fill in by hand.
    #[error("the template has {found} parameters, the limit is {limit}")]
    TooManyParameters {
        /// How many.
        found: usize,
        /// [`TEMPLATE_PARAMETERS_MAX`].
        limit: usize,
    },
    /// Refused before it is read.
    #[error("the template has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`TEMPLATE_BYTES_MAX`].
        limit: usize,
    },
    /// Not a template that this program could have written.
    #[error("the template cannot be read: {what}")]
    Unreadable {
        /// What is wrong with it.
        what: String,
    },
    /// The value stands nowhere in the plan.
    #[error("parameter `{name}`: `{value}` stands nowhere in the plan's inputs and texts")]
    ValueNotFound {
        /// The parameter.
        name: String,
        /// What it should have stood for.
        value: String,
    },
    /// Null has no type, and nothing can be typed for it.
    #[error("parameter `{name}` cannot stand for null")]
    NullValue {
        /// The parameter.
        name: String,
    },
    /// A placeholder that cannot be filled.
    #[error("{place}: {what}")]
    InvalidPlaceholder {
        /// Such as `plan.tools[0].input.dice`.
        place: String,
        /// What is wrong.
        what: PlaceholderError,
    },
    /// The template has no such parameter.
    #[error("template `{template}` has no parameter `{name}`")]
    UnknownParameter {
        /// Its name.
        template: String,
        /// As given.
        name: String,
        /// The nearest, if one is near.
        near: Option<String>,
        /// All that it has.
        known: Vec<String>,
    },
    /// A value of another type.
    #[error("parameter `{name}` must be {wanted}, `{found}` is not")]
    WrongType {
        /// The parameter.
        name: String,
        /// Such as `a whole number`.
        wanted: &'static str,
        /// As given.
        found: String,
    },
    /// More text than a parameter may have.
    #[error("parameter `{name}` has {bytes} bytes, the limit is {TEMPLATE_VALUE_BYTES_MAX}")]
    ValueTooLong {
        /// The parameter.
        name: String,
        /// Its size.
        bytes: usize,
    },
    /// Parameters without a value.
    #[error("template `{template}` still needs {}", listed(.names))]
    MissingParameters {
        /// Its name.
        template: String,
        /// All that are missing.
        names: Vec<String>,
        /// A command that fills them.
        example: String,
    },
    /// Filled in, but what comes of it is no plan.
    #[error("template `{template}` gives no plan:\n{errors}")]
    InvalidPlan {
        /// Its name.
        template: String,
        /// What is wrong with the plan.
        errors: PlanErrors,
    },
}

impl PlanTemplateError {
    /// The way out, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            PlanTemplateError::UnknownParameter { near: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            PlanTemplateError::UnknownParameter { known, .. } if !known.is_empty() => {
                Some(format!("it has {}", listed(known)))
            }
            PlanTemplateError::MissingParameters { example, .. } => {
                Some(format!("such as `{example}`"))
            }
            PlanTemplateError::ValueNotFound { .. } => {
                Some("text counts within texts, other values only as a whole".to_owned())
            }
            PlanTemplateError::InvalidPlan { errors, .. } => errors.hints().into_iter().next(),
            _ => None,
        }
    }
}

impl ParameterType {
    /// Of a value; null has none.
    pub fn of(value: &Value) -> Option<ParameterType> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(ParameterType::Boolean),
            Value::Number(number) if number.is_f64() => Some(ParameterType::Number),
            Value::Number(_) => Some(ParameterType::Integer),
            Value::String(_) => Some(ParameterType::String),
            Value::Array(_) => Some(ParameterType::Array),
            Value::Object(_) => Some(ParameterType::Object),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        let found = ParameterType::of(value);
        found == Some(self)
            || (self == ParameterType::Number && found == Some(ParameterType::Integer))
    }

    /// Whether it can stand within a longer text.
    fn is_text(self) -> bool {
        !matches!(self, ParameterType::Array | ParameterType::Object)
    }

    /// For messages.
    fn description(self) -> &'static str {
        match self {
            ParameterType::String => "text",
            ParameterType::Integer => "a whole number",
            ParameterType::Number => "a number",
            ParameterType::Boolean => "`true` or `false`",
            ParameterType::Array => "a list such as `[1, 2]`",
            ParameterType::Object => "an object such as `{\"key\": 1}`",
        }
    }

    fn example(self) -> &'static str {
        match self {
            ParameterType::String => "TEXT",
            ParameterType::Integer => "1",
            ParameterType::Number => "1.5",
            ParameterType::Boolean => "true",
            ParameterType::Array => "'[1, 2]'",
            ParameterType::Object => "'{\"key\": 1}'",
        }
    }
}

fn listed(names: &[String]) -> String {
    format!("`{}`", names.join("`, `"))
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= TEMPLATE_NAME_BYTES_MAX && name.bytes().all(fits)
}

/// Whether a template could be called so; a name that could not leads to no file either.
pub fn check_template_name(name: &str) -> Result<(), PlanTemplateError> {
    match is_name(name) {
        true => Ok(()),
        false => Err(PlanTemplateError::InvalidName { name: crate::quote(name), of: "template" }),
    }
}
