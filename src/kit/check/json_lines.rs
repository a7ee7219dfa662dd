//! Finds the line of a JSON text at which a JSON pointer points. Knows text and pointers, nothing else.

use narratoria_protocol::{JsonBounds, json_string_end, key_of_token, read_json_as};

/// The line, from 1, of the value at `pointer`, or of the nearest existing value around it. The caller has read the
/// text as JSON before; for any other text the line is arbitrary.
pub(super) fn line_of(text: &str, pointer: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = blanks(bytes, 0);
    for token in pointer.split('/').skip(1) {
        let token = key_of_token(token);
        match inside(text, at, &token) {
            Some(next) => at = next,
            None => break,
        }
    }
    1 + bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// The offset of the field or item `token` in the object or array that begins at `at`.
fn inside(text: &str, at: usize, token: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let open = *bytes.get(at)?;
    let mut at = blanks(bytes, at + 1);
    let mut idx = 0_usize;
    loop {
        match open {
            b'{' => {
                let end = json_string_end(bytes, at)?;
                let key = text.get(at..end)?.as_bytes();
                let key: String = read_json_as(key, JsonBounds::of_bytes(key.len())).ok()?;
                at = blanks(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    return None;
                }
                at = blanks(bytes, at + 1);
                if key == token {
                    return Some(at);
                }
            }
            b'[' if idx.to_string() == token => return Some(at),
            b'[' => {}
            _ => return None,
        }
        at = blanks(bytes, value_end(bytes, at)?);
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        at = blanks(bytes, at + 1);
        idx += 1;
    }
}

fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The offset behind the value that begins at `at`. Counts brackets instead of recursing, because a file may nest
/// deeply.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = json_string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' if depth == 0 => return Some(at),
            byte if depth == 0 && byte.is_ascii_whitespace() => return Some(at),
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::line_of;

    const TEXT: &str = "{\n  \"a\": 1,\n  \"b/c\": [\n    {\"x\": \"]}\\\"\"},\n    {\n      \"y~\": true }\n  ],\n  \"last\": null\n}\n";

    #[track_caller]
    fn check(pointer: &str, line: usize) {
        assert_eq!(line_of(TEXT, pointer), line, "{pointer}");
    }

    #[test]
    fn a_pointer_leads_to_its_line() {
        check("", 1);
        check("/a", 2);
        check("/b~1c", 3);
        check("/b~1c/0", 4);
        check("/b~1c/1", 5);
        check("/b~1c/1/y~0", 6);
        check("/last", 8);
    }

    #[test]
    fn a_pointer_to_nothing_leads_to_the_nearest_value_around_it() {
        check("/nope", 1);
        check("/b~1c/7/z", 3);
        check("/a/deeper", 2);
        assert_eq!(line_of("", "/a"), 1);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([\\[\\]{}:,\"\\\\ \n]|a|1|é){0,60}", pointer in "(/(a|0|1|é)){0,4}") {
            line_of(&text, &pointer);
        }
    }
}
