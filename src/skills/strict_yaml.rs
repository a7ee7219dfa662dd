//! The one reader of whole documents in YAML from outside: text → JSON values, as strict and as bounded as
//! [`read_json`](narratoria_protocol::read_json). Pure.
//!
//! Refused: a duplicate key, an anchor and an alias (a few lines could stand for gigabytes), a merge key, a tag that JSON
//! has no value for, a number that is none in JSON or would be read as another one, a second document. `true` and `false` are the only booleans, because
//! `no` and `on` are words.

use narratoria_protocol::{
    JsonBounds, StrictJsonError, bounded_text, check_numbers, read_value_from, visible::clip,
};
use serde::de::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Error as YamlError, MergeKeyPolicy};

/// Longest key that a message quotes.
const KEY_CHARS_MAX: usize = 80;

/// Why a document in YAML is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictYamlError {
    /// Its length or its encoding: the rules of every text from outside.
    #[error(transparent)]
    Text(#[from] StrictJsonError),
    /// Two readers could read two different documents.
    #[error("the key {key} stands twice in one object at line {line} column {column}")]
    DuplicateKey {
        /// As JSON, cut short.
        key: String,
        /// Position of the second one.
        line: usize,
        /// Position of the second one.
        column: usize,
    },
    #[error("anchors and aliases (`&name`, `*name`) are not allowed")]
    Alias,
    #[error("it holds more than one document")]
    SeveralDocuments,
    #[error("it nests deeper than {limit} levels")]
    TooDeep { limit: usize },
    #[error("it has more than {limit} values")]
    TooManyValues { limit: usize },
    /// Not one YAML document, or a value that JSON lacks.
    #[error("{what}")]
    Syntax {
        /// The parser's message, with its place.
        what: String,
    },
}

/// Reads a document in YAML from outside.
pub fn read_yaml(bytes: &[u8], bounds: JsonBounds) -> Result<Value, StrictYamlError> {
    let text = bounded_text(bytes, bounds.bytes_max)?;
    let read: Result<JsonValue, YamlError> =
        serde_saphyr::from_str_with_options(text, options(bounds));
    let value = read.map_err(|error| strict_error(&error, bounds))?.0;
    check_numbers(text, &value)?;
    Ok(value)
}

fn options(bounds: JsonBounds) -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        budget: serde_saphyr::budget! {
            max_documents: 1,
            max_depth: bounds.depth_max,
            flow_nesting_limit: bounds.depth_max,
            // A key is a node too, and a document begins and ends with two events.
            max_nodes: bounds.values_max.saturating_mul(2),
            max_events: bounds.values_max.saturating_mul(4).saturating_add(8),
            max_aliases: 0,
            max_anchors: 0,
            max_total_scalar_bytes: bounds.bytes_max,
        },
    }
}

fn strict_error(error: &YamlError, bounds: JsonBounds) -> StrictYamlError {
    use serde_saphyr::budget::BudgetBreach;
    match error.without_snippet() {
        YamlError::DuplicateMappingKey { key, location } => StrictYamlError::DuplicateKey {
            key: quoted(key.as_deref().unwrap_or_default()),
            line: usize::try_from(location.line()).unwrap_or(usize::MAX),
            column: usize::try_from(location.column()).unwrap_or(usize::MAX),
        },
        YamlError::Budget { breach, .. } => match breach {
            BudgetBreach::Aliases { .. } | BudgetBreach::Anchors { .. } => StrictYamlError::Alias,
            BudgetBreach::Depth { .. } => StrictYamlError::TooDeep { limit: bounds.depth_max },
            BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
                StrictYamlError::TooManyValues { limit: bounds.values_max }
            }
            BudgetBreach::Documents { .. } => StrictYamlError::SeveralDocuments,
            _ => syntax(error),
        },
        YamlError::UnknownAnchor { .. } => StrictYamlError::Alias,
        // `.inf` is no number of JSON in any notation.
        YamlError::NonFiniteFloat { value, location } if !value.contains(['n', 'N']) => {
            StrictYamlError::Text(StrictJsonError::Number {
                number: clip(value, KEY_CHARS_MAX).into_owned(),
                line: usize::try_from(location.line()).unwrap_or(usize::MAX),
                column: usize::try_from(location.column()).unwrap_or(usize::MAX),
            })
        }
        _ => syntax(error),
    }
}

fn quoted(key: &str) -> String {
    clip(&Value::from(key).to_string(), KEY_CHARS_MAX).into_owned()
}

fn syntax(error: &YamlError) -> StrictYamlError {
    StrictYamlError::Syntax { what: user_message(error) }
}

