//! What several schema objects say together of one place, their references and choices taken apart.

use serde_json::Value;

use super::{
    FIELDS_MAX, LIST_ITEMS_MAX, LoweringError, SchemaObject, keyword_array,
    number_range::{NumberRange, is_exact},
    pattern,
};
use crate::llama::grammar_type::{
    FORMATS, GrammarField, GrammarType, StringConstraints, TEXT_CHARS_MAX,
};

/// Most values of an `enum`.
const ENUM_VALUES_MAX: usize = 256;
/// Longest value of an `enum`, as JSON.
const ENUM_VALUE_BYTES_MAX: usize = 512;

/// Keywords that forbid something and that no grammar is held to here. Every other keyword that is not
/// read elsewhere in this module asserts nothing in 2020-12.
const UNSUPPORTED_KEYWORDS: [&str; 14] = [
    "$dynamicRef",
    "$recursiveRef",
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
];

const OBJECT_KEYWORDS: [&str; 5] =
    ["properties", "required", "additionalProperties", "minProperties", "maxProperties"];
const ARRAY_KEYWORDS: [&str; 5] = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"];

/// Kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AllowedTypes {
    pub(super) null: bool,
    pub(super) boolean: bool,
    pub(super) number: bool,
    pub(super) string: bool,
    pub(super) array: bool,
    pub(super) object: bool,
}

impl AllowedTypes {
    pub(super) const ALL: AllowedTypes = AllowedTypes {
        null: true,
        boolean: true,
        number: true,
        string: true,
        array: true,
        object: true,
    };
    const NONE: AllowedTypes = AllowedTypes {
        null: false,
        boolean: false,
        number: false,
        string: false,
        array: false,
        object: false,
    };

    fn and(self, other: AllowedTypes) -> AllowedTypes {
        AllowedTypes {
            null: self.null && other.null,
            boolean: self.boolean && other.boolean,
            number: self.number && other.number,
            string: self.string && other.string,
            array: self.array && other.array,
            object: self.object && other.object,
        }
    }

    /// Whether a value is of one of these kinds.
    pub(super) fn has(self, value: &Value) -> bool {
        match value {
            Value::Null => self.null,
            Value::Bool(_) => self.boolean,
            Value::Number(_) => self.number,
            Value::String(_) => self.string,
            Value::Array(_) => self.array,
            Value::Object(_) => self.object,
        }
    }
}

/// The kinds that a `type` names, and whether its numbers are whole ones.
pub(super) fn types_of(node: &SchemaObject) -> (AllowedTypes, bool) {
    let names = match node.get("type") {
        None => return (AllowedTypes::ALL, false),
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
    };
    let mut kinds = AllowedTypes::NONE;
    let (mut any_number, mut whole_number) = (false, false);
    for name in names.iter().filter_map(Value::as_str) {
        match name {
            "null" => kinds.null = true,
            "boolean" => kinds.boolean = true,
            "number" => any_number = true,
            "integer" => whole_number = true,
            "string" => kinds.string = true,
            "array" => kinds.array = true,
            "object" => kinds.object = true,
            _ => {}
        }
    }
    kinds.number = any_number || whole_number;
    (kinds, whole_number && !any_number)
}

/// What `enum` and `const` of a node allow.
pub(super) fn enum_values_of(node: &SchemaObject) -> Option<&[Value]> {
    match (node.get("const"), node.get("enum")) {
        (Some(one), _) => Some(std::slice::from_ref(one)),
        (None, Some(Value::Array(many))) => Some(many),
        _ => None,
    }
}

/// All of it.
#[derive(Debug)]
pub(super) struct SchemaConstraints<'s> {
    nodes: Vec<&'s SchemaObject>,
    types: AllowedTypes,
    is_whole: bool,
    number_range: NumberRange,
}

