//! A JSON Schema (2020-12) that has been compiled once and can be asked often.

use jsonschema::PatternOptions;
use serde_json::Value;

/// A compiled schema and the text it came from.
#[derive(Debug, Clone)]
pub struct Schema {
    document: Value,
    validator: jsonschema::Validator,
}

/// The schema itself is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a usable JSON Schema (2020-12): {reason}")]
pub struct SchemaError {
    /// What the compiler said.
    pub reason: String,
}

/// One thing wrong with an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer into the instance; empty for the whole.
    pub pointer: String,
    /// What is wrong there, with the value.
    pub what: String,
}

/// How many mismatches are worth reading.
const MISMATCHES_MAX: usize = 16;

/// Longest piece of a foreign value quoted in a message.
const QUOTE_CHARS_MAX: usize = 200;

/// Steps that one `pattern` may backtrack. A pattern of a package meets text of a model, and the two
/// together can take for ever; past this the instance counts as a mismatch.
const BACKTRACK_MAX: usize = 100_000;

/// Size of one compiled `pattern`. `\w{1000}{1000}` would otherwise own our memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl Schema {
    /// Compiles a document. References leave the document nowhere: nothing is fetched.
    pub fn build(document: Value) -> Result<Schema, SchemaError> {
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .with_pattern_options(
                PatternOptions::fancy_regex()
                    .backtrack_limit(BACKTRACK_MAX)
                    .size_limit(PATTERN_BYTES_MAX),
            )
            .offline()
            .build(&document)
            .map_err(|error| SchemaError { reason: error.to_string() })?;
        Ok(Schema { document, validator })
    }

    /// The schema's own text.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Everything wrong with `instance`, at most a screenful; empty means it fits.
    pub fn mismatches(&self, instance: &Value) -> Vec<Mismatch> {
        self.validator
            .iter_errors(instance)
            .take(MISMATCHES_MAX)
            .map(|error| Mismatch {
                pointer: error.instance_path().to_string(),
                what: shorten(&error.to_string()),
            })
            .collect()
    }

    /// Like [`Schema::mismatches`], without a single value of the instance in the text: for values that
    /// may be secrets.
    pub fn mismatches_masked(&self, instance: &Value) -> Vec<Mismatch> {
        self.validator
            .iter_errors(instance)
            .take(MISMATCHES_MAX)
            .map(|error| Mismatch {
                pointer: error.instance_path().to_string(),
                what: shorten(&error.masked_with("the value").to_string()),
            })
            .collect()
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= QUOTE_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(QUOTE_CHARS_MAX / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(QUOTE_CHARS_MAX / 2).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Schema;

    #[test]
    fn loops() {
        for doc in [
            json!({"$ref": "#"}),
            json!({"type":"object","allOf":[{"$ref":"#"}]}),
            json!({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}),
            json!({"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}),
            json!({"$dynamicAnchor":"x", "not":{"$dynamicRef":"#x"}}),
            json!({"$ref": "https://example.com/x.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"$ref": "json-schema:///etc/passwd"}),
        ] {
            eprintln!("{doc}");
            match Schema::build(doc) {
                Ok(s) => eprintln!("  built {:?}", s.mismatches(&Value::Object(Default::default()))),
                Err(e) => eprintln!("  {e}"),
            }
        }
    }
}
