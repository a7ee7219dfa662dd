//! Ordinary requests: the examples of a script with other ids and seeds, and inputs that fit its schema. Nothing in
//! them says that a check sends them, so a script that behaves well only in its examples is found.

use serde_json::{Value, json};

use super::state_ground::StateGround;
use crate::{HarnessCall, chance::RequestChance, harness::object};
use narratoria_protocol::{Object, object_with};
use narratoria_skills::{Script, Skill, SkillExample, schema_view::SchemaKeywords};

/// Requests with the input of an example, for each of the first [`EXAMPLES_REPEATED_MAX`]: the first with the example's own
/// state, the others with that of the story.
const SEEDS_PER_EXAMPLE: usize = 2;
/// Examples of a script that are sent with other seeds.
const EXAMPLES_REPEATED_MAX: usize = 8;
/// Requests whose whole input is drawn.
const DRAWN_INPUTS: usize = 8;
/// Tries to draw an input that fits: a pattern or a reference may refuse most texts.
const TRIES: usize = 4;
/// Deepest part of an input that is drawn; deeper ones have no parts of their own.
const DEPTH_MAX: usize = 4;
/// Most items beyond the least number of an array.
const ITEMS_MORE: i64 = 3;
/// Range of a number that its schema does not bound.
const NUMBER_RANGE: i64 = 1_000;
/// Most characters of a text that its schema does not bound.
const TEXT_CHARS: usize = 60;

/// A request as a turn would send it, and its description.
pub(super) struct OrdinaryCall {
    pub(super) what: String,
    pub(super) call: HarnessCall,
    /// False if the state is exactly that of the call, which an author chose. Otherwise that of the story comes around it.
    pub(super) is_in_story_state: bool,
}

/// All ordinary requests for a script.
pub(super) fn ordinary_calls(
    skill: &Skill,
    script: &Script,
    ground: &StateGround<'_>,
    chance: &mut RequestChance,
) -> Vec<OrdinaryCall> {
    let examples: Vec<&SkillExample> =
        skill.examples.iter().filter(|example| example.script == script.name).collect();
    let mut calls = Vec::new();
    for example in examples.iter().take(EXAMPLES_REPEATED_MAX) {
        for nth in 0..SEEDS_PER_EXAMPLE {
            calls.push(OrdinaryCall {
                what: format!("`{}` with another seed", example.file),
                call: HarnessCall {
                    input: example.input.clone(),
                    state: object(example.state.clone()),
                    inputs: example.inputs.clone().unwrap_or_default(),
                    ..fresh_call(chance)
                },
                is_in_story_state: nth > 0,
            });
        }
    }
    let known = examples.first().map(|example| example.input.clone());
    for _ in 0..DRAWN_INPUTS {
        let Some(input) = drawn_input(script, known.as_ref(), chance) else { continue };
        calls.push(OrdinaryCall {
            what: "an input that fits the schema".to_owned(),
            call: HarnessCall {
                input,
                state: drawn_state(script, &examples, ground, chance),
                ..fresh_call(chance)
            },
            is_in_story_state: true,
        });
    }
    calls
}

pub(super) fn fresh_call(chance: &mut RequestChance) -> HarnessCall {
    HarnessCall { seed: chance.seed(), request_id: Some(chance.id()), ..HarnessCall::default() }
}

/// An input that fits the schema; the known one with some fields drawn again, if nothing else fits.
fn drawn_input(
    script: &Script,
    known: Option<&Object>,
    chance: &mut RequestChance,
) -> Option<Object> {
    let fits =
        |input: &Object| script.input_schema.mismatches(&Value::Object(input.clone())).is_empty();
    let document = script.input_schema.document();
    for _ in 0..TRIES {
        if let Value::Object(input) = drawn(document, chance, 0)
            && fits(&input)
        {
            return Some(input);
        }
        let Some(known) = known else { continue };
        let mut mixed = known.clone();
        for (name, value) in &mut mixed {
            let schema = SchemaKeywords::of(document).and_then(|keywords| keywords.property(name));
            if let Some(schema) = schema.filter(|_| chance.boolean()) {
                *value = drawn(schema, chance, 1);
            }
        }
        if fits(&mixed) {
            return Some(mixed);
        }
    }
    None
}

