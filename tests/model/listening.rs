//! Questions in other words than the author's: with a model whose words of one group mean the same, and, measured over two
//! hundred sentences of role-play, with a real one.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use narratoria_campaign::testing::{beginning, listening_cases};
use narratoria_engine::VectorComparer;
use narratoria_model::llm::EmbeddingModel;
use narratoria_protocol::TextEmbedder;
use narratoria_sandbox::TextComparer;
use understanding::by_meaning::TopicSearch;

use crate::player_machine::PlayerMachine;

/// What Agnes says when she is asked about her foot.
const ABOUT_HER_FOOT: &str = "Forty-one winters on that hill in the dark.";

/// What is told in the bundled campaign when Agnes is asked in other words, with this embedding model.
fn asked_in_other_words(machine: &PlayerMachine, embedding: &str) -> String {
    machine.write("kept/config.toml", format!("[model]\nembedding = {embedding:?}\n"));
    let story = format!("--story={}", if embedding == "off" { "words" } else { "meaning" });
    let play = ["run", "--campaign", "last-reading", &story, "--planner", "lexical", "--seed=7"];
    let said = machine.run(&play, "Agnes, is your leg any better today?\n");
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    said.stdout
}

#[test]
fn a_person_of_a_campaign_answers_a_question_in_other_words() {
    let machine = PlayerMachine::new();
    let model = machine.path().join("meanings.gguf");
    narratoria_models::embedding(&model, &[&["foot", "leg"], &["lighthouse"]], 1).unwrap();
    let told = asked_in_other_words(&machine, &model.display().to_string());
    assert!(told.contains(ABOUT_HER_FOOT), "{told}");
    let told = asked_in_other_words(&machine, "off");
    assert!(!told.contains(ABOUT_HER_FOOT), "{told}");
}

/// Longest time of a comparison.
const TIME: Duration = Duration::from_secs(10);

/// How many cases of a kind have their effect, and how many have a wrong costly one.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    by_rules: usize,
    by_meaning: usize,
    wrong_costs: usize,
}

/// `make listening`
#[test]
#[ignore = "it needs a real model, in NARRATORIA_EMBEDDING_MODEL, and measures"]
fn role_play_is_understood_better_by_meaning_than_by_rules_alone() {
    let file = std::env::var_os("NARRATORIA_EMBEDDING_MODEL").unwrap();
    let model: Arc<dyn TextEmbedder> = Arc::new(EmbeddingModel::load(Path::new(&file)).unwrap());
    let comparer = VectorComparer::new(Box::new(move || Ok(Arc::clone(&model))), None);
    let mut worlds = BTreeMap::new();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut took = Vec::new();
    for case in listening_cases() {
        let begun =
            worlds.entry(case.campaign.clone()).or_insert_with(|| beginning(&case.campaign));
        let world = case.scene(begun);
        let by_rules = case.read_by_rules(&world);
        let mut by_meaning = by_rules.clone();
        if let Some(search) = TopicSearch::of(&world, &by_rules) {
            let started = Instant::now();
            let nearness = comparer.compare(&case.sentence, search.texts(), TIME).unwrap();
            took.push(started.elapsed());
            search.resolve(&world, &case.sentence, &nearness, &mut by_meaning);
        }
        for kind in [&case.kind, &case.campaign, "all"] {
            let tally = tallies.entry(kind.to_owned()).or_default();
            tally.cases += 1;
            tally.by_rules += usize::from(case.is_met(&by_rules));
            tally.by_meaning += usize::from(case.is_met(&by_meaning));
            tally.wrong_costs += usize::from(!case.wrong_costs(&by_meaning).is_empty());
        }
    }
    took.sort();
    report(&tallies, &took);
    let all = &tallies["all"];
    assert!(all.by_meaning > all.by_rules, "{all:?}");
}

#[expect(clippy::print_stderr, reason = "it measures")]
fn report(tallies: &BTreeMap<String, Tally>, took: &[Duration]) {
    for (kind, Tally { cases, by_rules, by_meaning, wrong_costs }) in tallies {
        eprintln!(
            "{kind}: of {cases}, {by_rules} by rules, {by_meaning} by meaning, {wrong_costs} wrong costly"
        );
    }
    let at = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or_default();
    eprintln!("{} comparisons, p50 {:?}, p95 {:?}", took.len(), at(50), at(95));
}
