//! Whole calls: the texts of a step, and the state that the story keeps.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_sdk::{Value, json, testing};
use proptest::prelude::*;

use super::{
    people::{MEMORIES_MAX, PEOPLE_MAX},
    query::{PerceptionAnswer, PerceptionQuery},
    query_perception,
    update::{PerceptionUpdate, PerceptionUpdated},
    update_perception,
};

fn day(day: u64) -> Value {
    json!({ "now": { "minutes": day * 24 * 60 } })
}

fn ask(input: Value, state: &Value, config: Value, seed: u64) -> testing::CallResult {
    testing::call(query_perception, input).state(state).config(config).seed(seed).run()
}

fn change(changes: Value, state: &Value) -> testing::CallResult {
    testing::call(update_perception, json!({ "changes": changes })).state(state).run()
}

fn texts(said: &testing::CallResult) -> Vec<String> {
    let facts = said.output["facts"].as_array().unwrap();
    facts.iter().map(|fact| fact["text"].as_str().unwrap().to_owned()).collect()
}

fn mira(perception: i64) -> Value {
    json!({ "world": day(0), "perception": { "people": { "Mira": { "perception": perception } } } })
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<PerceptionQuery, PerceptionAnswer>(
        "package/schemas",
        "query-perception",
    );
    testing::check_schemas::<PerceptionUpdate, PerceptionUpdated>(
        "package/schemas",
        "update-perception",
    );
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(query_perception, "package/examples", "query-perception");
    testing::check_examples(update_perception, "package/examples", "update-perception");
}

#[test]
fn a_roll_gets_a_modifier_from_minus_three_to_three() {
    for (perception, modifier) in
        [(-100, -3), (-50, -2), (-20, -1), (0, 0), (20, 1), (50, 2), (100, 3)]
    {
        let said = ask(json!({ "person": "Mira" }), &mira(perception), json!({}), 1);
        assert_eq!(said.output["modifier"], modifier, "{perception}");
        assert_eq!(said.output["perception"], perception);
    }
}

#[test]
fn a_first_impression_comes_of_the_faction_of_what_is_seen_and_of_chance_and_stays() {
    let watch = |standing: i64| json!({ "reputation": { "factions": { "the Watch": { "standing": standing } } } });
    let no_chance = json!({ "chance": 0 });
    let seen = |standing: i64, traits: Value| {
        let input = json!({ "person": "Bram", "faction": "Watch", "traits": traits });
        ask(input, &watch(standing), no_chance.clone(), 1).output["perception"].clone()
    };
    assert_eq!(seen(50, json!([])), 20);
    assert_eq!(seen(-50, json!([])), -20);
    assert_eq!(seen(50, json!(["armed", "Polite"])), 22);
    assert_eq!(seen(0, json!(["masked", "purple"])), -12);
    // Chance differs from seed to seed, within its bounds, and is drawn once.
    let drawn: BTreeSet<i64> = (0..60)
        .map(|seed| {
            ask(json!({ "person": "Bram" }), &json!({}), json!({}), seed).output["perception"]
                .as_i64()
                .unwrap()
        })
        .collect();
    assert!(drawn.len() > 10 && drawn.iter().all(|one| one.abs() <= 10), "{drawn:?}");
    let first = ask(json!({ "person": "Bram" }), &json!({}), json!({}), 7);
    let later = ask(json!({ "person": "Bram" }), &first.patch(), json!({}), 8);
    assert_eq!((&later.output, later.events.len()), (&first.output, 0));
}

#[test]
fn a_person_of_the_world_begins_with_the_faction_and_the_traits_that_the_world_knows() {
    let state = |standing: i64, traits: Value| {
        json!({
            "world": {
                "people": {
                    "Bram Holt": { "faction": "the Watch" },
                    "sergeant": { "of": "Bram Holt" },
                    "Ida Lund": {},
                },
                "player": { "traits": traits },
            },
            "reputation": { "factions": { "the Watch": { "standing": standing } } },
        })
    };
    let no_chance = json!({ "chance": 0 });
    let begun = |person: &str, standing: i64, traits: Value| {
        let input = json!({ "person": person });
        ask(input, &state(standing, traits), no_chance.clone(), 1).output["perception"].clone()
    };
    assert_eq!(begun("Bram Holt", 50, json!([])), 20);
    assert_eq!(begun("bram", -50, json!(["armed"])), -26);
    assert_eq!(begun("the sergeant", 50, json!([])), 20);
    assert_eq!(begun("Ida Lund", 50, json!(["polite"])), 8);
    // The plan knows better.
    let given = json!({ "person": "Bram Holt", "faction": "nobody", "traits": ["masked"] });
    let said = ask(given, &state(50, json!(["armed"])), no_chance.clone(), 1);
    assert_eq!(said.output["perception"], -12);
    // A deed before any question begins there too, under the name that the world has.
    let changes = json!({ "changes": [{ "person": "Bram", "by": 5 }] });
    let said = testing::call(update_perception, changes)
        .state(state(50, json!(["armed"])))
        .config(no_chance)
        .run();
    assert_eq!(said.patch()["perception"]["people"]["Bram Holt"]["perception"], 19.0);
}

#[test]
fn what_people_think_fades_back_to_where_it_began() {
    let state = |now: u64| {
        json!({ "world": day(now), "perception": { "people": {
            "Mira": { "perception": 50, "base": 8, "at": 0 }, "Bram": { "perception": -40, "base": 8, "at": 0 },
        }}})
    };
    let at = |now, person| {
        ask(json!({ "person": person }), &state(now), json!({}), 1).output["perception"].clone()
    };
    assert_eq!([at(0, "Mira"), at(10, "Mira"), at(99, "Mira")], [50, 20, 8]);
    assert_eq!([at(10, "Bram"), at(99, "Bram")], [-10, 8]);
}

