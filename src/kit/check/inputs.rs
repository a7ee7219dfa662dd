//! Builds hostile inputs for a script from its schema and one input that fits. Which places get which kinds of values
//! depends on these two alone; the values themselves are drawn, so that no script can know them. Reads each schema
//! object by itself: references and branches only make the inputs less hostile.

use narratoria_protocol::{key_of_token, token_of_key};
use serde_json::{Value, json};

use crate::chance::RequestChance;
use narratoria_skills::{Schema, schema_view::SchemaKeywords};

/// Most inputs for one script. An ordinary input gets every wrong value in every place.
pub const HOSTILE_INPUTS_MAX: usize = 512;
/// Most places of an input that get wrong values.
const PLACES_MAX: usize = 32;
/// Deepest place that gets wrong values.
const DEPTH_MAX: usize = 3;
/// Length of a huge string, in characters. The host passes on whole states of some MiB; a script must accept a long text
/// or refuse it.
const HUGE_CHARS: usize = 64 << 10;
const HUGE_ITEMS: usize = 2_000;
/// Nesting that every JSON parser can read.
const DEEP: usize = 60;
/// Numbers that are drawn: larger than the small ranges of most schemas, and harmless to any arithmetic.
const NUMBERS: (i64, i64) = (10_000, 1_000_000);

/// One input and its description.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HostileInput {
    pub(super) what: String,
    pub(super) value: Value,
}

/// One value of each JSON type, with its name in words.
pub(super) fn value_of_each_type(chance: &mut RequestChance) -> [(&'static str, Value); 6] {
    let (least, most) = NUMBERS;
    [
        ("null", Value::Null),
        ("a text", json!(chance.text(1, 30))),
        ("a number", json!(chance.number(least, most))),
        ("an empty array", json!([])),
        ("an empty object", json!({})),
        ("a boolean", json!(chance.boolean())),
    ]
}

/// All hostile variants of `good`, which should fit the schema.
pub(super) fn inputs(
    schema: &Schema,
    good: &Value,
    chance: &mut RequestChance,
) -> Vec<HostileInput> {
    let mut inputs = Vec::new();
    let mut add = |what: String, value: Value| inputs.push(HostileInput { what, value });
    for (what, value) in value_of_each_type(chance) {
        add(format!("the input as {what}"), value);
    }
    for name in good.as_object().into_iter().flat_map(|fields| fields.keys()) {
        let mut value = good.clone();
        value.as_object_mut().expect("it has fields").shift_remove(name);
        add(format!("an input without `{name}`"), value);
    }
    let unknown = format!("/{}", chance.field_name());
    add("an input with an unknown field".to_owned(), with(good, &unknown, json!([{}])));
    let mut places = Vec::new();
    find_places(schema.document(), good, String::new(), 1, &mut places);
    places.truncate(PLACES_MAX);
    // One value for every place, then the next for every place: each field of a large input gets some values.
    let values: Vec<Vec<(String, Value)>> = places
        .iter()
        .map(|place| wrong_values(place, good.pointer(&place.pointer), chance))
        .collect();
    let rounds = values.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        for (place, values) in places.iter().zip(&values) {
            if let Some((what, value)) = values.get(round) {
                let name = place.pointer.trim_start_matches('/').replace('/', ".");
                add(format!("`input.{name}` as {what}"), with(good, &place.pointer, value.clone()));
            }
        }
    }
    inputs.truncate(HOSTILE_INPUTS_MAX);
    inputs
}

/// An input that fits the schema, or nearly, for scripts without an example.
pub(super) fn sample(schema: &Value, depth: usize) -> Value {
    if let Some(value) = ["const", "default"].iter().find_map(|word| schema.get(*word)) {
        return value.clone();
    }
    let listed = ["enum", "examples"].iter().find_map(|word| schema.get(*word)?.get(0));
    if let Some(value) = listed {
        return value.clone();
    }
    let first_type = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or("null"),
        _ => "object",
    };
    let at_least = |word: &str| schema.get(word).and_then(Value::as_u64).unwrap_or(0);
    match first_type {
        "string" => Value::from("a".repeat(at_least("minLength").clamp(1, 1_000) as usize)),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "array" if depth < DEPTH_MAX => {
            let item = schema.get("items").map(|item| sample(item, depth + 1)).unwrap_or_default();
            Value::Array(vec![item; at_least("minItems").clamp(1, 100) as usize])
        }
        "array" => json!([]),
        "object" => {
            let keywords = SchemaKeywords::of(schema).filter(|_| depth < DEPTH_MAX);
            let required = keywords.into_iter().flat_map(|keywords| {
                let names = keywords.required();
                names.filter_map(move |name| Some((name.to_owned(), keywords.property(name)?)))
            });
            Value::Object(required.map(|(name, part)| (name, sample(part, depth + 1))).collect())
        }
        _ => Value::Null,
    }
}

