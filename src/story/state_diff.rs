//! Compares two states, place by place. Pure.

use serde_json::Value;

use narratoria_protocol::{Object, pointer_of};

/// Most differences that a diff lists. A person reads some tens; a program that needs more compares the states itself.
pub const STATE_CHANGES_MAX: usize = 1_000;

/// A place at which two states have different values.
#[derive(Debug, Clone, PartialEq)]
pub struct StateChange {
    /// A JSON pointer (RFC 6901).
    pub pointer: String,
    /// `None` if there is nothing at that place.
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// The differences of two states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateDiff {
    /// In the order of the pointers, at most [`STATE_CHANGES_MAX`].
    pub changes: Vec<StateChange>,
    /// The number of further differences.
    pub left_off: usize,
}

impl StateDiff {
    /// Compares two states. Objects are compared member by member, lists as a whole.
    pub fn of(before: &Object, after: &Object) -> StateDiff {
        let mut diff = StateDiff::default();
        diff.compare(before, after, &mut Vec::new());
        diff
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn compare(&mut self, before: &Object, after: &Object, way: &mut Vec<String>) {
        let mut keys: Vec<&String> = before.keys().collect();
        keys.extend(after.keys().filter(|key| !before.contains_key(*key)));
        keys.sort();
        for key in keys {
            let (one, other) = (before.get(key), after.get(key));
            if one == other {
                continue;
            }
            way.push(key.clone());
            match (one, other) {
                (Some(Value::Object(one)), Some(Value::Object(other))) => {
                    self.compare(one, other, way);
                }
                (one, other) => self.add(way, one, other),
            }
            way.pop();
        }
    }

    fn add(&mut self, way: &[String], before: Option<&Value>, after: Option<&Value>) {
        if self.changes.len() >= STATE_CHANGES_MAX {
            self.left_off += 1;
            return;
        }
        let (pointer, before, after) = (pointer_of(way), before.cloned(), after.cloned());
        self.changes.push(StateChange { pointer, before, after });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{STATE_CHANGES_MAX, StateDiff};
    use narratoria_protocol::Object;

    fn diff(before: &Value, after: &Value) -> StateDiff {
        StateDiff::of(before.as_object().unwrap(), after.as_object().unwrap())
    }

    #[test]
    fn a_diff_names_each_place_with_what_was_there_and_what_is_there() {
        let before =
            json!({"hp": 7, "bag": {"rope": 1, "key": 2}, "a/b": [1], "same": {"x": null}});
        let after = json!({"bag": {"rope": 1, "lamp": {"lit": true}}, "a/b": [1, 2], "same": {"x": null}, "n": null});
        let text: Vec<String> = diff(&before, &after)
            .changes
            .iter()
            .map(|it| {
                let value = |value: &Option<Value>| {
                    value.as_ref().map_or("nothing".to_owned(), Value::to_string)
                };
                format!("{}: {} -> {}", it.pointer, value(&it.before), value(&it.after))
            })
            .collect();
        insta::assert_snapshot!(text.join("\n"), @r#"
        /a~1b: [1] -> [1,2]
        /bag/key: 2 -> nothing
        /bag/lamp: nothing -> {"lit":true}
        /hp: 7 -> nothing
        /n: nothing -> null
        "#);
        assert!(diff(&before, &before).is_empty());
    }

    #[test]
    fn a_diff_of_a_flood_is_bounded_and_says_how_much_is_missing() {
        let flood: Object = (0..STATE_CHANGES_MAX + 7).map(|n| (n.to_string(), json!(n))).collect();
        let found = diff(&json!({}), &Value::Object(flood));
        assert_eq!((found.changes.len(), found.left_off), (STATE_CHANGES_MAX, 7));
    }
}
