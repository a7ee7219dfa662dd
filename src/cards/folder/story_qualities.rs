//! Variables of a story as qualities of a campaign: ladders of the values that one is set to, and counters.

use std::collections::BTreeMap;

use super::{
    plain_text::slug,
    toml_text::{toml_string, toml_strings},
};
use crate::{
    ImportNotes, SourceChange, StorySetting, StorySource, StoryTest, StoryValue, StoryVariable,
    TestOperator, logic::STORY_NUMBER_MAX, taken_names::TakenNames,
};

/// Longest name of a variable in the name of a quality, in characters.
const NAME_CHARS: usize = 30;

/// The qualities of a story.
#[derive(Default)]
pub(super) struct StoryQualities {
    by_source: BTreeMap<StorySource, StoryQuality>,
    constants: BTreeMap<StorySource, StoryValue>,
}

enum StoryQuality {
    /// The first rung is the beginning.
    Ladder {
        name: String,
        rungs: Vec<(StoryValue, String)>,
    },
    Counter {
        name: String,
        from: i64,
        to: i64,
        start: i64,
    },
}

/// What a storylet or a choice changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct QualityChanges {
    pub(super) sets: BTreeMap<String, String>,
    pub(super) raises: BTreeMap<String, i64>,
}

/// A quality as a line of its table.
pub(crate) struct QualityLine {
    /// `ladder` or `counter`.
    pub(crate) table: &'static str,
    pub(crate) line: String,
}

/// Whether a value makes a condition hold.
type ValueTest<'t> = Box<dyn Fn(&StoryValue) -> bool + 't>;

impl StoryQualities {
    /// Each name begins with `prefix`.
    pub(super) fn build(
        variables: &BTreeMap<StorySource, StoryVariable>,
        prefix: &str,
        taken: &mut TakenNames,
    ) -> StoryQualities {
        let mut qualities = StoryQualities::default();
        for (source, variable) in variables {
            if let Some(value) = variable.constant() {
                qualities.constants.insert(source.clone(), value.clone());
                continue;
            }
            let (end, otherwise) = match source {
                StorySource::Variable(_) => ("", "value"),
                StorySource::Visits(_) => ("_told", "passage"),
            };
            let name = slug(source.name(), otherwise).replace('-', "_");
            let name: String = name.chars().take(NAME_CHARS).collect();
            let name = taken.take(format!("{prefix}_{}{end}", name.trim_end_matches('_')), '_');
            let is_counter = variable.rises || variable.falls;
            let quality = if is_counter { counter(name, variable) } else { ladder(name, variable) };
            qualities.by_source.insert(source.clone(), quality);
        }
        qualities
    }

    pub(super) fn lines(&self) -> Vec<QualityLine> {
        let line = |quality: &StoryQuality| match quality {
            StoryQuality::Ladder { name, rungs } => {
                let rungs: Vec<&str> = rungs.iter().map(|(_, rung)| rung.as_str()).collect();
                QualityLine { table: "ladder", line: format!("{name} = {}", toml_strings(&rungs)) }
            }
            StoryQuality::Counter { name, from, to, start } => QualityLine {
                table: "counter",
                line: format!("{name} = {{ from = {from}, to = {to}, start = {start} }}"),
            },
        };
        self.by_source.values().map(line).collect()
    }

    /// The condition without what is always so or never.
    pub(super) fn folded(&self, test: &StoryTest) -> StoryTest {
        test.map(&|test| {
            let (source, holds): (_, ValueTest<'_>) = match test {
                StoryTest::Truthy(source) => (source, Box::new(StoryValue::is_truthy)),
                StoryTest::Compare(source, operator, other) => {
                    (source, Box::new(|value| value.compares(*operator, other)))
                }
                test => return test.clone(),
            };
            if let Some(value) = self.constants.get(source) {
                return StoryTest::Known(holds(value));
            }
            let rungs = match self.by_source.get(source) {
                Some(StoryQuality::Ladder { rungs, .. }) => rungs,
                Some(StoryQuality::Counter { from, .. }) => {
                    return test.answer_from(*from).map_or_else(|| test.clone(), StoryTest::Known);
                }
                None => return test.clone(),
            };
            let count = rungs.iter().filter(|(value, _)| holds(value)).count();
            match count {
                0 => StoryTest::Known(false),
                count if count == rungs.len() => StoryTest::Known(true),
                _ => test.clone(),
            }
        })
    }

    /// A condition in the words of a campaign.
    pub(super) fn condition(&self, test: &StoryTest) -> String {
        let joined = |tests: &[StoryTest], by: &str| {
            let texts: Vec<String> = tests.iter().map(|test| self.condition(test)).collect();
            texts.join(by)
        };
        match test {
            StoryTest::Known(answer) => answer.to_string(),
            StoryTest::Truthy(source) => match self.by_source.get(source) {
                Some(StoryQuality::Counter { name, .. }) => format!("{name} != 0"),
                quality => one_of(quality, StoryValue::is_truthy),
            },
            StoryTest::Compare(source, operator, other) => match self.by_source.get(source) {
                Some(StoryQuality::Counter { name, .. }) => {
                    let sign = match operator {
                        TestOperator::Equal => "==",
                        TestOperator::Less => "<",
                        TestOperator::LessOrEqual => "<=",
                    };
                    match number_of(other) {
                        Some(number) => format!("{name} {sign} {number}"),
                        None => "false".to_owned(),
                    }
                }
                quality => one_of(quality, |value| value.compares(*operator, other)),
            },
            StoryTest::Not(test) => self.negation(test),
            StoryTest::All(tests) => joined(tests, " && "),
            StoryTest::Any(tests) => format!("({})", joined(tests, " || ")),
        }
    }

