//! Creates templates from plans and from JSON.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    ParameterType, PlanTemplate, PlanTemplateError, TEMPLATE_BYTES_MAX, TEMPLATE_PARAMETERS_MAX,
    TemplateParameter, is_name,
    placeholder::{PlaceholderError, PlanTemplatePart, StringRole, parse_parts, visit_strings},
};
use crate::{PlanJson, error::quote, record::VERSION_KEY};
use narratoria_protocol::{DEPTH_MAX, JsonBounds, StrictJsonError, read_json_as};

/// Reads null as a value, so that the type check refuses it.
pub(super) fn some_value<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl PlanTemplate {
    /// Replaces each value of `parameters` by its placeholder: in inputs as a whole value, and if it is text, also within
    /// other texts. References stay. The parameters have no defaults; a caller may add them.
    pub fn from_plan(
        name: &str,
        json: &PlanJson,
        parameters: &[(String, Value)],
    ) -> Result<PlanTemplate, PlanTemplateError> {
        let declared = parameters.iter().map(|(name, value)| declare_parameter(name, value));
        let mut template = PlanTemplate {
            schema: None,
            comment: None,
            name: name.to_owned(),
            description: json.narrative.clone().unwrap_or_default(),
            parameters: declared.collect::<Result<_, _>>()?,
            plan: without_lineage(json),
        };
        template.check_names()?;
        for (at, (name, value)) in parameters.iter().enumerate() {
            if let Some((first, _)) = parameters[..at].iter().find(|(_, other)| other == value) {
                let (first, second) = (first.clone(), name.clone());
                return Err(PlanTemplateError::DuplicateValue { first, second });
            }
        }
        let mut used = BTreeSet::new();
        let named: Result<(), PlanTemplateError> =
            visit_strings(&mut template.plan, &mut |role, _, value| {
                insert_placeholders(role, value, parameters, &mut used);
                Ok(())
            });
        named?;
        if let Some((name, value)) =
            parameters.iter().find(|(name, _)| !used.contains(name.as_str()))
        {
            let value = quote(&value.to_string());
            return Err(PlanTemplateError::ValueNotFound { name: name.clone(), value });
        }
        template.check()?;
        Ok(template)
    }

    /// Parses a template, and checks that every placeholder can be filled.
    pub fn parse(text: &[u8]) -> Result<PlanTemplate, PlanTemplateError> {
        let unreadable = |what: String| PlanTemplateError::Unreadable { what };
        // The plan lies one level below the template.
        let bounds = JsonBounds::of_bytes(TEMPLATE_BYTES_MAX).with_depth(DEPTH_MAX + 1);
        let template: PlanTemplate = read_json_as(text, bounds).map_err(|error| match error {
            StrictJsonError::TooLong { bytes, limit } => {
                PlanTemplateError::TooLarge { bytes, limit }
            }
            error => unreadable(error.to_string()),
        })?;
        template.check()?;
        Ok(template)
    }

    /// JSON as in `contracts/plan-template.schema.json`.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("a template has text keys and finite numbers")
    }

    fn check_names(&self) -> Result<(), PlanTemplateError> {
        if !is_name(&self.name) {
            return Err(PlanTemplateError::InvalidName { name: quote(&self.name), of: "template" });
        }
        let (found, limit) = (self.parameters.len(), TEMPLATE_PARAMETERS_MAX);
        if found > limit {
            return Err(PlanTemplateError::TooManyParameters { found, limit });
        }
        let mut seen = BTreeSet::new();
        for TemplateParameter { name, .. } in &self.parameters {
            if !is_name(name) {
                return Err(PlanTemplateError::InvalidName { name: quote(name), of: "parameter" });
            }
            if !seen.insert(name) {
                return Err(PlanTemplateError::DuplicateName { name: name.clone() });
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), PlanTemplateError> {
        self.check_names()?;
        for parameter in &self.parameters {
            if let Some(default) = parameter.default.as_ref()
                && !parameter.kind.accepts(default)
            {
                return Err(PlanTemplateError::WrongType {
                    name: parameter.name.clone(),
                    wanted: parameter.kind.description(),
                    found: quote(&default.to_string()),
                });
            }
        }
        if !self.plan.is_object() {
            return Err(PlanTemplateError::Unreadable { what: "`plan` is no object".to_owned() });
        }
        visit_strings(&mut self.plan.clone(), &mut |role, place, value| {
            let Value::String(text) = value else { return Ok(()) };
            self.check_string(role, text)
                .map_err(|what| PlanTemplateError::InvalidPlaceholder { place: quote(place), what })
        })
    }

    fn check_string(&self, role: StringRole, text: &str) -> Result<(), PlaceholderError> {
        if role == StringRole::Fixed {
            // Text that only looks like a placeholder names no parameter, and stays.
            let is_ours = |name: &str| self.parameters.iter().any(|p| p.name == name);
            let named = parse_parts(text).into_iter().flatten();
            let mut ours = named.filter(
                |part| matches!(part, PlanTemplatePart::Placeholder(name) if is_ours(name)),
            );
            return if ours.next().is_some() { Err(PlaceholderError::Misplaced) } else { Ok(()) };
        }
        let parts = parse_parts(text)?;
        let is_whole = parts.len() == 1;
        for part in &parts {
            let PlanTemplatePart::Placeholder(name) = part else { continue };
            let parameter = self.parameters.iter().find(|parameter| parameter.name == *name);
            let Some(parameter) = parameter else {
                return Err(PlaceholderError::Undeclared { name: (*name).to_owned() });
            };
            if !parameter.kind.is_text() && (!is_whole || role == StringRole::Prose) {
                return Err(PlaceholderError::NotText { name: (*name).to_owned() });
            }
        }
        let has_names = parts.iter().any(|part| matches!(part, PlanTemplatePart::Placeholder(_)));
        let is_reference =
            text.starts_with('$') && !text.starts_with("$$") && !text.starts_with("${");
        if role == StringRole::Input && has_names && is_reference {
            return Err(PlaceholderError::InReference { found: quote(text) });
        }
        Ok(())
    }
}

fn declare_parameter(name: &str, value: &Value) -> Result<TemplateParameter, PlanTemplateError> {
    let kind = ParameterType::of(value);
    Ok(TemplateParameter {
        name: name.to_owned(),
        description: match value {
            Value::String(text) => format!("such as {}", quote(text)),
            other => format!("such as {}", quote(&other.to_string())),
        },
        kind: kind.ok_or_else(|| PlanTemplateError::NullValue { name: quote(name) })?,
        default: None,
    })
}

fn without_lineage(json: &PlanJson) -> Value {
    let mut plan = serde_json::to_value(json).expect("a plan has text keys and finite numbers");
    if let Value::Object(fields) = &mut plan {
        fields.remove("requestId");
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            for lineage in ["generationAttempt", "parentPlanId", VERSION_KEY] {
                metadata.remove(lineage);
            }
            if metadata.is_empty() {
                fields.remove("metadata");
            }
        }
    }
    plan
}

