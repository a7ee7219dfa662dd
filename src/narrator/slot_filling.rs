//! Fills the template of a trigger from a sentence: the result is a script's input. Pure.

use std::{cell::Cell, collections::BTreeMap};

use serde_json::{Number, Value};

use crate::{chosen_value::chosen_value, named_value::named_value};
use narratoria_protocol::Object;
use narratoria_skills::{
    SENTENCE_PLACEHOLDER, Script, StateValueLists, Trigger, TriggerTemplatePart, VALUES_BOUND_TO,
    parse_trigger_template,
    schema_view::{SchemaKeywords, SchemaPlace, TypeSet},
};

/// The largest number that may stand in a sentence as a word.
const IN_WORDS_MAX: u64 = 12;

/// The keyword of an input schema beside `valuesFrom` for values that only most of their words stand for.
const WHOLE_VALUES: &str = "wholeValues";

/// Deepest nesting of a template. The catalog accepts none that nests deeper.
const DEPTH_MAX: usize = 32;

/// Most bytes that a trigger fills into its own input, and most that it fills into those of its follow-ups. A placeholder of
/// three characters may occur thousands of times, and its group may be the whole sentence.
const FILLED_BYTES_MAX: usize = 64 << 10;

/// The text that each named group of a trigger's patterns matched in the sentence.
#[derive(Debug, Clone)]
pub(super) struct CaptureGroups {
    texts: BTreeMap<String, String>,
    /// The rest of [`FILLED_BYTES_MAX`]; `None` once a text has exceeded it.
    left: Cell<Option<usize>>,
    /// True if a group that matched nothing takes its default.
    with_defaults: bool,
}

impl CaptureGroups {
    /// Groups of no pattern.
    pub(super) fn none() -> CaptureGroups {
        CaptureGroups {
            texts: BTreeMap::new(),
            left: Cell::new(Some(FILLED_BYTES_MAX)),
            with_defaults: true,
        }
    }

    /// The text of a group, or its default, if it still fits.
    fn filled<'g>(&'g self, group: &str, default: Option<&'g String>) -> Option<&'g str> {
        let text = self.texts.get(group).or(default.filter(|_| self.with_defaults))?;
        let left = self.left.get().and_then(|left| left.checked_sub(text.len()));
        self.left.set(left);
        left.map(|_| text.as_str())
    }

    /// Returns true if more was requested than may be filled in. The filled values then have gaps, and are not used.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.get().is_none()
    }
}

/// All groups that match. The first match of a name counts: patterns come before captures, in their order.
pub(super) fn collect_groups(trigger: &Trigger, sentence: &str) -> CaptureGroups {
    let mut groups = CaptureGroups::none();
    groups.texts.insert(SENTENCE_PLACEHOLDER.to_owned(), sentence.to_owned());
    for pattern in trigger.patterns.iter().chain(&trigger.captures) {
        let Some(found) = pattern.captures(sentence) else { continue };
        for name in pattern.capture_names().flatten() {
            if let Some(group) = found.name(name) {
                groups.texts.entry(name.to_owned()).or_insert_with(|| group.as_str().to_owned());
            }
        }
    }
    groups
}

/// The script's input, if the script accepts it in a state with these values.
pub(super) fn fill_input(
    trigger: &Trigger,
    script: &Script,
    sentence: &str,
    state_values: &StateValueLists,
) -> Option<Object> {
    let FilledFields { said, by_default } = fill_fields(trigger, script, sentence, state_values)?;
    let fields = trigger.input.keys();
    let value = |name: &String| said.get(name).or_else(|| by_default.get(name)).cloned();
    let input = fields.filter_map(|name| Some((name.clone(), value(name)?))).collect();
    validated(script, input, state_values)
}

/// The fields that a trigger fills.
#[derive(Debug, Default)]
pub(super) struct FilledFields {
    /// From the words of the sentence, and what the trigger always says.
    pub(super) said: Object,
    /// Those for which the sentence says nothing, with the trigger's defaults.
    pub(super) by_default: Object,
}

/// The fields that a trigger fills; `None` if it needs others. The script may want more.
pub(super) fn fill_fields(
    trigger: &Trigger,
    script: &Script,
    sentence: &str,
    state_values: &StateValueLists,
) -> Option<FilledFields> {
    let groups = collect_groups(trigger, sentence);
    let said_groups = CaptureGroups { with_defaults: false, ..groups.clone() };
    let schema = script.input_schema.in_state(state_values).ok()?;
    let document = schema.document();
    let whole = ValueGuide::of(document, document);
    let mut filled = FilledFields::default();
    for (name, template) in &trigger.input {
        let field = whole.property(name);
        if let Some(value) = fill_value(template, field.as_ref(), &said_groups, 1) {
            filled.said.insert(name.clone(), value);
        } else if let Some(value) = fill_value(template, field.as_ref(), &groups, 1) {
            filled.by_default.insert(name.clone(), value);
        }
    }
    let is_filled =
        |name: &String| filled.said.contains_key(name) || filled.by_default.contains_key(name);
    let is_exhausted = groups.is_exhausted() || said_groups.is_exhausted();
    (!is_exhausted && trigger.needs.iter().all(is_filled)).then_some(filled)
}

