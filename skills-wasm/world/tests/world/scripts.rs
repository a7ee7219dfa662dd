//! The scripts through the wire: schemas, examples, questions, refusals.

use std::fs;

use narratoria_sdk::{Value, json, testing};
use world::{
    act::{ActInput, ActOutput, act},
    change::{ChangeInput, ChangeOutput, change},
    create::{CreateInput, CreateOutput, create},
    describe::{DescribeInput, DescribeOutput, describe},
    read::{ReadInput, ReadOutput, read},
    recall::{RecallInput, RecallOutput, recall},
    understand::{UnderstandInput, UnderstandOutput, understand},
};

fn definition(name: &str) -> Value {
    fs::read_to_string(format!("../understanding/tests/worlds/{name}.json"))
        .unwrap()
        .parse()
        .unwrap()
}

/// The state after the world of this name has been made.
fn state(name: &str) -> Value {
    let made = testing::call(create, json!({ "definition": definition(name) })).run();
    assert!(made.ok, "{}", made.lines);
    without_nulls(made.patch())
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        other => other,
    }
}

/// Merges a patch as the host does: null deletes.
pub(crate) fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    into.remove(key);
                } else {
                    merge(into.entry(key.clone()).or_insert(json!({})), value);
                }
            }
        }
        (into, patch) => *into = patch.clone(),
    }
}

/// Plays sentences one after the other, and returns the texts of all facts.
fn played(name: &str, sentences: &[&str]) -> (Value, String) {
    let mut state = state(name);
    let mut texts = String::new();
    for sentence in sentences {
        let done =
            testing::call(act, json!({ "sentence": sentence, "roll": 20 })).state(&state).run();
        assert!(done.ok, "{}", done.lines);
        merge(&mut state, &done.patch());
        texts += &format!("> {sentence}\n");
        for fact in done.output["facts"].as_array().unwrap() {
            texts += &format!("{}\n", fact["text"].as_str().unwrap());
        }
    }
    (state, texts)
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<CreateInput, CreateOutput>("package/schemas", "create");
    testing::check_schemas::<RecallInput, RecallOutput>("package/schemas", "recall");
    testing::check_schemas::<DescribeInput, DescribeOutput>("package/schemas", "describe");
    testing::check_schemas::<UnderstandInput, UnderstandOutput>("package/schemas", "understand");
    testing::check_schemas::<ReadInput, ReadOutput>("package/schemas", "read");
    testing::check_schemas::<ActInput, ActOutput>("package/schemas", "act");
    testing::check_schemas::<ChangeInput, ChangeOutput>("package/schemas", "change");
}

/// docs/worlds.md, "A definition".
#[test]
fn the_definition_of_the_page_is_a_world() {
    let page = fs::read_to_string("../../docs/worlds.md").unwrap();
    let (_, below) = page.split_once("## A definition\n\n```json\n").unwrap();
    let definition: Value = below.split("```").next().unwrap().parse().unwrap();
    let made = testing::call(create, json!({ "definition": definition })).run();
    assert!(made.ok, "{}", made.lines);
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(create, "package/examples", "create");
    testing::check_examples(understand, "package/examples", "understand");
    testing::check_examples(read, "package/examples", "read");
    testing::check_examples(describe, "package/examples", "describe");
    testing::check_examples(recall, "package/examples", "recall");
    testing::check_examples(act, "package/examples", "act");
    testing::check_examples(change, "package/examples", "change");
}

#[test]
fn play_changes_the_state_and_the_next_turn_goes_on_from_there() {
    let (state, texts) = played(
        "lighthouse",
        &[
            "take the lantern and light it",
            "go down",
            "take the oil can",
            "up",
            "up",
            "up",
            "light the great lamp",
            "i",
        ],
    );
    assert_eq!(state["world"]["now"]["place"], "lamp room");
    assert_eq!(state["world"]["now"]["done"]["The dark lamp"], true);
    assert!(texts.contains("You take the storm lantern from the kitchen table."), "{texts}");
    assert!(texts.contains("The light goes round again over the water."), "{texts}");
    assert!(texts.ends_with("You wear a wool cap.\n"), "{texts}");
}

