//! Stories that tick with plans of models with random weights. `MODEL_TICKS` says how many ticks.

use std::{fs, num::NonZeroUsize, path::Path, sync::Arc};

use narratoria_engine::{
    GrantedResources, ProseModel, Scripts, SessionOptions, TickEnd, TickEvent, TickOrder, Ticker,
    TickerSetup,
};
use narratoria_narrator::{
    llama::{LlamaTickPlanner, ModelSlot},
    tick::{
        ContextSettings, TickContext, TickPlan, TickPlanRequest, TickPlanner, TickProposal,
        TickRequest, TickStory, expand, tools_text,
    },
};
use narratoria_plan::{BuildOptions, Plan};
use narratoria_protocol::Object;
use narratoria_sandbox::{Sandbox, SandboxOptions, TextModelSlot};
use narratoria_skills as skills;
use narratoria_story::{Story, StoryName};
use tokio_util::sync::CancellationToken;

use super::{SPELLING, models, number, random_session::world};
use crate::tick_story::{check_contract, check_files, check_tables};

/// The first model of these tests: those before it speak in characters, and have no room for the tools.
const MODEL: usize = SPELLING;

fn story(home: &Path, seed: u64) -> Story {
    let name = StoryName::parse("demo").unwrap();
    let opened_at = jiff::Timestamp::from_second(1_700_000_000).unwrap();
    Story::open(home, &name, opened_at, seed).unwrap()
}

fn ticker(story: &Story, slot: &ModelSlot) -> Ticker {
    let mut catalog = skills::load(&[narratoria_built_in::built_in()]).catalog;
    let cache_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("components"));
    let sandbox = SandboxOptions { cache_folder, ..SandboxOptions::default() };
    let text_model = TextModelSlot::default();
    text_model.set(Arc::new(ProseModel::new(slot.model().unwrap())));
    let granted = GrantedResources {
        folder: Some(story.folder().to_owned()),
        text_model,
        ..GrantedResources::default()
    };
    let (scripts, _) = Scripts::prepare(&Sandbox::open(&sandbox).unwrap(), &mut catalog, granted);
    Ticker::open(TickerSetup {
        catalog,
        scripts,
        planner: Box::new(LlamaTickPlanner::new(slot.clone())),
        clock_and_ids: world(),
        options: SessionOptions::new(NonZeroUsize::new(2).unwrap()),
        context: ContextSettings::default(),
    })
}

/// S4 "Plan schema defined and validated", "Planner prompt template", "Plans are stored": whatever the model writes is a plan
/// in the specification's form, with arguments that the tools take, and leaves files in the form of their contracts.
#[tokio::test]
async fn whatever_a_model_plans_for_a_tick_is_a_plan_in_the_form_of_the_specification() {
    let ticks = number("MODEL_TICKS", 6);
    let folder = tempfile::tempdir().unwrap();
    let mut story = story(folder.path(), 7);
    let slot = ModelSlot::ready(models()[MODEL].clone());
    let mut ticker = ticker(&story, &slot);
    let (mut by_model, mut actions, mut failed, mut instead) = (0, 0, Vec::new(), Vec::new());
    for nth in 0..ticks {
        // A model that always writes its likeliest text plans much the same each time.
        let at = MODEL + usize::try_from(nth).unwrap() % (models().len() - MODEL);
        slot.fill(models()[at].clone());
        let mut planned = None;
        let cancel = CancellationToken::new();
        let mut see = |event: TickEvent| {
            check_contract("tick-event", &serde_json::to_value(&event).unwrap());
            match event {
                TickEvent::Planned { planner, plan, .. } => planned = Some((planner, plan)),
                TickEvent::Warning { text, .. } if text.contains("made no plan") => {
                    instead.push(text);
                }
                _ => {}
            }
        };
        let end = ticker.tick(&mut story, TickOrder::default(), &cancel, &mut see).await.unwrap();
        let (planner, plan) = planned.unwrap_or_else(|| panic!("{end:?}"));
        check_contract("tick-plan", &plan);
        let plan = TickPlan::from_value(plan).unwrap();
        assert_eq!(plan.warnings(), Vec::<String>::new());
        by_model += u64::from(planner == "llama");
        actions += plan.actions.len();
        check_tables(&story, "after a tick");
        check_files(&story, "after a tick", true);
        match end {
            TickEnd::Complete { .. } => {}
            TickEnd::Failed { tick, message, .. } => {
                // A tool that was called as it must be has its own reasons, such as a name that is taken.
                assert!(message.starts_with("Tool execution failed at action "), "{message}");
                assert!(!message.contains("Tool not found"), "{message}");
                failed.push(message);
                ticker.skip(&mut story, tick).unwrap();
                Ticker::sync_files(&story).unwrap();
            }
            TickEnd::Cancelled => panic!("nobody has cancelled it"),
        }
    }
    eprintln!("{by_model} of {ticks} plans by the model, {actions} actions");
    eprintln!("{} ticks failed: {failed:#?}\ninstead: {instead:#?}", failed.len());
    assert!(by_model * 2 >= ticks, "only {by_model} of {ticks} plans are by the model");
    assert_eq!(story.novel().unwrap().current_tick, ticks);
}

