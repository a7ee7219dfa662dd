//! The size of a JSON value without writing it. Pure.

use serde_json::Value;

use super::Object;

/// Bytes of the value as compact JSON, with a comma after every member and item: one byte more than the text for each
/// object and array that is not empty. So the size of a whole is the sum of its parts.
pub fn json_size(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(flag) => 5 - usize::from(*flag),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => string_size(text),
        Value::Array(items) => 2 + items.iter().map(|item| json_size(item) + 1).sum::<usize>(),
        Value::Object(members) => object_size(members),
    }
}

pub(crate) fn object_size(members: &Object) -> usize {
    2 + members.iter().map(|(key, value)| member_size(key, value)).sum::<usize>()
}

/// A member with its colon and its comma.
pub(crate) fn member_size(key: &str, value: &Value) -> usize {
    string_size(key) + 1 + json_size(value) + 1
}

pub(crate) fn string_size(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    2 + text.bytes().map(escaped).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{tree, with_nulls};

    fn containers(value: &Value) -> usize {
        match value {
            Value::Array(items) => {
                usize::from(!items.is_empty()) + items.iter().map(containers).sum::<usize>()
            }
            Value::Object(members) => {
                usize::from(!members.is_empty()) + members.values().map(containers).sum::<usize>()
            }
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn the_size_is_that_of_the_text_and_one_comma_for_each_container(
            object in tree(with_nulls()), text: String, key: String, float: f64, flag: bool,
        ) {
            let mut object = object;
            object.insert(key, Value::from(text));
            object.insert("numbers".to_owned(), Value::from(vec![Value::from(float), flag.into()]));
            let value = Value::Object(object);
            prop_assert_eq!(json_size(&value), value.to_string().len() + containers(&value));
        }
    }
}
