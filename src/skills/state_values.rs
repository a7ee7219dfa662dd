//! Values that an input schema draws from the story's state: `"valuesFrom": "/world/scope/targets"` on a part that takes
//! a text allows the texts of that list, or the keys of that object, and nothing else. Pure.
//!
//! For one state the keyword becomes an `enum` ([`bind`]), so that every reader of a schema agrees on what it means.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use narratoria_protocol::{
    Object, STATE_RESERVED_KEY, nearest::nearest, pointer_tokens, token_of_key, visible::clip,
};

/// The keyword.
pub const VALUES_FROM: &str = "valuesFrom";

/// The keyword beside it for a part that takes any text in a state that has no such list: a story without a world.
pub const OPEN_WITHOUT_LIST: &str = "openWithoutList";

/// Marks a part of an input that a plan fills with another step's output: no model writes it.
pub const REFERENCE_ONLY: &str = "referenceOnly";

/// The keyword's name in a document with the values of one state.
pub const VALUES_BOUND_TO: &str = "x-valuesBoundTo";

/// Most parts of one schema that draw values from the state. Scripts have a few inputs.
pub const VALUE_SOURCES_MAX: usize = 32;

/// Longest pointer of a `valuesFrom`, as long as those of `reads`.
pub const VALUES_POINTER_BYTES_MAX: usize = 500;

/// Most values of one list that count, in the order of the list. A place with more names in scope overwhelms the player.
pub const STATE_VALUES_MAX: usize = 256;

/// Longest value that counts. It is a name.
pub const STATE_VALUE_BYTES_MAX: usize = 200;

/// Most bytes of the values of one list that count. A model's prompt and grammar hold them.
pub const STATE_VALUES_BYTES_MAX: usize = 16 << 10;

/// Most near values in a message, and most values that it lists if none is near.
const NEAR_MAX: usize = 3;
const LISTED_MAX: usize = 8;

/// Longest text that is searched for typing mistakes.
const SLIPS_BYTES_MAX: usize = 64;

/// Longest quotation of a value in a message.
const QUOTE_CHARS_MAX: usize = 80;

/// The keywords under which a schema has schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// The keywords under which it has a list of schemas.
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// The keywords under which it has one schema.
const SINGLE: [&str; 5] =
    ["items", "additionalProperties", "contains", "unevaluatedItems", "unevaluatedProperties"];
/// The keywords whose schema the value need not meet: a list of what exists would mean something else there.
const CONDITIONAL: [&str; 5] = ["not", "if", "then", "else", "propertyNames"];

/// A part of a schema that draws its values from the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSource {
    /// JSON pointer to the part of the schema.
    pub part: String,
    /// JSON pointer to the list in the state.
    pub pointer: String,
    /// True if any text is accepted while the state has no such list.
    pub is_open: bool,
}

/// The values at one place of the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateValues {
    /// In the order of the list, each once.
    pub values: Vec<String>,
    /// True if the place has a list or an object.
    pub is_there: bool,
    /// Values that do not count: too long, too many, no text.
    pub left_out: usize,
}

/// The values at several places of one state, by pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateValueLists(BTreeMap<String, Arc<StateValues>>);

impl StateValueLists {
    /// Reads these places of the state.
    pub fn read<'p>(
        pointers: impl IntoIterator<Item = &'p str>,
        state: &Object,
    ) -> StateValueLists {
        let mut lists = BTreeMap::new();
        for pointer in pointers {
            if !lists.contains_key(pointer) {
                let values = StateValues::of(state_at(state, pointer));
                lists.insert(pointer.to_owned(), Arc::new(values));
            }
        }
        StateValueLists(lists)
    }

    /// The values at one place; none if it was not read.
    pub fn get(&self, pointer: &str) -> Option<&StateValues> {
        self.0.get(pointer).map(Arc::as_ref)
    }

    /// All places that were read, in the order of their pointers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &StateValues)> {
        self.0.iter().map(|(pointer, values)| (pointer.as_str(), values.as_ref()))
    }

    /// Returns true if no place was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if both have the same values at the places of these sources.
    pub(super) fn agree_on(&self, other: &StateValueLists, sources: &[ValueSource]) -> bool {
        sources.iter().all(|source| self.0.get(&source.pointer) == other.0.get(&source.pointer))
    }
}

