//! The scripts, triggers and output fields that the examples of a package cover, and those that they do not. Pure.

use std::collections::BTreeSet;

use narratoria_skills::{Script, Skill, Trigger, schema_view::SchemaKeywords};

/// Letters that two forms of a word have in common, such as `pick` and `picking`.
const STEM_LETTERS_MIN: usize = 4;

/// Coverage by the examples of one package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleCoverage {
    /// A script is shown by an example of it.
    pub scripts: CoveredPart,
    /// A trigger is shown by a `sentence` of an example of its script that has all words of a phrase, or that a
    /// pattern matches.
    pub triggers: CoveredPart,
    /// A field of an output schema is shown by an example that expects it.
    pub output_fields: CoveredPart,
}

/// One kind of thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoveredPart {
    pub total: usize,
    /// The ones that no example shows, as the author knows them.
    pub missing: Vec<String>,
}

impl CoveredPart {
    fn add(&mut self, name: impl FnOnce() -> String, is_shown: bool) {
        self.total += 1;
        if !is_shown {
            self.missing.push(name());
        }
    }
}

impl ExampleCoverage {
    pub fn of(skill: &Skill) -> ExampleCoverage {
        let mut coverage = ExampleCoverage::default();
        for script in &skill.scripts {
            let is_shown = skill.examples.iter().any(|example| example.script == script.name);
            coverage.scripts.add(|| script.name.clone(), is_shown);
            coverage.add_output_fields(skill, script);
        }
        for (idx, trigger) in skill.triggers.iter().enumerate() {
            let examples = skill.examples.iter().filter(|example| example.script == trigger.script);
            let mut sentences = examples.filter_map(|example| example.sentence.as_deref());
            let is_shown = sentences.any(|sentence| fires(trigger, sentence));
            coverage.triggers.add(|| trigger_name(idx, trigger), is_shown);
        }
        coverage
    }

    fn add_output_fields(&mut self, skill: &Skill, script: &Script) {
        let Some(schema) = &script.output_schema else { return };
        let Some(keywords) = SchemaKeywords::of(schema.document()) else { return };
        let examples = skill.examples.iter().filter(|example| example.script == script.name);
        let expected: BTreeSet<&str> = examples
            .filter_map(|example| example.expect.get("output")?.as_object())
            .flat_map(|output| output.keys().map(String::as_str))
            .collect();
        for (field, _) in keywords.properties() {
            let name = || format!("{}.{field}", script.name);
            self.output_fields.add(name, expected.contains(field));
        }
    }

    pub fn is_complete(&self) -> bool {
        let parts = [&self.scripts, &self.triggers, &self.output_fields];
        parts.iter().all(|part| part.missing.is_empty())
    }
}

/// Close to the lexical planner's rule, which compares stems.
fn fires(trigger: &Trigger, sentence: &str) -> bool {
    let words = words(sentence);
    let has = |word: &String| words.iter().any(|other| is_form_of(word, other));
    trigger.fallback
        || trigger.takes_rest
        || trigger.patterns.iter().any(|pattern| pattern.is_match(sentence))
        || trigger.phrases.iter().any(|phrase| self::words(phrase).iter().all(has))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Two words are the same, or one begins with all of the other.
fn is_form_of(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long || (short.chars().count() >= STEM_LETTERS_MIN && long.starts_with(short))
}

fn trigger_name(idx: usize, trigger: &Trigger) -> String {
    let first = trigger.phrases.first().map(String::as_str);
    let first = first.or_else(|| Some(trigger.patterns.first()?.as_str()));
    format!("/triggers/{idx} of {} ({})", trigger.script, first.unwrap_or("no phrase"))
}