/// The parser's message in the words of an author: the parser's own type names are left out.
pub(super) fn user_message(error: &YamlError) -> String {
    match error.without_snippet() {
        YamlError::DuplicateMappingKey { key, location } => duplicate_key(
            &quoted(key.as_deref().unwrap_or_default()),
            location.line(),
            location.column(),
        ),
        _ => error.render_with_formatter(&serde_saphyr::UserMessageFormatter),
    }
}

fn duplicate_key(key: &str, line: u64, column: u64) -> String {
    format!("the key {key} stands twice in one object at line {line} column {column}")
}

/// A value of JSON. `serde_json::Value` itself would keep the last of two keys `1` and `"1"`.
struct JsonValue(Value);

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<JsonValue, D::Error> {
        read_value_from(from).map(JsonValue)
    }
}

#[cfg(test)]
mod tests {
    use narratoria_protocol::JsonBounds;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::read_yaml;

    const BOUNDS: JsonBounds = JsonBounds { bytes_max: 400, depth_max: 4, values_max: 40 };

    fn show(text: &str) -> String {
        match read_yaml(text.as_bytes(), BOUNDS) {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_document_is_read_as_the_json_that_it_stands_for() {
        let text = "# a remark\ntask: |\n  Open\n  the door\nn: [1, -2, 2.5, 18446744073709551616]\nok: true\nword: no\nnone: ~\n1: one\n";
        let found = read_yaml(text.as_bytes(), BOUNDS).unwrap();
        let expected = json!({
            "task": "Open\nthe door\n", "n": [1, -2, 2.5, 18446744073709551616.0], "ok": true,
            "word": "no", "none": null, "1": "one",
        });
        assert_eq!(found, expected);
        assert_eq!(show("\u{feff}---\na: 1\n"), r#"{"a":1}"#);
    }

    #[test]
    fn each_refusal_names_its_reason() {
        let deep = "[".repeat(5) + &"]".repeat(5);
        let many = format!("[{}]", "1,".repeat(100));
        let long = "x".repeat(401);
        let table = [
            "a: 1\nb: 2\na: 3\n",
            "a: 1\n\"\\u0061\": 2\n",
            "1: a\n\"1\": b\n",
            "a: &x 1\nb: *x\n",
            "a: *x\n",
            "base: {a: 1}\n<<: {b: 2}\n",
            "a: 1\n---\nb: 2\n",
            "a: .inf\n",
            "a: 1e999\n",
            "a: 18446744073709551616\nb:\n- 18446744073709551617\n",
            "a: {b: 1e-400}\n",
            "a: !run x\n",
            "? [a]\n: 1\n",
            "a: [1\n",
            "a: b: c\n",
            "",
            &deep,
            &many,
            &long,
        ]
        .map(show);
        insta::assert_snapshot!(table.join("\n"), @r#"
        error: the key "a" stands twice in one object at line 3 column 1
        error: the key "a" stands twice in one object at line 2 column 1
        error: the key "1" stands twice in one object
        error: anchors and aliases (`&name`, `*name`) are not allowed
        error: anchors and aliases (`&name`, `*name`) are not allowed
        error: merge key not allowed here at line 2, column 1
        error: it holds more than one document
        error: value `.inf` is not a finite number at line 1, column 4
        error: the number 1e999 at line 1 column 4 would be read as another one; write it as a string
        error: the number 18446744073709551617 at line 3 column 3 would be read as another one; write it as a string
        error: the number 1e-400 at line 1 column 8 would be read as another one; write it as a string
        error: unsupported tag `!run` at line 1, column 9
        error: expected string scalar at line 1, column 3
        error: unclosed bracket '[' at line 1, column 4
        error: mapping values are not allowed in this context at line 1, column 5
        error: it is empty
        error: recursion limit exceeded at line 1, column 5
        error: it has more than 40 values
        error: it has 401 bytes, the limit is 400
        "#);
    }

    /// Each line doubles what the one before stands for.
    #[test]
    fn a_document_that_would_grow_without_bound_is_refused_at_its_first_anchor() {
        let lines: String =
            (1..9).map(|at| format!("a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1)).collect();
        let bomb = format!("a0: &a0 x\n{lines}");
        assert_eq!(show(&bomb), "error: anchors and aliases (`&name`, `*name`) are not allowed");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(\\PC|[\\n\\t&*!|>{}\\[\\]:?-]){0,80}") {
            let _ = read_yaml(text.as_bytes(), BOUNDS);
        }

        /// A JSON document is YAML, and stands for the same.
        #[test]
        fn json_is_read_as_itself(keys in proptest::collection::btree_map("\\PC{0,6}", any::<i32>(), 0..6)) {
            let value: Value = json!(keys);
            prop_assert_eq!(read_yaml(value.to_string().as_bytes(), BOUNDS).unwrap(), value);
        }
    }
}
