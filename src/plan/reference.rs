//! Finds what an input takes from other steps: a whole string such as `$roll` or `$roll.dice[0]`
//! (DESIGN §4.1). `$$` at the start of a string is a literal dollar.

use serde_json::Value;

use crate::protocol::Object;

/// A place of an input that stands for a part of another step's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
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
pub(super) fn unescape(input: &mut Object, is_step: impl Fn(&str) -> bool) -> Vec<Reference> {
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
    found: &mut Vec<Reference>,
) {
    let length = place.len();
    match value {
        Value::String(text) => {
            if text.starts_with("$$") {
                text.remove(0);
            } else if is_reference(text, is_step) {
                found.push(Reference { place: place.clone(), text: text.clone() });
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
