//! Which JSON values a part of a condition may give, as far as that is known before anything runs.

use std::{fmt, ops};

use serde_json::Value;

use super::node::Operator;
use crate::nearest::nearest;

/// A set of kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NULL: Kinds = Kinds(1);
    pub(super) const BOOL: Kinds = Kinds(2);
    pub(super) const INT: Kinds = Kinds(4);
    pub(super) const DOUBLE: Kinds = Kinds(8);
    pub(super) const TEXT: Kinds = Kinds(16);
    pub(super) const LIST: Kinds = Kinds(32);
    pub(super) const MAP: Kinds = Kinds(64);
    pub(super) const NUMBER: Kinds = Kinds(4 | 8);
    pub(super) const ANY: Kinds = Kinds(127);
    const NONE: Kinds = Kinds(0);

    pub(super) fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Numbers are comparable, whichever they are.
    pub(super) fn with_all_numbers(self) -> Kinds {
        if self.meets(Kinds::NUMBER) { self | Kinds::NUMBER } else { self }
    }

    fn of(value: &Value) -> Kinds {
        match value {
            Value::Null => Kinds::NULL,
            Value::Bool(_) => Kinds::BOOL,
            Value::Number(_) => Kinds::NUMBER,
            Value::String(_) => Kinds::TEXT,
            Value::Array(_) => Kinds::LIST,
            Value::Object(_) => Kinds::MAP,
        }
    }

    fn of_name(name: &str) -> Kinds {
        match name {
            "null" => Kinds::NULL,
            "boolean" => Kinds::BOOL,
            "integer" => Kinds::INT,
            "number" => Kinds::NUMBER,
            "string" => Kinds::TEXT,
            "array" => Kinds::LIST,
            "object" => Kinds::MAP,
            _ => Kinds::ANY,
        }
    }
}

impl ops::BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl ops::BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

/// `a whole number or null`.
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Kinds::ANY {
            return f.write_str("anything");
        }
        let names = [
            (Kinds::BOOL, "true or false"),
            (Kinds::TEXT, "text"),
            (Kinds::LIST, "a list"),
            (Kinds::MAP, "an object"),
            (Kinds::NULL, "null"),
        ];
        let number = match *self & Kinds::NUMBER {
            Kinds::NUMBER => Some("a number"),
            Kinds::INT => Some("a whole number"),
            Kinds::DOUBLE => Some("a fractional number"),
            _ => None,
        };
        let others = names.iter().filter(|(kind, _)| self.meets(*kind)).map(|(_, name)| *name);
        let all: Vec<&str> = number.into_iter().chain(others).collect();
        f.write_str(&all.join(" or "))
    }
}

/// What is known of a value: its kinds, and for lists and objects perhaps what is in them.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) kinds: Kinds,
    schema: Option<Value>,
}

/// Keywords that add to or take from what `properties` and `items` say. Where one of them stands, only
/// `type` is believed.
const BEYOND: [&str; 8] =
    ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas"];

impl Shape {
    pub(super) const UNKNOWN: Shape = Shape { kinds: Kinds::ANY, schema: None };

    pub(super) fn of(kinds: Kinds) -> Shape {
        Shape { kinds, schema: None }
    }

