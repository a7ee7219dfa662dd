//! The scripts with the files of a campaign.

use narratoria_sdk::{
    json,
    testing::{self, Call},
};

use super::{compiled, definition};
use crate::{
    advance::PlotTurn,
    document::texts_document,
    journal::{JournalFacts, journal},
    script::{self, AdvanceInput, ChooseInput, NoPlotInput, PlotText},
};

fn with_campaign<F>(mut call: Call<F>) -> Call<F> {
    let documents = compiled(&definition(json!({
        "qualities": { "ladder": { "debt": ["quiet", "engaged"] } },
        "factions": { "faction": [{ "name": "Guild", "start": -20 }, { "name": "Watch" }] },
        "decks": { "ropes": { "storylet": [
            { "id": "opening", "on": { "verb": "begin" }, "text": "Rain.", "opens": { "thread": "Who cut the ropes?" } },
            { "id": "cut", "on": { "verb": "take", "target": "rope" }, "text": "The rope is cut.", "remember": "The rope is cut.",
              "closes": "Who cut the ropes?", "choices": [{ "label": "Ask why", "sets": { "debt": "engaged" } }] },
            { "id": "told", "when": "debt == 'engaged'", "text": "You owe her." },
        ] } },
    })));
    let mut files = vec![
        ("gates.json".to_owned(), json!(documents.gates)),
        ("plot.json".to_owned(), json!(documents.plot)),
    ];
    let texts = documents.texts.iter();
    files.extend(texts.map(|(deck, texts)| (texts_document(deck), json!(texts))));
    for (path, document) in files {
        call = call.campaign_file(&path, document.to_string());
    }
    call
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<AdvanceInput, PlotTurn>("package/schemas", "advance");
    testing::check_schemas::<ChooseInput, PlotTurn>("package/schemas", "choose");
    testing::check_schemas::<NoPlotInput, PlotText>("package/schemas", "hint");
    testing::check_schemas::<NoPlotInput, PlotText>("package/schemas", "journal");
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(script::advance, "package/examples", "advance");
    testing::check_examples(script::hint, "package/examples", "hint");
    testing::check_examples(script::journal, "package/examples", "journal");
    testing::check_examples(script::choose, "package/examples", "choose");
}

#[test]
fn a_story_without_a_campaign_is_left_alone() {
    let said = testing::call(script::advance, json!({ "begin": true })).run();
    assert!(said.ok && said.events.is_empty(), "{said:?}");
    assert_eq!(said.output["fired"], json!([]));
}

#[test]
fn the_beginning_writes_down_the_qualities_and_what_factions_think() {
    let said = with_campaign(testing::call(script::advance, json!({ "begin": true }))).run();
    assert_eq!(said.output["fired"], json!([{ "id": "opening", "deck": "ropes" }]));
    assert_eq!(
        said.output["reputation"],
        json!([{ "faction": "Guild", "by": -20, "begin": true }])
    );
    assert!(said.lines.contains(r#""debt":"quiet""#), "{}", said.lines);
    assert_eq!(said.story[0]["description"], "Who cut the ropes?");
}

#[test]
fn a_turn_follows_from_what_the_player_has_done() {
    let act = json!({
        "results": [{ "action": { "action": "take", "target": "rope" }, "done": true }], "facts": [], "scope": {},
    });
    let state = json!({ "plot": { "now": { "turn": 4, "fired": { "opening": 0 } } }, "world": { "view": { "place": "quay" } } });
    let call = testing::call(script::advance, json!({ "act": act })).state(state.clone());
    let said = with_campaign(
        call.in_story("loop", json!({ "description": "Who cut the ropes?", "category": "x" })),
    )
    .run();
    assert_eq!(said.output["facts"][0]["text"], "The rope is cut.");
    assert_eq!(said.output["offered"], json!([{ "id": "cut/ask-why", "label": "Ask why" }]));
    assert!(said.lines.contains(r#""offered":["Ask why"]"#), "{}", said.lines);
    assert_eq!(said.story[0]["status"], "resolved");
    assert_eq!(said.remembered[0].text, "The rope is cut.");
    // What was refused is not done.
    let refused = json!({ "act": { "results": [{ "action": { "action": "take", "target": "rope" }, "done": false }] } });
    let said = with_campaign(testing::call(script::advance, refused).state(state)).run();
    assert_eq!(said.output["fired"], json!([]));
}

#[test]
fn what_people_have_said_changes_qualities_before_storylets_are_looked_at() {
    let act = json!({ "results": [], "facts": [], "sets": { "debt": "engaged" } });
    let said = with_campaign(testing::call(script::advance, json!({ "act": act }))).run();
    assert_eq!(said.output["facts"][0]["text"], "You owe her.");
}

#[test]
fn a_choice_is_taken_by_its_label() {
    let state = json!({ "plot": { "now": {
        "turn": 5, "offered": [{ "id": "cut/ask-why", "label": "Ask why" }], "offered_at": "quay", "fired": { "cut": 5 },
    }, "offered": ["Ask why"] } });
    let call = |choice: &str| {
        with_campaign(
            testing::call(script::choose, json!({ "choice": choice })).state(state.clone()),
        )
        .run()
    };
    let said = call("Ask why");
    assert!(said.ok && said.lines.contains(r#""debt":"engaged""#), "{}", said.lines);
    assert!(said.lines.contains(r#""offered":[]"#), "{}", said.lines);
    assert!(!call("Leave").ok);
    assert!(!testing::call(script::choose, json!({ "choice": "x" })).run().ok);
}

#[test]
fn the_journal_has_its_parts_in_order() {
    let state = json!({
        "world": { "view": {
            "met": ["Mina Holt", "Old Tam"], "learned": ["Mina Holt: ropes", "Mina Holt: tide"], "visited": ["quay"], "done": ["Out"],
            "idle": ["Later"],
        } },
        "plot": { "now": { "ended": { "id": "home", "title": "Home" } } },
    });
    let world = json!({ "threads": [
        { "name": "Out", "opening": "The door is locked.", "ending": "You are out." },
        { "name": "In", "opening": "It rains in.", "ending": "Dry." },
        { "name": "Later", "opening": "The roof leaks.", "ending": "Mended." },
    ] });
    let call = testing::call(script::journal, json!({}))
        .state(state)
        .campaign_file("world.json", world.to_string());
    let said = call
        .in_story("loop", json!({ "description": "Who cut the ropes?", "category": "x" }))
        .run();
    assert_eq!(
        said.output["text"],
        "The story has ended: Home.\n\n\
         Still open:\n- Who cut the ropes?\n- It rains in.\n\n\
         Settled:\n- You are out.\n\n\
         What you have been told:\n- Mina Holt: ropes, tide\n\n\
         You have also met:\n- Old Tam\n\n\
         You have been to:\n- quay"
    );
    assert_eq!(journal(&JournalFacts::default()), "Your journal is empty so far.");
}