/// A place of an input and its schema.
struct SchemaPosition<'s> {
    pointer: String,
    schema: &'s Value,
}

fn find_places<'s>(
    schema: &'s Value,
    value: &Value,
    pointer: String,
    depth: usize,
    places: &mut Vec<SchemaPosition<'s>>,
) {
    let Some(keywords) = SchemaKeywords::of(schema) else { return };
    for (name, inner) in keywords.properties() {
        let part = token_of_key(name);
        places.push(SchemaPosition { pointer: format!("{pointer}/{part}"), schema: inner });
    }
    if depth == DEPTH_MAX {
        return;
    }
    for (name, inner) in keywords.properties() {
        let part = token_of_key(name);
        if let Some(value) = value.get(name).filter(|value| value.is_object() || value.is_array()) {
            find_places(inner, value, format!("{pointer}/{part}"), depth + 1, places);
        }
    }
    if let (Some(inner), Some(first)) = (keywords.get("items"), value.get(0)) {
        places.push(SchemaPosition { pointer: format!("{pointer}/0"), schema: inner });
        find_places(inner, first, format!("{pointer}/0"), depth + 1, places);
    }
}

/// The values for a place and their descriptions, those that find the most faults first.
fn wrong_values(
    place: &SchemaPosition<'_>,
    good: Option<&Value>,
    chance: &mut RequestChance,
) -> Vec<(String, Value)> {
    let schema = place.schema;
    let number = |word: &str| schema.get(word).and_then(Value::as_i64);
    let length = |word: &str| schema.get(word).and_then(Value::as_u64).map(|it| it as usize);
    let mut values: Vec<(String, Value)> = Vec::new();
    let mut add = |what: &str, value: Value| values.push((what.to_owned(), value));
    for (what, value) in value_of_each_type(chance) {
        add(what, value);
    }
    // At the limits of the schema and just past them.
    if let Some(limit) = number("minimum") {
        add("one less than its minimum", json!(limit.saturating_sub(1)));
        add("its minimum", json!(limit));
    }
    if let Some(limit) = number("maximum") {
        add("one more than its maximum", json!(limit.saturating_add(1)));
        add("its maximum", json!(limit));
    }
    if let Some(limit) = length("maxLength").filter(|limit| *limit < HUGE_CHARS) {
        add("a text one longer than it may be", json!(chance.text(limit + 1, limit + 1)));
        add("a text as long as it may be", json!(chance.text(limit, limit)));
    }
    let huge = length("maxLength").unwrap_or(HUGE_CHARS).min(HUGE_CHARS);
    add("a huge text", json!(chance.letter().to_string().repeat(huge)));
    let item = good.and_then(|good| good.get(0)).cloned();
    let item = item.or_else(|| schema.get("items").map(|item| sample(item, 0))).unwrap_or_default();
    let items = length("maxItems").unwrap_or(HUGE_ITEMS).min(HUGE_ITEMS);
    add("a huge array", Value::Array(vec![item; items]));
    add("an empty text", json!(""));
    let word = chance.word();
    let obeyed = format!("{word}\u{0}\u{1b}[2J\u{7}\u{202e}\u{1f409}\n");
    add("a text that a terminal would obey", json!(obeyed));
    add("a negative number", json!(-chance.number(1, 1_000)));
    add("0", json!(0));
    add("a fraction", json!(chance.number(1, 1_000) as f64 + 0.5));
    let huge = chance.number(1, 9) as f64 * 1e307;
    add("a huge number", json!(huge));
    add("a huge negative number", json!(-huge));
    add("the largest whole number", json!(u64::MAX));
    add("the smallest whole number", json!(i64::MIN));
    let name = chance.word();
    add("a deep array", (0..DEEP).fold(json!([]), |inner, _| json!([inner])));
    add("a deep object", (0..DEEP).fold(json!({}), |inner, _| json!({ name: inner })));
    for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten().take(8) {
        add(&value.to_string(), value.clone());
    }
    values
}