impl<'s> SchemaConstraints<'s> {
    /// Refuses what no grammar is held to.
    pub(super) fn of(nodes: &[&'s SchemaObject]) -> Result<SchemaConstraints<'s>, LoweringError> {
        let mut facts = SchemaConstraints {
            nodes: nodes.to_vec(),
            types: AllowedTypes::ALL,
            is_whole: false,
            number_range: NumberRange::default(),
        };
        for node in nodes {
            if let Some(word) = UNSUPPORTED_KEYWORDS.iter().find(|word| node.contains_key(**word)) {
                return Err(format!("has `{word}`, which a grammar cannot be held to"));
            }
            let (kinds, is_whole) = types_of(node);
            facts.types = facts.types.and(kinds);
            facts.is_whole |= is_whole;
            facts.number_range.narrow(node)?;
        }
        Ok(facts)
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.nodes.iter().any(|node| words.iter().any(|word| node.contains_key(*word)))
    }

    /// What is worth offering of what is allowed. A schema without a `type` allows much that its author
    /// never thought of.
    pub(super) fn offered_types(&self) -> AllowedTypes {
        if self.nodes.iter().any(|node| node.contains_key("type")) {
            return self.types;
        }
        let object = self.has_any(&["properties", "required"]);
        let array = !object && self.has_any(&ARRAY_KEYWORDS);
        let scalar = !object && !array;
        AllowedTypes { object, array, string: scalar, number: scalar, boolean: scalar, null: false }
    }

    /// The values that are named one by one, if they are.
    pub(super) fn enum_values(&self) -> Result<Option<Vec<Value>>, LoweringError> {
        let mut lists = self.nodes.iter().flat_map(|node| {
            let many = node.get("enum").and_then(Value::as_array).map(Vec::as_slice);
            [node.get("const").map(std::slice::from_ref), many].into_iter().flatten()
        });
        let Some(first) = lists.next() else { return Ok(None) };
        let others: Vec<&[Value]> = lists.collect();
        let mut words: Vec<Value> = Vec::new();
        for word in first {
            let is_everywhere = others.iter().all(|list| list.contains(word));
            if is_everywhere && self.admits(word) && can_be_written(word) && !words.contains(word) {
                words.push(word.clone());
            }
        }
        match words.len() {
            0 => Err("has no value that can be written".to_owned()),
            1..=ENUM_VALUES_MAX => Ok(Some(words)),
            count => Err(format!("has {count} values, at most {ENUM_VALUES_MAX} are offered")),
        }
    }

    /// Whether a value of an `enum` meets everything else that is said. What is not easily told counts as no.
    fn admits(&self, word: &Value) -> bool {
        self.types.has(word)
            && match word {
                Value::Number(number) => {
                    let number = number.as_f64().unwrap_or(f64::NAN);
                    self.number_range.admits(number) && (!self.is_whole || number.fract() == 0.0)
                }
                Value::String(text) => {
                    let chars = text.chars().count() as u64;
                    let Ok((min, max)) = self.count_bounds("minLength", "maxLength") else {
                        return false;
                    };
                    (min..=max.unwrap_or(u64::MAX)).contains(&chars) && !self.has_any(&["pattern"])
                }
                Value::Array(_) => !self.has_any(&ARRAY_KEYWORDS),
                Value::Object(_) => !self.has_any(&OBJECT_KEYWORDS),
                Value::Null | Value::Bool(_) => true,
            }
    }

    /// The tightest of a pair of keywords that count something.
    fn count_bounds(&self, least: &str, most: &str) -> Result<(u64, Option<u64>), LoweringError> {
        let mut min = 0;
        let mut max: Option<u64> = None;
        for node in &self.nodes {
            min = min.max(count_keyword(node, least)?.unwrap_or(0));
            max = [max, count_keyword(node, most)?].into_iter().flatten().min();
        }
        match max {
            Some(max) if min > max => Err("accepts no value".to_owned()),
            max => Ok((min, max)),
        }
    }

    pub(super) fn lower_string(&self) -> Result<GrammarType, LoweringError> {
        let (chars_min, chars_max) = self.count_bounds("minLength", "maxLength")?;
        if chars_min > TEXT_CHARS_MAX {
            return Err(format!("has at least {chars_min} characters"));
        }
        let mut text = StringConstraints { chars_min, chars_max, ..StringConstraints::default() };
        for node in &self.nodes {
            if let Some(pattern) = node.get("pattern") {
                let known = pattern.as_str().and_then(pattern::translate);
                let known = known
                    .ok_or_else(|| format!("has the `pattern` {pattern}, too clever to hold to"))?;
                text.schema_pattern = pattern.as_str().map(str::to_owned);
                if text.pattern.replace(known).is_some() {
                    return Err("has several patterns".to_owned());
                }
            }
            if let Some(format) = node.get("format") {
                let known = FORMATS.into_iter().find(|known| format.as_str() == Some(known));
                let known = known.ok_or_else(|| format!("has the `format` {format}"))?;
                text.format = Some(known);
            }
        }
        match (&text.pattern, text.format) {
            (Some(_), Some(_)) => Err("has a `format` and a `pattern`".to_owned()),
            _ => Ok(GrammarType::Text(text)),
        }
    }

    pub(super) fn lower_number(&self) -> Result<GrammarType, LoweringError> {
        self.number_range.grammar_type(self.is_whole)
    }

    /// All fields that are named, in the order in which they are.
    pub(super) fn field_names(&self) -> Result<Vec<&'s str>, LoweringError> {
        let mut names: Vec<&str> = Vec::new();
        let mut take = |name: &'s str| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        for node in &self.nodes {
            let properties = node.get("properties").and_then(Value::as_object);
            properties.into_iter().flat_map(|it| it.keys()).for_each(|name| take(name));
        }
        for node in &self.nodes {
            keyword_array(node, "required")?.iter().filter_map(Value::as_str).for_each(&mut take);
        }
        Ok(names)
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| {
            let required = node.get("required").and_then(Value::as_array);
            required.is_some_and(|names| names.iter().any(|it| it.as_str() == Some(name)))
        })
    }

    /// `minProperties` makes optional fields required, `maxProperties` and our own limit take some away.
    pub(super) fn limit_fields(&self, fields: &mut Vec<GrammarField>) -> Result<(), LoweringError> {
        let (min, max) = self.count_bounds("minProperties", "maxProperties")?;
        let max = max.map_or(FIELDS_MAX, |max| usize::try_from(max).unwrap_or(FIELDS_MAX));
        let max = max.min(FIELDS_MAX);
        let required = fields.iter().filter(|field| field.is_required).count();
        if required > max {
            return Err(format!("has {required} required properties, at most {max} are offered"));
        }
        let mut optional = 0;
        fields.retain(|field| {
            optional += usize::from(!field.is_required);
            field.is_required || optional <= max - required
        });
        let mut missing = min.saturating_sub(required as u64);
        for field in fields.iter_mut().filter(|field| !field.is_required) {
            if missing > 0 {
                field.is_required = true;
                missing -= 1;
            }
        }
        match missing {
            0 => Ok(()),
            _ => Err(format!("has at least {min} properties")),
        }
    }

    /// An array of unlike items is held to one item.
    pub(super) fn item_counts(&self) -> Result<(usize, Option<usize>), LoweringError> {
        let (min, mut max) = self.count_bounds("minItems", "maxItems")?;
        let is_unique = |node: &&SchemaObject| node.get("uniqueItems") == Some(&Value::Bool(true));
        if self.nodes.iter().any(is_unique) {
            if min > 1 {
                return Err("has `uniqueItems`, which a grammar cannot be held to".to_owned());
            }
            max = Some(max.unwrap_or(1).min(1));
        }
        let small = |count: u64| usize::try_from(count).unwrap_or(LIST_ITEMS_MAX + 1);
        Ok((small(min), max.map(small)))
    }
}

/// Whole numbers as JSON Schema has them: `5.0` is one.
fn count_keyword(node: &SchemaObject, word: &str) -> Result<Option<u64>, LoweringError> {
    let Some(value) = node.get(word) else { return Ok(None) };
    let whole = |number: f64| {
        (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
    };
    let found = value.as_u64().or_else(|| value.as_f64().and_then(whole));
    found.map(Some).ok_or_else(|| format!("has the `{word}` {value}"))
}

/// Whether llguidance writes just this value and the text of it is read as just this value again.
fn can_be_written(word: &Value) -> bool {
    fn is_writable(word: &Value) -> bool {
        match word {
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => is_exact(number),
            // Only `\n` may be escaped.
            Value::String(text) => text.chars().all(|it| it == '\n' || !it.is_control()),
            Value::Array(items) => items.iter().all(is_writable),
            Value::Object(fields) => fields.values().all(is_writable),
        }
    }
    is_writable(word) && word.to_string().len() <= ENUM_VALUE_BYTES_MAX
}
