//! The story's state: a JSON object that patches change and that scripts see slices of. Pure.

use serde_json::Value;

use super::Object;

/// Longest state as compact JSON. A long adventure's state is some tens of KiB; the store writes all of it with every
/// turn, and 8 MiB still take only a few milliseconds.
pub const STATE_BYTES_MAX: usize = 8 << 20;

/// Deepest nesting of the state, and of everything else that the store writes. The wire lets
/// [`DEPTH_MAX`](crate::DEPTH_MAX) levels through and a result wraps them in a few more; serde_json writes any depth
/// but reads back no more than 127.
pub const STATE_DEPTH_MAX: usize = 96;

/// The state of a story.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoryState(Object);

impl StoryState {
    /// Takes an object as the state.
    pub fn new(object: Object) -> StoryState {
        StoryState(object)
    }

    /// All of it.
    pub fn as_object(&self) -> &Object {
        &self.0
    }

    /// Applies one patch: equal patches in equal order give equal states.
    pub fn apply(&mut self, patch: &Object) {
        merge(&mut self.0, patch);
    }

    /// An object that holds only the values that the JSON pointers (RFC 6901) name, each at its own place: from
    /// `{"player": {"hp": 7, "name": "Ada"}}` the pointer `/player/hp` takes `{"player": {"hp": 7}}`.
    ///
    /// A malformed pointer, or one to nothing, adds nothing; the pointer `""` takes everything. A pointer into an
    /// array takes an array in which the other elements before it are null, so that every index stays right.
    pub fn slice(&self, pointers: &[String]) -> Value {
        let mut slices = Object::new();
        for pointer in pointers {
            if pointer.is_empty() {
                return Value::Object(self.0.clone());
            }
            let mut tokens = pointer.split('/').map(|t| t.replace("~1", "/").replace("~0", "~"));
            let (Some(""), Some(key)) = (tokens.next().as_deref(), tokens.next()) else { continue };
            let Some(source) = self.0.get(&key) else { continue };
            let tokens: Vec<String> = tokens.collect();
            if find(source, &tokens).is_some() {
                copy(source, &tokens, slices.entry(key).or_insert(Value::Null));
            }
        }
        Value::Object(slices)
    }

    /// Reads the text that [`StoryState::to_json`] wrote.
    pub fn parse(text: &str) -> serde_json::Result<StoryState> {
        serde_json::from_str(text).map(StoryState)
    }

    /// The state as compact JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("a JSON object always has a text")
    }
}

/// Deep merge, to the letter of S1 §6: objects recurse, arrays and scalars replace, null deletes.
///
/// If the two differ in kind the patch wins: an object replaces a scalar, an array or nothing *as it is*. The
/// pseudo-code assigns such an object without a look inside, so a null in it stays and deletes nothing, as a null in
/// an array does. (JSON Merge Patch, RFC 7396, would drop the former.)
///
/// The order of keys in an object has no meaning: deleting one may move another, which keeps a deletion as cheap in a
/// huge object as in a small one.
///
/// Recurses as deep as both sides nest. The wire bounds that for patches ([`DEPTH_MAX`](crate::DEPTH_MAX)), and the
/// store checks [`STATE_DEPTH_MAX`] before it merges anything.
pub fn merge(target: &mut Object, patch: &Object) {
    for (key, value) in patch {
        match (target.get_mut(key), value) {
            (_, Value::Null) => {
                target.swap_remove(key);
            }
            (Some(Value::Object(inner)), Value::Object(patch)) => merge(inner, patch),
            (Some(slot), _) => slot.clone_from(value),
            (None, _) => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Returns true if arrays and objects nest deeper than `levels`. Recurses no deeper than that itself.
pub fn is_deeper_than(levels: usize, value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|value| is_deeper_than(levels - 1, value))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|value| is_deeper_than(levels - 1, value))
        }
        _ => false,
    }
}

/// Follows the tokens of an RFC 6901 pointer from its second one on.
fn find<'a>(source: &'a Value, tokens: &[String]) -> Option<&'a Value> {
    tokens.iter().try_fold(source, |source, token| match source {
        Value::Object(members) => members.get(token),
        Value::Array(items) => items.get(index(token)?),
        _ => None,
    })
}