/// Replaces a value, or pieces of a text, by placeholders.
fn insert_placeholders<'a>(
    role: StringRole,
    value: &mut Value,
    parameters: &'a [(String, Value)],
    used: &mut BTreeSet<&'a str>,
) {
    if role == StringRole::Fixed {
        return;
    }
    let Value::String(text) = value else {
        let found =
            parameters.iter().find(|(_, other)| role == StringRole::Input && other == value);
        if let Some((name, _)) = found {
            used.insert(name);
            *value = Value::String(format!("${{{name}}}"));
        }
        return;
    };
    if role == StringRole::Prose {
        *text = text_with_placeholders(text, parameters, used);
        return;
    }
    let plain = match text.strip_prefix('$') {
        // A doubled dollar is an escaped one. A single dollar begins a reference or is a price.
        Some(plain) if plain.starts_with('$') => plain,
        Some(_) => {
            *text = text.replace("${", "$${");
            return;
        }
        None => text.as_str(),
    };
    let whole = parameters.iter().find(|(_, other)| other.as_str() == Some(plain));
    *text = match whole {
        Some((name, _)) => {
            used.insert(name);
            format!("${{{name}}}")
        }
        None => {
            let named = text_with_placeholders(plain, parameters, used);
            // A string that begins with a placeholder is literal anyway.
            let is_escaped = plain.len() < text.len() && !named.starts_with("${");
            if is_escaped { format!("${named}") } else { named }
        }
    };
}

/// Inserts placeholders into a text. At each position the longest matching value wins. After a dollar no placeholder is
/// inserted, because `$${` would be an escape.
fn text_with_placeholders<'a>(
    text: &str,
    parameters: &'a [(String, Value)],
    used: &mut BTreeSet<&'a str>,
) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let here = parameters
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?)))
            .filter(|(_, value)| !value.is_empty() && rest.starts_with(value))
            .max_by_key(|(_, value)| value.len())
            .filter(|_| !named.ends_with('$'));
        if let Some((name, value)) = here {
            used.insert(name);
            named.push_str(&format!("${{{name}}}"));
            rest = &rest[value.len()..];
        } else if let Some(after) = rest.strip_prefix("${") {
            named.push_str("$${");
            rest = after;
        } else {
            named.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    named
}
