//! A language model that writes for skills: it may become ready while the story goes on, and only skills with the
//! grant can use it.

use std::sync::{Arc, Mutex};

use narratoria_engine::{Session, SessionSetup};
use narratoria_narrator::LexicalPlanner;
use narratoria_sandbox::{
    TextFuture, TextModel, TextModelSink, TextModelSlot, TextRequest, TextResponse,
};
use narratoria_skills as skills;
use serde_json::{Value, json};

use super::support::{TurnStage, clock_and_ids, load, open_story, options, play, prepare_with};

const WRITTEN: &str = "The door groans open. Cold air breathes out of the cellar.";

/// Writes the same text each time, and logs its requests.
#[derive(Clone, Default)]
struct RecordingTextModel(Arc<Mutex<Vec<TextRequest>>>);

impl TextModel for RecordingTextModel {
    fn generate(&self, request: TextRequest, mut on_text: TextModelSink) -> TextFuture {
        self.0.lock().unwrap().push(request);
        for piece in WRITTEN.split_inclusive(' ') {
            on_text(piece);
        }
        Box::pin(std::future::ready(Ok(TextResponse { is_complete: true })))
    }
}

fn session(stage: &TurnStage, text_model: TextModelSlot) -> Session {
    let loaded = skills::load(&[narratoria_built_in::built_in()]);
    let mut catalog = loaded.catalog;
    let story = open_story(stage.home.path());
    let (scripts, problems) = prepare_with(&mut catalog, &story, text_model);
    assert!(problems.is_empty(), "{problems:#?}");
    Session::open(SessionSetup {
        catalog,
        problems,
        scripts,
        planner: Box::new(LexicalPlanner::new()),
        story,
        clock_and_ids: clock_and_ids(),
        options: options(),
    })
}

fn story_state(session: &Session) -> &Value {
    &session.story().state().as_object()["story"]
}

#[tokio::test]
async fn a_model_that_becomes_ready_narrates_the_next_turn() {
    let stage = TurnStage::new(&[]);
    let slot = TextModelSlot::default();
    let bard = RecordingTextModel::default();
    let mut session = session(&stage, slot.clone());
    let (turn, _) = play(&mut session, "I examine the old door").await;
    assert!(turn.narration.contains("old door") && turn.narration != WRITTEN);
    let first = turn.narration;

    slot.set(Arc::new(bard.clone()));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!(turn.narration, WRITTEN);
    assert_eq!(story_state(&session)["lastNarration"], WRITTEN);
    assert_eq!(story_state(&session)["beats"], 2);
    let asks = bard.0.lock().unwrap().clone();
    let [request] = asks.as_slice() else { panic!("{asks:?}") };
    assert_eq!(request.client, "storyteller");
    assert!(request.prompt.contains("Deed of the hero: I open the door"), "{}", request.prompt);
    assert!(first.contains(request.prompt.lines().next().unwrap().trim_start_matches("Before: ")));

    slot.clear("it fell asleep");
    let (turn, _) = play(&mut session, "I look around").await;
    assert_ne!(turn.narration, WRITTEN);
}

#[tokio::test]
async fn a_skill_without_the_grant_is_left_out_and_the_problem_names_the_grant() {
    let grants = json!({"scripts": [{"grants": {"store": true}}]});
    let stage = TurnStage::new(&[("scribe", "writes", grants)]);
    let mut catalog = load(&[stage.skills.path().to_owned()]);
    let story = open_story(stage.home.path());
    let (_, problems) = prepare_with(&mut catalog, &story, TextModelSlot::default());
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(problems.join("\n"), @r#"package `scribe`: scripts/writes.wasm: imports `narratoria:host/llm@0.1.0`, which its manifest does not grant; `skill.json` would need "grants": {"llm": true}"#);
}
