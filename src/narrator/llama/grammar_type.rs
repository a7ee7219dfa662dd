//! The values that a model may write in one place: a set of short JSON values that a grammar can enforce exactly.
//!
//! [`lowering`](super::lowering) turns a schema into a [`GrammarType`] and makes sure that the schema accepts all of its
//! values. This module turns the type into the schema of a grammar.

use serde_json::{Map, Value, json};

/// Longest text that a model writes in one place. A sentence of a story is shorter, and every character costs time.
pub(super) const TEXT_CHARS_MAX: u64 = 160;

/// A set of JSON values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum GrammarType {
    Null,
    /// `true` and `false`.
    Bool,
    Enum(Vec<Value>),
    /// Whole numbers, written without a point.
    Integer {
        /// The least; a multiple of `step`.
        min: i64,
        /// The greatest; a multiple of `step`.
        max: i64,
        /// At least 1.
        step: i64,
    },
    /// Numbers of at most two decimals.
    Decimal {
        /// The least, in hundredths.
        min: i64,
        /// The greatest, in hundredths.
        max: i64,
    },
    Text(StringConstraints),
    List(ArrayConstraints),
    /// An object with these fields in this order, and no others.
    Object(Vec<GrammarField>),
    AnyOf(Vec<GrammarType>),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StringConstraints {
    pub(super) chars_min: u64,
    /// None if the schema sets no limit. A model writes at most [`TEXT_CHARS_MAX`].
    pub(super) chars_max: Option<u64>,
    /// The pattern of the whole text, in the dialect of [`pattern`](super::lowering::pattern).
    pub(super) pattern: Option<String>,
    /// The pattern in the words of the schema, for people.
    pub(super) schema_pattern: Option<String>,
    /// One of [`FORMATS`].
    pub(super) format: Option<&'static str>,
    /// The place of the state that the text is drawn from. In a turn, an [`GrammarType::Enum`] stands for such a text.
    pub(super) values_from: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArrayConstraints {
    /// The first items, each with its own type.
    pub(super) prefix_items: Vec<GrammarType>,
    /// All others; none if there may be no others.
    pub(super) other_items: Option<Box<GrammarType>>,
    pub(super) items_min: usize,
    pub(super) items_max: usize,
}

/// A field of an object, or the part of a step that holds a property of a script's input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GrammarField {
    pub(super) name: String,
    pub(super) grammar_type: GrammarType,
    pub(super) is_required: bool,
    /// The schema's description, for people; may be empty.
    pub(super) description: String,
}

/// Formats that llguidance can enforce. Validation does not assert formats, so a looser reading cannot break a plan.
pub(super) const FORMATS: [&str; 7] =
    ["date", "time", "date-time", "uuid", "ipv4", "hostname", "email"];

impl StringConstraints {
    pub(super) fn written_max(&self) -> u64 {
        self.chars_max.unwrap_or(TEXT_CHARS_MAX).min(TEXT_CHARS_MAX)
    }

    /// Returns true if any text of fitting length will do.
    pub(super) fn is_free(&self) -> bool {
        self.chars_min <= 1
            && self.pattern.is_none()
            && self.format.is_none()
            && self.values_from.is_none()
    }
}

impl GrammarType {
    /// The type without `null`; none if it allows nothing else.
    pub(super) fn without_null(self) -> Option<GrammarType> {
        match self {
            GrammarType::Null => None,
            GrammarType::AnyOf(types) => GrammarType::any_of(
                types.into_iter().filter_map(GrammarType::without_null).collect(),
            ),
            GrammarType::Enum(mut words) => {
                words.retain(|word| !word.is_null());
                (!words.is_empty()).then_some(GrammarType::Enum(words))
            }
            other => Some(other),
        }
    }

    /// The union of the types; none if there are none.
    pub(super) fn any_of(types: Vec<GrammarType>) -> Option<GrammarType> {
        let mut flat: Vec<GrammarType> = Vec::new();
        for one in types {
            let inner = match one {
                GrammarType::AnyOf(inner) => inner,
                other => vec![other],
            };
            for one in inner {
                if !flat.contains(&one) {
                    flat.push(one);
                }
            }
        }
        match flat.len() {
            0 | 1 => flat.pop(),
            _ => Some(GrammarType::AnyOf(flat)),
        }
    }

