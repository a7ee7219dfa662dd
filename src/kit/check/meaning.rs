//! The rules about meaning: whether the sentences of a package find its scripts, each looked up without itself,
//! and whether plain sentences start them. Knows nothing of how vectors come about.

use std::sync::Arc;

use narratoria_narrator::{HeldOutLookup, HeldOutResult, HeldOutSentence, StartedScript};
use narratoria_protocol::visible::clip;
use narratoria_skills::{Catalog, Skill};

use super::{
    budget::CheckBudget,
    finding::{FindingCollector, FindingLocation, MeaningReport},
    options::CheckMeaning,
    rules::{self, FindingLevel},
};

/// Fewer sentences of a script than these say little, so what they show is a note.
const JUDGED_MIN: usize = 3;

/// The part of a script's sentences that must find it.
const FOUND_PERCENT_MIN: usize = 50;

/// The part of the plain sentences that may start a script before it is more than a note. Of the 22 scripts of
/// `contracts/eval/practice` one exceeds it.
const FALSE_ALARM_PERCENT_MAX: usize = 2;

/// Sentences that a finding quotes.
const QUOTED_MAX: usize = 5;

/// Characters of a quoted sentence.
const QUOTED_CHARS_MAX: usize = 100;

/// The end of this part of a check.
pub(super) enum MeaningChecked {
    /// No sentence of the package is looked up, or the time was over.
    No,
    /// There is no model; why is a part of a sentence.
    LeftOut(String),
    Done(MeaningReport),
}

/// Looks up the sentences of a package, and the plain ones.
pub(super) fn check(
    skill: &Arc<Skill>,
    built_in: &Catalog,
    meaning: &CheckMeaning,
    budget: &CheckBudget,
    findings: &mut FindingCollector<'_>,
) -> MeaningChecked {
    // The triggers of the program's own skills know their sentences.
    if built_in.get(&skill.name).is_some() || !HeldOutLookup::applies_to(skill) {
        return MeaningChecked::No;
    }
    let (load, cache) = match meaning {
        CheckMeaning::Model { load, cache } => (Arc::clone(load), cache.as_deref()),
        CheckMeaning::Absent { why } => return MeaningChecked::LeftOut(why.clone()),
    };
    let load = Box::new(move || load());
    let mut lookup = HeldOutLookup::new(built_in, Arc::clone(skill), load, cache);
    if !budget.is_spent() && !lookup.wait(budget.left()) && !budget.is_spent() {
        let why = "the model of sentence vectors cannot be used; the log says why";
        return MeaningChecked::LeftOut(why.to_owned());
    }
    let Some(own) = look_up_own(&lookup, budget) else {
        findings.leave_out("which of its sentences find its scripts");
        return MeaningChecked::No;
    };
    let Some(alarms) = look_up_plain(&mut lookup, budget) else {
        findings.leave_out("which plain sentences start its scripts");
        return MeaningChecked::No;
    };
    for (script_idx, script) in skill.scripts.iter().enumerate() {
        let place = FindingLocation::field("skill.json", format!("/scripts/{script_idx}"));
        report_missed(&script.name, &own, place.clone(), findings);
        report_alarms(&script.name, &alarms, place, findings);
    }
    MeaningChecked::Done(MeaningReport {
        found: own.iter().filter(|(_, result)| result.is_found).count(),
        held_out: own.len(),
        false_alarms: alarms.iter().filter(|alarm| !alarm.started.is_empty()).count(),
        plain: alarms.len(),
    })
}

/// `None` if the time is over before the end.
fn look_up_own(
    lookup: &HeldOutLookup,
    budget: &CheckBudget,
) -> Option<Vec<(HeldOutSentence, HeldOutResult)>> {
    let sentences = lookup.sentences().iter();
    let found = sentences
        .map(|sentence| (!budget.is_spent()).then(|| (sentence.clone(), lookup.look_up(sentence))));
    found.collect()
}

/// A plain sentence, and the scripts that it starts.
struct PlainLookup {
    sentence: &'static str,
    started: Vec<StartedScript>,
}

/// `None` if the time is over before the end.
fn look_up_plain(lookup: &mut HeldOutLookup, budget: &CheckBudget) -> Option<Vec<PlainLookup>> {
    let plain = HeldOutLookup::plain_sentences().map(|sentence| {
        (!budget.is_spent()).then(|| PlainLookup { sentence, started: lookup.started_by(sentence) })
    });
    plain.collect()
}

fn report_missed(
    script: &str,
    own: &[(HeldOutSentence, HeldOutResult)],
    place: FindingLocation,
    findings: &mut FindingCollector<'_>,
) {
    let all: Vec<_> = own.iter().filter(|(sentence, _)| sentence.script == script).collect();
    let missed: Vec<String> =
        all.iter().filter(|(_, result)| !result.is_found).map(|it| missed_text(it)).collect();
    let found = all.len() - missed.len();
    if missed.is_empty() || found * 100 >= all.len() * FOUND_PERCENT_MIN {
        return;
    }
    let sentences = if all.len() == 1 { "sentence" } else { "sentences" };
    let what = format!(
        "`{script}` is found by {found} of {} held-out {sentences}; missed: {}",
        all.len(),
        listed(&missed)
    );
    let level = if all.len() < JUDGED_MIN { FindingLevel::Note } else { FindingLevel::Warning };
    findings.add_at(&rules::MEANING_NOT_FOUND, level, place, what);
}

fn missed_text((sentence, result): &(HeldOutSentence, HeldOutResult)) -> String {
    let quoted = clip(&sentence.text, QUOTED_CHARS_MAX);
    match &result.taken_for {
        Some(other) => format!("`{quoted}` ({:.2}, taken for `{other}`)", result.probability),
        None => format!("`{quoted}` ({:.2})", result.probability),
    }
}

fn report_alarms(
    script: &str,
    plain: &[PlainLookup],
    place: FindingLocation,
    findings: &mut FindingCollector<'_>,
) {
    let mut alarms: Vec<(&str, Option<f64>)> = plain
        .iter()
        .filter_map(|looked_up| {
            let started = looked_up.started.iter().find(|started| started.script == script)?;
            Some((looked_up.sentence, started.probability))
        })
        .collect();
    if alarms.is_empty() {
        return;
    }
    // The words of a trigger are certain, so they come first.
    let certainty = |by: Option<f64>| by.unwrap_or(f64::INFINITY);
    alarms.sort_by(|(_, one), (_, other)| certainty(*other).total_cmp(&certainty(*one)));
    let quoted = alarms.iter().map(|(sentence, by)| match by {
        Some(probability) => format!("`{sentence}` ({probability:.2})"),
        None => format!("`{sentence}` (the words of a trigger)"),
    });
    let quoted: Vec<String> = quoted.collect();
    let what = format!(
        "`{script}` would start for {} of {} plain sentences: {}",
        alarms.len(),
        plain.len(),
        listed(&quoted)
    );
    let is_rare = alarms.len() * 100 <= plain.len() * FALSE_ALARM_PERCENT_MAX;
    let level = if is_rare { FindingLevel::Note } else { FindingLevel::Warning };
    findings.add_at(&rules::MEANING_FALSE_ALARM, level, place, what);
}

/// The first of some quotations, and how many more there are.
fn listed(quoted: &[String]) -> String {
    let mut text = quoted[..quoted.len().min(QUOTED_MAX)].join(", ");
    if quoted.len() > QUOTED_MAX {
        text += &format!(" and {} more", quoted.len() - QUOTED_MAX);
    }
    text
}

#[cfg(test)]
mod tests;
