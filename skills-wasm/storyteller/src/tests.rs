//! Whole beats: what the player reads and what the story remembers.

use narratoria_sdk::testing;
use proptest::prelude::*;

use super::*;

const STYLES: [&str; 4] = ["classic", "noir", "whimsical", "terse"];

/// Tells one beat.
fn said(input: Value, state: &Value, inputs: Value, seed: u64) -> testing::Said {
    testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run()
}

fn text(said: &testing::Said) -> String {
    said.output["text"].as_str().unwrap_or_default().to_owned()
}

/// A d20 that shows `value`.
fn d20(value: i64) -> Value {
    json!({ "roll": {
        "formula": "1d20", "rolls": [value], "kept": [value], "total": value, "minimum": 1,
        "maximum": 20,
    }})
}

/// What is wrong with the text as English that a terminal can show; empty where nothing is.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for bad in [
        "{",
        "}",
        "  ",
        "the the ",
        "a the ",
        "your your",
        " ,",
        " .",
        "..",
        ",.",
        "the your",
        "the my",
    ] {
        if text.to_lowercase().contains(bad) {
            faults.push(format!("has `{bad}`"));
        }
    }
    if text.chars().any(char::is_control) {
        faults.push("has a control character".to_owned());
    }
    if !text.ends_with(['.', '!', '?', '”']) {
        faults.push("does not end".to_owned());
    }
    if text.chars().count() > 900 {
        faults.push("is too long".to_owned());
    }
    let small = text.split(". ").any(|part| part.chars().next().is_none_or(char::is_lowercase));
    if small {
        faults.push("has a sentence without a capital".to_owned());
    }
    faults
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<Input, Output>("package/schemas", "narrate");
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(narrate, "package/examples", "narrate");
}

/// S0, user story 1: "I examine the ancient door" gives a vivid description.
#[test]
fn what_the_player_names_is_named_in_every_style() {
    for (prompt, named) in [
        ("I examine the ancient door", "the ancient door"),
        ("I roll to pick the lock", "the lock"),
        ("I draw my sword", "your sword"),
        ("take three torches", "the three torches"),
        ("I juggle my knives", "juggle your knives"),
        ("go north", "north"),
        ("talk to Mira about the missing key", "Mira"),
        ("ask about the storm", "the storm"),
        ("I cast fireball at the troll", "fireball"),
        ("give the coin to the beggar", "the beggar"),
        ("I attack the goblin with my axe", "your axe"),
        ("where is the old well?", "the old well"),
        ("\"Open up!\" I shout to the guard", "Open up!"),
    ] {
        for style in STYLES {
            for seed in 0..20 {
                let input = json!({ "prompt": prompt, "style": style });
                let text = text(&said(input, &json!({}), json!({}), seed));
                let lower = text.to_lowercase();
                assert!(lower.contains(&named.to_lowercase()), "{prompt} in {style}: {text}");
                assert_eq!(faults(&text), Vec::<String>::new(), "{prompt} in {style}: {text}");
            }
        }
    }
}

#[test]
fn the_same_request_tells_the_same_and_another_seed_something_else() {
    let input = json!({ "prompt": "I examine the ancient door" });
    let one = said(input.clone(), &json!({}), json!({}), 1);
    assert_eq!(one, said(input.clone(), &json!({}), json!({}), 1));
    let others: std::collections::BTreeSet<String> =
        (0..20).map(|seed| text(&said(input.clone(), &json!({}), json!({}), seed))).collect();
    assert!(others.len() > 15, "{others:#?}");
}

#[test]
fn the_dice_decide_how_it_goes() {
    let input = json!({ "prompt": "I roll to pick the lock" });
    for (shown, outcome, mood) in [
        (1, "critical_failure", "grim"),
        (4, "failure", "tense"),
        (10, "partial", "tense"),
        (15, "success", "hopeful"),
        (20, "critical_success", "hopeful"),
    ] {
        let story = said(input.clone(), &json!({}), d20(shown), 3).patch()["story"].clone();
        assert_eq!((&story["lastOutcome"], &story["mood"]), (&json!(outcome), &json!(mood)));
    }
    // A step that failed gives null, and the planner's word counts where nobody rolled.
    let input = json!({ "prompt": "I pick the lock", "outcome": "failure" });
    let story = said(input, &json!({}), json!({ "roll": null }), 3).patch()["story"].clone();
    assert_eq!(story["lastOutcome"], "failure");
}

#[test]
fn the_story_remembers_what_it_is_about_and_where() {
    let input = json!({ "prompt": "enter the old mill" });
    let first = said(input, &json!({}), json!({}), 5).patch();
    assert_eq!(first["story"]["scene"], "the old mill");
    assert_eq!(first["story"]["beats"], 1);
    assert_eq!(first["story"]["lastVerb"], "go");
    let second = said(json!({ "prompt": "I examine it" }), &first, json!({}), 5);
    assert!(text(&second).contains("the old mill"), "{}", text(&second));
    let third = said(json!({ "prompt": "I leave" }), &second.patch(), json!({}), 5).patch();
    assert_eq!(third["story"]["scene"], Value::Null);
}

