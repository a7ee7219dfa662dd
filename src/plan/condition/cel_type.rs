//! Which JSON values a part of a condition may give, as far as that is known before anything runs.

use std::{fmt, ops};

use serde_json::Value;

use super::node::CelOperator;
use narratoria_protocol::nearest::nearest;

/// A set of kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CelTypeSet(u8);

impl CelTypeSet {
    pub(super) const NULL: CelTypeSet = CelTypeSet(1);
    pub(super) const BOOL: CelTypeSet = CelTypeSet(2);
    pub(super) const INT: CelTypeSet = CelTypeSet(4);
    pub(super) const DOUBLE: CelTypeSet = CelTypeSet(8);
    pub(super) const TEXT: CelTypeSet = CelTypeSet(16);
    pub(super) const LIST: CelTypeSet = CelTypeSet(32);
    pub(super) const MAP: CelTypeSet = CelTypeSet(64);
    pub(super) const NUMBER: CelTypeSet = CelTypeSet(4 | 8);
    pub(super) const ANY: CelTypeSet = CelTypeSet(127);
    const NONE: CelTypeSet = CelTypeSet(0);

    pub(super) fn intersects(self, other: CelTypeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Numbers are comparable, whichever they are.
    pub(super) fn with_all_numbers(self) -> CelTypeSet {
        if self.intersects(CelTypeSet::NUMBER) { self | CelTypeSet::NUMBER } else { self }
    }

    fn of_value(value: &Value) -> CelTypeSet {
        match value {
            Value::Null => CelTypeSet::NULL,
            Value::Bool(_) => CelTypeSet::BOOL,
            Value::Number(_) => CelTypeSet::NUMBER,
            Value::String(_) => CelTypeSet::TEXT,
            Value::Array(_) => CelTypeSet::LIST,
            Value::Object(_) => CelTypeSet::MAP,
        }
    }

    fn of_type_name(name: &str) -> CelTypeSet {
        match name {
            "null" => CelTypeSet::NULL,
            "boolean" => CelTypeSet::BOOL,
            "integer" => CelTypeSet::INT,
            "number" => CelTypeSet::NUMBER,
            "string" => CelTypeSet::TEXT,
            "array" => CelTypeSet::LIST,
            "object" => CelTypeSet::MAP,
            _ => CelTypeSet::ANY,
        }
    }
}

impl ops::BitOr for CelTypeSet {
    type Output = CelTypeSet;

    fn bitor(self, other: CelTypeSet) -> CelTypeSet {
        CelTypeSet(self.0 | other.0)
    }
}

impl ops::BitAnd for CelTypeSet {
    type Output = CelTypeSet;

    fn bitand(self, other: CelTypeSet) -> CelTypeSet {
        CelTypeSet(self.0 & other.0)
    }
}

/// `a whole number or null`.
impl fmt::Display for CelTypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == CelTypeSet::ANY {
            return f.write_str("anything");
        }
        let names = [
            (CelTypeSet::BOOL, "true or false"),
            (CelTypeSet::TEXT, "text"),
            (CelTypeSet::LIST, "a list"),
            (CelTypeSet::MAP, "an object"),
            (CelTypeSet::NULL, "null"),
        ];
        let number = match *self & CelTypeSet::NUMBER {
            CelTypeSet::NUMBER => Some("a number"),
            CelTypeSet::INT => Some("a whole number"),
            CelTypeSet::DOUBLE => Some("a fractional number"),
            _ => None,
        };
        let others = names.iter().filter(|(kind, _)| self.intersects(*kind)).map(|(_, name)| *name);
        let all: Vec<&str> = number.into_iter().chain(others).collect();
        f.write_str(&all.join(" or "))
    }
}

/// What is known of a value: its kinds, and for lists and objects perhaps what is in them.
#[derive(Debug, Clone)]
pub(super) struct CelType {
    pub(super) types: CelTypeSet,
    schema: Option<Value>,
}

/// Keywords that add to or take from what `properties` and `items` say. Where one of them stands, only
/// `type` is believed.
const COMBINING_KEYWORDS: [&str; 8] =
    ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas"];

impl CelType {
    pub(super) const UNKNOWN: CelType = CelType { types: CelTypeSet::ANY, schema: None };

    pub(super) fn of_types(kinds: CelTypeSet) -> CelType {
        CelType { types: kinds, schema: None }
    }

