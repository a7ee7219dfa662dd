//! Fills the input of a script from a sentence by the types of its schema, where no pattern of a trigger names the values.
//! Pure.

use std::sync::LazyLock;

use english::WordClass;
use serde_json::{Number, Value};

use crate::{
    meaning::SentenceForm,
    named_value::without_articles,
    slot_filling::{ExpectedValue, FilledFields, ValueGuide, validated},
    word_lists::word_list,
    words::{StemmedWord, content_stems, split_words},
};
use narratoria_protocol::Object;
use narratoria_skills::{
    Script, Skill, StateValueLists,
    schema_view::{SchemaKeywords, TypeSet},
};

/// Words that a name follows, and words that end a phrase, as data.
const PHRASE_WORDS: &str = include_str!("data/phrase-words.txt");

/// Words that a name follows: "for Mira", "to the mill".
static PREPOSITIONS: LazyLock<Vec<&str>> =
    LazyLock::new(|| word_list(PHRASE_WORDS, "prepositions"));

/// Words that end a phrase.
static PHRASE_ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list(PHRASE_WORDS, "phrase-ends"));

/// The input that a part of a sentence gives a script: what a trigger read from it, then what a model has read, then what the
/// types of the schema find in the words, then the defaults of the trigger. An example with the same words gives its own
/// input. `None` if the script does not accept it.
pub(super) fn complete_input(
    filled: FilledFields,
    read: &Object,
    (skill, script): (&Skill, &Script),
    text: &str,
    state_values: &StateValueLists,
) -> Option<Object> {
    if let Some(input) = input_of_example(skill, script, text) {
        return validated(script, input, state_values);
    }
    let FilledFields { said, by_default } = filled;
    let add = |input: &mut Object, values: &Object| {
        for (name, value) in values {
            input.entry(name.clone()).or_insert_with(|| value.clone());
        }
    };
    let document = script.input_schema.document();
    let mut input = said.clone();
    add(&mut input, read);
    add_found(&mut input, document, text, &by_default);
    add(&mut input, &by_default);
    add_whole_text(&mut input, document, text);
    let own = || {
        let mut own = said;
        add(&mut own, &by_default);
        validated(script, own, state_values)
    };
    validated(script, input, state_values).or_else(own)
}

/// The input of an example whose sentence has the same words.
fn input_of_example(skill: &Skill, script: &Script, text: &str) -> Option<Object> {
    let asked = content_stems(text);
    let same = skill.examples.iter().find(|example| {
        let sentence = example.sentence.as_deref().filter(|_| example.script == script.name);
        sentence.is_some_and(|sentence| content_stems(sentence) == asked)
    });
    same.map(|example| example.input.clone())
}

/// The fields of a schema that have no value.
fn open_fields<'s>(document: &'s Value, input: &Object, expected: &Object) -> Vec<Field<'s>> {
    let Some(keywords) = SchemaKeywords::of(document) else { return Vec::new() };
    let required: Vec<&str> = keywords.required().collect();
    let open = keywords.properties().filter(|(name, _)| !input.contains_key(*name));
    let is_wanted = |name: &str| required.contains(&name) || expected.contains_key(name);
    open.map(|(name, schema)| Field::of(document, name, schema, is_wanted(name))).collect()
}

/// Adds the words of the sentence for each required text that has none.
fn add_whole_text(input: &mut Object, document: &Value, text: &str) {
    for field in open_fields(document, input, &Object::new()) {
        if field.is_wanted && field.is_text() && field.expected.words.is_empty() {
            let most = field.expected.chars_max.unwrap_or(usize::MAX);
            let words: String = text.chars().take(most).collect();
            if !words.trim().is_empty() {
                input.insert(field.name.to_owned(), Value::from(words.trim()));
            }
        }
    }
}

/// Adds the values that the words name for fields without one. `expected` are fields that get a value in any case.
fn add_found(input: &mut Object, document: &Value, text: &str, expected: &Object) {
    let fields = open_fields(document, input, expected);
    let mut words = SentenceWords::of(text);
    // A number belongs to the field that names its unit; then in the order of both.
    for by_unit in [true, false] {
        for field in fields.iter().filter(|field| field.is_number()) {
            if !input.contains_key(field.name)
                && let Some(number) = words.take_number(field, by_unit)
            {
                input.insert(field.name.to_owned(), Value::Number(number));
            }
        }
    }
    for field in &fields {
        if !input.contains_key(field.name)
            && let Some(value) = field.find(&mut words)
        {
            input.insert(field.name.to_owned(), value);
        }
    }
}

/// A field of an input, as far as its schema says what to look for.
struct Field<'s> {
    name: &'s str,
    /// The stems of its name and its description.
    stems: Vec<String>,
    expected: ExpectedValue,
    minimum: f64,
    maximum: f64,
    /// True if it is required or has a default: it gets a value in any case.
    is_wanted: bool,
}