impl StateValues {
    /// The texts of a list, or the keys of an object.
    fn of(place: Option<&Value>) -> StateValues {
        let mut found = StateValues::default();
        let mut bytes = 0;
        let mut take = |value: Option<&str>| {
            let fits = |value: &&str| {
                !value.trim().is_empty()
                    && value.len() <= STATE_VALUE_BYTES_MAX
                    && !value.contains(char::is_control)
            };
            match value.filter(fits) {
                Some(value) if found.values.iter().any(|known| known == value) => {}
                Some(value)
                    if found.values.len() < STATE_VALUES_MAX
                        && bytes + value.len() <= STATE_VALUES_BYTES_MAX =>
                {
                    bytes += value.len();
                    found.values.push(value.to_owned());
                }
                _ => found.left_out += 1,
            }
        };
        match place {
            Some(Value::Array(items)) => items.iter().for_each(|item| take(item.as_str())),
            Some(Value::Object(fields)) => fields.keys().for_each(|key| take(Some(key))),
            _ => return found,
        }
        found.is_there = true;
        found
    }

    /// Returns the reason why `value` cannot be named here, with the nearest value.
    fn refusal(&self, value: &str, pointer: &str) -> String {
        let quoted = format!("\"{}\"", clip(value, QUOTE_CHARS_MAX));
        if !self.is_there {
            return format!("{quoted} is not in scope: the state has no list at `{pointer}`");
        }
        if self.values.is_empty() {
            return format!(
                "{quoted} is not in scope: nothing is, the list at `{pointer}` is empty"
            );
        }
        let near = nearest_values(value, &self.values);
        if !near.is_empty() {
            let near: Vec<String> = near.iter().map(|near| format!("\"{near}\"")).collect();
            return format!(
                "{quoted} is not in scope (`{pointer}`); did you mean {}?",
                near.join(" or ")
            );
        }
        let listed = self.values.iter().take(LISTED_MAX);
        let mut listed: Vec<String> = listed.map(|value| format!("\"{value}\"")).collect();
        if self.values.len() > LISTED_MAX {
            listed.push(format!("{} more", self.values.len() - LISTED_MAX));
        }
        format!("{quoted} is not in scope (`{pointer}`); there are: {}", listed.join(", "))
    }
}

/// The values that a mistyped or shortened one may stand for, the nearest first: those that contain all its words, then
/// the one that differs by a few letters.
pub fn nearest_values<'v>(value: &str, values: &'v [String]) -> Vec<&'v str> {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    if value.len() > STATE_VALUE_BYTES_MAX {
        return Vec::new();
    }
    let wanted = words(value);
    let lower: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
    let mut near: Vec<&str> = Vec::new();
    if !wanted.is_empty() {
        let has_all = |known: &&String| {
            let known = words(known);
            wanted.iter().all(|word| known.contains(word))
                || (!known.is_empty() && known.iter().all(|word| wanted.contains(word)))
        };
        near.extend(values.iter().filter(has_all).map(String::as_str));
    }
    // Counting slips takes time for each pair of letters.
    let short = lower.iter().filter(|known| known.len() <= SLIPS_BYTES_MAX);
    if value.len() <= SLIPS_BYTES_MAX
        && let Some(found) = nearest(&value.to_lowercase(), short)
        && let Some(at) = lower.iter().position(|known| *known == found)
        && !near.contains(&values[at].as_str())
    {
        near.push(&values[at]);
    }
    // A name of several words is near to a misspelt one of them.
    if near.is_empty()
        && value.len() <= SLIPS_BYTES_MAX
        && let [word] = wanted.as_slice()
    {
        let is_near = |known: &&String| nearest(word, words(known)).is_some();
        near.extend(values.iter().filter(is_near).map(String::as_str));
    }
    near.truncate(NEAR_MAX);
    near
}