/// Copies the value that `tokens` name in `source` to the same place in `slot`. The caller has found it there.
///
/// Invariant: `slot` is null, or holds only what earlier pointers copied from this `source`.
fn copy(source: &Value, tokens: &[String], slot: &mut Value) {
    let Some((token, rest)) = tokens.split_first() else {
        slot.clone_from(source);
        return;
    };
    match source {
        Value::Object(members) => {
            if slot.is_null() {
                *slot = Value::Object(Object::new());
            }
            if let (Some(source), Value::Object(slots)) = (members.get(token), slot) {
                copy(source, rest, slots.entry(token.clone()).or_insert(Value::Null));
            }
        }
        Value::Array(items) => {
            if slot.is_null() {
                *slot = Value::Array(Vec::new());
            }
            if let (Some(idx), Value::Array(slots)) = (index(token), slot) {
                if slots.len() <= idx {
                    slots.resize(idx + 1, Value::Null);
                }
                copy(&items[idx], rest, &mut slots[idx]);
            }
        }
        _ => {}
    }
}

/// An array index as RFC 6901 writes it: decimal, without a sign and without leading zeros.
fn index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with(['0', '+']);
    is_plain.then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            other => panic!("{other} is not an object"),
        }
    }

    #[track_caller]
    fn check(target: Value, patch: Value, result: Value) {
        let mut merged = object(target);
        merge(&mut merged, &object(patch));
        assert_eq!(Value::Object(merged), result);
    }

    /// S1 §6.1
    #[test]
    fn example_1_nested_object_merge() {
        check(
            json!({"a": {"b": 1, "c": 2}}),
            json!({"a": {"c": 3, "d": 4}}),
            json!({"a": {"b": 1, "c": 3, "d": 4}}),
        );
    }

    /// S1 §6.1
    #[test]
    fn example_2_array_replacement() {
        check(json!({"items": [1, 2, 3]}), json!({"items": [4, 5]}), json!({"items": [4, 5]}));
    }

    /// S1 §6.1
    #[test]
    fn example_3_key_deletion() {
        check(json!({"a": 1, "b": 2}), json!({"b": null}), json!({"a": 1}));
    }

    /// S1 §6.1
    #[test]
    fn example_4_add_new_key() {
        check(json!({"a": 1}), json!({"b": 2}), json!({"a": 1, "b": 2}));
    }

    #[test]
    fn an_object_replaces_a_value_of_another_kind_and_the_other_way_round() {
        check(json!({"a": 1}), json!({"a": {"b": 2}}), json!({"a": {"b": 2}}));
        check(json!({"a": [1]}), json!({"a": {}}), json!({"a": {}}));
        check(json!({"a": {"b": 2}}), json!({"a": 1}), json!({"a": 1}));
        check(json!({"a": {"b": 2}}), json!({"a": {}}), json!({"a": {"b": 2}}));
    }

    #[test]
    fn deleting_an_absent_key_changes_nothing() {
        check(json!({"a": {"b": 1}}), json!({"x": null, "a": {"y": null}}), json!({"a": {"b": 1}}));
    }

    /// S1 §6: the pseudo-code assigns a new object without a look inside.
    #[test]
    fn a_null_in_a_new_object_or_in_an_array_stays() {
        check(json!({}), json!({"a": {"b": null}}), json!({"a": {"b": null}}));
        check(json!({"a": 1}), json!({"a": {"b": null}}), json!({"a": {"b": null}}));
        check(json!({"a": [1]}), json!({"a": [null]}), json!({"a": [null]}));
        check(json!({"a": {"b": null}}), json!({"a": {"b": null}}), json!({"a": {}}));
    }

    #[track_caller]
    fn check_slice(pointers: &[&str], slice: Value) {
        let state = StoryState::new(object(json!({
            "player": {"hp": 7, "name": "Ada", "bag": [{"id": "rope", "kg": 2}, "torch", "key"]},
            "odd": {"a/b": 1, "m~n": 2, "": 3},
            "nothing": null,
        })));
        let pointers: Vec<String> = pointers.iter().map(|&pointer| pointer.to_owned()).collect();
        assert_eq!(state.slice(&pointers), slice);
    }

    #[test]
    fn a_slice_holds_each_named_value_at_its_own_place() {
        check_slice(&[], json!({}));
        check_slice(&["/player/hp"], json!({"player": {"hp": 7}}));
        check_slice(
            &["/player/name", "/nothing", "/player/hp"],
            json!({"player": {"name": "Ada", "hp": 7}, "nothing": null}),
        );
        check_slice(&["/odd/a~1b", "/odd/m~0n"], json!({"odd": {"a/b": 1, "m~n": 2}}));
        check_slice(&["/odd/"], json!({"odd": {"": 3}}));
    }

    #[test]
    fn pointers_to_nothing_are_left_out() {
        check_slice(
            &["/", "/x", "/player/x", "/player/hp/x", "/player/bag/3", "/player/bag/-"],
            json!({}),
        );
        check_slice(
            &["player", "x/player", " /player", "/player/bag/01", "/player/bag/+1"],
            json!({}),
        );
    }

    #[test]
    fn overlapping_pointers_give_the_larger_slice() {
        let odd = json!({"odd": {"a/b": 1, "m~n": 2, "": 3}});
        check_slice(&["/odd", "/odd/a~1b"], odd.clone());
        check_slice(&["/odd/a~1b", "/odd"], odd);
    }

    #[test]
    fn a_pointer_into_an_array_keeps_the_index_and_hides_the_other_items() {
        check_slice(&["/player/bag/1"], json!({"player": {"bag": [null, "torch"]}}));
        check_slice(
            &["/player/bag/2", "/player/bag/0/kg"],
            json!({"player": {"bag": [{"kg": 2}, null, "key"]}}),
        );
    }

    #[test]
    fn nesting_is_counted_in_arrays_and_objects() {
        let nested = |levels| (0..levels).fold(json!(1), |value, _| json!({"a": [value]}));
        assert!(!is_deeper_than(0, &json!("flat")));
        assert!(!is_deeper_than(8, &nested(4)));
        assert!(is_deeper_than(7, &nested(4)));
    }

    /// A scalar or array, never null.
    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i8>().prop_map(Value::from),
            Just(json!([null, {"a": null}])),
            Just(json!("s"))
        ]
    }

    /// An object with few different keys, so that two objects often share one.
    fn tree(leaf: BoxedStrategy<Value>) -> impl Strategy<Value = Object> {
        let value = leaf.prop_recursive(3, 24, 4, |inner| {
            proptest::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
        });
        proptest::collection::btree_map("[a-d]", value, 0..4)
            .prop_map(|members| members.into_iter().collect())
    }

    fn with_nulls() -> BoxedStrategy<Value> {
        prop_oneof![leaf(), Just(Value::Null)].boxed()
    }

    /// Objects under `o*`, other values under `l*`: no key changes between the two kinds.
    fn fixed_kinds() -> impl Strategy<Value = Object> {
        let object = |inner: BoxedStrategy<Value>| {
            (
                proptest::collection::btree_map("o[12]", inner, 0..3),
                proptest::collection::btree_map("l[12]", leaf(), 0..3),
            )
                .prop_map(|(objects, leaves)| objects.into_iter().chain(leaves).collect::<Object>())
        };
        let empty = Just(Value::Object(Object::new())).boxed();
        let inner =
            empty.prop_recursive(3, 24, 3, move |inner| object(inner).prop_map(Value::Object));
        object(inner.boxed())
    }

    fn merged(mut target: Object, patch: &Object) -> Object {
        merge(&mut target, patch);
        target
    }

    proptest! {
        #[test]
        fn a_patch_without_deletions_is_idempotent(
            target in tree(with_nulls()), patch in tree(leaf().boxed()),
        ) {
            let once = merged(target, &patch);
            prop_assert_eq!(merged(once.clone(), &patch), once);
        }

        /// The first time a null may arrive within a new object; the second time deletes it.
        #[test]
        fn a_patch_with_deletions_settles_after_the_second_time(
            target in tree(with_nulls()), patch in tree(with_nulls()),
        ) {
            let twice = merged(merged(target, &patch), &patch);
            prop_assert_eq!(merged(twice.clone(), &patch), twice);
        }

        /// Merging patches into one first equals merging them one by one as long as no value changes between object
        /// and other kinds, and nothing is deleted.
        #[test]
        fn patches_that_keep_each_kind_can_be_merged_in_advance(
            target in fixed_kinds(), first in fixed_kinds(), second in fixed_kinds(),
        ) {
            let one_by_one = merged(merged(target.clone(), &first), &second);
            prop_assert_eq!(merged(target, &merged(first, &second)), one_by_one);
        }

        #[test]
        fn keys_that_a_patch_does_not_name_stay(
            target in tree(with_nulls()), patch in tree(with_nulls()),
        ) {
            let after = merged(target.clone(), &patch);
            for (key, value) in &target {
                if !patch.contains_key(key) {
                    prop_assert_eq!(after.get(key), Some(value));
                }
            }
            for (key, value) in &patch {
                prop_assert_eq!(after.contains_key(key), !value.is_null());
            }
        }

        #[test]
        fn a_slice_agrees_with_the_state_at_every_pointer(
            state in tree(with_nulls()), keys in proptest::collection::vec("(/[a-d0-2]){1,4}", 0..5),
        ) {
            let whole = Value::Object(state.clone());
            let slice = StoryState::new(state).slice(&keys);
            for pointer in &keys {
                prop_assert_eq!(slice.pointer(pointer), whole.pointer(pointer));
            }
        }

        #[test]
        fn a_state_reads_back_as_it_was_written(state in tree(with_nulls()), float: f64) {
            let mut state = StoryState::new(state);
            state.apply(&object(json!({"float": float})));
            prop_assert_eq!(StoryState::parse(&state.to_json()).unwrap(), state);
        }
    }
}