impl<'s> Field<'s> {
    fn of(document: &'s Value, name: &'s str, schema: &'s Value, is_wanted: bool) -> Field<'s> {
        let guide = ValueGuide::of(document, schema);
        let limit = |keyword: &str| guide.keywords(keyword).find_map(Value::as_f64);
        let description = guide.keywords("description").find_map(Value::as_str);
        let mut stems = content_stems(&spaced(name));
        stems.extend(content_stems(description.unwrap_or_default()));
        Field {
            name,
            stems,
            minimum: limit("minimum").unwrap_or(f64::NEG_INFINITY),
            maximum: limit("maximum").unwrap_or(f64::INFINITY),
            is_wanted,
            expected: guide.expected(),
        }
    }

    fn is_number(&self) -> bool {
        self.expected.words.is_empty() && self.expected.types.intersects(TypeSet::NUMBER)
    }

    fn is_text(&self) -> bool {
        let types = self.expected.types;
        types == TypeSet::NONE || types.intersects(TypeSet::STRING)
    }

    /// The value of a field that is no number.
    fn find(&self, words: &mut SentenceWords<'_>) -> Option<Value> {
        let ExpectedValue { types, words: listed, chars_max, .. } = &self.expected;
        if !listed.is_empty() {
            return named_word(listed, words).map(Value::from);
        }
        if types.intersects(TypeSet::BOOLEAN) {
            return self.truth(words).map(Value::Bool);
        }
        // What may be left out is better left out than guessed.
        if !self.is_text() || !self.is_wanted {
            return None;
        }
        let found = words.take_phrase()?;
        let text: String = found.chars().take(chars_max.unwrap_or(usize::MAX)).collect();
        (!text.trim().is_empty()).then(|| Value::from(text.trim()))
    }

    /// Whether the words say that it is so; `None` if they say nothing about it.
    fn truth(&self, words: &SentenceWords<'_>) -> Option<bool> {
        let own = content_stems(&spaced(self.name));
        let is_named = own.iter().any(|stem| words.has(stem));
        is_named.then(|| !SentenceForm::of(words.text).negation)
    }
}

/// The one listed value whose words all occur.
fn named_word<'v>(listed: &'v [String], words: &SentenceWords<'_>) -> Option<&'v str> {
    let occurs = |value: &&String| {
        let stems: Vec<String> =
            split_words(&spaced(value)).into_iter().map(|word| word.stem).collect();
        !stems.is_empty() && stems.iter().all(|stem| words.has(stem))
    };
    let mut found = listed.iter().filter(occurs);
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// A name of a schema as words: `pageCount` and `page_count` are "page Count" and "page count".
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter {
            '_' | '-' => words.push(' '),
            upper if upper.is_uppercase() => words.extend([' ', upper]),
            other => words.push(other),
        }
    }
    words
}

/// The words of a sentence, and the numbers among them that no field has yet.
struct SentenceWords<'t> {
    text: &'t str,
    words: Vec<StemmedWord>,
    numbers: Vec<FoundNumber>,
    /// Phrases that a field has. No second one gets them.
    taken: Vec<&'t str>,
}

struct FoundNumber {
    value: f64,
    /// The place of its last word.
    at: usize,
}

