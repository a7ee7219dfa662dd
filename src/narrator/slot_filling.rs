//! A trigger and a sentence become a script's input. Pure.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use narratoria_protocol::Object;
use narratoria_skills::{
    SENTENCE_PLACEHOLDER, Schema, Script, Trigger, TriggerTemplatePart, parse_trigger_template,
};

/// Words that stand for whole numbers, by the number.
const NUMBER_WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// How many references and alternatives of a schema are followed to see what a value should be.
const SUBSCHEMAS_MAX: usize = 64;

/// Deepest nesting of a template; the catalog holds none deeper.
const DEPTH_MAX: usize = 32;

/// What the named groups of a trigger's patterns found in the sentence.
pub(super) type CaptureGroups = BTreeMap<String, String>;

/// All groups of the trigger that match. Patterns come before captures, earlier ones before later ones.
pub(super) fn collect_groups(trigger: &Trigger, sentence: &str) -> CaptureGroups {
    let mut groups = CaptureGroups::new();
    groups.insert(SENTENCE_PLACEHOLDER.to_owned(), sentence.to_owned());
    for pattern in trigger.patterns.iter().chain(&trigger.captures) {
        let Some(found) = pattern.captures(sentence) else { continue };
        for name in pattern.capture_names().flatten() {
            if let Some(group) = found.name(name) {
                groups.entry(name.to_owned()).or_insert_with(|| group.as_str().to_owned());
            }
        }
    }
    groups
}

/// The script's input, if what comes out is one that the script accepts.
pub(super) fn fill_input(trigger: &Trigger, script: &Script, sentence: &str) -> Option<Object> {
    let groups = collect_groups(trigger, sentence);
    let schema = &script.input_schema;
    let mut input = Object::new();
    for (name, template) in &trigger.input {
        let place = property_schema(schema.document(), schema.document(), name);
        if let Some(value) = fill_value(template, place, schema, &groups, 1) {
            input.insert(name.clone(), value);
        }
    }
    validated(script, input)
}

/// The input if the script accepts it.
pub(super) fn validated(script: &Script, input: Object) -> Option<Object> {
    let value = Value::Object(input);
    match value {
        _ if !script.input_schema.mismatches(&value).is_empty() => None,
        Value::Object(input) => Some(input),
        _ => None,
    }
}

fn fill_value(
    template: &Value,
    place: Option<&Value>,
    schema: &Schema,
    groups: &CaptureGroups,
    depth: usize,
) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    let document = schema.document();
    match template {
        Value::String(text) => fill_text(text, place, document, groups),
        Value::Array(items) => {
            let inner = place.and_then(|place| items_schema(document, place));
            let filled =
                items.iter().filter_map(|item| fill_value(item, inner, schema, groups, depth + 1));
            Some(Value::Array(filled.collect()))
        }
        Value::Object(fields) => {
            let filled = fields.iter().filter_map(|(name, field)| {
                let inner = place.and_then(|place| property_schema(document, place, name));
                Some((name.clone(), fill_value(field, inner, schema, groups, depth + 1)?))
            });
            Some(Value::Object(filled.collect()))
        }
        other => Some(other.clone()),
    }
}

/// `None` where a group matched nothing and has no default, or does not convert: the field is left out.
fn fill_text(
    text: &str,
    place: Option<&Value>,
    document: &Value,
    groups: &CaptureGroups,
) -> Option<Value> {
    let pieces = parse_trigger_template(text).ok()?;
    let look_up = |piece: &TriggerTemplatePart| match piece {
        TriggerTemplatePart::Text(text) => Some(text.clone()),
        TriggerTemplatePart::Placeholder { group, default } => {
            groups.get(group).or(default.as_ref()).cloned()
        }
    };
    if let [whole @ TriggerTemplatePart::Placeholder { .. }] = pieces.as_slice() {
        let wanted = place.map(|place| expected_type(document, place)).unwrap_or_default();
        return convert(&look_up(whole)?, &wanted);
    }
    let filled: Option<String> = pieces.iter().map(look_up).collect();
    filled.map(Value::String)
}

/// What a schema says a value should be.
#[derive(Debug, Default)]
struct ExpectedType {
    string: bool,
    integer: bool,
    number: bool,
    boolean: bool,
    enum_values: Vec<String>,
}

fn convert(text: &str, wanted: &ExpectedType) -> Option<Value> {
    let text = text.trim();
    if !wanted.enum_values.is_empty() {
        let same = wanted.enum_values.iter().find(|word| word.eq_ignore_ascii_case(text));
        return same.map(|word| Value::from(word.as_str()));
    }
    let typed = wanted.integer || wanted.number || wanted.boolean;
    if wanted.string || !typed {
        return Some(Value::from(text));
    }
    let lower = text.to_lowercase();
    if wanted.integer
        && let Some(number) = whole_number(&lower)
    {
        return Some(Value::from(number));
    }
    if wanted.number
        && let Some(number) = lower.parse::<f64>().ok().and_then(Number::from_f64)
    {
        return Some(Value::Number(number));
    }
    match lower.as_str() {
        "true" | "yes" | "on" if wanted.boolean => Some(Value::Bool(true)),
        "false" | "no" | "off" if wanted.boolean => Some(Value::Bool(false)),
        _ => None,
    }
}

