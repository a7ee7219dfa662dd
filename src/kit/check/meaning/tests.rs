//! Findings about sentences, with an embedder that knows a few synonyms.

use std::{sync::Arc, time::Duration};

use narratoria_protocol::TextEmbedder;
use narratoria_skills::{Catalog, PackageOrigin, Skill, Trigger, testing::skill};
use narratoria_vectors::EmbedderLoader;

use super::{MeaningChecked, check};
use crate::check::{
    CheckMeaning,
    budget::CheckBudget,
    finding::{FindingCollector, MeaningReport},
    tree::PackageTree,
};

/// Words that mean the same.
const SYNONYMS: [&[&str]; 2] =
    [&["sharpen", "hone", "grind", "whet"], &["sword", "blade", "knife", "dagger"]];

const NUMBERS: usize = 256;

/// A text is the sum of its words; synonyms are one word.
struct SmithWords;

impl TextEmbedder for SmithWords {
    fn id(&self) -> &str {
        "smith-words"
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        let mut vector = vec![0.0; NUMBERS];
        for word in text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
            let known = SYNONYMS.iter().position(|words| words.contains(&word));
            let place = known.unwrap_or_else(|| {
                let sum: usize =
                    word.bytes().map(usize::from).enumerate().map(|(at, it)| (at + 1) * it).sum();
                SYNONYMS.len() + sum % (NUMBERS - SYNONYMS.len())
            });
            vector[place] += if known.is_some() { 3.0 } else { 0.2 };
        }
        Ok(vector)
    }
}

fn model() -> CheckMeaning {
    let load: EmbedderLoader = Box::new(|| Ok(Arc::new(SmithWords) as Arc<dyn TextEmbedder>));
    CheckMeaning::Model { load: Arc::new(load), cache: None }
}

/// A package of scripts, each with the phrases of its trigger. All have one description.
fn smith(scripts: &[(&str, &[&str])]) -> Arc<Skill> {
    let names: Vec<&str> = scripts.iter().map(|(name, _)| *name).collect();
    let mut made = skill("smith", &names);
    made.origin = PackageOrigin::Folder("smith".into());
    made.description = "Sharpen a blade.".to_owned();
    for ((name, phrases), script) in scripts.iter().zip(&mut made.scripts) {
        script.description = made.description.clone();
        made.triggers.push(Trigger {
            script: (*name).to_owned(),
            phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
            ..Trigger::default()
        });
    }
    Arc::new(made)
}

/// The findings and the figures, a line each.
fn checked(
    skill: &Arc<Skill>,
    built_in: &Catalog,
    meaning: &CheckMeaning,
    time: Duration,
) -> String {
    let nothing = PackageTree::empty();
    let mut findings = FindingCollector::open(&nothing, false);
    let budget = CheckBudget::begin(time);
    let end = check(skill, built_in, meaning, &budget, &mut findings);
    let (findings, left_out) = findings.close();
    let found = findings.iter().filter(|finding| finding.rule.group() == "meaning");
    let mut lines: Vec<String> = found
        .map(|it| {
            let pointer = it.pointer.as_deref().unwrap_or_default();
            format!("{} {} {pointer}: {}", it.level.as_str(), it.rule.id, it.what)
        })
        .collect();
    lines.push(match end {
        MeaningChecked::No => format!("not looked up; over time: {left_out:?}"),
        MeaningChecked::LeftOut(why) => format!("left out: {why}"),
        MeaningChecked::Done(MeaningReport { found, held_out, false_alarms, plain }) => {
            format!("{found} of {held_out} held-out, {false_alarms} of {plain} plain")
        }
    });
    lines.join("\n")
}

fn report(scripts: &[(&str, &[&str])]) -> String {
    checked(&smith(scripts), &Catalog::default(), &model(), Duration::from_secs(60))
}

#[test]
fn sentences_that_find_their_script_are_counted_and_are_no_finding() {
    let scripts: [(&str, &[&str]); 1] = [(
        "sharpen",
        &[
            "please hone the blade for me if you have the time for it today",
            "could you grind the dagger again so that it cuts when I need it",
            "can you whet my knife on the stone that stands by your door?",
        ],
    )];
    insta::assert_snapshot!(report(&scripts), @"3 of 3 held-out, 0 of 500 plain");
}

#[test]
fn a_script_that_its_own_sentences_miss_is_named_with_them_and_their_probabilities() {
    let scripts: [(&str, &[&str]); 2] = [
        ("sharpen", &["gild a cup"]),
        ("mend", &["a stitch in time", "put the pieces together", "as good as new"]),
    ];
    insta::assert_snapshot!(report(&scripts), @"
    note meaning/not-found /scripts/0: `sharpen` is found by 0 of 1 held-out sentence; missed: `gild a cup` (0.02)
    warning meaning/not-found /scripts/1: `mend` is found by 0 of 3 held-out sentences; missed: `a stitch in time` (0.01), `put the pieces together` (0.01), `as good as new` (0.01)
    0 of 4 held-out, 0 of 500 plain
    ");
}

#[test]
fn plain_sentences_that_start_a_script_are_named_and_how_they_do() {
    let scripts: [(&str, &[&str]); 2] = [("walk", &["walk"]), ("pet", &["pet the cat"])];
    insta::assert_snapshot!(report(&scripts), @"
    warning meaning/false-alarm /scripts/0: `walk` would start for 11 of 500 plain sentences: `Elena walks to the window and watches the tram go by` (the words of a trigger), `I find the north star and walk toward it` (the words of a trigger), `I pull my hat low and walk with the procession` (the words of a trigger), `I shake my head at the peddler and keep walking` (the words of a trigger), `I walk all night, following the river` (the words of a trigger) and 6 more
    note meaning/not-found /scripts/0: `walk` is found by 0 of 1 held-out sentence; missed: `walk` (0.01)
    note meaning/false-alarm /scripts/1: `pet` would start for 1 of 500 plain sentences: `pet the cat` (the words of a trigger)
    note meaning/not-found /scripts/1: `pet` is found by 0 of 1 held-out sentence; missed: `pet the cat` (0.00)
    0 of 2 held-out, 12 of 500 plain
    ");
}

#[test]
fn without_a_model_a_package_with_sentences_is_left_out_and_one_without_needs_none() {
    let absent = CheckMeaning::Absent { why: "there is no model".to_owned() };
    let minute = Duration::from_secs(60);
    let with = smith(&[("sharpen", &["hone the blade"])]);
    let without = smith(&[("sharpen", &[])]);
    let none = Catalog::default();
    assert_eq!(checked(&with, &none, &absent, minute), "left out: there is no model");
    assert_eq!(checked(&without, &none, &absent, minute), "not looked up; over time: []");
    let mut built_in = Catalog::default();
    built_in.insert_shared(Arc::clone(&with));
    assert_eq!(checked(&with, &built_in, &absent, minute), "not looked up; over time: []");
    let load: EmbedderLoader = Box::new(|| Err("it is damaged".to_owned()));
    let broken = CheckMeaning::Model { load: Arc::new(load), cache: None };
    assert_eq!(
        checked(&with, &none, &broken, minute),
        "left out: the model of sentence vectors cannot be used; the log says why"
    );
}

#[test]
fn what_the_time_does_not_allow_is_named() {
    let with = smith(&[("sharpen", &["hone the blade"])]);
    assert_eq!(
        checked(&with, &Catalog::default(), &model(), Duration::ZERO),
        "not looked up; over time: [\"which of its sentences find its scripts\"]"
    );
}
