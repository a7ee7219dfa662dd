//! Text → JSON values, stricter than `serde_json` is by itself, and counted.
//!
//! A duplicate key in one object is refused, because some readers take the first value and others the last. A number
//! beyond the range of a double is refused; a whole number beyond 64 bits becomes the nearest double, as in
//! JavaScript.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

use super::quote::quote;

pub(super) enum StrictJsonError {
    /// Not JSON, a duplicate key, or a number out of range.
    Invalid(serde_json::Error),
    TooManyValues,
}

/// Returns the value and the number of values in it, itself included.
pub(super) fn parse(text: &str, values_max: usize) -> Result<(Value, usize), StrictJsonError> {
    let left = Cell::new(Some(values_max));
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = CountingSeed(&left).deserialize(&mut reader);
    match value.and_then(|value| reader.end().map(|()| value)) {
        Ok(value) => Ok((value, values_max - left.get().unwrap_or(0))),
        Err(_) if left.get().is_none() => Err(StrictJsonError::TooManyValues),
        Err(error) => Err(StrictJsonError::Invalid(error)),
    }
}

/// Reads one value. Holds how many more values there may be; `None` after one too many.
#[derive(Clone, Copy)]
struct CountingSeed<'c>(&'c Cell<Option<usize>>);

impl<'de> DeserializeSeed<'de> for CountingSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        let left = self.0.get().and_then(|left| left.checked_sub(1));
        self.0.set(left);
        match left {
            Some(_) => reader.deserialize_any(self),
            None => Err(D::Error::custom("too many values")),
        }
    }
}

impl<'de> Visitor<'de> for CountingSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(entry) => {
                    let key = quote(&Value::String(entry.key().clone()));
                    let what = format!("the key {key} stands twice in one object");
                    return Err(A::Error::custom(what));
                }
                Entry::Vacant(entry) => {
                    entry.insert(entries.next_value_seed(self)?);
                }
            }
        }
        Ok(Value::Object(object))
    }
}
