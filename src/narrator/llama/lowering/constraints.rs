//! The constraints that all schema objects of one place set together, once its choices are made.

use narratoria_skills::{
    REFERENCE_ONLY, VALUES_FROM,
    schema_view::{SchemaKeywords, TypeSet},
};
use serde_json::Value;

use super::{
    error::LoweringError,
    number_range::{NumberRange, is_exact},
    pattern,
};
use crate::llama::grammar_type::{
    FORMATS, GrammarField, GrammarType, StringConstraints, TEXT_CHARS_MAX,
};

/// Most items of an array. A step that needs more is several steps.
pub(super) const LIST_ITEMS_MAX: usize = 8;
/// Most fields of an object, those of a script's input included. More would fill the prompt with one script.
const FIELDS_MAX: usize = 24;
/// Most values of an `enum`.
const ENUM_VALUES_MAX: usize = 256;
/// Longest value of an `enum`, as JSON.
const ENUM_VALUE_BYTES_MAX: usize = 512;

/// Keywords that forbid something and that lowering does not express. Every other keyword that neither this module nor
/// [`SchemaPlace`] reads asserts nothing in 2020-12.
///
/// [`SchemaPlace`]: narratoria_skills::schema_view::SchemaPlace
const UNSUPPORTED_KEYWORDS: [&str; 15] = [
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
    // A value that only another step gives.
    REFERENCE_ONLY,
];

const OBJECT_KEYWORDS: [&str; 5] =
    ["properties", "required", "additionalProperties", "minProperties", "maxProperties"];
const ARRAY_KEYWORDS: [&str; 5] = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"];

/// All constraints of one place.
#[derive(Debug)]
pub(super) struct SchemaConstraints<'s> {
    objects: &'s [SchemaKeywords<'s>],
    types: TypeSet,
    number_range: NumberRange,
}