    /// Believes only what is plainly said.
    pub(super) fn from_schema(schema: &Value) -> CelType {
        let Some(fields) = schema.as_object() else { return CelType::UNKNOWN };
        let union = |kinds: CelTypeSet, more: CelTypeSet| kinds | more;
        let mut kinds = match fields.get("type") {
            Some(Value::String(name)) => CelTypeSet::of_type_name(name),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| name.as_str().map_or(CelTypeSet::ANY, CelTypeSet::of_type_name))
                .fold(CelTypeSet::NONE, union),
            _ => CelTypeSet::ANY,
        };
        let values = fields.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let values = values.or_else(|| fields.get("const").map(std::slice::from_ref));
        if let Some(values) = values {
            kinds = kinds & values.iter().map(CelTypeSet::of_value).fold(CelTypeSet::NONE, union);
        }
        if kinds == CelTypeSet::NONE {
            return CelType::UNKNOWN;
        }
        let is_plain = !COMBINING_KEYWORDS.iter().any(|keyword| fields.contains_key(*keyword));
        CelType { types: kinds, schema: is_plain.then(|| schema.clone()) }
    }

    pub(super) fn or_null(mut self) -> CelType {
        self.types = self.types | CelTypeSet::NULL;
        self
    }

    /// `name` of this value, which messages call `label`.
    pub(super) fn field(&self, name: &str, label: &str) -> Result<CelType, String> {
        if !self.types.intersects(CelTypeSet::MAP) {
            return Err(format!("`{label}` is {} and has no field `{name}`", self.types));
        }
        let Some(schema) = &self.schema else { return Ok(CelType::UNKNOWN) };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Ok(CelType::UNKNOWN);
        };
        if let Some(property) = properties.get(name) {
            return Ok(CelType::from_schema(property));
        }
        let is_closed =
            matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)))
                && schema.get("patternProperties").is_none();
        if !is_closed {
            return Ok(CelType::UNKNOWN);
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
    pub(super) fn item(&self) -> CelType {
        let items = self
            .schema
            .as_ref()
            .filter(|schema| schema.get("prefixItems").is_none())
            .and_then(|schema| schema.get("items"))
            .map_or(CelType::UNKNOWN, CelType::from_schema);
        match (self.types.intersects(CelTypeSet::LIST), self.types.intersects(CelTypeSet::MAP)) {
            (true, false) => items,
            (false, true) => CelType::of_types(CelTypeSet::TEXT),
            _ => CelType::UNKNOWN,
        }
    }
}

impl CelOperator {
    /// What comes of it between values of these kinds; none if no such values can be had.
    pub(super) fn result_types(self, left: CelTypeSet, right: CelTypeSet) -> Option<CelTypeSet> {
        let shared = left.with_all_numbers() & right.with_all_numbers();
        let some = |kinds: CelTypeSet| (kinds != CelTypeSet::NONE).then_some(kinds);
        match self {
            // Every step may be null, so null is always worth a question.
            CelOperator::Equal | CelOperator::NotEqual => {
                let is_askable =
                    shared != CelTypeSet::NONE || (left | right).intersects(CelTypeSet::NULL);
                is_askable.then_some(CelTypeSet::BOOL)
            }
            CelOperator::Less
            | CelOperator::LessOrEqual
            | CelOperator::Greater
            | CelOperator::GreaterOrEqual => {
                let ordered = CelTypeSet::NUMBER | CelTypeSet::TEXT | CelTypeSet::BOOL;
                shared.intersects(ordered).then_some(CelTypeSet::BOOL)
            }
            CelOperator::Add => {
                let others = shared & (CelTypeSet::TEXT | CelTypeSet::LIST);
                some(others | number_result_types(left, right))
            }
            CelOperator::Subtract | CelOperator::Multiply | CelOperator::Divide => {
                some(number_result_types(left, right))
            }
            CelOperator::Modulo => (left.intersects(CelTypeSet::INT)
                && right.intersects(CelTypeSet::INT))
            .then_some(CelTypeSet::INT),
            CelOperator::In => {
                let in_map = left.intersects(CelTypeSet::TEXT) && right.intersects(CelTypeSet::MAP);
                (in_map || right.intersects(CelTypeSet::LIST)).then_some(CelTypeSet::BOOL)
            }
        }
    }
}

/// Whole only if both are.
fn number_result_types(left: CelTypeSet, right: CelTypeSet) -> CelTypeSet {
    if !left.intersects(CelTypeSet::NUMBER) || !right.intersects(CelTypeSet::NUMBER) {
        return CelTypeSet::NONE;
    }
    let whole = if left.intersects(CelTypeSet::INT) && right.intersects(CelTypeSet::INT) {
        CelTypeSet::INT
    } else {
        CelTypeSet::NONE
    };
    let fractional = if (left | right).intersects(CelTypeSet::DOUBLE) {
        CelTypeSet::DOUBLE
    } else {
        CelTypeSet::NONE
    };
    whole | fractional
}
