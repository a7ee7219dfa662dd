//! Parses `$roll.dice[0]` into a [`Reference`], and a JSON value into a [`ValueTemplate`].

use std::collections::HashMap;

use serde_json::Value;

use super::{
    PathPart, Reference, ReferenceCheckError, ReferenceSlot, ReferenceSource, ValueTemplate,
};
use crate::step_id::{StepIdx, TOOL_ID_BYTES_MAX};
use narratoria_protocol::{DEPTH_MAX, token_of_key};

/// Longest reference, in bytes. A path of a few fields has a few dozen.
pub const REFERENCE_BYTES_MAX: usize = 1024;

/// Most fields and indices of one reference. No output nests deeper.
const REFERENCE_PARTS_MAX: usize = DEPTH_MAX;

/// Names that a reference may use.
#[derive(Clone, Copy)]
pub(crate) struct ReferenceNames<'a> {
    /// Indices in the text.
    pub(crate) by_id: &'a HashMap<&'a str, usize>,
    /// The step that holds the reference.
    pub(crate) own: usize,
    /// True if `$item` and `$index` have a meaning.
    pub(crate) in_loop: bool,
}

/// A malformed reference.
#[derive(Debug)]
pub(crate) struct InvalidReference {
    pub(crate) pointer: String,
    pub(crate) text: String,
    pub(crate) why: ReferenceCheckError,
}

/// Unescapes each `$$…` to `$…`, and turns each reference into a slot.
pub(crate) fn parse_template(
    mut value: Value,
    names: ReferenceNames<'_>,
    invalid: &mut Vec<InvalidReference>,
) -> ValueTemplate {
    let mut collector =
        ReferenceCollector { names, pointer: String::new(), slots: Vec::new(), invalid };
    collector.visit(&mut value);
    let slots = collector.slots;
    ValueTemplate { value, slots }
}

struct ReferenceCollector<'a> {
    names: ReferenceNames<'a>,
    pointer: String,
    slots: Vec<ReferenceSlot>,
    invalid: &'a mut Vec<InvalidReference>,
}

impl ReferenceCollector<'_> {
    fn visit(&mut self, value: &mut Value) {
        let length = self.pointer.len();
        match value {
            Value::String(text) if text.starts_with("$$") => {
                text.remove(0);
            }
            Value::String(text) => {
                let pointer = self.pointer.clone();
                match read(text, self.names) {
                    Ok(None) => {}
                    Ok(Some(reference)) => self.slots.push(ReferenceSlot { pointer, reference }),
                    Err(why) => {
                        self.invalid.push(InvalidReference { pointer, text: text.clone(), why })
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.pointer.push_str(&format!("/{at}"));
                    self.visit(item);
                    self.pointer.truncate(length);
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    self.pointer.push('/');
                    self.pointer.push_str(&token_of_key(key));
                    self.visit(field);
                    self.pointer.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Parses a whole string. Returns `None` if it is ordinary text.
///
/// A dollar before a letter or an underscore always begins a reference, so that a typo is an error and not text. Before
/// other characters a dollar is ordinary, as in `$5`, unless a step has exactly that name.
pub(crate) fn read(
    text: &str,
    names: ReferenceNames<'_>,
) -> Result<Option<Reference>, ReferenceCheckError> {
    let Some(rest) = text.strip_prefix('$').filter(|rest| !rest.starts_with('$')) else {
        return Ok(None);
    };
    let word = &rest[..rest.find(['.', '[']).unwrap_or(rest.len())];
    let step = longest_id(rest, names.by_id);
    let own = match word {
        "item" if names.in_loop => Some(ReferenceSource::Item),
        "index" if names.in_loop => Some(ReferenceSource::Index),
        _ => None,
    };
    let begins_like_one = rest.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    if step.is_none() && own.is_none() && !begins_like_one {
        return Ok(None);
    }
    if text.len() > REFERENCE_BYTES_MAX {
        let (bytes, limit) = (text.len(), REFERENCE_BYTES_MAX);
        return Err(ReferenceCheckError::TooLong { bytes, limit });
    }
    let (source, head) = match (own, step) {
        (Some(_), Some((id, _))) => {
            let (word, step) = (word.to_owned(), id.to_owned());
            return Err(ReferenceCheckError::Ambiguous { word, step });
        }
        (Some(own), None) => (own, word),
        (None, Some((_, step))) if step == names.own => {
            return Err(ReferenceCheckError::SelfReference);
        }
        (None, Some((id, step))) => (ReferenceSource::Step(StepIdx(step)), id),
        (None, None) => {
            return Err(ReferenceCheckError::UnknownStep { step: word.to_owned(), near: None });
        }
    };
    let path = parse_path(&rest[head.len()..])?;
    Ok(Some(Reference { text: text.to_owned(), source, path }))
}

/// Returns the longest id at the beginning, because ids may contain dots, so that several may match.
fn longest_id<'t>(rest: &'t str, by_id: &HashMap<&str, usize>) -> Option<(&'t str, usize)> {
    let ends = rest.char_indices().filter(|(_, char)| ['.', '['].contains(char)).map(|(at, _)| at);
    let ends: Vec<usize> =
        ends.take_while(|end| *end <= TOOL_ID_BYTES_MAX).chain([rest.len()]).collect();
    ends.into_iter().rev().find_map(|end| {
        let id = &rest[..end];
        by_id.get(id).map(|step| (id, *step))
    })
}

/// Parses `.total[0]`. Names contain any characters but `.` and `[`; indices count from 0.
fn parse_path(text: &str) -> Result<Vec<PathPart>, ReferenceCheckError> {
    let malformed = |what: String| ReferenceCheckError::Malformed { what };
    let mut path = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (key, left) = after.split_at(end);
            if key.is_empty() {
                return Err(malformed("after `.` comes the name of a field".to_owned()));
            }
            path.push(PathPart::Key(key.to_owned()));
            rest = left;
        } else if let Some(after) = rest.strip_prefix('[') {
            let Some((digits, left)) = after.split_once(']') else {
                return Err(malformed("a `[` is not closed".to_owned()));
            };
            let is_index = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let Some(index) = is_index.then(|| digits.parse().ok()).flatten() else {
                let why = "between `[` and `]` stands the number of an item, counted from 0";
                return Err(malformed(why.to_owned()));
            };
            path.push(PathPart::Index(index));
            rest = left;
        } else {
            return Err(malformed("after `]` comes `.`, `[` or the end".to_owned()));
        }
    }
    if path.len() > REFERENCE_PARTS_MAX {
        let (parts, limit) = (path.len(), REFERENCE_PARTS_MAX);
        return Err(ReferenceCheckError::TooDeep { parts, limit });
    }
    Ok(path)
}
