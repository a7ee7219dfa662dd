//! The voice of a language model under the worst one there is: random weights, so that whatever the grammar
//! lets through is written some day. Packages, stories and sentences are random too; the seed is in every
//! message. `NARRATOR_PLANS` says how many plans are made, `NARRATOR_FROM` is the first seed.

mod arbiter;
mod cascade;
mod meaning;
mod packages;
mod random_session;
mod recording_planner;
mod scope;
mod sentences;
mod ticks;

use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::Path,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use narratoria_model::llm::{CONTEXT_TOKENS_MAX, LoadOptions, Model};
use narratoria_narrator::{
    PlanRequest, PlannerDecision,
    llama::{LlamaPlanner, ModelSlot},
    request_answer,
};
use narratoria_plan::{BuildOptions, Plan, PlanJson, wire::ToolJson};
use narratoria_protocol::Object;
use narratoria_skills as skills;
use random_session::{RandomSession, StressTally};
use tempfile::TempDir;

/// How much later than its deadline a plan may be, in milliseconds, on a machine that does nothing else:
/// `NARRATOR_LATE_MS=50`, as `make soak` says it. A test beside other tests has to forgive a busy machine more.
const LATE_MS: u64 = 1_000;

/// Stories that are played at a time, each by models of its own.
const WORKERS_MAX: usize = 4;

/// Turns in one world, with one catalog and one story.
const TURNS: usize = 20;

/// How many of the models speak in characters. A prompt has four times as many tokens then, so that there is
/// only room for one package besides the built-in ones.
const SPELLING: usize = 2;

/// Models of random weights. Most speak in words, as a real one does; all write with one thread, because
/// several play at once.
fn models() -> &'static [Model] {
    static MODELS: OnceLock<(Vec<Model>, TempDir)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let docs = ["architecture.md", "plans.md", "writing-skills.md"].map(|name| {
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name))
                .unwrap()
        });
        let words = narratoria_models::vocabulary(&docs.concat(), 4_000);
        let load = |nth: usize| {
            let path = folder.path().join(format!("{nth}.gguf"));
            let context_tokens = if nth < SPELLING {
                narratoria_models::tiny(&path, nth as u64).unwrap();
                CONTEXT_TOKENS_MAX
            } else {
                narratoria_models::tiny_with(&path, &words, nth as u64).unwrap();
                // Attention to a long prompt takes most of the time, and a short one is cut more often.
                CONTEXT_TOKENS_MAX / 8 * 5
            };
            let options =
                LoadOptions { threads: NonZeroUsize::MIN, context_tokens, prefix_folder: None };
            Model::load(&path, &options).unwrap()
        };
        ((0..8).map(load).collect(), folder)
    };
    &MODELS.get_or_init(make).0
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// S0 FR-002, FR-005, FR-006, SC-001. Every plan is one that can run, and runs to its end; none comes later
/// than it may.
#[test]
fn whatever_a_model_writes_is_a_plan_that_runs() {
    let (plans, from) = (number("NARRATOR_PLANS", 1_000), number("NARRATOR_FROM", 1));
    let (made, next) = (AtomicU64::new(0), AtomicU64::new(from));
    let tally = Mutex::new(StressTally::default());
    let workers = std::thread::available_parallelism().unwrap().get().min(WORKERS_MAX);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (made, next, tally) = (&made, &next, &tally);
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.unwrap();
                while made.load(Ordering::Relaxed) < plans {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    // Each worker has models of its own, or their plans would wait for each other.
                    let own: Vec<usize> = (worker..models().len()).step_by(workers).collect();
                    let nth = own[usize::try_from(seed / workers as u64).unwrap() % own.len()];
                    let packages_max = if nth < SPELLING { 1 } else { 6 };
                    let world = RandomSession::new(seed, models()[nth].clone(), packages_max);
                    let seen = runtime.block_on(world.play(TURNS));
                    made.fetch_add(seen.by_model, Ordering::Relaxed);
                    tally.lock().unwrap().add(seen);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    eprintln!("{tally:#?}");
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    let late_max = Duration::from_millis(number("NARRATOR_LATE_MS", LATE_MS));
    assert!(tally.late <= late_max, "a plan came {:?} late: {}", tally.late, tally.latest);
}

/// S0 FR-005. Sentences that no session would take are nothing to the voice either.
#[test]
fn no_sentence_breaks_the_voice() {
    let catalog = skills::load(&[narratoria_built_in::built_in()]).catalog;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut instead, state) = (BTreeMap::new(), Object::new());
    for model in [1, 2, 3] {
        let slot = ModelSlot::ready(models()[model].clone());
        let mut voice = LlamaPlanner::new(slot);
        for sentence in sentences::hard() {
            let shown: String = sentence.chars().take(40).collect();
            let ask = PlanRequest {
                seed: 7,
                ..PlanRequest::first(
                    &sentence,
                    &catalog,
                    &state,
                    "00000000-0000-4000-8000-000000000000".to_owned(),
                    Duration::from_secs(60),
                )
            };
            let answer = runtime.block_on(request_answer(&mut voice, ask));
            let answer = answer.unwrap_or_else(|error| panic!("{shown:?}: {error:?}"));
            *instead.entry(answer.fallback.map(|instead| instead.why)).or_insert(0) += 1;
            let PlannerDecision::Plan(plan) = answer.decision else {
                panic!("{shown:?} got no plan")
            };
            let is_told = plan.narrative.is_some() || tells_the_player(&catalog, &plan);
            assert!(is_told, "{shown:?} is answered with silence: {:?}", plan.tools);
            let built = Plan::build(plan, &catalog, &BuildOptions::default());
            built.unwrap_or_else(|error| panic!("{shown:?}: {error:?}"));
        }
    }
    eprintln!("{instead:#?}");
}

