//! Finds what an input takes from other steps: a whole string such as `$roll` or `$roll.dice[0]`
//! (DESIGN §4.1). `$$` at the start of a string is a literal dollar.

use serde_json::Value;

use super::StepIdx;
use crate::protocol::Object;

/// A JSON value in which some strings stand for something that is known only when the step runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueTemplate {
    /// As written, `$$` already made `$`. What stands in a hole is not used.
    pub(super) value: Value,
    pub(super) holes: Vec<Hole>,
}

/// A place to fill.
#[derive(Debug, Clone, PartialEq)]
pub struct Hole {
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
    pub source: Source,
    /// The way into it.
    pub path: Vec<PathPart>,
}

/// Where a reference starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
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

/// What references are filled from.
pub trait Scope {
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
        /// How far it leads, and what is there.
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
        ValueTemplate { value, holes: Vec::new() }
    }

    /// As written; holes hold their reference's text.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// In the order of the text.
    pub fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// Fills every hole. A whole step without an output fills it with null (DESIGN §4.3).
    pub fn fill(&self, scope: &dyn Scope) -> Result<Value, ReferenceError> {
        let mut value = self.value.clone();
        for hole in &self.holes {
            let found = hole.reference.read(scope)?;
            if let Some(place) = value.pointer_mut(&hole.pointer) {
                *place = found;
            }
        }
        Ok(value)
    }
}

impl Reference {
    /// The value that it leads to.
    pub fn read(&self, scope: &dyn Scope) -> Result<Value, ReferenceError> {
        let index;
        let start = match self.source {
            Source::Step(step) => match scope.output(step) {
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
            Source::Item => scope.item().map_or(&Value::Null, |(item, _)| item),
            Source::Index => {
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
                what: nothing_there(at, part),
            })?;
        }
        Ok(at.clone())
    }
}

fn nothing_there(at: &Value, part: &PathPart) -> String {
    match (at, part) {
        (Value::Object(fields), PathPart::Key(key)) => {
            let keys: Vec<&str> = fields.keys().take(12).map(String::as_str).collect();
            format!("there is no `{key}`, only `{}`", keys.join("`, `"))
        }
        (Value::Array(items), PathPart::Index(index)) => {
            format!("there is no item {index}, the list has {}", items.len())
        }
        (_, PathPart::Key(key)) => format!("`{key}` is asked of something that has no fields"),
        (_, PathPart::Index(index)) => {
            format!("item {index} is asked of something that is no list")
        }
    }
}

/// A place of an input that stands for a part of another step's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it stands: the keys and indices on the way from the input's top.
    pub(super) place: String,
    /// As written, dollar included.
    pub(super) text: String,
}

/// Turns each `$$…` into `$…`, and hands over the references that it met.
///
/// `$` and a letter or underscore is a reference whatever follows, so that a slip of the pen in one
/// is no text. Before anything else a dollar is an ordinary character, `$5` costs five dollars, unless a
/// step has that very name.
pub(super) fn unescape(input: &mut Object, is_step: impl Fn(&str) -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    for (key, value) in input.iter_mut() {
        walk(value, &mut format!(".{key}"), &is_step, &mut found);
    }
    found
}

fn walk(
    value: &mut Value,
    place: &mut String,
    is_step: &dyn Fn(&str) -> bool,
    found: &mut Vec<Found>,
) {
    let length = place.len();
    match value {
        Value::String(text) => {
            if text.starts_with("$$") {
                text.remove(0);
            } else if is_reference(text, is_step) {
                found.push(Found { place: place.clone(), text: text.clone() });
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                place.push_str(&format!("[{at}]"));
                walk(item, place, is_step, found);
                place.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                place.push('.');
                place.push_str(key);
                walk(field, place, is_step, found);
                place.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_reference(text: &str, is_step: &dyn Fn(&str) -> bool) -> bool {
    let Some(rest) = text.strip_prefix('$') else { return false };
    let name = rest.split(['.', '[']).next().unwrap_or(rest);
    rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') || is_step(name)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::unescape;

    #[track_caller]
    fn check(input: &str, after: &str, references: &str) {
        let Value::Object(mut input) = serde_json::from_str(input).unwrap() else {
            panic!("an input is an object")
        };
        let found: Vec<String> = unescape(&mut input, |id| id == "7")
            .into_iter()
            .map(|reference| format!("{} {}", reference.place, reference.text))
            .collect();
        assert_eq!(Value::Object(input).to_string(), after);
        assert_eq!(found.join(", "), references);
    }

    #[test]
    fn a_doubled_dollar_is_a_literal_one() {
        check(r#"{"a":"$$roll","b":"$$$"}"#, r#"{"a":"$roll","b":"$$"}"#, "");
    }

    #[test]
    fn a_dollar_without_a_name_or_within_a_string_is_text() {
        check(r#"{"a":"$5","b":"$","c":"5 $roll"}"#, r#"{"a":"$5","b":"$","c":"5 $roll"}"#, "");
    }

    #[test]
    fn a_step_may_be_called_by_a_number() {
        check(r#"{"a":"$7","b":"$7.x"}"#, r#"{"a":"$7","b":"$7.x"}"#, ".a $7, .b $7.x");
    }

    #[test]
    fn references_are_found_at_any_depth() {
        check(
            r#"{"a":"$roll.dice[0]","b":{"c":[1,"$_x"]}}"#,
            r#"{"a":"$roll.dice[0]","b":{"c":[1,"$_x"]}}"#,
            ".a $roll.dice[0], .b.c[1] $_x",
        );
    }
}
