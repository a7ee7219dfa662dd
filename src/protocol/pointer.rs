//! JSON pointers (RFC 6901). Pure.

use std::borrow::Cow;

use crate::Object;
use serde_json::Value;

/// Returns the keys that a pointer names. Returns `None` for the empty pointer, and for a text that is no pointer.
pub fn pointer_tokens(pointer: &str) -> Option<Vec<String>> {
    let tokens = pointer.strip_prefix('/')?.split('/');
    Some(tokens.map(|token| key_of_token(token).into_owned()).collect())
}

/// The pointer to the place that these keys name.
pub fn pointer_of(keys: &[String]) -> String {
    keys.iter().map(|key| format!("/{}", token_of_key(key))).collect()
}

/// An object in which the value stands at the pointer, and nothing else: `{"a": {"b": 1}}` for `/a/b`. Empty where the
/// pointer names no key.
pub fn object_with(pointer: &str, value: Value) -> Object {
    let keys = pointer_tokens(pointer).unwrap_or_default();
    let nested = keys
        .into_iter()
        .rev()
        .fold(value, |inner, key| Value::Object(Object::from_iter([(key, inner)])));
    match nested {
        Value::Object(object) if !pointer.is_empty() => object,
        _ => Object::new(),
    }
}

/// The key that a part of a pointer stands for: `a/b` for `a~1b`.
pub fn key_of_token(token: &str) -> Cow<'_, str> {
    match token.contains('~') {
        true => token.replace("~1", "/").replace("~0", "~").into(),
        false => token.into(),
    }
}

/// The part of a pointer that stands for a key: `a~1b` for `a/b`.
pub fn token_of_key(key: &str) -> Cow<'_, str> {
    match key.contains(['~', '/']) {
        true => key.replace('~', "~0").replace('/', "~1").into(),
        false => key.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_slashes_and_tildes_come_back_as_they_were() {
        for keys in [&["a"][..], &["", "~1", "a/b"], &["~0", "/", "~"]] {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            assert_eq!(pointer_tokens(&pointer_of(&keys)), Some(keys));
        }
        assert_eq!(pointer_of(&["a/b".to_owned(), "~".to_owned()]), "/a~1b/~0");
        assert_eq!((pointer_tokens(""), pointer_tokens("a")), (None, None));
    }

    #[test]
    fn an_object_with_a_value_at_a_pointer_has_nothing_else() {
        let made = |pointer: &str| Value::Object(object_with(pointer, Value::from(1))).to_string();
        assert_eq!(made("/a~1b/c"), r#"{"a/b":{"c":1}}"#);
        assert_eq!(made("/"), r#"{"":1}"#);
        assert_eq!((made(""), made("a")), ("{}".to_owned(), "{}".to_owned()));
    }
}
