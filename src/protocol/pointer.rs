//! JSON pointers (RFC 6901). Pure.

use std::borrow::Cow;

/// The keys that a pointer names; `None` for the empty one and for what is no pointer.
pub fn pointer_tokens(pointer: &str) -> Option<Vec<String>> {
    let tokens = pointer.strip_prefix('/')?.split('/');
    Some(tokens.map(|token| key_of_token(token).into_owned()).collect())
}

/// The pointer to the place that these keys name.
pub fn pointer_of(keys: &[String]) -> String {
    keys.iter().map(|key| format!("/{}", token_of_key(key))).collect()
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
}
