//! Patches of the state.

use narratoria_sdk::{Value, json};

/// Returns the patch from an old value to a new one: objects merge, so a removed member becomes null.
///
/// ```
/// # use narratoria_facts::difference;
/// # use narratoria_sdk::json;
/// let (old, new) = (json!({ "a": 1, "b": { "c": 2, "d": [3] } }), json!({ "b": { "c": 2, "d": [4] } }));
/// assert_eq!(difference(Some(&old), &new), json!({ "a": null, "b": { "d": [4] } }));
/// assert_eq!(difference(None, &new), new);
/// ```
pub fn difference(old: Option<&Value>, new: &Value) -> Value {
    let (Some(Value::Object(old)), Value::Object(new)) = (old, new) else { return new.clone() };
    let mut patch = json!({});
    for (key, value) in new {
        match old.get(key) {
            Some(was) if was == value => {}
            was => patch[key] = difference(was, value),
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch[key] = Value::Null;
    }
    patch
}