#[test]
fn no_sentence_comes_back_in_the_next_beats() {
    for style in STYLES {
        for prompt in ["I examine the ancient door", "I attack the guards", "look around", "hm"] {
            let mut state = json!({});
            let mut last: Vec<String> = Vec::new();
            for seed in 0..60 {
                let input = json!({ "prompt": prompt, "style": style });
                let said = said(input, &state, json!({}), seed);
                state = said.patch();
                let text = text(&said);
                let now: Vec<String> = text.split(". ").map(str::to_owned).collect();
                assert!(now.iter().all(|sentence| !last.contains(sentence)), "{last:?}\n{now:?}");
                assert!((2..=4).contains(&now.len()), "{text}");
                assert!(state["story"]["recent"].as_array().unwrap().len() <= story::RECENT_MAX);
                last = now;
            }
        }
    }
}

/// Every pool must leave a choice, whatever the player names and whatever the style.
#[test]
fn every_kind_of_deed_and_outcome_has_sentences_that_fit() {
    let prompts: [&str; 3] = ["I examine the ancient door", "hm", "I take my two rings"];
    for verb in Verb::ALL {
        for prompt in prompts {
            for outcome in Outcome::ALL.map(Some).into_iter().chain([None]) {
                for style in [Style::Classic, Style::Noir, Style::Whimsical, Style::Terse] {
                    let act = Act { verb, ..sentence::parse(prompt) };
                    // Looking at nothing in particular is `Look`.
                    if verb == Verb::Examine && act.object.is_none() {
                        continue;
                    }
                    let before = Before { beats: 2, ..Before::default() };
                    let mood = mood_after(story::Mood::Calm, verb, outcome);
                    let beat = Beat {
                        act: &act,
                        dice: None,
                        outcome,
                        news: None,
                        before: &before,
                        mood,
                        style,
                    };
                    let told = tell(&beat, &mut narratoria_sdk::Rng::new(9));
                    let sentences = told.recent.len();
                    assert!((2..=4).contains(&sentences), "{verb:?} {prompt}: {}", told.text);
                    assert_eq!(faults(&told.text), Vec::<String>::new(), "{verb:?}: {}", told.text);
                }
            }
        }
    }
}

#[test]
fn what_an_earlier_step_wrote_is_woven_in() {
    let inputs = json!({ "lore": { "text": "the mill burned down long ago. Nobody knows why." } });
    let text = text(&said(json!({ "prompt": "examine the mill" }), &json!({}), inputs, 1));
    assert!(text.contains("The mill burned down long ago."), "{text}");
    assert!(!text.contains("Nobody knows why"), "{text}");
}

#[test]
fn a_state_that_others_broke_is_as_if_it_were_not_there() {
    let state = json!({ "story": {
        "beats": "many", "focus": 7, "scene": ["x"], "mood": "purple", "style": null, "recent": {},
    }});
    let said = said(json!({ "prompt": "look around" }), &state, json!({}), 1);
    assert!(said.ok);
    assert_eq!(said.patch()["story"]["beats"], 1);
}

#[test]
fn hostile_words_neither_break_the_text_nor_reach_the_terminal() {
    for prompt in [
        "\u{1b}[2J\u{1b}[31mI examine the \u{7}door\u{0}",
        &"examine the door and ".repeat(2500),
        &"x".repeat(100_000),
        "I take the 🔥🔥🔥 sword 👨‍👩‍👧",
        "Я осматриваю дверь",
        "私は古い扉を調べる",
        "examine {the} {0} {prev}",
        "\u{202e}door eht enimaxe",
        "Z̸̢̛a̷l̶g̵o̷ the d̵o̶o̷r̸",
        "\"\"\"\"",
        "'; DROP TABLE stories; --",
        "",
    ] {
        let said = said(json!({ "prompt": prompt }), &json!({}), json!({}), 1);
        assert_eq!(faults(&text(&said)), Vec::<String>::new(), "{prompt:.60}: {}", text(&said));
    }
}

proptest! {
    #[test]
    fn any_prompt_gives_a_text(prompt in "(?s).{0,200}", seed in any::<u64>(), style in 0..4_usize) {
        let input = json!({ "prompt": prompt, "style": STYLES[style], "focus": prompt });
        let said = said(input, &json!({}), json!({}), seed);
        prop_assert!(said.ok);
        let text = text(&said);
        prop_assert!(!text.is_empty() && !text.chars().any(char::is_control), "{}", text);
    }

    #[test]
    fn any_sentence_of_common_words_reads_as_english(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "I", "examine", "the", "door", "my", "sword", "with", "to", "and", "guard", "a",
                "about", "at", "pick", "up", "torches", "then", "go", "north", "not", "roll", "try",
                "it", "old", "of", "look", "around", "all", "cast", "into", "say", "under", "two",
            ]),
            1..10,
        ),
        seed in any::<u64>(),
    ) {
        let input = json!({ "prompt": words.join(" ") });
        let text = text(&said(input, &json!({}), d20(7), seed));
        let faults: Vec<String> = faults(&text);
        prop_assert!(faults.is_empty(), "{}: {:?}: {}", words.join(" "), faults, text);
    }
}
