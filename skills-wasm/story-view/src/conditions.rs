//! The conditions of a campaign that stand in other documents as texts.

use std::collections::BTreeMap;

use narratoria_conditions::{CONDITION_FORM, ConditionNode, answer};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::Environment;

/// The document of a campaign that holds them.
pub const CONDITIONS_DOCUMENT: &str = "conditions.json";

/// `conditions.json`: each condition of `world.json` by its text. A description, an exit or a topic has the text of its
/// condition, and this document has what is evaluated.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompiledConditions {
    /// The form of the nodes, [`CONDITION_FORM`].
    #[serde(deserialize_with = "known_form")]
    pub version: u32,
    /// By their texts.
    pub conditions: BTreeMap<String, ConditionNode>,
}

impl Default for CompiledConditions {
    fn default() -> CompiledConditions {
        CompiledConditions { version: CONDITION_FORM, conditions: BTreeMap::new() }
    }
}

impl CompiledConditions {
    /// Returns true or false. The error is a sentence that says why there is no answer.
    pub fn holds(&self, text: &str, environment: &Environment<'_>) -> Result<bool, String> {
        match self.conditions.get(text) {
            Some(node) => answer(node, &environment),
            None => Err(format!("the condition `{text:.200}` was not compiled with the campaign")),
        }
    }
}

fn known_form<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    match u32::deserialize(from)? {
        CONDITION_FORM => Ok(CONDITION_FORM),
        other => {
            let what =
                format!("the conditions have form {other}, this program knows {CONDITION_FORM}");
            Err(de::Error::custom(what))
        }
    }
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Value, json};

    use super::*;

    fn read(document: Value) -> Result<CompiledConditions, String> {
        CompiledConditions::deserialize(document).map_err(|error| error.to_string())
    }

    #[test]
    fn a_condition_is_found_by_its_text() {
        let kept = read(
            json!({ "version": 1, "conditions": { "hour >= 18": [">=", ["var", "hour"], 18] } }),
        );
        let kept = kept.unwrap();
        let view = json!({ "hour": 19 });
        let environment = Environment::of_parts(&view, &json!({}));
        assert_eq!(kept.holds("hour >= 18", &environment), Ok(true));
        assert!(kept.holds("hour >= 19", &environment).unwrap_err().contains("was not compiled"));
    }

    #[test]
    fn another_form_is_refused() {
        let error = read(json!({ "version": 9, "conditions": {} })).unwrap_err();
        assert_eq!(error, "the conditions have form 9, this program knows 1");
    }
}
