//! Sets of JSON types.

use std::{fmt, ops};

use serde_json::Value;

/// A set of JSON types. As in JSON Schema, a number is an integer by its value, not by its spelling: `2.0` is one.
/// Empty by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeSet(u8);

impl TypeSet {
    pub const NONE: TypeSet = TypeSet(0);
    pub const NULL: TypeSet = TypeSet(1);
    pub const BOOLEAN: TypeSet = TypeSet(2);
    pub const OBJECT: TypeSet = TypeSet(4);
    pub const LIST: TypeSet = TypeSet(8);
    pub const INTEGER: TypeSet = TypeSet(16);
    /// Numbers that are no integers.
    pub const FRACTION: TypeSet = TypeSet(32);
    pub const NUMBER: TypeSet = TypeSet(16 | 32);
    pub const STRING: TypeSet = TypeSet(64);
    pub const ANY: TypeSet = TypeSet(127);

    /// In the order in which messages name them; a wider type comes before the types that it includes.
    const NAMES: [(TypeSet, &str); 8] = [
        (TypeSet::OBJECT, "an object"),
        (TypeSet::LIST, "a list"),
        (TypeSet::STRING, "a string"),
        (TypeSet::NUMBER, "a number"),
        (TypeSet::INTEGER, "an integer"),
        (TypeSet::FRACTION, "a fraction"),
        (TypeSet::BOOLEAN, "a boolean"),
        (TypeSet::NULL, "null"),
    ];

    pub fn of_value(value: &Value) -> TypeSet {
        match value {
            Value::Null => TypeSet::NULL,
            Value::Bool(_) => TypeSet::BOOLEAN,
            Value::Number(number) => {
                let is_whole = number.as_f64().is_none_or(|number| number.fract() == 0.0);
                if is_whole { TypeSet::INTEGER } else { TypeSet::FRACTION }
            }
            Value::String(_) => TypeSet::STRING,
            Value::Array(_) => TypeSet::LIST,
            Value::Object(_) => TypeSet::OBJECT,
        }
    }

    /// The types of any of these values.
    pub fn of_values(values: &[Value]) -> TypeSet {
        values.iter().map(TypeSet::of_value).fold(TypeSet::NONE, ops::BitOr::bitor)
    }

    /// A name under `type`. An unknown one allows anything.
    pub(super) fn of_name(name: &str) -> TypeSet {
        match name {
            "null" => TypeSet::NULL,
            "boolean" => TypeSet::BOOLEAN,
            "object" => TypeSet::OBJECT,
            "array" => TypeSet::LIST,
            "integer" => TypeSet::INTEGER,
            "number" => TypeSet::NUMBER,
            "string" => TypeSet::STRING,
            _ => TypeSet::ANY,
        }
    }

    /// Returns true if some value is in both sets.
    pub fn intersects(self, other: TypeSet) -> bool {
        self & other != TypeSet::NONE
    }

    pub fn is_empty(self) -> bool {
        self == TypeSet::NONE
    }

    /// All numbers, if any number is in the set.
    #[must_use]
    pub fn with_all_numbers(self) -> TypeSet {
        if self.intersects(TypeSet::NUMBER) { self | TypeSet::NUMBER } else { self }
    }
}

impl ops::BitOr for TypeSet {
    type Output = TypeSet;

    fn bitor(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }
}

impl ops::BitAnd for TypeSet {
    type Output = TypeSet;

    fn bitand(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }
}

/// Such as `an integer or null`.
impl fmt::Display for TypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut named, mut names) = (TypeSet::NONE, Vec::new());
        for (types, name) in TypeSet::NAMES {
            if *self & types == types && named & types != types {
                named = named | types;
                names.push(name);
            }
        }
        f.write_str(&names.join(" or "))
    }
}
