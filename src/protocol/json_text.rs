//! Looks at the text of JSON without reading it as values. Pure.

/// The offset behind the string that begins at `at`; `None` if none begins there, or if it has no end.
pub fn json_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::json_string_end;

    #[test]
    fn a_string_ends_behind_its_closing_mark() {
        let end = |text: &str| json_string_end(text.as_bytes(), 0);
        assert_eq!(end(r#""a" and more"#), Some(3));
        assert_eq!(end(r#""say \"a\\" b"#), Some(11));
        assert_eq!(end(r#""""#), Some(2));
        for text in ["", "a", r#""a"#, r#"""#, r#""a\""#, r#""\"#] {
            assert_eq!(end(text), None, "{text}");
        }
    }
}
