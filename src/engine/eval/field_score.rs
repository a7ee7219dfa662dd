//! Compares the inputs of a plan with those that a case expects.

use narratoria_plan::Step;
use serde_json::Value;

use super::case::{EvalCase, ExpectedInput};

/// How many fields of inputs are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldScore {
    /// Fields with a right value.
    pub right: usize,
    /// Fields of steps that the plans have.
    pub chosen: usize,
    /// Fields that cases expect.
    pub expected: usize,
}

/// A part of a whole, 0 to 1; 0 if the whole is nothing.
pub(super) fn rate(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl FieldScore {
    /// The part of the fields of chosen steps that is right, 0 to 1; 0 if no case expects any.
    pub fn rate(self) -> f64 {
        rate(self.right, self.chosen)
    }

    pub(super) fn add(&mut self, other: FieldScore) {
        self.right += other.right;
        self.chosen += other.chosen;
        self.expected += other.expected;
    }

    /// The score of a case without a plan.
    pub(super) fn without_plan(case: &EvalCase) -> FieldScore {
        let expected = case.inputs.iter().map(|input| input.fields.len()).sum();
        FieldScore { expected, ..FieldScore::default() }
    }

    /// The score of a plan's steps.
    pub(super) fn of(case: &EvalCase, steps: &[&Step]) -> FieldScore {
        let mut score = FieldScore::without_plan(case);
        for ExpectedInput { tool, fields } in &case.inputs {
            let Some(step) = steps.iter().find(|step| step.first_candidate().tool_path() == *tool)
            else {
                continue;
            };
            let is_right = |(name, values): &(&String, &Vec<Value>)| {
                let found = step.input.value().get(name.as_str()).unwrap_or(&Value::Null);
                values.iter().any(|value| is_same(value, found))
            };
            score.chosen += fields.len();
            score.right += fields.iter().filter(is_right).count();
        }
        score
    }
}

fn is_same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::String(expected), Value::String(found)) => core(expected) == core(found),
        (Value::Number(expected), Value::Number(found)) => expected.as_f64() == found.as_f64(),
        _ => expected == found,
    }
}

/// A text without case, marks around it, and an article before it.
fn core(text: &str) -> String {
    let lower = text.to_lowercase();
    let trimmed = lower.trim_matches(|letter: char| !letter.is_alphanumeric());
    let articles = ["a ", "an ", "the ", "my ", "some "];
    let bare = articles.iter().find_map(|article| trimmed.strip_prefix(article));
    bare.unwrap_or(trimmed).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_same;

    #[test]
    fn texts_are_the_same_without_case_and_article() {
        assert!(is_same(&json!("iron sword"), &json!("The Iron Sword.")));
        assert!(is_same(&json!(3), &json!(3.0)));
        assert!(!is_same(&json!("sword"), &json!("iron sword")));
        assert!(!is_same(&json!(null), &json!("sword")));
        assert!(is_same(&json!(null), &json!(null)));
    }
}