/// Returns true if a step narrates, or if each step has a text or facts of its own.
fn tells_the_player(catalog: &skills::Catalog, plan: &PlanJson) -> bool {
    let has_words = |tool: &ToolJson| {
        let (skill, idx) = catalog.resolve(&tool.tool_path).unwrap();
        let output = skill.scripts[idx].output_schema.as_ref();
        let properties = output.and_then(|schema| schema.document().get("properties"));
        properties.is_some_and(|all| all.get("text").or_else(|| all.get("facts")).is_some())
    };
    let narrates = plan.tools.iter().any(|tool| tool.tool_path == "storyteller/narrate");
    narrates || plan.tools.iter().all(has_words)
}

/// S0 FR-004: a model with a small context reads a part of the skills' prompts, and its plan says how much of which.
#[test]
fn a_plan_counts_the_lines_of_prompts_that_its_model_did_not_read() {
    let all = skills::load(&[narratoria_built_in::built_in()]).catalog;
    let mut catalog = narratoria_skills::Catalog::default();
    for name in ["dice-roller", "player-choices", "storyteller"] {
        catalog.insert_shared(all.get(name).unwrap().clone());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut planner = LlamaPlanner::new(ModelSlot::ready(models()[SPELLING].clone()));
    let state = Object::new();
    let id = "00000000-0000-4000-8000-000000000000".to_owned();
    let ask = PlanRequest::first("look", &catalog, &state, id, Duration::from_secs(60));
    let answer = runtime.block_on(request_answer(&mut planner, ask)).unwrap();
    let PlannerDecision::Plan(plan) = answer.decision else { panic!("no plan") };
    assert!(answer.fallback.is_none(), "{:?}", answer.fallback);
    let cuts = plan.metadata.extra["promptsCut"].as_array().unwrap();
    assert!(!cuts.is_empty());
    for cut in cuts {
        let (kept, lines) = (cut["kept"].as_u64().unwrap(), cut["lines"].as_u64().unwrap());
        let skill = cut["skill"].as_str().unwrap();
        assert!(catalog.get(skill).is_some() && kept <= lines, "{cut}");
        let seen = format!("{} of {lines} lines of the prompt of `{skill}`", lines - kept);
        assert!(answer.view.cut.contains(&seen), "{seen}: {:?}", answer.view.cut);
    }
}
