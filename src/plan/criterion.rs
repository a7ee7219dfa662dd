//! Acceptance criteria of a step (S3): a text, and perhaps a rule by which the host judges each output.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Condition, ConditionBindings};
use narratoria_protocol::Object;
use narratoria_skills::Schema;

/// A criterion as planners write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CriterionJson {
    Text(String),
    Ruled(RuledCriterionJson),
}

/// A criterion with a rule, `expect` or `holds`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuledCriterionJson {
    pub text: String,
    /// A JSON Schema that the output must meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Value>,
    /// A CEL condition over `output` and `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
}

/// A checked criterion.
#[derive(Debug, Clone)]
pub struct Criterion {
    pub text: String,
    /// `None` if only a reader can judge it: a model or the player.
    pub rule: Option<CriterionRule>,
}

/// How the host judges an output.
#[derive(Debug, Clone)]
pub enum CriterionRule {
    Expect(Schema),
    Holds(Condition),
}

/// The decision about a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionVerdict {
    Met,
    Unmet,
    /// The player decides.
    Open,
}

/// The judge of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionJudge {
    Expect,
    Condition,
    Model,
    Player,
}

impl CriterionJson {
    pub fn text(&self) -> &str {
        match self {
            CriterionJson::Text(text) => text,
            CriterionJson::Ruled(ruled) => &ruled.text,
        }
    }

    /// Returns the judge, as far as the text shows it.
    pub fn judge(&self) -> CriterionJudge {
        match self {
            CriterionJson::Ruled(RuledCriterionJson { expect: Some(_), .. }) => {
                CriterionJudge::Expect
            }
            CriterionJson::Ruled(RuledCriterionJson { holds: Some(_), .. }) => {
                CriterionJudge::Condition
            }
            CriterionJson::Text(_) | CriterionJson::Ruled(_) => CriterionJudge::Player,
        }
    }
}

impl From<&str> for CriterionJson {
    fn from(text: &str) -> CriterionJson {
        CriterionJson::Text(text.to_owned())
    }
}

impl Criterion {
    /// Judges one output by the rule. The error says how it falls short. A criterion without a rule is met as far as
    /// the host can know.
    pub fn check(&self, output: &Value, input: &Object) -> Result<(), String> {
        match &self.rule {
            None => Ok(()),
            Some(CriterionRule::Expect(schema)) => match schema.mismatches(output).first() {
                None => Ok(()),
                Some(first) if first.pointer.is_empty() => Err(first.what.clone()),
                Some(first) => Err(format!("{} at `{}`", first.what, first.pointer)),
            },
            Some(CriterionRule::Holds(condition)) => {
                let input = Value::Object(input.clone());
                let (steps, state) = (std::collections::BTreeMap::new(), Object::new());
                let bindings =
                    ConditionBindings { steps, state: &state, input: &input, output: Some(output) };
                match condition.holds(&bindings) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(format!("`{}` is false", super::quote(condition.text()))),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }
}