#[test]
fn a_deed_changes_what_people_think_and_is_remembered() {
    let changes = json!([
        { "person": "Mira", "by": 15, "remember": "you mended the ferry rope" },
        { "person": "the twins", "by": -2 },
    ]);
    let said = change(changes, &mira(5));
    // The twins' feeling is still described by the same word.
    assert_eq!(texts(&said), ["Mira likes you now."]);
    assert_eq!(
        texts(&change(json!([{ "person": "the twins", "by": -90 }]), &json!({}))),
        ["The twins hate you now."]
    );
    assert_eq!(
        texts(&change(json!([{ "person": "night nurse", "by": -90 }]), &json!({}))),
        ["The night nurse hates you now."]
    );
    assert_eq!(
        said.patch()["perception"]["people"]["Mira"],
        json!({ "perception": 20.0, "base": 0.0, "at": 0, "memories": [
            { "text": "you mended the ferry rope", "by": 15.0, "at": 0 }
        ]})
    );
    let answer = ask(json!({ "person": "mira", "aloud": true }), &said.patch(), json!({}), 1);
    assert_eq!(answer.output["text"], "Mira likes you. Not forgotten: you mended the ferry rope.");
    assert_eq!(texts(&change(json!([{ "person": "Mira", "by": 1 }]), &mira(0))), [""; 0]);
    assert_eq!(texts(&change(json!([{ "person": "Mira", "by": 0 }]), &mira(0))), [""; 0]);
}

#[test]
fn a_person_is_found_by_part_of_the_name_where_only_one_has_it() {
    let state = json!({ "perception": { "people": {
        "Martha Quill": { "perception": 30 }, "the old guard": { "perception": -30 }, "the young guard": {},
    }}});
    let found = |person: &str| {
        ask(json!({ "person": person }), &state, json!({}), 1).output["person"].clone()
    };
    assert_eq!(found("martha"), "Martha Quill");
    assert_eq!(found("The Old Guard"), "the old guard");
    // Two guards: a third one is meant, or the plan has to say which.
    assert_eq!(found("guard"), "guard");
}

#[test]
fn people_forget_what_weighed_least() {
    let mut state = mira(0);
    for n in 0..MEMORIES_MAX + 3 {
        let by = if n == 0 { 30 } else { 1 };
        let changes = json!([{ "person": "Mira", "by": by, "remember": format!("deed {n}") }]);
        state["perception"] = change(changes, &state).patch()["perception"].clone();
    }
    let said = ask(json!({ "person": "Mira" }), &state, json!({}), 1);
    let memories = said.output["memories"].as_array().unwrap();
    assert_eq!(memories.len(), MEMORIES_MAX);
    assert_eq!((&memories[0], &memories[MEMORIES_MAX - 1]), (&json!("deed 14"), &json!("deed 0")));
    // A repeated memory is kept once.
    let again = change(json!([{ "person": "Mira", "by": 2, "remember": "deed 14" }]), &state);
    let kept = &again.patch()["perception"]["people"]["Mira"]["memories"];
    assert_eq!(kept.as_array().unwrap().len(), MEMORIES_MAX);
    assert_eq!(kept[MEMORIES_MAX - 1]["by"], 3.0);
}

#[test]
fn a_story_knows_a_bounded_number_of_people() {
    let many: BTreeMap<String, Value> = (0..PEOPLE_MAX)
        .map(|n| (format!("person {n}"), json!({ "perception": n as i64 % 50 + 1 })))
        .collect();
    let state = json!({ "perception": { "people": many } });
    let said = ask(json!({ "person": "Mira" }), &state, json!({}), 1);
    let patch = &said.patch()["perception"]["people"];
    assert!(patch["Mira"].is_object());
    // The slightest acquaintance is forgotten.
    assert_eq!(patch["person 0"], Value::Null);
    assert_eq!(patch.as_object().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_done_is_named() {
    assert_eq!(
        ask(json!({ "person": "?!" }), &json!({}), json!({}), 1).error_code(),
        Some("PERSON")
    );
    assert_eq!(change(json!([]), &json!({})).error_code(), Some("CHANGES"));
    let config = json!({ "traits": ["armed: -6", "tall", "rich: 900"] });
    let said = ask(json!({ "person": "Mira" }), &json!({}), config, 1);
    assert!(
        said.lines.contains("the trait `tall` is left out")
            && said.lines.contains("the trait `rich: 900` is left out")
    );
}

proptest! {
    #[test]
    fn any_changes_leave_perceptions_within_their_bounds(
        changes in prop::collection::vec(("[a-c]", -200..200_i64, "(?s).{0,40}"), 1..16),
        minutes in any::<u64>(),
        stored in prop::num::f64::ANY,
        seed in any::<u64>(),
    ) {
        let changes: Vec<Value> = changes.iter()
            .map(|(person, by, text)| json!({ "person": person, "by": by, "remember": text }))
            .collect();
        let state = json!({
            "world": { "now": { "minutes": minutes } },
            "perception": { "people": { "a": { "perception": stored, "at": minutes / 2, "memories": [7] }, "b": 7 } },
        });
        let input = json!({ "changes": changes });
        let said = testing::call(update_perception, input).state(state).seed(seed).run();
        prop_assert!(said.ok, "{}", said.lines);
        for one in said.output["people"].as_array().unwrap() {
            prop_assert!((-100..=100).contains(&one["perception"].as_i64().unwrap()));
            prop_assert!((-3..=3).contains(&one["modifier"].as_i64().unwrap()));
        }
        for text in texts(&said) {
            prop_assert!(text.ends_with('.') && !text.chars().any(char::is_control), "{}", text);
        }
    }
}