#[test]
fn a_closed_container_is_opened_before_something_is_put_into_it_or_taken_out() {
    let sentences = [
        "put the bread in the cupboard",
        "close the cupboard",
        "get the rum out of the cupboard",
        "close the cupboard",
        "open the cupboard and put the coat inside",
    ];
    let (_, texts) = played("lighthouse", &sentences);
    insta::assert_snapshot!(texts, @r"
    > put the bread in the cupboard
    You open the cupboard.
    You see a bottle of rum and a brass key in the cupboard.
    You take the loaf of bread from the kitchen table.
    You put the loaf of bread into the cupboard.
    > close the cupboard
    You close the cupboard.
    > get the rum out of the cupboard
    You open the cupboard.
    You see a loaf of bread, a bottle of rum and a brass key in the cupboard.
    You take the bottle of rum out of the cupboard.
    > close the cupboard
    You close the cupboard.
    > open the cupboard and put the coat inside
    You open the cupboard.
    You see a loaf of bread and a brass key in the cupboard.
    You take the wool coat.
    You put the wool coat into the cupboard.
    ");
}

#[test]
fn what_is_taken_back_leaves_the_state() {
    let (state, _) = played(
        "lighthouse",
        &["drop the letter", "take the letter", "open the cupboard", "close the cupboard"],
    );
    let now = &state["world"]["now"];
    assert!(now["at"].get("letter").is_none() && now["open"].get("cupboard").is_none(), "{now}");
}

#[test]
fn the_player_is_asked_which_one_is_meant() {
    let (state, _) = played("garden", &["go to the greenhouse"]);
    let call = || testing::call(understand, json!({ "sentence": "eat the tomato" })).state(&state);
    let asked = call().answer("the green one").run();
    assert_eq!(asked.output["actions"][0]["target"], "green tomato", "{}", asked.lines);
    assert_eq!(asked.ui_event("ask").unwrap()["choices"], json!(["ripe tomato", "green tomato"]));
    // Another deed is done instead, and what names both is no answer.
    let other = call().answer("look around").run();
    assert_eq!(other.output["actions"][0]["action"], "look", "{}", other.lines);
    let both = call().answer("the tomato").answer("the ripe one").run();
    assert_eq!(both.output["actions"][0]["target"], "ripe tomato", "{}", both.lines);
    let silent = call().run();
    assert_eq!(silent.output["actions"], json!([]));
    assert_eq!(
        silent.output["facts"][0]["text"],
        "Which do you mean, the ripe tomato or the green tomato?"
    );
}

#[test]
fn a_sentence_that_means_nothing_gets_three_that_do() {
    let said = testing::call(understand, json!({ "sentence": "frobnicate the cupboard sprocket" }))
        .state(state("lighthouse"))
        .run();
    assert_eq!(said.output["unknown"]["nearest"].as_array().unwrap().len(), 3, "{}", said.lines);
    assert!(said.lines.contains("open the cupboard"), "{}", said.lines);
}

#[test]
fn a_check_is_reported_and_the_roll_decides() {
    let state = state("lighthouse");
    let said = testing::call(
        understand,
        json!({ "sentence": "I sneak up behind Martha and lift her key" }),
    )
    .state(&state)
    .run();
    assert_eq!(said.output["check"]["skill"], "stealth");
    let actions = said.output["actions"].clone();
    for (roll, kept) in [(json!(20), true), (json!({ "total": 1, "rolls": [1] }), false)] {
        let done =
            testing::call(act, json!({ "actions": actions, "roll": roll })).state(&state).run();
        assert_eq!(
            done.patch()["world"]["now"]["at"]["iron key"] == "carried",
            kept,
            "{}",
            done.lines
        );
    }
}

#[test]
fn a_name_that_is_not_in_the_world_is_an_error() {
    let done = testing::call(act, json!({ "action": "take", "target": "holy sword" }))
        .state(state("lighthouse"))
        .run();
    assert_eq!(done.error_code(), Some("UNKNOWN_NAME"));
}

#[test]
fn without_a_world_every_action_says_so() {
    let done = testing::call(act, json!({ "action": "look" })).run();
    assert_eq!(done.error_code(), Some("NO_WORLD"));
}

#[test]
fn a_wrong_definition_is_refused_with_all_its_faults() {
    let mut wrong = definition("garden");
    wrong["things"][0]["place"] = json!("cellar");
    wrong["things"][1]["on"] = json!("wheelbarrow");
    wrong["places"][0]["exits"][0]["direction"] = json!("sideways");
    wrong["doors"][0]["name"] = json!("well");
    let made = testing::call(create, json!({ "definition": wrong })).run();
    assert_eq!(made.error_code(), Some("INVALID_WORLD"));
    for part in [
        "there is no place of this name",
        "is in 2 places",
        "an exit `sideways`",
        "`well` is the name of a door and of a place",
    ] {
        assert!(made.lines.contains(part), "{part}: {}", made.lines);
    }
}

#[test]
fn a_premise_is_enough() {
    let made = testing::call(
        create,
        json!({ "premise": "a lighthouse keeper who has not slept for nine days", "seed": 4 }),
    )
    .run();
    assert!(made.ok, "{}", made.lines);
    let kinds: Vec<&str> = made.output["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| fact["fact"].as_str().unwrap())
        .collect();
    // The opening says who the player is, so nothing says it again.
    assert_eq!(&kinds[..4], ["identity", "thread_opened", "thread_opened", "described"]);
    assert!(kinds.contains(&"exits"), "{kinds:?}");
}

/// What a sentence means at the beginning of the lighthouse.
fn understood(sentence: &str) -> Value {
    let said = testing::call(understand, json!({ "sentence": sentence }));
    said.state(state("lighthouse")).run().output
}

/// What a person of the lighthouse looks like at its beginning.
fn described(person: &str) -> Value {
    testing::call(describe, json!({ "person": person })).state(state("lighthouse")).run().output
}

#[test]
fn the_opinion_of_nobody_is_refused_with_the_people_whom_the_player_knows() {
    let text = |sentence: &str| {
        let said = understood(sentence);
        said["facts"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(
        ["what does Gandalf think of me?", "Does the grey wizard really like me", "how would Ulf feel about us"]
            .map(text)
            .join("\n"), @r"
    You know no Gandalf, and no Gandalf knows you. You could ask about Martha Quill.
    You know no grey wizard, and no grey wizard knows you. You could ask about Martha Quill.
    You know no Ulf, and no Ulf knows you. You could ask about Martha Quill.
    ");
    // Somebody who exists is another skill's answer, or is asked.
    for sentence in [
        "what does Martha Quill think of me?",
        "what does she think of me",
        "what do I think of Gandalf",
        "how do folks here feel about me?",
    ] {
        assert!(!text(sentence).starts_with("You know no"), "{sentence}");
    }
}

/// Nobody who stands by is asked for what the player remembers.
#[test]
fn questions_about_the_players_own_past_are_answered_by_the_world() {
    for sentence in ["who have I talked to?", "what do I know so far", "who do i suspect?"] {
        let said = understood(sentence);
        assert_eq!(said["actions"].as_array().map(Vec::len), Some(0), "{sentence}");
        assert_eq!(said["facts"][0]["fact"], "recalled", "{sentence}");
    }
}

#[test]
fn a_person_whom_the_player_has_met_is_described_for_a_picture() {
    let said = described("cook");
    assert_eq!(said["name"], "Martha Quill");
    assert_eq!(said["description"], said["facts"][0]["text"]);
    assert_eq!(said["facts"][0]["fact"], "described");
    let said = described("old fisherman");
    assert_eq!(said["facts"][0]["text"], "You have not met the old fisherman yet.");
    assert_eq!(said.get("description"), None);
}

/// A topic is found by how near its names are to the sentence, if there is a model that compares texts.
#[test]
fn a_question_in_words_of_the_players_own_is_answered_by_the_nearest_topic() {
    let asked = json!({ "sentence": "Martha, who climbed those stairs every night?" });
    let call = testing::call(understand, asked).state(state("lighthouse"));
    let action = |said: testing::CallResult| said.output["actions"][0].clone();
    let without = action(call.clone().run());
    assert_eq!(without["topic"], "who climbed those stairs every night");
    let near = |_: &str, topic: &str| if topic.contains("keeper") { 0.5 } else { 0.1 };
    let with = action(call.clone().texts_compare(near).run());
    assert_eq!((&with["action"], &with["topic"]), (&json!("ask"), &json!("keeper")));
    let far = |_: &str, _: &str| 0.1;
    assert_eq!(action(call.texts_compare(far).run()), without);
}

/// Dice fall only for what is tried.
#[test]
fn nobody_rolls_for_what_is_refused_first() {
    let check = |sentence: &str| understood(sentence)["check"].clone();
    let is_rolled = |sentence: &str| !check(sentence).is_null();
    assert!(is_rolled("persuade Martha to give me the key"));
    assert!(!is_rolled("attack the old fisherman then take the lantern"));
    // What is refused does not keep the next deed from its dice.
    assert!(is_rolled("attack the old fisherman, then attack Martha"));
}

#[test]
fn what_a_person_has_told_is_repeated_word_for_word() {
    let (state, _) =
        played("lighthouse", &["ask Martha about the lamp", "ask Martha about the keeper"]);
    let text = |topic: Option<&str>| {
        let input = json!({ "person": "cook", "topic": topic });
        let said = testing::call(recall, input).state(&state).run();
        said.output["text"].as_str().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(
        [Some("the lamp"), Some("me about the weather"), None].map(text).join("\n---\n"), @r"
    Martha Quill has told you nothing about the lamp.
    ---
    Martha Quill told you: “It took the chimney pot. It did not take the light.”
    ---
    Martha Quill told you: “He went out at four and did not say where.”

    Martha Quill told you: “It took the chimney pot. It did not take the light.”
    ");
    let said = testing::call(recall, json!({ "person": "old fisherman" })).state(&state).run();
    assert_eq!(said.output["text"], "The old fisherman has told you nothing yet.");
}

#[test]
fn the_player_sleeps_as_long_as_the_words_say() {
    for (sentence, time) in [
        ("sleep for half an hour", "six o'clock"),
        ("sleep for an hour", "half past six"),
        ("take a nap", "half past six"),
        ("nap for twenty minutes", "ten to six"),
        ("sleep until eight", "eight o'clock"),
        ("sleep", "half past one"),
    ] {
        let (_, texts) = played("lighthouse", &[sentence]);
        assert!(texts.contains(&format!("When you wake it is {time}")), "{texts}");
    }
}

#[test]
fn a_half_hour_of_the_clock_is_waited_for() {
    let (state, texts) = played("lighthouse", &["wait until half past six", "time"]);
    assert!(texts.contains("half past six"), "{texts}");
    assert_eq!(state["world"]["now"]["minutes"].as_u64(), Some(60));
}

#[test]
fn a_place_has_its_own_preposition() {
    for (world, words) in
        [("abbey", "You are on the causeway."), ("lighthouse", "You are in the kitchen.")]
    {
        let (_, texts) = played(world, &["where am i?"]);
        assert!(texts.contains(words), "{texts}");
    }
}

#[test]
fn who_sleeps_or_is_behind_a_shut_door_sees_nothing() {
    for (doing, sees) in [
        ("sorting envelopes with the door shut", false),
        ("asleep on a sack", false),
        ("smoking", true),
    ] {
        let mut definition = definition("lighthouse");
        definition["people"][0]["schedule"] =
            json!([{ "from": "06:00", "place": "kitchen", "doing": doing }]);
        let made = testing::call(create, json!({ "definition": definition })).run();
        let unseeing = &made.patch()["world"]["scope"]["unseeing"];
        assert_eq!(unseeing.as_array().is_none(), sees, "{doing}: {unseeing}");
    }
}

/// Dice decide nothing where nobody could notice.
#[test]
fn who_hides_alone_rolls_no_dice() {
    let alone = played("lighthouse", &["go out", "go to the boathouse"]).0;
    let with_martha = state("lighthouse");
    for (state, is_checked) in [(&alone, false), (&with_martha, true)] {
        for sentence in ["hide", "sneak around"] {
            let done =
                testing::call(understand, json!({ "sentence": sentence })).state(state).run();
            assert_eq!(
                done.output.get("check").is_some(),
                is_checked,
                "{sentence}: {}",
                done.lines
            );
        }
    }
    let hidden = testing::call(act, json!({ "sentence": "hide" })).state(&alone).run();
    let fact = &hidden.output["facts"][0];
    assert_eq!((fact["fact"].as_str(), fact.get("because")), (Some("attempted"), None));
}

/// A candle without a flint is no choice.
#[test]
fn only_a_light_that_would_burn_is_offered() {
    for (needed, is_offered) in [("oil can", false), ("kitchen table", true)] {
        let mut definition = definition("lighthouse");
        let things = definition["things"].as_array_mut().unwrap();
        let lantern = things.iter_mut().find(|thing| thing["name"] == "storm lantern").unwrap();
        lantern["light"]["needs"] = json!(needed);
        let made = testing::call(create, json!({ "definition": definition })).run();
        let possible = made.patch()["world"]["scope"]["possible"].to_string();
        assert_eq!(possible.contains("light the storm lantern"), is_offered, "{possible}");
    }
}

/// The steps, what lost and how sure it is, a line each.
fn shown_reading(world: &str, sentence: &str) -> String {
    let done = testing::call(read, json!({ "sentence": sentence })).state(state(world)).run();
    assert!(done.ok, "{}", done.lines);
    let list = |key: &str| done.output[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = vec![format!("> {sentence}")];
    for name in list("names") {
        lines.push(format!(
            "{} = {}: {}",
            text(&name["words"]),
            text(&name["name"]),
            text(&name["why"])
        ));
    }
    for step in list("steps") {
        let row = &step["row"];
        let row = match row {
            Value::Null => String::new(),
            row => format!("  [{}:{}]", text(&row["file"]), row["line"]),
        };
        lines.push(format!("{}: {}{row}", text(&step["stage"]), text(&step["made"])));
    }
    for lost in list("lost") {
        lines.push(format!("lost: {}: {}", text(&lost["tried"]), text(&lost["missing"])));
    }
    let known = ["certainty", "message"].map(|key| text(&done.output[key]));
    lines.push(known.join(" ").trim().to_owned());
    lines.join("\n") + "\n"
}

#[test]
fn a_reading_is_shown_step_by_step() {
    let sentences = [
        "took the lantern",
        "coax the lantern alight",
        "go down and look for the oil can",
        "flurb the lantern",
        "flurb the snorg",
        "take it",
        "who am i",
    ];
    let shown: String = sentences.map(|sentence| shown_reading("lighthouse", sentence)).join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_sentence_is_read_where_the_player_is_said_to_stand() {
    let reading = |at: &str| {
        let input = json!({ "sentence": "look", "at": at });
        testing::call(read, input).state(state("lighthouse")).run()
    };
    let found = ["cellar", "The Lamp Room", "kitchen"].map(|at| reading(at).output["here"].clone());
    assert_eq!(found, ["cellar", "lamp room", "kitchen"]);
    let unknown = reading("moon");
    assert!(!unknown.ok);
    assert!(
        unknown.lines.contains("there is no place `moon`: the places are `kitchen`"),
        "{}",
        unknown.lines
    );
}

#[test]
fn the_rows_of_a_campaign_are_read_before_those_of_the_program() {
    let mut definition = definition("lighthouse");
    definition["wordings"] = json!([
        { "wording": "glorp {seen}", "meaning": "take {seen}", "example": "glorp the lantern", "line": 4 },
    ]);
    let made = testing::call(create, json!({ "definition": definition })).run();
    assert!(made.ok, "{}", made.lines);
    let state = without_nulls(made.patch());
    let done =
        testing::call(read, json!({ "sentence": "please glorp the lantern" })).state(&state).run();
    assert_eq!(done.output["actions"], json!([{ "action": "take", "target": "storm lantern" }]));
    let rows: Vec<&Value> = done.output["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["row"])
        .filter(|row| !row.is_null())
        .collect();
    assert_eq!(
        (rows[0]["file"].as_str(), rows[0]["line"].as_u64()),
        (Some("grammar.gram"), Some(4))
    );
}

#[test]
fn a_definition_with_a_wording_of_no_form_is_refused() {
    let mut definition = definition("lighthouse");
    definition["wordings"] = json!([
        { "wording": "glorp {sen}", "meaning": "take {seen}", "example": "glorp the lantern", "line": 4 },
    ]);
    let made = testing::call(create, json!({ "definition": definition })).run();
    assert!(!made.ok);
    assert!(made.lines.contains("wording 4: there is no kind of phrase"), "{}", made.lines);
}