    fn negation(&self, test: &StoryTest) -> String {
        let (source, sign, number) = match test {
            StoryTest::Truthy(source) => (source, "==", Some(0)),
            StoryTest::Compare(source, TestOperator::Equal, other) => {
                (source, "!=", number_of(other))
            }
            StoryTest::Compare(source, TestOperator::Less, other) => {
                (source, ">=", number_of(other))
            }
            StoryTest::Compare(source, TestOperator::LessOrEqual, other) => {
                (source, ">", number_of(other))
            }
            _ => return format!("!({})", self.condition(test)),
        };
        match (self.by_source.get(source), number) {
            (Some(StoryQuality::Counter { name, .. }), Some(number)) => {
                format!("{name} {sign} {number}")
            }
            _ => format!("!({})", self.condition(test)),
        }
    }

    /// Changes in the words of a campaign. A number can be set only to the lowest that a counter has.
    pub(super) fn changes(
        &self,
        settings: &[StorySetting],
        shown: &str,
        notes: &mut ImportNotes,
    ) -> QualityChanges {
        let mut changes = QualityChanges::default();
        for setting in settings {
            match (self.by_source.get(&setting.source), &setting.change) {
                (Some(StoryQuality::Ladder { name, rungs }), SourceChange::To(value)) => {
                    let rung = rungs.iter().find(|(known, _)| known == value);
                    changes.sets.extend(rung.map(|(_, rung)| (name.clone(), rung.clone())));
                }
                (Some(StoryQuality::Counter { name, .. }), SourceChange::By(by)) => {
                    let raise = changes.raises.entry(name.clone()).or_default();
                    *raise = raise.saturating_add(*by);
                }
                (Some(StoryQuality::Counter { name, from, to, .. }), SourceChange::To(value)) => {
                    if number_of(value) == Some(*from) {
                        changes.raises.insert(name.clone(), from - to);
                    } else {
                        let what = format!("{shown}: `{}`", setting.source.name());
                        notes
                            .not_mapped(what, "a number that also rises is set only to its lowest");
                    }
                }
                _ => {}
            }
        }
        changes.raises.retain(|_, by| *by != 0);
        changes
    }
}

impl QualityChanges {
    /// The parts of a storylet or a choice that say so.
    pub(super) fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.sets.is_empty() {
            let sets =
                self.sets.iter().map(|(name, rung)| format!("{name} = {}", toml_string(rung)));
            parts.push(format!("sets = {{ {} }}", sets.collect::<Vec<_>>().join(", ")));
        }
        if !self.raises.is_empty() {
            let raises = self.raises.iter().map(|(name, by)| format!("{name} = {by}"));
            parts.push(format!("raises = {{ {} }}", raises.collect::<Vec<_>>().join(", ")));
        }
        parts
    }
}

fn ladder(name: String, variable: &StoryVariable) -> StoryQuality {
    let mut taken = TakenNames::default();
    let others = variable.values.iter().filter(|value| **value != variable.initial);
    let rungs = std::iter::once(&variable.initial).chain(others).map(|value| {
        let rung = match value {
            StoryValue::Number(number) => number.to_string(),
            StoryValue::Truth(true) => "yes".to_owned(),
            StoryValue::Truth(false) => "no".to_owned(),
            StoryValue::Text(text) if text.is_empty() => "none".to_owned(),
            StoryValue::Text(text) => slug(text, "value"),
        };
        (value.clone(), taken.take(rung, '-'))
    });
    StoryQuality::Ladder { name, rungs: rungs.collect() }
}

/// Below 0 a counter goes only if its variable falls and is set to no number.
fn counter(name: String, variable: &StoryVariable) -> StoryQuality {
    let start = number_of(&variable.initial).unwrap_or(0);
    let set = variable.values.iter().filter_map(number_of).min();
    let from = match set {
        Some(set) => set.min(start),
        None if variable.falls => -STORY_NUMBER_MAX,
        None => start.min(0),
    };
    StoryQuality::Counter { name, from, to: STORY_NUMBER_MAX, start }
}

fn number_of(value: &StoryValue) -> Option<i64> {
    match value {
        StoryValue::Number(number) => Some(*number),
        StoryValue::Truth(truth) => Some(i64::from(*truth)),
        StoryValue::Text(_) => None,
    }
}

/// The rungs of a ladder whose values hold.
fn one_of(quality: Option<&StoryQuality>, holds: impl Fn(&StoryValue) -> bool) -> String {
    let Some(StoryQuality::Ladder { name, rungs }) = quality else { return "false".to_owned() };
    let held = rungs.iter().filter(|(value, _)| holds(value));
    let held: Vec<String> = held.map(|(_, rung)| format!("{name} == '{rung}'")).collect();
    match held.len() {
        0 => "false".to_owned(),
        1 => held.concat(),
        _ => format!("({})", held.join(" || ")),
    }
}