impl<'t> SentenceWords<'t> {
    fn of(text: &'t str) -> SentenceWords<'t> {
        let words = split_words(text);
        let number = |(at, word): (usize, &StemmedWord)| {
            let written = text[word.start..word.end].to_lowercase();
            let value = written
                .parse::<f64>()
                .ok()
                .or_else(|| english::amount(&written).map(|amount| amount as f64))?;
            Some(FoundNumber { value, at })
        };
        let numbers = words.iter().enumerate().filter_map(number).collect();
        SentenceWords { text, words, numbers, taken: Vec::new() }
    }

    fn has(&self, stem: &str) -> bool {
        self.words.iter().any(|word| word.stem == stem)
    }

    /// The first number that a field accepts and, if `by_unit`, whose next words name the field.
    fn take_number(&mut self, field: &Field<'_>, by_unit: bool) -> Option<Number> {
        let fits = |found: &FoundNumber| {
            let unit = self.words.iter().skip(found.at + 1).take(2);
            let before = self.words[..found.at].iter().rev().take(1);
            let is_named = unit.chain(before).any(|word| field.stems.contains(&word.stem));
            (field.minimum..=field.maximum).contains(&found.value) && (!by_unit || is_named)
        };
        let at = self.numbers.iter().position(fits)?;
        let value = self.numbers.remove(at).value;
        match !field.expected.types.intersects(TypeSet::FRACTION) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the numbers of a sentence are small"
            )]
            true => (value.fract() == 0.0).then(|| Number::from(value as i64)),
            false => Number::from_f64(value),
        }
    }

    /// Takes the first phrase that no field has: a quotation, a name, or a thing.
    fn take_phrase(&mut self) -> Option<&'t str> {
        let phrases = [self.quoted(), self.name(), self.thing()];
        let is_free = |phrase: &&str| !self.taken.contains(phrase);
        let phrase = phrases.into_iter().flatten().find(is_free)?;
        self.taken.push(phrase);
        Some(phrase)
    }

    /// What stands in quotation marks.
    fn quoted(&self) -> Option<&'t str> {
        let start = self.text.find(['"', '“'])? + 1;
        let inside = self.text.get(start..)?.trim_start_matches(['"', '“']);
        let end = inside.find(['"', '”'])?;
        Some(inside[..end].trim()).filter(|text| !text.is_empty())
    }

    /// Words with capitals, other than the first of a sentence: the longest row of them.
    fn name(&self) -> Option<&'t str> {
        let is_name = |at: usize| {
            let word = &self.text[self.words[at].start..self.words[at].end];
            let before = self.text[..self.words[at].start].trim_end();
            let begins = before.is_empty() || before.ends_with(['.', '!', '?', '"', ':']);
            word.chars().next().is_some_and(char::is_uppercase) && word != "I" && !begins
        };
        let mut best: Option<(usize, usize)> = None;
        let mut at = 0;
        while at < self.words.len() {
            let end =
                (at..self.words.len()).find(|next| !is_name(*next)).unwrap_or(self.words.len());
            if end > at && best.is_none_or(|(from, to)| end - at > to - from) {
                best = Some((at, end));
            }
            at = end.max(at + 1);
        }
        let (from, to) = best?;
        Some(&self.text[self.words[from].start..self.words[to - 1].end])
    }

    /// The words after the first determiner, or else after the first preposition, up to a word or a mark that ends a phrase.
    fn thing(&self) -> Option<&'t str> {
        let lower = |word: &StemmedWord| self.text[word.start..word.end].to_lowercase();
        let after = |is_before: &dyn Fn(&str) -> bool| {
            self.words.iter().position(|word| is_before(&lower(word))).map(|at| at + 1)
        };
        let is_determiner = |word: &str| WordClass::ArticleOfValue.has(word) || word == "any";
        let from = after(&is_determiner).or_else(|| after(&|word| PREPOSITIONS.contains(&word)))?;
        let first = self.words.get(from)?;
        let mut end = first.start;
        for word in &self.words[from..] {
            let gap = &self.text[end..word.start];
            let is_cut =
                end > first.start && gap.contains([',', '.', ';', ':', '!', '?', '—', '–']);
            if is_cut || PHRASE_ENDS.contains(&lower(word).as_str()) {
                break;
            }
            end = word.end;
        }
        let found = without_articles(&self.text[first.start..end]);
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Object, SentenceWords, add_found};

    #[test]
    fn the_parts_of_a_sentence_are_found() {
        let found = |text: &str| {
            let words = SentenceWords::of(text);
            let show = |part: Option<&str>| part.unwrap_or("-").to_owned();
            [show(words.quoted()), show(words.name()), show(words.thing())].join(" | ")
        };
        let sentences = [
            "hone the kitchen knife until it shines",
            "Keep Thunder here till I am back",
            "write down \"a red door\" for old Tom Harrow",
            "sharpen it",
            "",
        ];
        insta::assert_snapshot!(sentences.map(found).join("\n"), @"
        - | - | kitchen knife
        - | Thunder | -
        a red door | Tom Harrow | red door
        - | - | -
        - | - | -
        ");
    }

    #[test]
    fn what_the_words_say_comes_before_the_default_of_a_trigger() {
        let schema = json!({
            "type": "object",
            "required": ["item"],
            "properties": {
                "item": { "type": "string" },
                "turns": { "type": "integer", "minimum": 1, "maximum": 30 },
                "place": { "type": "string" },
                "note": { "type": "string" }
            }
        });
        let by_default = json!({"item": "gear", "turns": 1, "place": "here"});
        let Value::Object(by_default) = by_default else { panic!("an object") };
        let found = |text: &str| {
            let mut input = Object::new();
            add_found(&mut input, &schema, text, &by_default);
            Value::Object(input).to_string()
        };
        // No two fields get the same words, and one without a default gets none that are only a guess.
        insta::assert_snapshot!(
            found("grind my axe, ten turns or so"),
            @r#"{"turns":10,"item":"axe"}"#
        );
        insta::assert_snapshot!(found("grind, please"), @"{}");
    }

    #[test]
    fn values_are_found_by_the_types_of_a_schema() {
        let schema = json!({
            "type": "object",
            "required": ["horse"],
            "properties": {
                "horse": { "type": "string" },
                "nights": { "type": "integer", "minimum": 1, "maximum": 30 },
                "price": { "type": "number", "description": "in silver" },
                "feed": { "enum": ["hay", "oats", "mash"] },
                "brushed": { "type": "boolean" }
            }
        });
        let found = |text: &str| {
            let mut input = Object::new();
            add_found(&mut input, &schema, text, &Object::new());
            Value::Object(input).to_string()
        };
        insta::assert_snapshot!(
            found("keep Juno for three nights with oats, brushed, at 12 silver"),
            @r#"{"nights":3,"price":12.0,"horse":"Juno","feed":"oats","brushed":true}"#
        );
        insta::assert_snapshot!(found("my mare please, 99"), @r#"{"price":99.0,"horse":"mare"}"#);
    }
}
