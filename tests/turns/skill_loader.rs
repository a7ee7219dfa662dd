//! Skills that change between two turns.

use std::{fs, num::NonZeroUsize, path::Path, sync::Arc, time::Duration};

use narratoria_engine::{
    GrantedResources, LoadedSkills, Session, SessionSetup, SkillLoader, SkillLoaderOptions,
    StepEvent, StepUpdate, Update,
};
use narratoria_narrator::Planner;
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::{Health, HostPolicy, PackageRoot, SettingsFolder};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::support::{
    TurnStage, clock_and_ids, narrated, open_story, options, output_of, play, scripted, tool,
    write_package,
};

/// A session whose packages are watched.
fn session(stage: &TurnStage, planner: impl Planner + 'static) -> Session {
    let cache_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("components"));
    let sandbox = Sandbox::open(&SandboxOptions { cache_folder, ..SandboxOptions::default() });
    let story = open_story(stage.home.path());
    let options_of_stock = SkillLoaderOptions {
        host_policy: HostPolicy::default(),
        settings: SettingsFolder::none(),
        roots: vec![PackageRoot::Folder(stage.skills.path().to_owned())],
        only: None,
        environment: Arc::new(|name| (name == "GREETING").then(|| "well met".to_owned())),
        granted: GrantedResources {
            folder: Some(story.folder().to_owned()),
            ..GrantedResources::default()
        },
        workers: NonZeroUsize::new(2).unwrap(),
        progress: Box::new(|_| {}),
    };
    let stock = SkillLoader::open(sandbox.unwrap(), options_of_stock, Duration::ZERO);
    assert_eq!(stock.wait(None), [""; 0]);
    stock.watch(false).unwrap();
    let (LoadedSkills { catalog, scripts }, problems) = stock.initial();
    let setup = SessionSetup {
        catalog,
        problems,
        scripts,
        planner: Box::new(planner),
        story,
        clock_and_ids: clock_and_ids(),
        options: options(),
    };
    let mut session = Session::open(setup);
    session.set_skill_loader(stock);
    session
}

fn request(times: usize) -> Value {
    let request = narrated(json!([tool("ask", "oracle/act", &[])]), "It speaks.");
    json!(vec![request; times])
}

/// The script of the package `oracle` is `act`, whatever guest it is.
fn write_oracle(stage: &TurnStage, guest: &str, version: &str) {
    let extra = json!({"version": version, "scripts": [{"name": "act"}]});
    write_package(stage.skills.path(), "oracle", guest, extra);
}

/// S1 §3.1: a skill that failed for good stays disabled for the session; a reloaded package resets its health.
#[tokio::test]
async fn reloading_a_skill_resets_its_health() {
    let stage = TurnStage::new(&[]);
    write_oracle(&stage, "trap", "0.1.0");
    let mut session = session(&stage, scripted(request(18)));
    while session.catalog().get("oracle").is_some() {
        let (turn, updates) = play(&mut session, "I ask").await;
        assert_eq!(turn.outcome, TurnOutcome::Fallback);
        let is_lost = |update: &Update| {
            matches!(update, Update::HealthChanged { to: Health::PermanentFailure, .. })
        };
        if updates.iter().any(is_lost) {
            break;
        }
    }
    write_oracle(&stage, "echo", "0.2.0");
    assert!(session.refresh_skills(None).await);
    let (turn, updates) = play(&mut session, "I ask again").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let ready = Update::SkillReady {
        skill: "oracle".to_owned(),
        version: "0.2.0".to_owned(),
        reloaded: true,
    };
    assert_eq!(updates[0], ready, "before the turn starts");
    assert!(matches!(updates[1], Update::TurnStarted { .. }), "{:?}", updates[1]);
}

#[tokio::test]
async fn a_running_plan_keeps_the_skills_it_started_with() {
    let stage = TurnStage::new(&[("first", "echo", json!({}))]);
    write_oracle(&stage, "echo", "0.1.0");
    let steps = json!([tool("a", "first/echo", &[]), tool("ask", "oracle/act", &["a"])]);
    let steps = narrated(steps, "It speaks.");
    let mut session = session(&stage, scripted(json!([steps, steps])));
    let (mut updates, cancel) = (Vec::new(), CancellationToken::new());
    let mut on_update = |update: Update| {
        if matches!(&update, Update::Step(StepUpdate { tool_id, event: StepEvent::Started { .. }, .. }) if tool_id == "a")
        {
            write_oracle(&stage, "null", "0.2.0");
        }
        updates.push(update);
    };
    let turn = session.turn("I ask", &cancel, &mut on_update).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert!(output_of(&updates, "ask")["inputs"].is_object(), "still the old one");

    assert!(session.refresh_skills(None).await);
    let (_, updates) = play(&mut session, "I ask again").await;
    assert!(output_of(&updates, "ask")["inputs"].is_null(), "now the new one");
}

#[tokio::test]
async fn an_unchanged_package_is_not_loaded_again() {
    let stage = TurnStage::new(&[("first", "echo", json!({}))]);
    write_oracle(&stage, "echo", "0.1.0");
    let mut session = session(&stage, scripted(request(1)));
    assert!(!session.refresh_skills(None).await);
    let before = Arc::clone(session.catalog().get("first").unwrap());
    write_oracle(&stage, "null", "0.2.0");
    assert!(session.refresh_skills(None).await);
    assert!(Arc::ptr_eq(&before, session.catalog().get("first").unwrap()));
    assert_eq!(session.catalog().get("oracle").unwrap().version.to_string(), "0.2.0");
}

#[tokio::test]
async fn a_new_package_gets_its_granted_variables() {
    let stage = TurnStage::new(&[]);
    let mut session = session(&stage, scripted(request(1)));
    let extra = json!({"scripts": [{"name": "act", "grants": {"env": ["GREETING"]}}]});
    write_package(stage.skills.path(), "oracle", "uses-grants", extra);
    assert!(session.refresh_skills(None).await);
    let (_, updates) = play(&mut session, "I ask").await;
    assert_eq!(output_of(&updates, "ask")["greeting"], "well met");
    fs::remove_dir_all(stage.skills.path().join("oracle")).unwrap();
    assert!(session.refresh_skills(None).await);
    assert!(session.catalog().is_empty());
}