fn whole_number(lower: &str) -> Option<i64> {
    let said = NUMBER_WORDS.iter().position(|word| *word == lower);
    said.and_then(|number| i64::try_from(number).ok()).or_else(|| lower.parse().ok())
}

fn expected_type(document: &Value, place: &Value) -> ExpectedType {
    let mut wanted = ExpectedType::default();
    for shape in subschemas(document, place) {
        let types = match shape.get("type") {
            Some(Value::Array(types)) => types.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        for name in types.iter().filter_map(Value::as_str) {
            match name {
                "string" => wanted.string = true,
                "integer" => wanted.integer = true,
                "number" => wanted.number = true,
                "boolean" => wanted.boolean = true,
                _ => {}
            }
        }
        let one = shape.get("const").into_iter();
        let many = shape.get("enum").and_then(Value::as_array).into_iter().flatten();
        wanted.enum_values.extend(one.chain(many).filter_map(Value::as_str).map(str::to_owned));
    }
    wanted
}

fn property_schema<'s>(document: &'s Value, place: &'s Value, name: &str) -> Option<&'s Value> {
    subschemas(document, place).into_iter().find_map(|shape| shape.get("properties")?.get(name))
}

fn items_schema<'s>(document: &'s Value, place: &'s Value) -> Option<&'s Value> {
    subschemas(document, place).into_iter().find_map(|shape| shape.get("items"))
}

/// A schema and all that it refers to or chooses from at the same place, each once.
fn subschemas<'s>(document: &'s Value, place: &'s Value) -> Vec<&'s Value> {
    let mut found = vec![place];
    let mut next = 0;
    while let Some(shape) = found.get(next).copied() {
        next += 1;
        let target = shape
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| document.pointer(reference.strip_prefix('#')?));
        let choices = ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .filter_map(|word| shape.get(word)?.as_array())
            .flatten();
        for inner in target.into_iter().chain(choices) {
            let seen = found.iter().any(|shape| std::ptr::eq(*shape, inner));
            if !seen && found.len() < SUBSCHEMAS_MAX {
                found.push(inner);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{collect_groups, convert, expected_type, fill_text, subschemas};
    use narratoria_skills::Trigger;

    /// `{x}` with `x` being `text`, at a place of that schema.
    #[track_caller]
    fn check(text: &str, place: Value, expect: Value) {
        let wanted = expected_type(&place, &place);
        assert_eq!(convert(text, &wanted), Some(expect).filter(|it| !it.is_null()), "{place}");
    }

    #[test]
    fn a_whole_placeholder_becomes_what_the_schema_wants() {
        check("3", json!({"type": "integer"}), json!(3));
        check("-3", json!({"type": ["integer", "null"]}), json!(-3));
        check("Three", json!({"type": "integer"}), json!(3));
        check("some", json!({"type": "integer"}), json!(null));
        check("99999999999999999999", json!({"type": "integer"}), json!(null));
        check("2.5", json!({"type": "number"}), json!(2.5));
        check("NaN", json!({"type": "number"}), json!(null));
        check("yes", json!({"type": "boolean"}), json!(true));
        check(" 3 ", json!({"type": ["string", "integer"]}), json!("3"));
        check("3", json!({}), json!("3"));
        check("NORTH", json!({"enum": ["north", "south"]}), json!("north"));
        check("up", json!({"enum": ["north", "south"]}), json!(null));
        check(
            "4",
            json!({"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}], "$defs": {"n": {"type": "integer"}}}),
            json!(4),
        );
    }

    #[test]
    fn a_schema_of_circles_is_looked_at_once() {
        let place = json!({"allOf": vec![json!({"$ref": "#"}); 1000]});
        assert_eq!(subschemas(&place, &place).len(), super::SUBSCHEMAS_MAX);
    }

    #[test]
    fn a_field_without_a_value_is_left_out() {
        let trigger = Trigger {
            script: "go".to_owned(),
            phrases: Vec::new(),
            patterns: vec![regex::Regex::new("to the (?<place>\\w+)( by (?<way>\\w+))?").unwrap()],
            captures: vec![regex::Regex::new("(?<place>\\w+)$").unwrap()],
            input: Default::default(),
            narrate: true,
            fallback: false,
        };
        let groups = collect_groups(&trigger, "go to the inn at night");
        let fill = |text: &str| fill_text(text, None, &Value::Null, &groups);
        assert_eq!(fill("{place}"), Some(json!("inn")));
        assert_eq!(fill("{way}"), None);
        assert_eq!(fill("to {place} by {way}"), None);
        assert_eq!(fill("to {place} by {way|foot}"), Some(json!("to inn by foot")));
        assert_eq!(fill("{{{sentence}}}"), Some(json!("{go to the inn at night}")));
    }
}