/// The value at a place of the state; none at a place of the host.
pub fn state_at<'s>(state: &'s Object, pointer: &str) -> Option<&'s Value> {
    let tokens = pointer_tokens(pointer)?;
    let (first, rest) = tokens.split_first()?;
    if first == STATE_RESERVED_KEY {
        return None;
    }
    rest.iter().try_fold(state.get(first)?, |place, token| match place {
        Value::Object(fields) => fields.get(token),
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Returns the parts of an input schema that draw values from the state, or the fault of one of them.
pub(super) fn value_sources(document: &Value) -> Result<Vec<ValueSource>, String> {
    let mut sources = Vec::new();
    collect(document, String::new(), false, &mut sources)?;
    if sources.len() > VALUE_SOURCES_MAX {
        return Err(format!(
            "draws values from the state in {} places, the limit is {VALUE_SOURCES_MAX}",
            sources.len()
        ));
    }
    Ok(sources)
}

fn collect(
    schema: &Value,
    part: String,
    is_conditional: bool,
    sources: &mut Vec<ValueSource>,
) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    if let Some(pointer) = keywords.get(VALUES_FROM) {
        let pointer = check(pointer, keywords, is_conditional);
        let pointer = pointer.map_err(|what| format!("{part}/{VALUES_FROM}: {what}"))?;
        let is_open = keywords.get(OPEN_WITHOUT_LIST) == Some(&Value::Bool(true));
        sources.push(ValueSource { part: part.clone(), pointer, is_open });
    }
    for (keyword, value) in keywords {
        let keyword = keyword.as_str();
        let is_conditional = is_conditional || CONDITIONAL.contains(&keyword);
        let below = format!("{part}/{keyword}");
        match value {
            Value::Object(named) if NAMED.contains(&keyword) => {
                for (name, schema) in named {
                    let name = token_of_key(name);
                    collect(schema, format!("{below}/{name}"), is_conditional, sources)?;
                }
            }
            Value::Array(schemas) if LISTED.contains(&keyword) => {
                for (idx, schema) in schemas.iter().enumerate() {
                    collect(schema, format!("{below}/{idx}"), is_conditional, sources)?;
                }
            }
            schema if SINGLE.contains(&keyword) || CONDITIONAL.contains(&keyword) => {
                collect(schema, below, is_conditional, sources)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check(
    pointer: &Value,
    keywords: &Map<String, Value>,
    is_conditional: bool,
) -> Result<String, String> {
    let Value::String(pointer) = pointer else {
        return Err("must be a JSON pointer to a list in the state, such as `/world/scope/things`"
            .to_owned());
    };
    if pointer.len() > VALUES_POINTER_BYTES_MAX {
        let bytes = pointer.len();
        return Err(format!("has {bytes} bytes, the limit is {VALUES_POINTER_BYTES_MAX}"));
    }
    match pointer_tokens(pointer) {
        Some(tokens) if tokens[0] == STATE_RESERVED_KEY => {
            return Err(format!("`{pointer}` belongs to the host"));
        }
        Some(_) => {}
        None => return Err(format!("`{pointer}` is no JSON pointer, it must begin with `/`")),
    }
    if is_conditional {
        return Err(
            "may not stand within `not`, `if`, `then`, `else` or `propertyNames`".to_owned()
        );
    }
    if let Some(other) = ["enum", "const", "$ref"].iter().find(|key| keywords.contains_key(**key)) {
        return Err(format!("may not stand beside `{other}`"));
    }
    if !takes_text_only(keywords.get("type")) {
        return Err(
            "needs `\"type\": \"string\"` beside it, or `[\"string\", \"null\"]`".to_owned()
        );
    }
    Ok(pointer.clone())
}

/// Returns true for a type of texts, or of texts and null.
fn takes_text_only(of_type: Option<&Value>) -> bool {
    match of_type {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => {
            names.iter().any(|name| name == "string")
                && names.iter().all(|name| name == "string" || name == "null")
        }
        _ => false,
    }
}

/// The document with an `enum` of the values in the place of each `valuesFrom`.
pub(super) fn bind(document: &Value, sources: &[ValueSource], lists: &StateValueLists) -> Value {
    let mut bound = document.clone();
    for source in sources {
        let Some(Value::Object(keywords)) = bound.pointer_mut(&source.part) else { continue };
        let list = lists.get(&source.pointer);
        if source.is_open && !list.is_some_and(|list| list.is_there) {
            keywords.remove(VALUES_FROM);
            continue;
        }
        let values = list.map_or(&[][..], |list| list.values.as_slice());
        let mut allowed: Vec<Value> = values.iter().map(|value| value.as_str().into()).collect();
        if keywords.get("type").is_some_and(Value::is_array) {
            allowed.push(Value::Null);
        }
        keywords.insert("enum".to_owned(), Value::Array(allowed));
        keywords.remove(VALUES_FROM);
        keywords.insert(VALUES_BOUND_TO.to_owned(), source.pointer.as_str().into());
    }
    bound
}

/// The message for a value that the `enum` of this part refuses; none if the part draws nothing from the state.
pub(super) fn refusal(part: &Value, value: &Value, lists: &StateValueLists) -> Option<String> {
    let pointer = part.get(VALUES_BOUND_TO)?.as_str()?;
    let value = value.as_str()?;
    Some(lists.get(pointer).map_or_else(
        || StateValues::default().refusal(value, pointer),
        |list| list.refusal(value, pointer),
    ))
}

#[cfg(test)]
mod tests;