    /// Believes only what is plainly said.
    pub(super) fn from_schema(schema: &Value) -> Shape {
        let Some(fields) = schema.as_object() else { return Shape::UNKNOWN };
        let union = |kinds: Kinds, more: Kinds| kinds | more;
        let mut kinds = match fields.get("type") {
            Some(Value::String(name)) => Kinds::of_name(name),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| name.as_str().map_or(Kinds::ANY, Kinds::of_name))
                .fold(Kinds::NONE, union),
            _ => Kinds::ANY,
        };
        let values = fields.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let values = values.or_else(|| fields.get("const").map(std::slice::from_ref));
        if let Some(values) = values {
            kinds = kinds & values.iter().map(Kinds::of).fold(Kinds::NONE, union);
        }
        if kinds == Kinds::NONE {
            return Shape::UNKNOWN;
        }
        let is_plain = !BEYOND.iter().any(|keyword| fields.contains_key(*keyword));
        Shape { kinds, schema: is_plain.then(|| schema.clone()) }
    }

    pub(super) fn or_null(mut self) -> Shape {
        self.kinds = self.kinds | Kinds::NULL;
        self
    }

    /// `name` of this value, which messages call `label`.
    pub(super) fn field(&self, name: &str, label: &str) -> Result<Shape, String> {
        if !self.kinds.meets(Kinds::MAP) {
            return Err(format!("`{label}` is {} and has no field `{name}`", self.kinds));
        }
        let Some(schema) = &self.schema else { return Ok(Shape::UNKNOWN) };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Ok(Shape::UNKNOWN);
        };
        if let Some(property) = properties.get(name) {
            return Ok(Shape::from_schema(property));
        }
        let is_closed =
            matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)))
                && schema.get("patternProperties").is_none();
        if !is_closed {
            return Ok(Shape::UNKNOWN);
        }
        let way_out = match nearest(name, properties.keys()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match properties.keys().take(12).map(String::as_str).collect::<Vec<_>>() {
                keys if keys.is_empty() => "it has no fields".to_owned(),
                keys => format!("it has `{}`", keys.join("`, `")),
            },
        };
        Err(format!("`{label}` has no field `{name}`; {way_out}"))
    }

    /// What a loop over this value meets: items of a list, keys of an object.
    pub(super) fn item(&self) -> Shape {
        let items = self
            .schema
            .as_ref()
            .filter(|schema| schema.get("prefixItems").is_none())
            .and_then(|schema| schema.get("items"))
            .map_or(Shape::UNKNOWN, Shape::from_schema);
        match (self.kinds.meets(Kinds::LIST), self.kinds.meets(Kinds::MAP)) {
            (true, false) => items,
            (false, true) => Shape::of(Kinds::TEXT),
            _ => Shape::UNKNOWN,
        }
    }
}

impl Operator {
    /// What comes of it between values of these kinds; none if no such values can be had.
    pub(super) fn gives(self, left: Kinds, right: Kinds) -> Option<Kinds> {
        let shared = left.with_all_numbers() & right.with_all_numbers();
        let some = |kinds: Kinds| (kinds != Kinds::NONE).then_some(kinds);
        match self {
            // Every step may be null, so null is always worth a question.
            Operator::Equal | Operator::NotEqual => {
                let is_askable = shared != Kinds::NONE || (left | right).meets(Kinds::NULL);
                is_askable.then_some(Kinds::BOOL)
            }
            Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => {
                let ordered = Kinds::NUMBER | Kinds::TEXT | Kinds::BOOL;
                shared.meets(ordered).then_some(Kinds::BOOL)
            }
            Operator::Add => {
                let others = shared & (Kinds::TEXT | Kinds::LIST);
                some(others | of_numbers(left, right))
            }
            Operator::Subtract | Operator::Multiply | Operator::Divide => {
                some(of_numbers(left, right))
            }
            Operator::Modulo => {
                (left.meets(Kinds::INT) && right.meets(Kinds::INT)).then_some(Kinds::INT)
            }
            Operator::In => {
                let in_map = left.meets(Kinds::TEXT) && right.meets(Kinds::MAP);
                (in_map || right.meets(Kinds::LIST)).then_some(Kinds::BOOL)
            }
        }
    }
}

/// Whole only if both are.
fn of_numbers(left: Kinds, right: Kinds) -> Kinds {
    if !left.meets(Kinds::NUMBER) || !right.meets(Kinds::NUMBER) {
        return Kinds::NONE;
    }
    let whole =
        if left.meets(Kinds::INT) && right.meets(Kinds::INT) { Kinds::INT } else { Kinds::NONE };
    let fractional = if (left | right).meets(Kinds::DOUBLE) { Kinds::DOUBLE } else { Kinds::NONE };
    whole | fractional
}