/// Draws the state of a story besides the parts of the built-in skills: the parts of an example, or values of other
/// skills in each place that the script reads. A place that its own skill claims contains only values that the skill
/// wrote.
fn drawn_state(
    script: &Script,
    examples: &[&SkillExample],
    ground: &StateGround<'_>,
    chance: &mut RequestChance,
) -> Object {
    let known: Vec<&Value> = examples.iter().filter_map(|example| example.state.as_ref()).collect();
    if !known.is_empty() && chance.boolean() {
        let idx = chance.number(0, known.len() as i64 - 1);
        return object(Some(known[usize::try_from(idx).unwrap_or_default()].clone()));
    }
    let mut state = Object::new();
    for pointer in script.reads.iter().filter(|pointer| !pointer.is_empty()) {
        let leaf =
            json!({ chance.word(): chance.text(1, 20), chance.word(): chance.number(0, 99) });
        for (member, value) in object_with(pointer, leaf) {
            if !ground.is_claimed(&member) {
                state.entry(member).or_insert(value);
            }
        }
    }
    state
}

/// A value that fits the schema, or nearly.
pub(super) fn drawn(schema: &Value, chance: &mut RequestChance, depth: usize) -> Value {
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|all| !all.is_empty())
    {
        let idx = chance.number(0, values.len() as i64 - 1);
        return values[usize::try_from(idx).unwrap_or_default()].clone();
    }
    let first_type = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or("null"),
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    };
    let length = |word: &str| schema.get(word).and_then(Value::as_u64);
    match first_type {
        "string" => {
            let least = length("minLength").unwrap_or(1).min(1_000) as usize;
            let most = length("maxLength").unwrap_or(TEXT_CHARS as u64).min(1_000) as usize;
            json!(chance.text(least, most.min(least.max(TEXT_CHARS))))
        }
        "integer" | "number" => drawn_number(schema, chance),
        "boolean" => json!(chance.boolean()),
        "array" if depth < DEPTH_MAX => {
            let least = length("minItems").unwrap_or(0).min(100) as i64;
            let most = length("maxItems").unwrap_or(100).min(100) as i64;
            let count = chance.number(least, most.min(least + ITEMS_MORE));
            let item = schema.get("items").unwrap_or(&Value::Null);
            Value::Array((0..count).map(|_| drawn(item, chance, depth + 1)).collect())
        }
        "array" => json!([]),
        "object" => drawn_object(schema, chance, depth),
        _ => Value::Null,
    }
}

fn drawn_number(schema: &Value, chance: &mut RequestChance) -> Value {
    let bound = |inclusive: &str, exclusive: &str, inside: i64| {
        let exclusive = schema.get(exclusive).and_then(Value::as_i64);
        schema
            .get(inclusive)
            .and_then(Value::as_i64)
            .or(exclusive.map(|it| it.saturating_add(inside)))
    };
    let least = bound("minimum", "exclusiveMinimum", 1);
    let most = bound("maximum", "exclusiveMaximum", -1);
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least.saturating_add(NUMBER_RANGE)),
        (None, Some(most)) => (most.saturating_sub(NUMBER_RANGE), most),
        (None, None) => (0, NUMBER_RANGE),
    };
    json!(chance.number(least, most))
}

fn drawn_object(schema: &Value, chance: &mut RequestChance, depth: usize) -> Value {
    let mut object = Object::new();
    let Some(keywords) = SchemaKeywords::of(schema).filter(|_| depth < DEPTH_MAX) else {
        return Value::Object(object);
    };
    let required: Vec<&str> = keywords.required().collect();
    for (name, part) in keywords.properties() {
        if required.contains(&name) || chance.boolean() {
            object.insert(name.to_owned(), drawn(part, chance, depth + 1));
        }
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::drawn;
    use crate::chance::RequestChance;
    use narratoria_skills::Schema;

    /// The keywords that the readers of this host know are kept, and two seeds seldom agree.
    #[test]
    fn a_drawn_input_fits_an_ordinary_schema_and_differs_from_seed_to_seed() {
        let schema = Schema::build(json!({
            "type": "object", "required": ["about", "dice", "who"],
            "properties": {
                "about": {"type": "string", "minLength": 3, "maxLength": 40},
                "dice": {"type": "integer", "minimum": 1, "maximum": 9},
                "tone": {"enum": ["grim", "gay"]},
                "who": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "object",
                    "required": ["hp"], "properties": {"hp": {"type": "number", "exclusiveMinimum": 3}}}},
            },
        }));
        let schema = schema.unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let input = drawn(schema.document(), &mut RequestChance::of(seed, ""), 0);
            assert_eq!(schema.mismatches(&input), [], "{input}");
            seen.insert(input.to_string());
        }
        assert!(seen.len() > 90, "{}", seen.len());
    }
}
