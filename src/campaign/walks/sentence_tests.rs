//! Sentences over bundled campaigns, with the effect on the world that must hold afterwards.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::json;
use world::{
    act::{Dice, act},
    action::{Action, Verb},
    testing::{
        SentenceLine, assert_all_read, assert_same_readings, changed_readings, readings,
        sentence_lines,
    },
    world::World,
};

use super::campaign::WalkCampaign;
use crate::{CampaignSource, compile};

#[derive(Deserialize)]
struct SentenceFile {
    scene: Vec<SentenceScene>,
}

#[derive(Deserialize)]
struct SentenceScene {
    set: String,
    cases: Vec<(String, String)>,
}

/// The world of a bundled campaign at the time at which its story begins, with its conditions.
fn beginning(campaign: &str) -> World {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns").join(campaign);
    let source = CampaignSource::read_folder(&root).unwrap();
    let parts = compile(&source, "bundled", None).parts.unwrap();
    let campaign = WalkCampaign::of(&parts).unwrap();
    let mut world = campaign.begin();
    let now = plot_skill::now::PlotNow::begin(&campaign.documents.plot);
    let opinions = json!({ "reputation": { "factions": {} }, "perception": { "people": {} } });
    let mut state = opinions;
    state["plot"] = json!({ "now": now });
    campaign.decide_by(&mut world, state);
    act(&mut world, &Action::new(Verb::Look), &mut Dice::new(None, 0));
    world
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

/// Sentences in several voices, in the middle of play.
#[test]
fn voices_in_the_bundled_campaigns_have_their_effect() {
    let differences: Vec<String> = [
        ("her-worship", "her-worship"),
        ("little-saltby", "little-saltby"),
        ("last-reading", "last-reading"),
        ("every-last-spoon", "every-last-spoon"),
        ("every-last-spoon", "every-last-spoon-later"),
    ]
    .into_iter()
    .filter_map(|(campaign, set)| {
        let set = format!("voices-{set}");
        let text = fs::read_to_string(sets().join(format!("{set}.txt"))).unwrap();
        changed(campaign, &set, sentence_lines(&text))
    })
    .collect();
    assert_same_readings(&differences);
}

#[test]
fn each_set_of_sentences_has_its_readings() {
    assert_all_read(&sets(), &sets().join("readings"));
}
