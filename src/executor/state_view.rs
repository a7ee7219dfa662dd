//! The state as a step sees it: the state at the start plus the patches of its ancestors (docs/plans.md,
//! "Order, time and failure"). Pure.

use serde_json::Value;

use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{Object, StoryState, key_of_token};

/// Returns the steps that `step` needs, directly or not, in plan order.
///
/// Computed again on each call: few steps read the state, and a table of all ancestors would need memory
/// quadratic in the number of steps.
pub(crate) fn ancestors(plan: &Plan, step: StepIdx) -> Vec<StepIdx> {
    let mut is_ancestor = vec![false; step.0];
    let mut open: Vec<StepIdx> = plan.step(step).needs.clone();
    while let Some(ancestor) = open.pop() {
        if !std::mem::replace(&mut is_ancestor[ancestor.0], true) {
            open.extend(plan.step(ancestor).needs.iter().filter(|need| !is_ancestor[need.0]));
        }
    }
    (0..step.0).filter(|idx| is_ancestor[*idx]).map(StepIdx).collect()
}

/// Returns the slices that `reads` names, out of `start` with `patches` merged in.
///
/// Copies only the members of the state that `reads` points into: a merge never moves anything from one
/// member of an object to another.
pub(crate) fn state_slices(reads: &[String], start: &StoryState, patches: &[&Object]) -> Value {
    if reads.is_empty() {
        return Value::Object(Object::new());
    }
    let mut members = Vec::with_capacity(reads.len());
    for pointer in reads {
        match pointer.strip_prefix('/').and_then(|rest| rest.split('/').next()) {
            Some(member) => members.push(key_of_token(member).into_owned()),
            None => return merged_state(start, patches).slice(reads),
        }
    }
    if !patches.iter().any(|patch| members.iter().any(|member| patch.contains_key(member))) {
        return start.slice(reads);
    }
    let only = |object: &Object| -> Object {
        let named = members.iter().filter_map(|member| object.get_key_value(member));
        named.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let mut state = StoryState::new(only(start.as_object()));
    for patch in patches {
        state.apply(&only(patch));
    }
    state.slice(reads)
}

/// Returns all of `start` with `patches` merged in.
pub(crate) fn merged_state(start: &StoryState, patches: &[&Object]) -> StoryState {
    let mut state = start.clone();
    for patch in patches {
        state.apply(patch);
    }
    state
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{merged_state, state_slices};
    use narratoria_protocol::{Object, StoryState};

    fn object(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn a_script_without_reads_gets_an_empty_state() {
        let start = StoryState::new(object(json!({"hp": 7})));
        assert_eq!(state_slices(&[], &start, &[]), json!({}));
    }

    #[test]
    fn an_ancestor_patch_changes_and_deletes_members() {
        let start =
            StoryState::new(object(json!({"player": {"hp": 7, "gold": 3}, "room": "cave"})));
        let patch = object(json!({"player": {"hp": null, "gold": 4}, "room": null}));
        let reads = ["/player".to_owned(), "/room".to_owned()];
        assert_eq!(state_slices(&reads, &start, &[&patch]), json!({"player": {"gold": 4}}));
    }

    fn small() -> impl Strategy<Value = Object> {
        let leaf = prop_oneof![Just(Value::Null), (0..3).prop_map(|n| json!(n))];
        let value = leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..2).prop_map(Value::Array),
                fields(inner).prop_map(Value::Object),
            ]
        });
        fields(value)
    }

    fn fields(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Object> {
        proptest::collection::hash_map("[abc~/]", value, 0..4)
            .prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn slicing_a_partial_merge_equals_slicing_the_full_merge(
            start in small(),
            patches in proptest::collection::vec(small(), 0..4),
            reads in proptest::collection::vec("(/([abc]|~0|~1|0)){0,3}", 0..4),
        ) {
            let start = StoryState::new(start);
            let patches: Vec<&Object> = patches.iter().collect();
            let whole = merged_state(&start, &patches).slice(&reads);
            prop_assert_eq!(state_slices(&reads, &start, &patches), whole);
        }
    }
}
