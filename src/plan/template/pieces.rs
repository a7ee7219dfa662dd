//! The little language of a template's strings, and where in a plan it is spoken.

use serde_json::Value;

use super::is_name;
use crate::plan::error::quote;

/// One part of a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// As it stands, `$${` already made `${`.
    Text(&'a str),
    /// `${name}`.
    Name(&'a str),
}

/// A string of a template that cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PiecesError {
    /// `${` without `}`, or with something else than a name.
    #[error("`{found}` is no placeholder, which is `${{name}}`; `$${{` stands for `${{` itself")]
    NoName {
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
    NoText {
        /// The name.
        name: String,
    },
    /// Which steps a plan reads must not depend on what is filled in.
    #[error("`{found}` begins as a reference and cannot have placeholders")]
    Reference {
        /// As written.
        found: String,
    },
    /// Anywhere else a value would be more than a value.
    #[error("placeholders may stand only in `input`, `forEach` and in what people read")]
    Place,
}

/// Takes a string apart.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, PiecesError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(before) = before.strip_suffix('$') {
            pieces.extend([Piece::Text(before), Piece::Text("${")]);
            rest = &from[2..];
            continue;
        }
        let name = from[2..].split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, after)) = name else {
            return Err(PiecesError::NoName { found: quote(from) });
        };
        pieces.extend([Piece::Text(before), Piece::Name(name)]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    Ok(pieces)
}

/// What a string is to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A leading dollar means something.
    Input,
    /// Nothing means anything.
    Prose,
    /// Must stay as it is.
    Fixed,
}

/// Calls `visit` with each string of a plan, with its place, and puts what it gives in its stead.
pub(super) fn each_string<E>(
    plan: &mut Value,
    visit: &mut dyn FnMut(Role, &str, &mut Value) -> Result<(), E>,
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
                        walk(role(key), &place, field, visit)?;
                    }
                }
            }
            (key, field) => {
                let role = if key == "narrative" { Role::Prose } else { Role::Fixed };
                walk(role, &place, field, visit)?;
            }
        }
    }
    Ok(())
}

fn role(key: &str) -> Role {
    match key {
        "input" | "forEach" => Role::Input,
        "description" | "reason" | "instructions" | "acceptanceCriteria" => Role::Prose,
        _ => Role::Fixed,
    }
}

/// Visits a value before what is in it; what a visit puts in its stead is not visited again.
fn walk<E>(
    role: Role,
    place: &str,
    value: &mut Value,
    visit: &mut dyn FnMut(Role, &str, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let was_container = value.is_array() || value.is_object();
    visit(role, place, value)?;
    if !was_container {
        return Ok(());
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                walk(role, &format!("{place}[{at}]"), item, visit)?;
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                walk(role, &format!("{place}.{key}"), field, visit)?;
            }
        }
        _ => {}
    }
    Ok(())
}
