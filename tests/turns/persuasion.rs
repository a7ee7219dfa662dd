//! A persuasion from end to end, with the components that come with the program: what the person thinks goes into the
//! roll, the roll into what they and their faction think afterwards, and all of it into the narration and the choices.

use narratoria_engine::{Session, SessionSetup};
use narratoria_skills as skills;
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::support::{
    TurnStage, clock_and_ids, open_story, options, output_of, plan, play, prepare, scripted,
};

/// A session over the built-in skills.
fn session(stage: &TurnStage, plans: Value) -> Session {
    let loaded = skills::load(&[narratoria_built_in::built_in()]);
    assert!(loaded.problems.is_empty(), "{:#?}", loaded.problems);
    let mut catalog = loaded.catalog;
    let story = open_story(stage.home.path());
    let scripts = prepare(&mut catalog, &story);
    Session::open(SessionSetup {
        catalog,
        problems: Vec::new(),
        scripts,
        planner: Box::new(scripted(plans)),
        story,
        clock_and_ids: clock_and_ids(),
        options: options(),
    })
}

/// The plan of the attempt; it is won from this total on.
fn persuasion(wins_from: i64) -> Value {
    let changes = |by: i64, remember: &str| json!({ "changes": [{ "person": "Martha Quill", "by": by, "remember": remember }] });
    let fame = json!({ "changes": [
        { "faction": "the Harbour Watch", "by": 25, "because": "you talked Martha round without a threat" },
        { "faction": "the smugglers", "by": -25 },
    ]});
    let won = format!("steps.roll.total >= {wins_from}");
    let lost = format!("steps.roll.total < {wins_from}");
    plan(json!([
        { "toolId": "perceive", "toolPath": "npc-perception/query-perception",
          "input": { "person": "Martha Quill", "faction": "the Harbour Watch" } },
        { "toolId": "roll", "toolPath": "dice-roller/roll-dice",
          "input": { "formula": "1d20", "modifier": "$perceive.modifier" } },
        { "toolId": "won", "toolPath": "npc-perception/update-perception", "when": won,
          "input": changes(60, "you asked kindly for the key"), "dependencies": ["roll"] },
        { "toolId": "lost", "toolPath": "npc-perception/update-perception", "when": lost,
          "input": changes(-60, "you would not take no for an answer"), "dependencies": ["roll"] },
        { "toolId": "fame", "toolPath": "reputation/update-reputation", "when": won,
          "input": fame, "dependencies": ["roll"] },
        { "toolId": "tell", "toolPath": "storyteller/narrate",
          "input": { "prompt": "I persuade Martha to lend me the key", "style": "terse" },
          "dependencies": ["roll", "won", "lost", "fame"] },
        { "toolId": "offer", "toolPath": "player-choices/generate-choices",
          "input": { "count": 3 }, "dependencies": ["tell"] },
    ]))
}

/// S0 §5.3: the skills know nothing of each other; references and conditions of one plan connect them.
#[tokio::test]
async fn a_persuasion_asks_rolls_changes_minds_tells_and_offers() {
    let stage = TurnStage::new(&[]);
    // Won whatever the dice show, then lost whatever they show.
    let mut session = session(&stage, json!([persuasion(-10), persuasion(100)]));

    let (turn, updates) = play(&mut session, "I persuade Martha to lend me the key").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated, "{updates:#?}");
    let perceived = output_of(&updates, "perceive");
    let rolled = output_of(&updates, "roll");
    assert_eq!(rolled["modifier"], perceived["modifier"]);
    let minds = &output_of(&updates, "won")["people"][0];
    assert_eq!(minds["perception"], perceived["perception"].as_i64().unwrap() + 60);
    assert!(turn.narration.contains("Martha Quill"), "{}", turn.narration);
    assert!(
        turn.narration.contains("You are trusted by the Harbour Watch now."),
        "{}",
        turn.narration
    );
    assert!(
        turn.narration.contains("You are disliked by the smugglers now."),
        "{}",
        turn.narration
    );
    assert_eq!(turn.choices.len(), 3);
    let state = session.story().state().as_object().clone();
    let martha = &state["perception"]["people"]["Martha Quill"];
    assert_eq!(martha["memories"][0]["text"], "you asked kindly for the key");
    assert_eq!(state["reputation"]["factions"]["the Harbour Watch"]["standing"], json!(25.0));

    // The next attempt rolls with what she thinks now, and failing costs it.
    let (turn, updates) = play(&mut session, "I persuade Martha to lend me the key").await;
    let now = output_of(&updates, "perceive");
    assert_eq!((&now["perception"], &now["modifier"]), (&minds["perception"], &minds["modifier"]));
    assert_eq!(output_of(&updates, "roll")["modifier"], minds["modifier"]);
    assert!(turn.narration.contains("Martha Quill"), "{}", turn.narration);
    assert!(!turn.narration.contains("Harbour Watch"), "{}", turn.narration);
    let state = session.story().state().as_object().clone();
    let memories =
        state["perception"]["people"]["Martha Quill"]["memories"].as_array().unwrap().len();
    assert_eq!(memories, 2);
}

/// A portrait is an asset of the story, and is found again in a later turn.
#[tokio::test]
async fn a_portrait_becomes_an_asset_and_is_found_again() {
    let draw = plan(
        json!([{ "toolId": "draw", "toolPath": "character-portraits/generate-portrait",
        "input": { "name": "Martha Quill", "description": "a stout cook with red hair" } },
        { "toolId": "tell", "toolPath": "storyteller/narrate", "input": { "prompt": "draw Martha" }, "dependencies": ["draw"] }]),
    );
    let show = plan(json!([{ "toolId": "show", "toolPath": "character-portraits/lookup-portrait",
        "input": { "name": "Martha", "aloud": true } }]));
    let stage = TurnStage::new(&[]);
    let mut session = session(&stage, json!([draw, show]));
    let (_, updates) = play(&mut session, "draw Martha").await;
    let drawn = output_of(&updates, "draw");
    assert_eq!(drawn["mediaType"], "image/svg+xml");
    let head = session.story().head().unwrap();
    let assets = session.story().assets_of_turn(head).unwrap();
    assert_eq!((assets.len(), assets[0].media_type.as_str()), (1, "image/svg+xml"));

    let (turn, updates) = play(&mut session, "show me Martha").await;
    let shown = output_of(&updates, "show");
    assert_eq!((&shown["found"], &shown["path"]), (&json!(true), &drawn["path"]));
    assert!(turn.narration.contains("a stout cook with red hair"), "{}", turn.narration);
}
