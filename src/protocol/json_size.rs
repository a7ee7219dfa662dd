//! The cost of a JSON value: the bytes of its text, and its memory beside them. Pure.
//!
//! `{"":0}` has six bytes of text and takes five hundred and fifty of memory, `0` takes seventy-two. So a limit that counts
//! text alone, or each value alike, bounds no memory: an object counts as many values as its memory could hold, and each
//! value counts some bytes.

use serde_json::Value;

use super::Object;

/// Values that an object counts for, its members not included: its table and its first four places take as much memory.
pub const OBJECT_VALUES: usize = 8;

/// Values that an array counts for, its items not included: its first four places.
pub const ARRAY_VALUES: usize = 4;

/// Bytes that a value counts beside its text: a ninth of the memory that it takes.
const VALUE_BYTES: usize = 8;

/// Size of a value as the limits of the state count it: bytes of compact JSON with a comma after every member and item,
/// and 8 bytes for every value in it (64 for an object, 32 for an array). So the size of a whole is the sum of its
/// parts, it is no smaller than the text, and the memory is at most nine times as large.
pub fn json_size(value: &Value) -> usize {
    let text = match value {
        Value::Null => 4,
        Value::Bool(flag) => 5 - usize::from(*flag),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => string_size(text),
        Value::Array(items) => return array_size(items),
        Value::Object(members) => return object_size(members),
    };
    text + VALUE_BYTES
}

fn array_size(items: &[Value]) -> usize {
    let inside: usize = items.iter().map(|item| json_size(item) + 1).sum();
    2 + ARRAY_VALUES * VALUE_BYTES + inside
}

pub(crate) fn object_size(members: &Object) -> usize {
    let inside: usize = members.iter().map(|(key, value)| member_size(key, value)).sum();
    2 + OBJECT_VALUES * VALUE_BYTES + inside
}

/// A member with its colon and its comma.
pub(crate) fn member_size(key: &str, value: &Value) -> usize {
    string_size(key) + 1 + json_size(value) + 1
}

/// The values of a document, counted as for [`VALUES_MAX`](crate::VALUES_MAX).
pub fn json_values(value: &Value) -> usize {
    match value {
        Value::Array(items) => ARRAY_VALUES + items.iter().map(json_values).sum::<usize>(),
        Value::Object(members) => OBJECT_VALUES + members.values().map(json_values).sum::<usize>(),
        _ => 1,
    }
}

/// At least as many values as JSON text has, counted as for [`VALUES_MAX`](crate::VALUES_MAX), without reading it: each but
/// the first follows a comma, a colon or a bracket.
pub fn json_text_values_max(text: &str) -> usize {
    let values = text.bytes().map(|byte| match byte {
        b',' | b':' => 1,
        b'[' => ARRAY_VALUES,
        b'{' => OBJECT_VALUES - 1,
        _ => 0,
    });
    1 + values.sum::<usize>()
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

    /// Commas that the text lacks, and values as they are counted.
    fn commas_and_values(value: &Value) -> (usize, usize) {
        let (own, inside): ((usize, usize), Vec<&Value>) = match value {
            Value::Array(items) => ((usize::from(!items.is_empty()), 4), items.iter().collect()),
            Value::Object(members) => {
                ((usize::from(!members.is_empty()), 8), members.values().collect())
            }
            _ => ((0, 1), Vec::new()),
        };
        inside.into_iter().map(commas_and_values).fold(own, |sum, of| (sum.0 + of.0, sum.1 + of.1))
    }

    proptest! {
        #[test]
        fn the_size_is_that_of_the_text_a_comma_for_each_container_and_eight_bytes_for_each_value(
            object in tree(with_nulls()), text: String, key: String, float: f64, flag: bool,
        ) {
            let mut object = object;
            object.insert(key, Value::from(text));
            object.insert("numbers".to_owned(), Value::from(vec![Value::from(float), flag.into()]));
            let value = Value::Object(object);
            let (commas, values) = commas_and_values(&value);
            let text = value.to_string();
            prop_assert_eq!(json_size(&value), text.len() + commas + 8 * values);
            prop_assert!(values <= json_text_values_max(&text));
        }
    }
}
