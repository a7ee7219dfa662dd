//! Whole calls: the texts of a step, and the state that the story keeps.

use narratoria_sdk::{Value, json, testing};
use proptest::prelude::*;

use super::{
    query::{ReputationAnswer, ReputationQuery},
    query_reputation,
    update::{ReputationUpdate, ReputationUpdated},
    update_reputation,
};

fn day(day: u64) -> Value {
    json!({ "now": { "minutes": day * 24 * 60 } })
}

fn texts(said: &testing::CallResult) -> Vec<String> {
    let facts = said.output["facts"].as_array().unwrap();
    facts.iter().map(|fact| fact["text"].as_str().unwrap().to_owned()).collect()
}

fn ask(faction: &str, state: &Value, config: Value) -> testing::CallResult {
    let input = json!({ "faction": faction, "aloud": true });
    testing::call(query_reputation, input).state(state).config(config).run()
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<ReputationQuery, ReputationAnswer>(
        "package/schemas",
        "query-reputation",
    );
    testing::check_schemas::<ReputationUpdate, ReputationUpdated>(
        "package/schemas",
        "update-reputation",
    );
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(query_reputation, "package/examples", "query-reputation");
    testing::check_examples(update_reputation, "package/examples", "update-reputation");
}

#[test]
fn what_a_faction_has_always_thought_is_not_told() {
    let input = json!({ "changes": [{ "faction": "Guild", "by": -20, "begin": true }, { "faction": "Watch", "by": 5 }] });
    let said = testing::call(update_reputation, input).state(json!({ "world": day(1) })).run();
    assert_eq!(texts(&said), ["You have risen in the eyes of Watch."]);
    let kept = &said.patch()["reputation"]["factions"];
    assert_eq!(
        (&kept["Guild"]["standing"], &kept["Guild"]["base"]),
        (&json!(-20.0), &json!(-20.0))
    );
    assert_eq!(kept["Watch"]["base"], json!(0.0));
}

#[test]
fn several_factions_hear_of_one_deed() {
    let input = json!({ "changes": [
        { "faction": "the Harbour Watch", "by": 25, "because": "you brought back the keys" },
        { "faction": "the smugglers", "by": -30 },
    ]});
    let said = testing::call(update_reputation, input).state(json!({ "world": day(1) })).run();
    assert_eq!(
        texts(&said),
        ["You are trusted by the Harbour Watch now.", "You are disliked by the smugglers now."]
    );
    let kept = &said.patch()["reputation"]["factions"]["the Harbour Watch"];
    assert_eq!(
        kept,
        &json!({ "standing": 25.0, "base": 0.0, "at": 1440, "because": "you brought back the keys" })
    );
}

/// A campaign that thanks the player in every other turn says so when it begins and when the word changes.
#[test]
fn a_standing_is_told_at_its_first_change_and_when_its_word_changes() {
    let mut state = json!({ "world": day(1) });
    let mut told = Vec::new();
    for _ in 0..14 {
        let input = json!({ "changes": [{ "faction": "Wrackers", "by": 5 }] });
        let said = testing::call(update_reputation, input).state(&state).run();
        told.extend(texts(&said));
        state["reputation"] = said.patch()["reputation"].clone();
    }
    assert_eq!(
        told,
        [
            "You have risen in the eyes of the Wrackers.",
            "You are trusted by the Wrackers now.",
            "You are honoured by the Wrackers now."
        ]
    );
    let said = ask("wrackers", &state, json!({}));
    assert_eq!(said.output["text"], "You are honoured by the Wrackers.");
}

#[test]
fn a_standing_fades_with_story_time_and_never_beyond_its_base() {
    let state = |now: u64| {
        json!({ "world": day(now), "reputation": { "factions": {
            "the Watch": { "standing": 30, "base": 10, "at": 0 },
            "the thieves": { "standing": -30, "at": 0 },
        }}})
    };
    let standing = |now, faction| ask(faction, &state(now), json!({})).output["standing"].clone();
    assert_eq!([standing(0, "watch"), standing(5, "watch"), standing(500, "watch")], [30, 20, 10]);
    assert_eq!([standing(5, "the thieves"), standing(500, "thieves")], [-20, 0]);
    let still = ask("watch", &state(500), json!({ "decayPerDay": 0 }));
    assert_eq!(still.output["standing"], 30);
}

#[test]
fn small_changes_do_not_stop_time() {
    let mut state = json!({ "reputation": { "factions": { "the Watch": { "standing": 30 } } } });
    for hour in 1..=48 {
        state["world"] = json!({ "now": { "minutes": hour * 60 } });
        let input = json!({ "changes": [{ "faction": "the Watch", "by": 0 }] });
        let said = testing::call(update_reputation, input).state(&state).run();
        state["reputation"] = said.patch()["reputation"].clone();
    }
    let left = state["reputation"]["factions"]["the Watch"]["standing"].as_f64().unwrap();
    assert!((left - 26.0).abs() < 0.5, "{left}");
}

