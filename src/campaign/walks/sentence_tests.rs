//! Sentences over bundled campaigns, with the effect on the world that must hold afterwards.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use understanding::testing::{
    EXPECTED, HAS_EFFECT, HAS_NO_EFFECT, SentenceLine, assert_all_read, assert_same_readings,
    changed_readings, readings, sentence_lines,
};

use crate::testing::{beginning, listening_cases, verb_name};

#[derive(Deserialize)]
struct SentenceFile {
    scene: Vec<SentenceScene>,
}

#[derive(Deserialize)]
struct SentenceScene {
    set: String,
    cases: Vec<(String, String)>,
}

/// The folder of the sets of sentences.
fn sets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/campaigns")
}

/// Reads a set over a campaign, and returns what differs from its readings.
fn changed<'a>(
    campaign: &str,
    set: &str,
    lines: impl IntoIterator<Item = SentenceLine<'a>>,
) -> Option<String> {
    let read = readings(&beginning(campaign), lines);
    changed_readings(&sets().join("readings").join(format!("{set}.txt")), &read)
}

#[track_caller]
fn check(campaign: &str) {
    let set = format!("{campaign}-sentences");
    let text = fs::read_to_string(sets().join(format!("{set}.toml"))).unwrap();
    let file: SentenceFile = toml::from_str(&text).unwrap();
    let lines = file.scene.iter().flat_map(|scene| {
        let cases = scene.cases.iter();
        let cases = cases.map(|(sentence, effects)| SentenceLine::Case(sentence, effects));
        std::iter::once(SentenceLine::Scene(&scene.set)).chain(cases)
    });
    assert_same_readings(changed(campaign, &set, lines).as_slice());
}

#[test]
fn sentences_over_every_last_spoon_have_their_effect() {
    check("every-last-spoon");
}

#[test]
fn sentences_over_the_last_reading_have_their_effect() {
    check("last-reading");
}

#[test]
fn sentences_over_little_saltby_have_their_effect() {
    check("little-saltby");
}

/// Compares sets of sentences in text files with their readings: each a campaign and the name of the set.
#[track_caller]
fn check_texts<'a>(sets_of: impl IntoIterator<Item = (&'a str, String)>) {
    let differences: Vec<String> = sets_of
        .into_iter()
        .filter_map(|(campaign, set)| {
            let text = fs::read_to_string(sets().join(format!("{set}.txt"))).unwrap();
            changed(campaign, &set, sentence_lines(&text))
        })
        .collect();
    assert_same_readings(&differences);
}

/// Sentences in several voices, in the middle of play.
#[test]
fn voices_in_the_bundled_campaigns_have_their_effect() {
    check_texts([
        ("her-worship", "voices-her-worship".to_owned()),
        ("little-saltby", "voices-little-saltby".to_owned()),
        ("last-reading", "voices-last-reading".to_owned()),
        ("every-last-spoon", "voices-every-last-spoon".to_owned()),
        ("every-last-spoon", "voices-every-last-spoon-later".to_owned()),
    ]);
}

/// A hundred things that are said and done to people: questions in other words, comfort, insults, promises, touches.
#[test]
fn people_of_the_bundled_campaigns_answer_what_is_said_and_done_to_them() {
    let campaigns = ["her-worship", "little-saltby", "last-reading", "every-last-spoon"];
    check_texts(campaigns.map(|campaign| (campaign, format!("people-{campaign}"))));
}

/// Role-play and chat as the rules read it, without a model. What is missed is what a model is for.
#[test]
fn sentences_of_role_play_are_read_by_rules_as_before() {
    let mut worlds = BTreeMap::new();
    let mut read = String::new();
    for case in listening_cases() {
        let begun =
            worlds.entry(case.campaign.clone()).or_insert_with(|| beginning(&case.campaign));
        let actions = case.read_by_rules(&case.scene(begun));
        let mark = if case.is_met(&actions) { HAS_EFFECT } else { HAS_NO_EFFECT };
        let told = actions.iter().map(|action| {
            let names = [&action.target, &action.with, &action.topic, &action.direction];
            let names = names.into_iter().flatten().map(|name| format!(" [{name}]"));
            format!("{}{}", verb_name(action.action), names.collect::<String>())
        });
        let told: Vec<String> = told.collect();
        read += &format!("{mark}{}: {} => {}\n", case.kind, case.sentence, told.join(", "));
        let costs = case.wrong_costs(&actions);
        if !costs.is_empty() {
            read += &format!("{EXPECTED}no {costs:?}\n");
        }
    }
    let changed = changed_readings(&sets().join("readings/listening.txt"), &read);
    assert_same_readings(changed.as_slice());
}

#[test]
fn each_set_of_sentences_has_its_readings() {
    assert_all_read(&sets(), &sets().join("readings"));
}