impl<'s> SchemaConstraints<'s> {
    /// Refuses keywords that a grammar cannot enforce.
    pub(super) fn of(
        objects: &'s [SchemaKeywords<'s>],
    ) -> Result<SchemaConstraints<'s>, LoweringError> {
        let (mut types, mut number_range) = (TypeSet::ANY, NumberRange::default());
        for keywords in objects {
            if let Some(word) = keywords.first_of(&UNSUPPORTED_KEYWORDS) {
                return Err(format!("has `{word}`, which a grammar cannot be held to"));
            }
            types = types & keywords.types();
            number_range.narrow(*keywords)?;
        }
        Ok(SchemaConstraints { objects, types, number_range })
    }

    fn has_any(&self, words: &[&'static str]) -> bool {
        self.objects.iter().any(|keywords| keywords.first_of(words).is_some())
    }

    /// The types that the model is offered. A schema without a `type` allows much that its author never thought
    /// of.
    pub(super) fn offered_types(&self) -> TypeSet {
        if self.has_any(&["type"]) {
            self.types
        } else if self.has_any(&["properties", "required"]) {
            TypeSet::OBJECT
        } else if self.has_any(&ARRAY_KEYWORDS) {
            TypeSet::LIST
        } else {
            TypeSet::STRING | TypeSet::NUMBER | TypeSet::BOOLEAN
        }
    }

    /// The values of `enum` and `const`, if the place has any.
    pub(super) fn enum_values(&self) -> Result<Option<Vec<Value>>, LoweringError> {
        let mut lists = self.objects.iter().flat_map(|keywords| keywords.value_lists());
        let Some(first) = lists.next() else { return Ok(None) };
        let others: Vec<&[Value]> = lists.collect();
        let mut values: Vec<Value> = Vec::new();
        for value in first {
            let is_in_all = others.iter().all(|list| list.contains(value));
            if is_in_all && self.admits(value) && can_be_written(value) && !values.contains(value) {
                values.push(value.clone());
            }
        }
        match values.len() {
            0 => Err("has no value that can be written".to_owned()),
            1..=ENUM_VALUES_MAX => Ok(Some(values)),
            count => Err(format!("has {count} values, at most {ENUM_VALUES_MAX} are offered")),
        }
    }

    /// Returns true if a value of an `enum` surely meets all other constraints.
    fn admits(&self, value: &Value) -> bool {
        self.types.intersects(TypeSet::of_value(value))
            && match value {
                Value::Number(number) => {
                    self.number_range.admits(number.as_f64().unwrap_or(f64::NAN))
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

    /// The tightest bounds that a pair of keywords such as `minLength` and `maxLength` sets.
    fn count_bounds(&self, least: &str, most: &str) -> Result<(u64, Option<u64>), LoweringError> {
        let mut min = 0;
        let mut max: Option<u64> = None;
        for keywords in self.objects {
            min = min.max(count_keyword(*keywords, least)?.unwrap_or(0));
            max = [max, count_keyword(*keywords, most)?].into_iter().flatten().min();
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
        for keywords in self.objects {
            if let Some(pattern) = keywords.get("pattern") {
                let known = pattern.as_str().and_then(pattern::translate);
                let known = known
                    .ok_or_else(|| format!("has the `pattern` {pattern}, too clever to hold to"))?;
                text.schema_pattern = pattern.as_str().map(str::to_owned);
                if text.pattern.replace(known).is_some() {
                    return Err("has several patterns".to_owned());
                }
            }
            if let Some(pointer) = keywords.get(VALUES_FROM).and_then(Value::as_str) {
                text.values_from = Some(pointer.to_owned());
            }
            if let Some(format) = keywords.get("format") {
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
        self.number_range.grammar_type(!self.types.intersects(TypeSet::FRACTION))
    }

    /// The names under `properties`, then those under `required`, each once.
    pub(super) fn field_names(&self) -> Vec<&'s str> {
        let listed = self.objects.iter().flat_map(|keywords| keywords.properties());
        let required = self.objects.iter().flat_map(|keywords| keywords.required());
        let mut names: Vec<&str> = Vec::new();
        for name in listed.map(|(name, _)| name).chain(required) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.objects.iter().any(|keywords| keywords.required().any(|required| required == name))
    }

    /// `minProperties` makes optional fields required; `maxProperties` and [`FIELDS_MAX`] remove optional fields.
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

    /// Fewest and most items. A grammar cannot compare items, so an array of unique items has one item at most.
    pub(super) fn item_counts(&self) -> Result<(usize, Option<usize>), LoweringError> {
        let (min, mut max) = self.count_bounds("minItems", "maxItems")?;
        let mut unique = self.objects.iter().map(|keywords| keywords.get("uniqueItems"));
        if unique.any(|unique| unique == Some(&Value::Bool(true))) {
            if min > 1 {
                return Err("has `uniqueItems`, which a grammar cannot be held to".to_owned());
            }
            max = Some(max.unwrap_or(1).min(1));
        }
        let small = |count: u64| usize::try_from(count).unwrap_or(LIST_ITEMS_MAX + 1);
        Ok((small(min), max.map(small)))
    }
}

/// A whole number as JSON Schema means it: `5.0` is one.
fn count_keyword(keywords: SchemaKeywords<'_>, word: &str) -> Result<Option<u64>, LoweringError> {
    let Some(value) = keywords.get(word) else { return Ok(None) };
    let whole = |number: f64| {
        (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
    };
    let found = value.as_u64().or_else(|| value.as_f64().and_then(whole));
    found.map(Some).ok_or_else(|| format!("has the `{word}` {value}"))
}

/// Returns true if llguidance writes exactly this value, and its text parses as exactly this value.
fn can_be_written(value: &Value) -> bool {
    fn is_writable(value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => is_exact(number),
            // The grammar allows no escape but `\n`.
            Value::String(text) => text.chars().all(|it| it == '\n' || !it.is_control()),
            Value::Array(items) => items.iter().all(is_writable),
            Value::Object(fields) => fields.values().all(is_writable),
        }
    }
    is_writable(value) && value.to_string().len() <= ENUM_VALUE_BYTES_MAX
}