/// The input if the script accepts it in a state with these values.
pub(super) fn validated(
    script: &Script,
    input: Object,
    state_values: &StateValueLists,
) -> Option<Object> {
    let value = Value::Object(input);
    match value {
        _ if !script.input_schema.mismatches_in_state(&value, &[], state_values).is_empty() => None,
        Value::Object(input) => Some(input),
        _ => None,
    }
}

fn fill_value(
    template: &Value,
    guide: Option<&ValueGuide<'_>>,
    groups: &CaptureGroups,
    depth: usize,
) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    match template {
        Value::String(text) => fill_text(text, guide, groups),
        Value::Array(items) => {
            let inner = guide.and_then(ValueGuide::items);
            let filled =
                items.iter().filter_map(|item| fill_value(item, inner.as_ref(), groups, depth + 1));
            Some(Value::Array(filled.collect()))
        }
        Value::Object(fields) => {
            let filled = fields.iter().filter_map(|(name, field)| {
                let inner = guide.and_then(|guide| guide.property(name));
                Some((name.clone(), fill_value(field, inner.as_ref(), groups, depth + 1)?))
            });
            Some(Value::Object(filled.collect()))
        }
        other => Some(other.clone()),
    }
}

/// A text of a follow-up's input with its groups filled in; `None` as for [`fill_text`].
pub(super) fn fill_template(text: &str, groups: &CaptureGroups) -> Option<Value> {
    fill_text(text, None, groups)
}

/// Returns `None` if a group matched nothing and has no default, or if its text does not convert: the field is left
/// out.
fn fill_text(text: &str, guide: Option<&ValueGuide<'_>>, groups: &CaptureGroups) -> Option<Value> {
    let parts = parse_trigger_template(text).ok()?;
    if groups.is_exhausted() {
        return None;
    }
    if let [whole @ TriggerTemplatePart::Placeholder { group, .. }] = parts.as_slice() {
        let expected = guide.map(ValueGuide::expected).unwrap_or_default();
        let text = part_text(whole, groups)?;
        // If a script refused a long sentence, the storyteller would narrate it without any effect.
        let text = match expected.chars_max {
            Some(max) if group == SENTENCE_PLACEHOLDER && !expected.is_from_state => {
                beginning(text, max)
            }
            _ => text,
        };
        return convert(text, &expected);
    }
    let filled: Option<String> = parts.iter().map(|part| part_text(part, groups)).collect();
    filled.map(Value::String)
}

fn part_text<'p>(part: &'p TriggerTemplatePart, groups: &'p CaptureGroups) -> Option<&'p str> {
    match part {
        TriggerTemplatePart::Text(text) => Some(text),
        TriggerTemplatePart::Placeholder { group, default } => {
            groups.filled(group, default.as_ref())
        }
    }
}

/// The whole words at the beginning of a text, of at most `max` characters.
fn beginning(text: &str, max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max) else { return text };
    let start = &text[..end];
    start.rfind(char::is_whitespace).map_or(start, |at| &start[..at])
}

/// Everything that the input schema says about one value, its branches taken together. A guess at what to fill in:
/// the schema itself judges the whole input in the end.
pub(super) struct ValueGuide<'s> {
    document: &'s Value,
    objects: Vec<SchemaKeywords<'s>>,
}

impl<'s> ValueGuide<'s> {
    pub(super) fn of(document: &'s Value, part: &'s Value) -> ValueGuide<'s> {
        let place = SchemaPlace::all_of(document, &[part]);
        ValueGuide { document, objects: place.objects_of_all_branches() }
    }

    fn property(&self, name: &str) -> Option<ValueGuide<'s>> {
        let part = self.objects.iter().find_map(|keywords| keywords.property(name))?;
        Some(ValueGuide::of(self.document, part))
    }

    fn items(&self) -> Option<ValueGuide<'s>> {
        let part = self.objects.iter().find_map(|keywords| keywords.get("items"))?;
        Some(ValueGuide::of(self.document, part))
    }

    /// The values of a keyword in all branches.
    pub(super) fn keywords(&self, keyword: &str) -> impl Iterator<Item = &'s Value> {
        self.objects.iter().filter_map(move |keywords| keywords.get(keyword))
    }

    pub(super) fn expected(&self) -> ExpectedValue {
        let typed = self.objects.iter().filter(|keywords| keywords.has("type"));
        let types: Vec<TypeSet> = typed.map(|keywords| keywords.types()).collect();
        let values = self.objects.iter().flat_map(|keywords| keywords.value_lists()).flatten();
        let lengths = self.objects.iter().filter_map(|keywords| keywords.get("maxLength"));
        ExpectedValue {
            types: types.iter().fold(TypeSet::NONE, |all, one| all | *one),
            may_be_integer: types.iter().any(|one| *one & TypeSet::NUMBER == TypeSet::INTEGER),
            words: values.filter_map(Value::as_str).map(str::to_owned).collect(),
            is_from_state: self.objects.iter().any(|keywords| keywords.has(VALUES_BOUND_TO)),
            is_whole: self.objects.iter().any(|keywords| keywords.has(WHOLE_VALUES)),
            chars_max: lengths.filter_map(Value::as_u64).min().and_then(|max| max.try_into().ok()),
        }
    }
}

