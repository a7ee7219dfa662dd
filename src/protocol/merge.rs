//! The merge of a patch into an object. Pure.

use serde_json::Value;

use super::{Object, json_size::member_size};

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
/// executor and the store check [`STATE_DEPTH_MAX`](crate::STATE_DEPTH_MAX) before they merge anything.
pub fn merge(target: &mut Object, patch: &Object) {
    for (key, value) in patch {
        merge_member(target, key, value, &mut Uncounted);
    }
}

/// Merges one member of a patch as [`merge`] does. Returns by how many bytes the target grew, as
/// [`json_size`](crate::json_size()) counts them.
///
/// The work depends on what the patch writes and replaces, never on the rest of the target.
pub(crate) fn merge_counted(target: &mut Object, key: &str, value: &Value) -> i64 {
    let mut growth = Growth(0);
    merge_member(target, key, value, &mut growth);
    growth.0
}

/// Sees each member that a merge removes or adds.
trait MergeCount {
    fn removed(&mut self, key: &str, value: &Value);
    fn added(&mut self, key: &str, value: &Value);
}

struct Uncounted;

impl MergeCount for Uncounted {
    fn removed(&mut self, _: &str, _: &Value) {}
    fn added(&mut self, _: &str, _: &Value) {}
}

struct Growth(i64);

impl MergeCount for Growth {
    fn removed(&mut self, key: &str, value: &Value) {
        self.0 -= signed(member_size(key, value));
    }

    fn added(&mut self, key: &str, value: &Value) {
        self.0 += signed(member_size(key, value));
    }
}

/// A size in memory is far below 2^63.
fn signed(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn merge_member(target: &mut Object, key: &str, value: &Value, count: &mut impl MergeCount) {
    match (target.get_mut(key), value) {
        (_, Value::Null) => {
            if let Some(removed) = target.swap_remove(key) {
                count.removed(key, &removed);
            }
        }
        (Some(Value::Object(inner)), Value::Object(patch)) => {
            for (key, value) in patch {
                merge_member(inner, key, value, count);
            }
        }
        (Some(slot), _) => {
            count.removed(key, slot);
            slot.clone_from(value);
            count.added(key, value);
        }
        (None, _) => {
            target.insert(key.to_owned(), value.clone());
            count.added(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        json_size::json_size,
        testing::{fixed_kinds, leaf, object, tree, with_nulls},
    };

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

        /// The counted growth is the difference of the sizes.
        #[test]
        fn the_counted_growth_is_that_of_the_whole_object(
            target in tree(with_nulls()), patch in tree(with_nulls()),
        ) {
            let size = |object: &Object| json_size(&Value::Object(object.clone())) as i64;
            let mut counted = target.clone();
            let growth: i64 =
                patch.iter().map(|(key, value)| merge_counted(&mut counted, key, value)).sum();
            prop_assert_eq!(growth, size(&counted) - size(&target));
            prop_assert_eq!(counted, merged(target, &patch));
        }
    }
}
