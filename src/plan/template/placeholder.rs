//! The placeholder syntax of a template's strings, and the places in a plan where it applies.

use serde_json::Value;

use super::is_name;
use crate::error::quote;

/// One part of a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlanTemplatePart<'a> {
    /// Literal text, with `$${` unescaped to `${`.
    Text(&'a str),
    /// `${name}`.
    Placeholder(&'a str),
}

/// Why a string of a template cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// `${` without `}`, or with invalid characters between.
    #[error("`{found}` is no placeholder, which is `${{name}}`; `$${{` stands for `${{` itself")]
    Malformed {
        /// The text from the `${` on.
        found: String,
    },
    #[error("`${{{name}}}` names no parameter of the template")]
    Undeclared { name: String },
    #[error("`${{{name}}}` is a list or an object and cannot stand within a text")]
    NotText { name: String },
    /// An argument must not decide which step a plan reads.
    #[error("`{found}` begins as a reference and cannot have placeholders")]
    InReference { found: String },
    /// In other places an argument could change what the plan does.
    #[error("placeholders may stand only in `input`, `forEach` and in what people read")]
    Misplaced,
}

pub(super) fn parse_parts(text: &str) -> Result<Vec<PlanTemplatePart<'_>>, PlaceholderError> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(before) = before.strip_suffix('$') {
            parts.extend([PlanTemplatePart::Text(before), PlanTemplatePart::Text("${")]);
            rest = &from[2..];
            continue;
        }
        let name = from[2..].split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, after)) = name else {
            return Err(PlaceholderError::Malformed { found: quote(from) });
        };
        parts.extend([PlanTemplatePart::Text(before), PlanTemplatePart::Placeholder(name)]);
        rest = after;
    }
    parts.push(PlanTemplatePart::Text(rest));
    parts.retain(|part| *part != PlanTemplatePart::Text(""));
    Ok(parts)
}

/// The role of a string in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    /// Part of an input, where a leading dollar has a meaning.
    Input,
    /// Text for people, without syntax.
    Prose,
    /// Any other string, which must not change.
    Fixed,
}

/// Calls `visit` with the role, the place and the value of each part of a plan. `visit` may replace the value.
pub(super) fn visit_strings<E>(
    plan: &mut Value,
    visit: &mut dyn FnMut(StringRole, &str, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let Value::Object(fields) = plan else { return Ok(()) };
    for (key, field) in fields.iter_mut() {
        let place = format!("plan.{key}");
        match (key.as_str(), field) {
            ("tools", Value::Array(tools)) => {
                for (at, tool) in tools.iter_mut().enumerate() {
                    let Value::Object(fields) = tool else { continue };
                    for (key, field) in fields.iter_mut() {
                        let place = format!("{place}[{at}].{key}");
                        visit_value(string_role(key), &place, field, visit)?;
                    }
                }
            }
            (key, field) => {
                let role = if key == "narrative" { StringRole::Prose } else { StringRole::Fixed };
                visit_value(role, &place, field, visit)?;
            }
        }
    }
    Ok(())
}

fn string_role(key: &str) -> StringRole {
    match key {
        "input" | "forEach" => StringRole::Input,
        "description" | "reason" | "instructions" | "acceptanceCriteria" => StringRole::Prose,
        _ => StringRole::Fixed,
    }
}

/// Visits a value before its parts. A replacement is not visited again.
fn visit_value<E>(
    role: StringRole,
    place: &str,
    value: &mut Value,
    visit: &mut dyn FnMut(StringRole, &str, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let was_container = value.is_array() || value.is_object();
    visit(role, place, value)?;
    if !was_container {
        return Ok(());
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                visit_value(role, &format!("{place}[{at}]"), item, visit)?;
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                // The rule of an acceptance criterion is code, although it stands beside prose.
                let is_rule =
                    role == StringRole::Prose && matches!(key.as_str(), "expect" | "holds");
                let role = if is_rule { StringRole::Fixed } else { role };
                visit_value(role, &format!("{place}.{key}"), field, visit)?;
            }
        }
        _ => {}
    }
    Ok(())
}
