//! Random objects for the tests of this crate.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Object;

pub(crate) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// A scalar or array, never null.
pub(crate) fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i8>().prop_map(Value::from),
        Just(json!([null, {"a": null}])),
        Just(json!("s"))
    ]
}

/// An object with few different keys, so that two objects often share one.
pub(crate) fn tree(leaf: BoxedStrategy<Value>) -> impl Strategy<Value = Object> {
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        proptest::collection::btree_map("[a-d]", inner, 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    });
    proptest::collection::btree_map("[a-d]", value, 0..4)
        .prop_map(|members| members.into_iter().collect())
}

/// Objects and lists in each other, with keys of which some also name an item of a list.
pub(crate) fn tree_with_lists() -> impl Strategy<Value = Object> {
    let members = |value: BoxedStrategy<Value>| {
        proptest::collection::btree_map("[a-c01-]", value, 0..4)
            .prop_map(|members| members.into_iter().collect::<Object>())
    };
    let value = with_nulls().prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            members(inner.clone().boxed()).prop_map(Value::Object),
            proptest::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    });
    members(value.boxed())
}

pub(crate) fn with_nulls() -> BoxedStrategy<Value> {
    prop_oneof![leaf(), Just(Value::Null)].boxed()
}

/// Objects under `o*`, other values under `l*`: no key changes between the two kinds.
pub(crate) fn fixed_kinds() -> impl Strategy<Value = Object> {
    let object = |inner: BoxedStrategy<Value>| {
        (
            proptest::collection::btree_map("o[12]", inner, 0..3),
            proptest::collection::btree_map("l[12]", leaf(), 0..3),
        )
            .prop_map(|(objects, leaves)| objects.into_iter().chain(leaves).collect::<Object>())
    };
    let empty = Just(Value::Object(Object::new())).boxed();
    let inner = empty.prop_recursive(3, 24, 3, move |inner| object(inner).prop_map(Value::Object));
    object(inner.boxed())
}
