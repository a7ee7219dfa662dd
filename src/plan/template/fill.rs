//! Template + arguments → plan.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    ParameterType, PlanTemplate, PlanTemplateError, TEMPLATE_VALUE_BYTES_MAX, TemplateParameter,
    placeholder::{PlaceholderError, PlanTemplatePart, StringRole, parse_parts, visit_strings},
};
use crate::{PlanJson, error::quote, parse};
use narratoria_protocol::{JsonBounds, nearest::nearest, read_json};

impl PlanTemplate {
    /// Fills every placeholder. Arguments are as typed: strings as they are, all other types as JSON. Checks the plan's
    /// schema; [`crate::Plan::build`] checks whether it can run.
    pub fn fill(
        &self,
        arguments: &BTreeMap<String, String>,
        new_id: String,
    ) -> Result<PlanJson, PlanTemplateError> {
        let values = self.values(arguments)?;
        let mut plan = self.plan.clone();
        visit_strings(&mut plan, &mut |role, place, value| {
            let Value::String(text) = value else { return Ok(()) };
            if let Some(filled) = fill_string(role, text, &values).map_err(|what| {
                PlanTemplateError::InvalidPlaceholder { place: quote(place), what }
            })? {
                *value = filled;
            }
            Ok(())
        })?;
        plan["requestId"] = json!(new_id);
        let text = serde_json::to_vec(&plan).expect("a plan has text keys and finite numbers");
        parse(&text).map_err(|errors| PlanTemplateError::InvalidPlan {
            template: self.name.clone(),
            errors,
        })
    }

    fn values(
        &self,
        arguments: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<&str, Value>, PlanTemplateError> {
        let known: Vec<String> = self.parameters.iter().map(|known| known.name.clone()).collect();
        if let Some(name) = arguments.keys().find(|name| !known.contains(name)) {
            let near = nearest(name, &known);
            let (template, name) = (self.name.clone(), quote(name));
            return Err(PlanTemplateError::UnknownParameter { template, name, near, known });
        }
        let (mut values, mut names) = (BTreeMap::new(), Vec::new());
        for parameter in &self.parameters {
            match (arguments.get(&parameter.name), &parameter.default) {
                (Some(text), _) => {
                    values.insert(parameter.name.as_str(), parse_argument(parameter, text)?);
                }
                (None, Some(default)) => {
                    values.insert(parameter.name.as_str(), default.clone());
                }
                (None, None) => names.push(parameter.name.clone()),
            }
        }
        if names.is_empty() {
            return Ok(values);
        }
        let (template, example) = (self.name.clone(), self.example(arguments));
        Err(PlanTemplateError::MissingParameters { template, names, example })
    }

    /// Returns a command with arguments for all missing parameters.
    fn example(&self, arguments: &BTreeMap<String, String>) -> String {
        let is_needed = |parameter: &&TemplateParameter| {
            parameter.default.is_none() && !arguments.contains_key(&parameter.name)
        };
        let missing = self.parameters.iter().filter(is_needed);
        let missing: Vec<String> =
            missing.map(|missing| format!("{}={}", missing.name, missing.kind.example())).collect();
        let given = if arguments.is_empty() { "" } else { "… " };
        format!("narratoria plan new --template {} {given}{}", self.name, missing.join(" "))
    }
}

const ARGUMENT_BOUNDS: JsonBounds = JsonBounds::of_bytes(TEMPLATE_VALUE_BYTES_MAX);

fn parse_argument(parameter: &TemplateParameter, text: &str) -> Result<Value, PlanTemplateError> {
    if text.len() > TEMPLATE_VALUE_BYTES_MAX {
        let (name, bytes) = (parameter.name.clone(), text.len());
        return Err(PlanTemplateError::ValueTooLong { name, bytes });
    }
    if parameter.kind == ParameterType::String {
        return Ok(Value::String(text.to_owned()));
    }
    let value = read_json(text.trim().as_bytes(), ARGUMENT_BOUNDS).ok();
    value.filter(|value| parameter.kind.accepts(value)).ok_or_else(|| {
        PlanTemplateError::WrongType {
            name: parameter.name.clone(),
            wanted: parameter.kind.description(),
            found: quote(text),
        }
    })
}

/// Fills a string. Returns `None` if it must stay as it is.
fn fill_string(
    role: StringRole,
    text: &str,
    values: &BTreeMap<&str, Value>,
) -> Result<Option<Value>, PlaceholderError> {
    if role == StringRole::Fixed {
        return Ok(None);
    }
    let parts = parse_parts(text)?;
    let value_of = |name: &str| {
        values.get(name).ok_or_else(|| PlaceholderError::Undeclared { name: name.to_owned() })
    };
    if let (StringRole::Input, [PlanTemplatePart::Placeholder(name)]) = (role, parts.as_slice()) {
        return Ok(Some(escape_value(value_of(name)?)));
    }
    let mut filled = String::new();
    for part in &parts {
        match part {
            PlanTemplatePart::Text(text) => filled.push_str(text),
            PlanTemplatePart::Placeholder(name) => match value_of(name)? {
                Value::String(text) => filled.push_str(text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    // A string that begins with an argument is literal, even if the argument begins with a dollar.
    if role == StringRole::Input && matches!(parts.first(), Some(PlanTemplatePart::Placeholder(_)))
    {
        filled = escape_dollar(&filled);
    }
    Ok(Some(Value::String(filled)))
}

/// Escapes strings so that the plan takes them literally.
fn escape_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(escape_dollar(text)),
        Value::Array(items) => Value::Array(items.iter().map(escape_value).collect()),
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(key, field)| (key.clone(), escape_value(field))).collect(),
        ),
        other => other.clone(),
    }
}

fn escape_dollar(text: &str) -> String {
    if text.starts_with('$') { format!("${text}") } else { text.to_owned() }
}
