//! Sentences about dice, planned with the built-in skills.

use std::time::Duration;

use serde_json::json;

use super::LexicalPlanner;
use crate::PlanRequest;
use narratoria_protocol::Object;
use narratoria_skills::load;

/// Each sentence with the formula that is rolled for it, if any.
fn formulas(sentences: &[&str]) -> String {
    let (catalog, state) = (load(&[narratoria_built_in::built_in()]).catalog, Object::new());
    let mut planner = LexicalPlanner::new();
    let mut line = |sentence: &&str| {
        let plan = planner.plan(&PlanRequest {
            seed: 1,
            ..PlanRequest::first(sentence, &catalog, &state, String::new(), Duration::ZERO)
        });
        let plan = plan.unwrap();
        let roll = plan.tools.iter().find(|tool| tool.tool_path == "dice-roller/roll-dice");
        let formula = roll.map_or("no dice".to_owned(), |roll| roll.input["formula"].to_string());
        format!("{sentence}: {formula}")
    };
    sentences.iter().map(&mut line).collect::<Vec<_>>().join("\n")
}

/// The dice that a player names reach the script as they stand: it rolls them or says why it cannot.
#[test]
fn dice_that_a_player_names_are_never_replaced_by_a_d20() {
    insta::assert_snapshot!(formulas(&[
        "roll 2d6+3",
        "roll 3 dice",
        "roll three dice for damage",
        "I throw two dice and hope",
        "roll 1000d1000",
        "roll 99999999999d6",
        "roll 2 d20s",
        "roll two d6 plus one",
        "roll a six-sided die",
        "roll 4 ten-sided dice",
        "roll a hundred dice",
        "toss a coin",
        "I flip three coins",
        "roll percentile dice",
        "roll 3",
        "roll 3d",
        "roll 7 times.",
    ]), @r#"
    roll 2d6+3: "2d6+3"
    roll 3 dice: "3 dice"
    roll three dice for damage: "three dice"
    I throw two dice and hope: "two dice"
    roll 1000d1000: "1000d1000"
    roll 99999999999d6: "99999999999d6"
    roll 2 d20s: "2 d20s"
    roll two d6 plus one: "two d6 plus one"
    roll a six-sided die: "a six-sided die"
    roll 4 ten-sided dice: "4 ten-sided dice"
    roll a hundred dice: "a hundred dice"
    toss a coin: "a coin"
    I flip three coins: "three coins"
    roll percentile dice: "percentile"
    roll 3: "3"
    roll 3d: "3d"
    roll 7 times.: "7"
    "#);
}

#[test]
fn an_attempt_without_dice_takes_a_d20() {
    insta::assert_snapshot!(formulas(&[
        "I roll to pick the lock",
        "roll the dice",
        "roll a die",
        "I roll 2 barrels down the hill",
        "I attack the two guards",
        "I look at the two dice on the table",
    ]), @r#"
    I roll to pick the lock: "1d20"
    roll the dice: "1d20"
    roll a die: "1d20"
    I roll 2 barrels down the hill: "1d20"
    I attack the two guards: "1d20"
    I look at the two dice on the table: no dice
    "#);
}

#[test]
fn who_asks_for_choices_in_a_world_gets_them_once() {
    let catalog = load(&[narratoria_built_in::built_in()]).catalog;
    let state = json!({"world": {"now": {"place": "quay"}, "scope": {"here": "the quay"}}});
    let state = state.as_object().unwrap();
    let sentence = "I am a young witch. I wonder what I should do next.";
    let request = PlanRequest::first(sentence, &catalog, state, String::new(), Duration::ZERO);
    let plan = LexicalPlanner::new().plan(&request).unwrap();
    let paths: Vec<&str> = plan.tools.iter().map(|tool| tool.tool_path.as_str()).collect();
    insta::assert_snapshot!(paths.join("\n"), @r"
    world/understand
    npc-perception/query-perception
    dice-roller/roll-dice
    world/act
    npc-perception/update-perception
    storyteller/narrate
    player-choices/generate-choices
    ");
}

/// What the player would have the story keep, or lose, reaches the memory in the player's words.
#[test]
fn what_is_to_be_remembered_or_forgotten_reaches_the_memory_in_words() {
    let catalog = load(&[narratoria_built_in::built_in()]).catalog;
    let state = Object::new();
    let steps = |sentence: &str| {
        let request = PlanRequest::first(sentence, &catalog, &state, String::new(), Duration::ZERO);
        let tools = LexicalPlanner::new().plan(&request).unwrap().tools;
        let of_memory =
            tools.into_iter().filter(|tool| tool.tool_path.starts_with("memory/")).map(|tool| {
                let words = ["summary", "id", "query"].iter().find_map(|it| tool.input.get(*it));
                format!("{} {}", tool.tool_path, words.and_then(|it| it.as_str()).unwrap_or("-"))
            });
        of_memory.collect::<Vec<_>>().join(", ")
    };
    for (sentence, expected) in [
        ("remember that Tolk owes Mira a song", "memory/remember Tolk owes Mira a song"),
        ("remember Tolk has one eye", "memory/remember Tolk has one eye"),
        ("Please remember: Tolk has one eye.", "memory/remember Tolk has one eye."),
        ("remember this: the ferry sails at six", "memory/remember the ferry sails at six"),
        ("don't forget that the bell is cracked", "memory/remember the bell is cracked"),
        ("forget that Tolk has one eye", "memory/forget Tolk has one eye"),
        ("please forget about the ferry", "memory/forget the ferry"),
        ("I want to forget the ferry", "memory/forget the ferry"),
        ("I want to forget that Tolk has one eye", "memory/forget Tolk has one eye"),
        ("forget the memory M7", "memory/forget M7"),
        ("I remember the lighthouse", ""),
        ("remember the lighthouse", ""),
        ("forget it", ""),
    ] {
        assert_eq!(steps(sentence), expected, "{sentence}");
    }
}
