//! Checks the JSON of an entity. Pure.

use narratoria_protocol::{ENTITY_BYTES_MAX, JsonBounds, Object, read_json};
use serde_json::Value;

/// Longest name of a character or a location, in characters.
pub const ENTITY_NAME_CHARS_MAX: usize = 120;

/// Most items of a list in an entity: traits, goals, features.
pub const ENTITY_LIST_MAX: usize = 32;

/// Bounds of JSON from a script.
const BOUNDS: JsonBounds =
    JsonBounds::of_bytes(2 * ENTITY_BYTES_MAX).with_depth(16).with_values(4_096);

pub(super) fn parse_object(text: &str) -> Result<Object, String> {
    match read_json(text.as_bytes(), BOUNDS) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("it must be a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Trims a name, and refuses it if it is empty or too long.
pub(super) fn check_name(value: &mut Object) -> Result<(), String> {
    let name = value.get("name").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let chars = name.chars().count();
    if chars == 0 || chars > ENTITY_NAME_CHARS_MAX {
        return Err(format!(
            "a name has 1 to {ENTITY_NAME_CHARS_MAX} characters, this one has {chars}"
        ));
    }
    if name.contains(char::is_control) {
        return Err("a name has no control characters".to_owned());
    }
    value.insert("name".to_owned(), Value::String(name));
    Ok(())
}

/// Refuses control characters in texts, except line ends and tabs.
pub(super) fn check_texts(value: &Object) -> Result<(), String> {
    fn is_fit(value: &Value) -> bool {
        match value {
            Value::String(text) => !text.contains(is_unfit),
            Value::Array(items) => items.iter().all(is_fit),
            Value::Object(members) => members.values().all(is_fit),
            _ => true,
        }
    }
    match value.iter().find(|(_, value)| !is_fit(value)) {
        None => Ok(()),
        Some((field, _)) => {
            Err(format!("`{field}` has control characters other than line ends and tabs"))
        }
    }
}

pub(super) fn is_unfit(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}

/// Refuses lists of the entity itself that are too long. The host limits the history.
pub(super) fn check_lists(value: &Object) -> Result<(), String> {
    let long = value.iter().find_map(|(field, value)| {
        let items = value.as_array()?.len();
        (field != "history" && items > ENTITY_LIST_MAX).then_some((field, items))
    });
    match long {
        None => Ok(()),
        Some((field, items)) => {
            Err(format!("`{field}` has {items} items, the limit is {ENTITY_LIST_MAX}"))
        }
    }
}
