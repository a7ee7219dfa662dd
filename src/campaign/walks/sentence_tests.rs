//! Sentences over bundled campaigns, with the effect on the world that must hold afterwards.

#[path = "../../../skills-wasm/world/tests/sentences/effects.rs"]
mod effects;
#[path = "../../../skills-wasm/world/tests/sentences/voices.rs"]
mod voices;

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::json;
use world::{
    act::{Dice, act},
    action::{Action, Verb},
    world::World,
};

use super::campaign::WalkCampaign;
use crate::{CampaignSource, compile};
use effects::{SentenceLine, SentenceScore, measure};
use voices::check_voices;

/// The percentage of sentences that must be understood.
const GOAL_PERCENT: usize = 95;

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

/// `least` is how many sentences there must be.
fn check(campaign: &str, least: usize) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/campaigns");
    let text = fs::read_to_string(tests.join(format!("{campaign}-sentences.toml"))).unwrap();
    let file: SentenceFile = toml::from_str(&text).unwrap();
    let mut score = SentenceScore::default();
    let lines = file.scene.iter().flat_map(|scene| {
        let cases = scene.cases.iter();
        let cases = cases.map(|(sentence, effects)| SentenceLine::Case(sentence, effects));
        std::iter::once(SentenceLine::Scene(&scene.set)).chain(cases)
    });
    measure(&beginning(campaign), lines, &mut score);
    let SentenceScore { right, all, wrong } = score;
    println!("{campaign}: understood {right} of {all}\n{wrong}");
    assert!(all >= least, "{all} sentences");
    assert!(right * 100 >= all * GOAL_PERCENT, "understood {right} of {all}:\n{wrong}");
}

#[test]
fn sentences_over_every_last_spoon_have_their_effect() {
    check("every-last-spoon", 400);
}

#[test]
fn sentences_over_the_last_reading_have_their_effect() {
    check("last-reading", 200);
}

#[test]
fn sentences_over_little_saltby_have_their_effect() {
    check("little-saltby", 100);
}

/// Sentences in several voices, in the middle of play.
fn check_campaign_voices(campaign: &str, set: &str, floor: usize) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/campaigns");
    let text = fs::read_to_string(tests.join(format!("voices-{set}.txt"))).unwrap();
    check_voices(set, &beginning(campaign), &text, floor);
}

#[test]
fn voices_in_the_bundled_campaigns_have_their_effect() {
    check_campaign_voices("her-worship", "her-worship", 20);
    check_campaign_voices("little-saltby", "little-saltby", 20);
    check_campaign_voices("last-reading", "last-reading", 23);
    check_campaign_voices("every-last-spoon", "every-last-spoon", 22);
    check_campaign_voices("every-last-spoon", "every-last-spoon-later", 42);
}
