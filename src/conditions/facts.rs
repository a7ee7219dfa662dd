//! The values that the names in a condition stand for.

use serde_json::{Map, Value};

/// The values that a condition reads. A name without a value is null.
pub trait ConditionFacts<'a> {
    /// The output of the step with this id.
    fn step(&self, _id: &str) -> Option<&'a Value> {
        None
    }

    /// The whole state of the story.
    fn state(&self) -> Option<&'a Map<String, Value>> {
        None
    }

    /// The input of the step that the condition belongs to.
    fn input(&self) -> Option<&'a Value> {
        None
    }

    /// The output of the step that the condition belongs to.
    fn output(&self) -> Option<&'a Value> {
        None
    }

    /// The variable of this name.
    fn variable(&self, _name: &str) -> Option<&'a Value> {
        None
    }
}

/// Variables by name.
impl<'a> ConditionFacts<'a> for &'a Map<String, Value> {
    fn variable(&self, name: &str) -> Option<&'a Value> {
        self.get(name)
    }
}
