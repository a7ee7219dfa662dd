//! A JSON Schema (2020-12) that has been compiled once and can be asked often.

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

impl Schema {
    /// Compiles a document. References leave the document nowhere: nothing is fetched.
    pub fn build(document: Value) -> Result<Schema, SchemaError> {
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
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
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= QUOTE_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(QUOTE_CHARS_MAX / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(QUOTE_CHARS_MAX / 2).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}