/// The type or the words that a schema expects.
#[derive(Debug, Default)]
pub(super) struct ExpectedValue {
    /// The types that schemas name; empty if none names any.
    pub(super) types: TypeSet,
    /// True if a schema names integers without other numbers.
    may_be_integer: bool,
    /// The texts that schemas name one by one.
    pub(super) words: Vec<String>,
    /// True if these are names in the state.
    is_from_state: bool,
    /// True if a text that has only a few words of a name does not stand for it.
    is_whole: bool,
    /// The longest text, in characters.
    pub(super) chars_max: Option<usize>,
}

fn convert(text: &str, expected: &ExpectedValue) -> Option<Value> {
    let (text, types) = (text.trim(), expected.types);
    if expected.is_from_state {
        let named = match expected.is_whole {
            true => chosen_value(text, &expected.words),
            false => named_value(text, &expected.words),
        };
        return named.map(Value::from);
    }
    if !expected.words.is_empty() {
        let same = expected.words.iter().find(|word| word.eq_ignore_ascii_case(text));
        return same.map(|word| Value::from(word.as_str()));
    }
    if types.intersects(TypeSet::STRING) || !types.intersects(TypeSet::NUMBER | TypeSet::BOOLEAN) {
        return Some(Value::from(text));
    }
    let lower = text.to_lowercase();
    let integer = whole_number(&lower).filter(|_| expected.may_be_integer).map(Number::from);
    let parse = || lower.parse().ok().and_then(Number::from_f64);
    let number = integer.or_else(|| types.intersects(TypeSet::FRACTION).then(parse).flatten());
    if let Some(number) = number {
        return Some(Value::Number(number));
    }
    match lower.as_str() {
        "true" | "yes" | "on" if types.intersects(TypeSet::BOOLEAN) => Some(Value::Bool(true)),
        "false" | "no" | "off" if types.intersects(TypeSet::BOOLEAN) => Some(Value::Bool(false)),
        _ => None,
    }
}

fn whole_number(lower: &str) -> Option<i64> {
    let word = english::number(lower).filter(|number| *number <= IN_WORDS_MAX);
    word.and_then(|number| i64::try_from(number).ok()).or_else(|| lower.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ValueGuide, collect_groups, convert, fill_text};
    use narratoria_skills::Trigger;

    /// Converts `text` as the schema wants it; null where it does not convert.
    #[track_caller]
    fn check(text: &str, schema: Value, expect: Value) {
        let expected = ValueGuide::of(&schema, &schema).expected();
        assert_eq!(convert(text, &expected).unwrap_or_default(), expect, "{schema}");
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
    fn a_script_gets_as_many_words_of_a_long_sentence_as_it_takes() {
        let trigger = Trigger {
            captures: vec![regex::Regex::new("(?<name>.+)").unwrap()],
            ..Trigger::default()
        };
        let groups = collect_groups(&trigger, "I wait in the rain");
        let schema = json!({"type": "string", "maxLength": 12});
        let guide = ValueGuide::of(&schema, &schema);
        assert_eq!(fill_text("{sentence}", Some(&guide), &groups), Some(json!("I wait in")));
        assert_eq!(fill_text("{sentence}", None, &groups), Some(json!("I wait in the rain")));
        // A name that is cut would be another name.
        assert_eq!(fill_text("{name}", Some(&guide), &groups), Some(json!("I wait in the rain")));
    }

    #[test]
    fn a_template_that_repeats_a_group_thousands_of_times_fills_nothing() {
        let trigger = Trigger {
            captures: vec![regex::Regex::new("(?<all>.*)").unwrap()],
            ..Trigger::default()
        };
        let sentence = "I wait in the rain. ".repeat(200);
        let groups = collect_groups(&trigger, &sentence);
        assert!(fill_text("{all} {all}", None, &groups).is_some() && !groups.is_exhausted());
        assert_eq!(fill_text(&"{all}".repeat(20_000), None, &groups), None);
        assert!(groups.is_exhausted());
        assert_eq!(fill_text("{all}", None, &groups), None);
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
            ..Trigger::default()
        };
        let groups = collect_groups(&trigger, "go to the inn at night");
        let fill = |text: &str| fill_text(text, None, &groups);
        assert_eq!(fill("{place}"), Some(json!("inn")));
        assert_eq!(fill("{way}"), None);
        assert_eq!(fill("to {place} by {way}"), None);
        assert_eq!(fill("to {place} by {way|foot}"), Some(json!("to inn by foot")));
        assert_eq!(fill("{{{sentence}}}"), Some(json!("{go to the inn at night}")));
    }
}
