//! Schemas and values: the first line is a schema, the rest a value.

use narratoria_skills::{Schema, VALIDATION_STEPS_MAX};
use serde_json::Value;

/// Most mismatches of one value.
const MISMATCHES_MAX: usize = 16;

pub(crate) fn check(bytes: &[u8]) {
    let Some(at) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (schema, value) = bytes.split_at(at);
    let Ok(document) = serde_json::from_slice::<Value>(schema) else { return };
    let Ok(value) = serde_json::from_slice::<Value>(value) else { return };
    let schema = match Schema::build(document) {
        Ok(schema) => schema,
        Err(error) => return assert!(!error.reason.is_empty(), "refused without a word"),
    };
    let steps = schema.steps_to_check(&value);
    assert_eq!(steps, schema.steps_to_check(&value), "another run, another count");
    assert!(steps.is_none_or(|steps| steps <= VALIDATION_STEPS_MAX), "{steps:?}");
    let mismatches = schema.mismatches(&value);
    assert!(mismatches.len() <= MISMATCHES_MAX, "{} mismatches", mismatches.len());
    assert!(steps.is_some() || mismatches.len() == 1, "a check that did not end says nothing");
    assert_eq!(mismatches, schema.mismatches(&value), "another run, other mismatches");
    // A hole may only take mismatches away.
    assert!(
        schema.mismatches_around(&value, &["/a"]).len() <= mismatches.len().max(MISMATCHES_MAX)
    );
}
