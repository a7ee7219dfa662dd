//! The little language of a template's strings, and where in a plan it is spoken.

use serde_json::Value;

use super::is_name;
use crate::error::quote;

/// One part of a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlanTemplatePart<'a> {
    /// As it stands, `$${` already made `${`.
    Text(&'a str),
    /// `${name}`.
    Placeholder(&'a str),
}

/// A string of a template that cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// `${` without `}`, or with something else than a name.
    #[error("`{found}` is no placeholder, which is `${{name}}`; `$${{` stands for `${{` itself")]
    Malformed {
        /// From the `${` on.
        found: String,
    },
    /// A name that the template does not declare.
    #[error("`${{{name}}}` names no parameter of the template")]
    Undeclared {
        /// The name.
        name: String,
    },
    /// Lists and objects are no text.
    #[error("`${{{name}}}` is a list or an object and cannot stand within a text")]
    NotText {
        /// The name.
        name: String,
    },
    /// Which steps a plan reads must not depend on what is filled in.
    #[error("`{found}` begins as a reference and cannot have placeholders")]
    InReference {
        /// As written.
        found: String,
    },
    /// Anywhere else a value would be more than a value.
    #[error("placeholders may stand only in `input`, `forEach` and in what people read")]
    Misplaced,
}

/// Takes a string apart.
pub(super) fn parse_parts(text: &str) -> Result<Vec<PlanTemplatePart<'_>>, PlaceholderError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(before) = before.strip_suffix('$') {
            pieces.extend([PlanTemplatePart::Text(before), PlanTemplatePart::Text("${")]);
            rest = &from[2..];
            continue;
        }
        let name = from[2..].split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, after)) = name else {
            return Err(PlaceholderError::Malformed { found: quote(from) });
        };
        pieces.extend([PlanTemplatePart::Text(before), PlanTemplatePart::Placeholder(name)]);
        rest = after;
    }
    pieces.push(PlanTemplatePart::Text(rest));
    pieces.retain(|piece| *piece != PlanTemplatePart::Text(""));
    Ok(pieces)
}

/// What a string is to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    /// A leading dollar means something.
    Input,
    /// Nothing means anything.
    Prose,
    /// Must stay as it is.
    Fixed,
}

/// Calls `visit` with each string of a plan, with its place, and puts what it gives in its stead.
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

/// Visits a value before what is in it; what a visit puts in its stead is not visited again.
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
                visit_value(role, &format!("{place}.{key}"), field, visit)?;
            }
        }
        _ => {}
    }
    Ok(())
}