/// The value with `new` at a place. Nothing changes if the place has no parent.
fn with(value: &Value, pointer: &str, new: Value) -> Value {
    let mut value = value.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    let name = key_of_token(name).into_owned();
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(name, new);
        }
        Some(Value::Array(items)) => {
            let idx = name.parse().unwrap_or(usize::MAX);
            if let Some(item) = items.get_mut(idx) {
                *item = new;
            }
        }
        _ => {}
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HOSTILE_INPUTS_MAX, HostileInput, inputs, sample, with};
    use crate::chance::RequestChance;
    use narratoria_skills::Schema;

    fn inputs_of_seed(schema: &Schema, good: &Value, seed: u64) -> Vec<HostileInput> {
        inputs(schema, good, &mut RequestChance::of(seed, ""))
    }

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["formula", "who"],
            "properties": {
                "formula": {"type": "string", "minLength": 2, "maxLength": 10},
                "who": {"type": "array", "minItems": 1, "items": {"type": "object",
                    "required": ["hp"], "properties": {"hp": {"type": "integer", "minimum": 3, "maximum": 9}}}},
            }
        })
    }

    #[test]
    fn a_sample_fits_its_schema() {
        let made = sample(&schema(), 0);
        assert_eq!(made, json!({"formula": "aa", "who": [{"hp": 3}]}));
        assert_eq!(Schema::build(schema()).unwrap().mismatches(&made), []);
    }

    #[test]
    fn every_place_gets_every_kind_of_wrong_value_and_the_seed_picks_the_value() {
        let schema = Schema::build(schema()).unwrap();
        let good = sample(schema.document(), 0);
        let made = inputs_of_seed(&schema, &good, 1);
        assert_eq!(made, inputs_of_seed(&schema, &good, 1));
        let other = inputs_of_seed(&schema, &good, 2);
        let kinds = |all: &[HostileInput]| -> Vec<String> {
            all.iter().map(|input| input.what.clone()).collect()
        };
        assert_eq!(kinds(&made), kinds(&other));
        for what in
            ["the input as a text", "`input.formula` as a number", "`input.who.0` as a text"]
        {
            let value = |all: &[HostileInput]| {
                all.iter().find(|input| input.what == what).map(|input| input.value.clone())
            };
            assert_ne!(value(&made), value(&other), "{what}");
        }
        for what in [
            "the input as null",
            "an input without `who`",
            "an input with an unknown field",
            "`input.formula` as a number",
            "`input.formula` as a text one longer than it may be",
            "`input.who` as a huge array",
            "`input.who.0` as null",
            "`input.who.0.hp` as one more than its maximum",
            "`input.who.0.hp` as one less than its minimum",
        ] {
            assert!(made.iter().any(|input| input.what == what), "{what}");
        }
        let fits = made.iter().filter(|input| schema.mismatches(&input.value).is_empty()).count();
        assert!(fits > 5 && made.len() - fits > 60, "{fits} of {}", made.len());
    }

    #[test]
    fn a_schema_of_many_fields_gets_inputs_up_to_the_limit() {
        let fields: serde_json::Map<String, Value> =
            (0..200).map(|idx| (format!("f{idx}"), json!({"type": "integer"}))).collect();
        let schema = Schema::build(json!({"type": "object", "properties": fields})).unwrap();
        assert_eq!(inputs_of_seed(&schema, &json!({}), 1).len(), HOSTILE_INPUTS_MAX);
    }

    #[test]
    fn a_value_is_put_into_its_place() {
        assert_eq!(with(&json!({"a": [1]}), "/a/0", json!(2)), json!({"a": [2]}));
        assert_eq!(with(&json!({}), "/a~1b", json!(2)), json!({"a/b": 2}));
        assert_eq!(with(&json!({}), "/a/b", json!(2)), json!({}));
    }
}