    /// Returns true if a model could write this value, patterns and formats aside.
    pub(super) fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (GrammarType::Null, Value::Null) | (GrammarType::Bool, Value::Bool(_)) => true,
            (GrammarType::Enum(words), value) => words.contains(value),
            (GrammarType::AnyOf(types), value) => types.iter().any(|one| one.admits(value)),
            (GrammarType::Integer { min, max, step }, Value::Number(number)) => number
                .as_i64()
                .is_some_and(|number| (min..=max).contains(&&number) && number % step == 0),
            (GrammarType::Decimal { min, max }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                let count = (number * 100.0).round();
                (*min as f64..=*max as f64).contains(&count)
                    && from_hundredths(count as i64) == number
            }
            (GrammarType::Text(text), Value::String(value)) => {
                let count = value.chars().count() as u64;
                (text.chars_min..=text.written_max()).contains(&count)
                    && value.chars().all(|letter| letter == '\n' || !letter.is_control())
            }
            (GrammarType::List(list), Value::Array(items)) => {
                let mut item_types = list
                    .prefix_items
                    .iter()
                    .map(Some)
                    .chain(std::iter::repeat(list.other_items.as_deref()));
                (list.items_min..=list.items_max).contains(&items.len())
                    && items
                        .iter()
                        .all(|item| item_types.next().flatten().is_some_and(|one| one.admits(item)))
            }
            (GrammarType::Object(fields), Value::Object(values)) => {
                let named = |name: &str| fields.iter().find(|field| field.name == name);
                let is_whole =
                    fields.iter().all(|it| !it.is_required || values.contains_key(&it.name));
                is_whole
                    && values.iter().all(|(name, value)| {
                        named(name).is_some_and(|field| field.grammar_type.admits(value))
                    })
            }
            _ => false,
        }
    }

    /// The type as a JSON Schema in the subset that llguidance knows.
    pub(super) fn schema(&self) -> Value {
        match self {
            GrammarType::Null => json!({"type": "null"}),
            GrammarType::Bool => json!({"type": "boolean"}),
            GrammarType::Enum(words) => json!({"enum": words}),
            GrammarType::Integer { min, max, step } => integer_schema(*min, *max, *step),
            GrammarType::Decimal { min, max } => decimal_schema(*min, *max),
            GrammarType::Text(text) => text_schema(text),
            GrammarType::List(list) => list_schema(list),
            GrammarType::Object(fields) => object_schema(fields),
            GrammarType::AnyOf(types) => {
                any_of_schema(types.iter().map(GrammarType::schema).collect())
            }
        }
    }
}

/// The schema of an object with exactly these fields.
pub(super) fn object_schema(fields: &[GrammarField]) -> Value {
    let required: Vec<&str> =
        fields.iter().filter(|field| field.is_required).map(|field| field.name.as_str()).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), field.grammar_type.schema())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

pub(super) fn any_of_schema(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({"anyOf": schemas}),
    }
}

/// Negative numbers have a range of their own: in a range that crosses zero, llguidance would accept `-0`, which scripts
/// that read whole numbers refuse.
fn integer_schema(min: i64, max: i64, step: i64) -> Value {
    let range = |min: i64, max: i64| {
        let mut schema = json!({"type": "integer", "minimum": min, "maximum": max});
        if step > 1 {
            schema["multipleOf"] = json!(step);
        }
        schema
    };
    let mut parts = Vec::new();
    if min < 0 {
        parts.push(range(min, max.min(-1)));
    }
    if max >= 0 {
        parts.push(range(min.max(0), max));
    }
    any_of_schema(parts)
}

fn decimal_schema(min: i64, max: i64) -> Value {
    let range = |min: i64, max: i64| {
        let (min, max) = (from_hundredths(min), from_hundredths(max));
        json!({"type": "number", "minimum": min, "maximum": max, "multipleOf": 0.01})
    };
    let mut parts = Vec::new();
    if min < 0 {
        parts.push(range(min, max.min(-1)));
    }
    if max >= 0 {
        parts.push(range(min.max(0), max));
    }
    any_of_schema(parts)
}

/// Returns the double nearest to `count` hundredths: the value that their decimal text parses to.
pub(super) fn from_hundredths(count: i64) -> f64 {
    // Below 2^53, both are exact, and a quotient of exact numbers is the nearest double there is.
    count as f64 / 100.0
}

fn text_schema(text: &StringConstraints) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("string"));
    if text.chars_min > 0 {
        schema.insert("minLength".to_owned(), json!(text.chars_min));
    }
    schema.insert("maxLength".to_owned(), json!(text.written_max()));
    if let Some(pattern) = &text.pattern {
        schema.insert("pattern".to_owned(), json!(pattern));
    }
    if let Some(format) = text.format {
        schema.insert("format".to_owned(), json!(format));
    }
    Value::Object(schema)
}

fn list_schema(list: &ArrayConstraints) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("array"));
    if !list.prefix_items.is_empty() {
        let first: Vec<Value> = list.prefix_items.iter().map(GrammarType::schema).collect();
        schema.insert("prefixItems".to_owned(), Value::Array(first));
    }
    let rest = list.other_items.as_deref().map_or(Value::Bool(false), GrammarType::schema);
    schema.insert("items".to_owned(), rest);
    schema.insert("minItems".to_owned(), json!(list.items_min));
    schema.insert("maxItems".to_owned(), json!(list.items_max));
    Value::Object(schema)
}