#[test]
fn thresholds_open_and_close_things() {
    let config =
        json!({ "gates": ["the Watch >= 20: the archives", "Watch <= -20: the black market"] });
    let change = |by: i64, standing: i64| {
        let state =
            json!({ "reputation": { "factions": { "the Watch": { "standing": standing } } } });
        let input = json!({ "changes": [{ "faction": "the Watch", "by": by }] });
        texts(&testing::call(update_reputation, input).state(state).config(config.clone()).run())
    };
    assert_eq!(
        change(20, 5),
        ["You are trusted by the Watch now.", "The archives are open to you now."]
    );
    assert_eq!(
        change(-50, 25),
        [
            "You are disliked by the Watch now.",
            "The archives are closed to you now.",
            "The black market is open to you now."
        ]
    );
    assert_eq!(change(1, 0), ["You have risen in the eyes of the Watch."]);
    assert_eq!(change(1, 5), [""; 0]);
    let state = json!({ "reputation": { "factions": { "the Watch": { "standing": 40 } } } });
    let said = ask("the watch", &state, config.clone());
    assert_eq!(said.output["open"], json!(["the archives"]));
    assert_eq!(
        said.output["text"],
        "You are trusted by the Watch. Open to you on the strength of it: the archives."
    );
}

#[test]
fn the_story_may_bring_its_own_gates() {
    let state = json!({ "reputation": { "gates": ["the Guild >= 0: the hall", "nonsense", 7] } });
    let said = ask("", &state, json!({}));
    // One entry that is no text: the list as a whole cannot be read.
    assert_eq!(said.output["open"], json!([]));
    let state = json!({ "reputation": { "gates": ["the Guild >= 0: the hall", "nonsense"] } });
    let said = ask("", &state, json!({}));
    assert_eq!(said.output["open"], json!(["the hall"]));
    assert!(said.lines.contains("the gate `nonsense` is left out"), "{}", said.lines);
}

#[test]
fn a_question_about_nobody_in_particular_is_answered_for_all() {
    let nothing = ask("", &json!({}), json!({}));
    assert_eq!(nothing.output["text"], "You have made no name for yourself yet, good or bad.");
    let state = json!({ "reputation": { "factions": {
        "the Watch": { "standing": 70 }, "the thieves": { "standing": -90, "because": "you talked" },
    }}});
    let all = ask("", &state, json!({}));
    assert_eq!(all.output["text"], "You are honoured by the Watch. You are hated by the thieves.");
    assert_eq!(
        ask("thieves", &state, json!({})).output["text"],
        "You are hated by the thieves. They remember: you talked."
    );
    let unknown = ask("the bakers", &state, json!({})).output;
    assert!(unknown["text"].as_str().unwrap().starts_with("You mean nothing to the bakers"));
    assert_eq!((&unknown["faction"], &unknown["standing"]), (&json!(""), &json!(0)));
    // Without `aloud` the answer is for other steps alone.
    let silent = testing::call(query_reputation, json!({ "faction": "the Watch" })).state(&state);
    assert!(silent.run().output.get("text").is_none());
}

#[test]
fn a_story_has_a_bounded_number_of_factions_and_a_step_of_changes() {
    let many: std::collections::BTreeMap<String, Value> =
        (0..64).map(|n| (format!("faction {n}"), json!({}))).collect();
    let state = json!({ "reputation": { "factions": many } });
    let change = |faction: &str| {
        let input = json!({ "changes": [{ "faction": faction, "by": 1 }] });
        testing::call(update_reputation, input).state(&state).run()
    };
    assert!(change("faction 7").ok);
    let refused = change("one more");
    assert_eq!((refused.ok, refused.error_code()), (false, Some("TOO_MANY_FACTIONS")));
    let changes = vec![json!({ "faction": "x", "by": 1 }); 17];
    let said = testing::call(update_reputation, json!({ "changes": changes })).run();
    assert_eq!(said.error_code(), Some("CHANGES"));
    let unnamed = json!({ "changes": [{ "faction": "\u{1b}[2J", "by": 1 }] });
    assert_eq!(testing::call(update_reputation, unnamed).run().error_code(), Some("FACTION"));
}

proptest! {
    #[test]
    fn any_changes_leave_standings_within_their_bounds(
        changes in prop::collection::vec(("[a-c]", -200..200_i64, "(?s).{0,40}"), 1..16),
        minutes in any::<u64>(),
        stored in prop::num::f64::ANY,
    ) {
        let changes: Vec<Value> = changes.iter()
            .map(|(faction, by, because)| json!({ "faction": faction, "by": by, "because": because }))
            .collect();
        let state = json!({
            "world": { "now": { "minutes": minutes } },
            "reputation": { "factions": { "a": { "standing": stored, "at": minutes / 2 }, "b": 7 } },
        });
        let said = testing::call(update_reputation, json!({ "changes": changes })).state(state).run();
        prop_assert!(said.ok, "{}", said.lines);
        for one in said.output["factions"].as_array().unwrap() {
            prop_assert!((-100..=100).contains(&one["standing"].as_i64().unwrap()));
        }
        for text in texts(&said) {
            prop_assert!(text.ends_with('.') && !text.chars().any(char::is_control), "{}", text);
        }
    }
}