/// S4 "invalid plans": where a model has no plan, the planner without a model makes one, and the reason is on record.
#[tokio::test]
async fn where_a_model_has_no_plan_the_planner_without_a_model_stands_in() {
    let catalog = skills::load(&[narratoria_built_in::built_in()]).catalog;
    let story = TickStory::new();
    let context = TickContext::build(&story, ContextSettings::default(), tools_text(&catalog));
    let mut planner = LlamaTickPlanner::new(ModelSlot::ready(models()[MODEL].clone()));
    assert_eq!((planner.name(), planner.has_model()), ("llama", true));
    let (state, cancel) = (Object::new(), CancellationToken::new());
    let request = TickPlanRequest {
        tick: TickRequest { story: &story, seed: 7, pov: None },
        context: &context,
        catalog: &catalog,
        state: &state,
        // Too little for any plan.
        budget: std::time::Duration::from_millis(101),
        cancel: &cancel,
    };
    let response = planner.propose(request).await.unwrap();
    assert_eq!(response.planner, "lexical");
    let fallback = response.fallback.unwrap();
    assert_eq!(fallback.planner, "llama");
    assert!(fallback.why.contains("time"), "{}", fallback.why);
    let TickProposal::Plan(plan) = response.proposal else { panic!("it made no plan") };
    let id = "00000000-0000-4000-8000-000000000000".to_owned();
    let json = expand(&plan, id, plan.actions.len());
    Plan::build(json, &catalog, &BuildOptions::default()).unwrap();
    // Without a model at all, nothing has to be said.
    let mut planner = LlamaTickPlanner::new(ModelSlot::default());
    assert_eq!((planner.name(), planner.has_model()), ("lexical", false));
    let request = TickPlanRequest {
        tick: TickRequest { story: &story, seed: 7, pov: None },
        context: &context,
        catalog: &catalog,
        state: &state,
        budget: std::time::Duration::from_secs(5),
        cancel: &cancel,
    };
    let response = planner.propose(request).await.unwrap();
    assert_eq!((response.planner.as_str(), response.fallback), ("lexical", None));
}

/// The reason is in the plan's file and in the record of the plan.
#[tokio::test]
async fn the_reason_why_another_planner_stood_in_is_in_the_files_of_the_tick() {
    let folder = tempfile::tempdir().unwrap();
    let mut story = story(folder.path(), 7);
    // A model that speaks in characters has no room for the prompt.
    let mut ticker = ticker(&story, &ModelSlot::ready(models()[0].clone()));
    let cancel = CancellationToken::new();
    let end = ticker.tick(&mut story, TickOrder::default(), &cancel, &mut |_| {}).await.unwrap();
    assert!(matches!(end, TickEnd::Complete { tick: 1 }), "{end:?}");
    let file = fs::read_to_string(story.folder().join("plans/plan_001.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&file).unwrap();
    let warning = file["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("`llama` made no plan, so `lexical` made it: "), "{warning}");
    let plans = story.plans_of_turn(story.head().unwrap()).unwrap();
    let origin = plans[0].plan["metadata"].to_string();
    assert_eq!(plans[0].planner, "lexical");
    assert!(origin.contains("llama"), "{origin}");
}
