//! Plan templates (S2): plans with named parameters. Pure.
//!
//! `${name}` stands for a parameter. As a whole string it gives the value, of any type; within a longer string it gives
//! the value's text. `$${` is a literal `${`. Placeholders may stand in inputs, in `forEach` and in texts for people.
//! An argument is always literal: it becomes neither a reference nor another placeholder.
//!
//! The JSON is `contracts/plan-template.schema.json`, version 1.

mod fill;
mod make;
mod placeholder;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PlanErrors, parse::PLAN_BYTES_MAX};
use narratoria_protocol::nearest::nearest;
pub use placeholder::PlaceholderError;

/// Most parameters of a template. A person fills them in by hand.
const TEMPLATE_PARAMETERS_MAX: usize = 32;

/// Longest name of a template or a parameter.
const TEMPLATE_NAME_BYTES_MAX: usize = 64;

/// Longest argument, in bytes: a long page of text.
const TEMPLATE_VALUE_BYTES_MAX: usize = 1 << 16;

/// Largest template, in bytes: a plan and a few parameters.
pub const TEMPLATE_BYTES_MAX: usize = 2 * PLAN_BYTES_MAX;

/// A plan with parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanTemplate {
    /// For editors; not read.
    #[serde(default, rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// For people; kept as it is.
    #[serde(default, rename = "$comment", skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub parameters: Vec<TemplateParameter>,
    /// Plan JSON with placeholders, without id and lineage.
    pub plan: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateParameter {
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// Used if no argument is given. A parameter without a default is required.
    #[serde(
        default,
        deserialize_with = "make::some_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub default: Option<Value>,
}

/// JSON types that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ParameterType {
    /// Text, as typed.
    String,
    Integer,
    Number,
    Boolean,
    /// Typed as JSON.
    Array,
    /// Typed as JSON.
    Object,
}

/// Why a template is refused, or cannot become a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanTemplateError {
    /// People type names, and names become file names.
    #[error(
        "`{name}` cannot be the name of a {of}; a name is 1 to {TEMPLATE_NAME_BYTES_MAX} lower-case letters, digits and `-`"
    )]
    InvalidName {
        name: String,
        /// `template` or `parameter`.
        of: &'static str,
    },
    #[error("there are two parameters `{name}`")]
    DuplicateName { name: String },
    /// It would be ambiguous which parameter replaces the value.
    #[error("the parameters `{first}` and `{second}` stand for the same value")]
    DuplicateValue { first: String, second: String },
    #[error("the template has {found} parameters, the limit is {limit}")]
    TooManyParameters {
        found: usize,
        /// [`TEMPLATE_PARAMETERS_MAX`].
        limit: usize,
    },
    /// Refused before parsing.
    #[error("the template has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        bytes: usize,
        /// [`TEMPLATE_BYTES_MAX`].
        limit: usize,
    },
    /// This program never writes such a template. Also for a template with a duplicate key.
    #[error("the template cannot be read: {what}")]
    Unreadable { what: String },
    #[error("parameter `{name}`: `{value}` stands nowhere in the plan's inputs and texts")]
    ValueNotFound { name: String, value: String },
    /// Null has no type, and an argument could not express it.
    #[error("parameter `{name}` cannot stand for null")]
    NullValue { name: String },
    #[error("{place}: {what}")]
    InvalidPlaceholder {
        /// Such as `plan.tools[0].input.dice`.
        place: String,
        what: PlaceholderError,
    },
    #[error("template `{template}` has no parameter `{name}`")]
    UnknownParameter { template: String, name: String, near: Option<String>, known: Vec<String> },
    #[error("parameter `{name}` must be {wanted}, `{found}` is not")]
    WrongType {
        name: String,
        /// Such as `a whole number`.
        wanted: &'static str,
        found: String,
    },
    #[error("parameter `{name}` has {bytes} bytes, the limit is {TEMPLATE_VALUE_BYTES_MAX}")]
    ValueTooLong { name: String, bytes: usize },
    #[error("template `{template}` still needs {}", listed(.names))]
    MissingParameters {
        template: String,
        names: Vec<String>,
        /// A command with arguments for them.
        example: String,
    },
    /// The filled template is not a valid plan.
    #[error("template `{template}` gives no plan:\n{errors}")]
    InvalidPlan { template: String, errors: PlanErrors },
}

impl PlanTemplateError {
    /// Returns hints for the person.
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
            PlanTemplateError::Unreadable { what } => field_meant(what),
            _ => None,
        }
    }
}

impl ParameterType {
    /// Returns `None` for null.
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

    /// Returns true if a placeholder of this type can stand within a longer text.
    fn is_text(self) -> bool {
        !matches!(self, ParameterType::Array | ParameterType::Object)
    }

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

/// Returns a hint for serde's message about an unknown field, which names that field and then the known ones, each in
/// backticks.
fn field_meant(what: &str) -> Option<String> {
    let mut quoted = what.strip_prefix("unknown field")?.split('`').skip(1).step_by(2);
    let field = quoted.next()?;
    let known: Vec<String> = quoted.filter(|it| !it.starts_with('$')).map(str::to_owned).collect();
    Some(match nearest(field, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known fields: {}", listed(&known)),
    })
}

fn listed(names: &[String]) -> String {
    format!("`{}`", names.join("`, `"))
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= TEMPLATE_NAME_BYTES_MAX && name.bytes().all(fits)
}

/// Checks a template's name. A valid name never leads out of the template folder.
pub fn check_template_name(name: &str) -> Result<(), PlanTemplateError> {
    match is_name(name) {
        true => Ok(()),
        false => Err(PlanTemplateError::InvalidName { name: crate::quote(name), of: "template" }),
    }
}
