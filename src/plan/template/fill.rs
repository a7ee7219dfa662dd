//! A template and some values → a plan.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Parameter, ParameterType, PlanTemplate, TEMPLATE_VALUE_BYTES_MAX, TemplateError,
    pieces::{Piece, PiecesError, Role, each_string, pieces},
};
use crate::{
    nearest::nearest,
    plan::{PlanJson, error::quote, parse},
    protocol::{DEPTH_MAX, nests_deeper_than},
};

impl PlanTemplate {
    /// Fills every placeholder. `arguments` are as typed: text as it is, everything else as JSON.
    /// The plan's shape is checked; whether it can run is [`crate::plan::Plan::build`]'s business.
    pub fn fill(
        &self,
        arguments: &BTreeMap<String, String>,
        new_id: String,
    ) -> Result<PlanJson, TemplateError> {
        let values = self.values(arguments)?;
        let mut plan = self.plan.clone();
        each_string(&mut plan, &mut |role, place, value| {
            let Value::String(text) = value else { return Ok(()) };
            if let Some(filled) = fill_string(role, text, &values)
                .map_err(|what| TemplateError::Placeholder { place: quote(place), what })?
            {
                *value = filled;
            }
            Ok(())
        })?;
        plan["requestId"] = json!(new_id);
        let text = serde_json::to_vec(&plan).expect("a plan has text keys and finite numbers");
        parse(&text).map_err(|errors| TemplateError::Plan { template: self.name.clone(), errors })
    }

    fn values(
        &self,
        arguments: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<&str, Value>, TemplateError> {
        let known: Vec<String> = self.parameters.iter().map(|known| known.name.clone()).collect();
        if let Some(name) = arguments.keys().find(|name| !known.contains(name)) {
            let near = nearest(name, &known);
            let (template, name) = (self.name.clone(), quote(name));
            return Err(TemplateError::Unknown { template, name, near, known });
        }
        let (mut values, mut names) = (BTreeMap::new(), Vec::new());
        for parameter in &self.parameters {
            match (arguments.get(&parameter.name), &parameter.default) {
                (Some(text), _) => {
                    values.insert(parameter.name.as_str(), read(parameter, text)?);
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
        Err(TemplateError::Missing { template, names, example })
    }

    /// A command that fills everything that must be filled.
    fn example(&self, arguments: &BTreeMap<String, String>) -> String {
        let is_needed = |parameter: &&Parameter| {
            parameter.default.is_none() && !arguments.contains_key(&parameter.name)
        };
        let missing = self.parameters.iter().filter(is_needed);
        let missing: Vec<String> =
            missing.map(|missing| format!("{}={}", missing.name, missing.kind.example())).collect();
        let given = if arguments.is_empty() { "" } else { "… " };
        format!("narratoria plan new --template {} {given}{}", self.name, missing.join(" "))
    }
}

fn read(parameter: &Parameter, text: &str) -> Result<Value, TemplateError> {
    if text.len() > TEMPLATE_VALUE_BYTES_MAX {
        let (name, bytes) = (parameter.name.clone(), text.len());
        return Err(TemplateError::ValueTooLong { name, bytes });
    }
    if parameter.kind == ParameterType::String {
        return Ok(Value::String(text.to_owned()));
    }
    let value = if nests_deeper_than(DEPTH_MAX, text.as_bytes()) {
        None
    } else {
        serde_json::from_str(text.trim()).ok()
    };
    value.filter(|value| parameter.kind.takes(value)).ok_or_else(|| TemplateError::WrongType {
        name: parameter.name.clone(),
        wanted: parameter.kind.described(),
        found: quote(text),
    })
}

/// None where there is nothing to fill.
fn fill_string(
    role: Role,
    text: &str,
    values: &BTreeMap<&str, Value>,
) -> Result<Option<Value>, PiecesError> {
    if role == Role::Fixed {
        return Ok(None);
    }
    let pieces = pieces(text)?;
    let value_of = |name: &str| {
        values.get(name).ok_or_else(|| PiecesError::Undeclared { name: name.to_owned() })
    };
    if let (Role::Input, [Piece::Name(name)]) = (role, pieces.as_slice()) {
        return Ok(Some(literal(value_of(name)?)));
    }
    let mut filled = String::new();
    for piece in &pieces {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Name(name) => match value_of(name)? {
                Value::String(text) => filled.push_str(text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    // What begins with a value is a literal, whatever the value begins with.
    if role == Role::Input && matches!(pieces.first(), Some(Piece::Name(_))) {
        filled = escaped(&filled);
    }
    Ok(Some(Value::String(filled)))
}

/// The value as a plan must write it so that it means itself.
fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(escaped(text)),
        Value::Array(items) => Value::Array(items.iter().map(literal).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, field)| (key.clone(), literal(field))).collect())
        }
        other => other.clone(),
    }
}

fn escaped(text: &str) -> String {
    if text.starts_with('$') { format!("${text}") } else { text.to_owned() }
}
