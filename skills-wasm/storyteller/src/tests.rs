//! Whole beats: the text for the player, and the story's memory of it.

use narratoria_sdk::testing;
use proptest::prelude::*;

use super::*;
use crate::story::Style;

const STYLES: [&str; 4] = ["classic", "noir", "whimsical", "terse"];

/// Tells one beat.
fn said(input: Value, state: &Value, inputs: Value, seed: u64) -> testing::CallResult {
    testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run()
}

fn text(said: &testing::CallResult) -> String {
    said.output["text"].as_str().unwrap_or_default().to_owned()
}

/// A d20 that shows `value`.
pub(super) fn d20(value: i64) -> Value {
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

/// S0 "Scenario 1": "I examine the ancient door" gives a vivid description.
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
fn the_style_of_the_settings_is_that_of_stories_that_have_none() {
    let told = |state: &Value, config: Value| {
        let call = testing::call(narrate, json!({ "prompt": "I open the chest" })).state(state);
        text(&call.config(config).seed(3).run())
    };
    let (none, own) = (json!({}), json!({ "story": { "style": "classic" } }));
    let terse = json!({ "style": "terse" });
    let asked =
        said(json!({ "prompt": "I open the chest", "style": "terse" }), &none, json!({}), 3);
    assert_eq!(told(&none, terse.clone()), text(&asked));
    assert_eq!(told(&own, terse), told(&own, json!({})));
    assert_eq!(told(&none, json!({ "style": "shouting" })), told(&none, json!({})));
}

#[test]
fn the_same_request_tells_the_same_and_another_seed_something_else() {
    let input = json!({ "prompt": "I examine the ancient door" });
    let one = said(input.clone(), &json!({}), json!({}), 1);
    assert_eq!(one, said(input.clone(), &json!({}), json!({}), 1));
    let others: std::collections::BTreeSet<String> =
        (0..20).map(|seed| text(&said(input.clone(), &json!({}), json!({}), seed))).collect();
    assert!(others.len() > 8, "{others:#?}");
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
    // A step that failed gives null, and the planner's word counts where no dice were rolled.
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
fn a_beat_has_one_to_four_sentences_and_the_next_one_begins_otherwise() {
    for style in STYLES {
        for prompt in ["I examine the ancient door", "I attack the guards", "look around"] {
            let mut state = json!({});
            let mut last = String::new();
            for seed in 0..60 {
                let input = json!({ "prompt": prompt, "style": style });
                let said = said(input, &state, json!({}), seed);
                state = said.patch();
                let text = text(&said);
                let now: Vec<&str> = text.split(". ").collect();
                assert!(now[0] != last, "{last}\n{now:?}");
                assert!((1..=4).contains(&now.len()), "{text}");
                assert!(state["story"]["recent"].as_array().unwrap().len() <= story::RECENT_MAX);
                last = now[0].to_owned();
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
            for outcome in DiceOutcome::ALL.map(Some).into_iter().chain([None]) {
                for style in [Style::Classic, Style::Noir, Style::Whimsical, Style::Terse] {
                    let act = PlayerAction { verb, ..sentence::parse(prompt) };
                    // Looking at nothing in particular is `Look`.
                    if verb == Verb::Examine && act.object.is_none() {
                        continue;
                    }
                    let before = StoryBefore { beats: 2, ..StoryBefore::default() };
                    let mood = mood_after(story::Mood::Calm, verb, outcome);
                    let beat = BeatContext {
                        act: &act,
                        dice: None,
                        outcome,
                        has_told_step: false,
                        has_world: false,
                        before: &before,
                        mood,
                        style,
                    };
                    let told = narrate_beat(&beat, &mut narratoria_sdk::Rng::new(9));
                    let sentences = told.recent.len();
                    assert!((1..=4).contains(&sentences), "{verb:?} {prompt}: {}", told.text);
                    assert_eq!(faults(&told.text), Vec::<String>::new(), "{verb:?}: {}", told.text);
                }
            }
        }
    }
}

/// The host tells the text of an earlier step, so a beat must not.
#[test]
fn a_beat_goes_on_from_the_text_of_an_earlier_step_and_repeats_none_of_it() {
    let lore = "the mill burned down long ago. Nobody knows why.";
    for style in STYLES {
        for seed in 0..20 {
            for mut inputs in [json!({}), d20(15)] {
                inputs["lore"] = json!({ "text": lore });
                let input = json!({ "prompt": "examine the mill", "style": style });
                let text = text(&said(input, &json!({ "story": { "beats": 2 } }), inputs, seed));
                let lower = text.to_lowercase();
                assert!(
                    !lower.contains("burned down") && !lower.contains("nobody knows"),
                    "{text}"
                );
                // Where nobody rolled, the text of the earlier step says it all.
                assert!(text.is_empty() || faults(&text).is_empty(), "{style}: {text}");
            }
        }
    }
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

/// A text that a model might write.
const WRITTEN: &str =
    "The lock gives way with a click. Behind the door the cellar breathes out cold air.";

#[test]
fn the_model_tells_the_beat_where_there_is_one_and_the_story_remembers_the_same() {
    let state = json!({ "story": {
        "beats": 3, "mood": "eerie", "scene": "the old mill", "lastNarration": "You stand at the door.",
        "recent": ["a1", "b2"],
    }});
    let mut inputs = d20(20);
    inputs["lore"] = json!({ "text": "the mill burned down long ago. Nobody knows why." });
    let call = || {
        let input = json!({ "prompt": "I roll to pick the \u{7}lock", "style": "noir" });
        testing::call(narrate, input).state(&state).inputs(&inputs).seed(4)
    };
    let told = call().model_writes(WRITTEN).run();
    assert_eq!((text(&told).as_str(), told.aloud.as_str()), (WRITTEN, WRITTEN));
    // Whoever needs a text of the model, such as a tick, sees whether it is one.
    assert_eq!(
        (&told.output["by_model"], &call().run().output["by_model"]),
        (&json!(true), &Value::Null)
    );
    let [prose] = told.prose.as_slice() else { panic!("{:?}", told.prose) };
    assert!(prose.aloud && prose.system.as_ref().is_some_and(|text| text.contains("detective")));
    assert_eq!(
        prose.prompt,
        "Before: You stand at the door.\n\
         Place: the old mill\n\
         About: the lock\n\
         Mood: hopeful\n\
         Deed of the hero: I roll to pick the lock\n\
         Outcome: it succeeds far better than hoped.\n\
         Text so far: The mill burned down long ago.\n\
         Now: go on from there."
    );
    // But for the words, all is as without a model.
    let mut story = call().run().patch()["story"].clone();
    story["lastNarration"] = json!(WRITTEN);
    story["recent"] = json!(["a1", "b2"]);
    assert_eq!(told.patch()["story"], story);
}

/// The text begins with what the player has read already, unless the model was cut off.
#[test]
fn what_the_model_wrote_is_changed_as_little_as_can_be() {
    let call = || testing::call(narrate, json!({ "prompt": "I pick the lock" })).seed(4);
    let cut = call().model_breaks_off(format!("{WRITTEN} Somewhere bel")).run();
    assert_eq!(text(&cut), WRITTEN);
    let unended = call().model_writes(WRITTEN.trim_end_matches('.')).run();
    assert_eq!(text(&unended), WRITTEN);
}

#[test]
fn a_text_of_the_model_that_cannot_be_shown_is_as_if_there_were_no_model() {
    let state = json!({ "story": { "lastNarration": WRITTEN } });
    let call =
        || testing::call(narrate, json!({ "prompt": "I pick the lock" })).state(&state).seed(4);
    let plain = call().run();
    assert_eq!(plain.prose.len(), 1);
    assert!(!plain.lines.contains("without the model"), "{}", plain.lines);
    let check = |told: testing::CallResult, why: &str| {
        assert_eq!((text(&told), told.patch()), (text(&plain), plain.patch()));
        assert!(told.lines.contains(&format!("told without the model: {why}")), "{}", told.lines);
    };
    for (written, why) in [
        ("", "what the model wrote is too short"),
        ("You open it.", "what the model wrote is too short"),
        (WRITTEN, "what the model wrote was told before"),
        (&"The door opens wide. ".repeat(100), "what the model wrote is too long"),
        ("Sure! Here is what happens to you next.", "what the model wrote is not about the story"),
        (
            "“I’m sorry, but I cannot write about locks.”",
            "what the model wrote is not about the story",
        ),
        ("As an AI language model I tell stories.", "what the model wrote is not about the story"),
        ("The lock opens and the player walks in.", "what the model wrote is not about the story"),
        ("You open the lock. <|end|> You go on.", "what the model wrote is not about the story"),
        (
            "You see three things behind the door:",
            "what the model wrote ends in the middle of a sentence",
        ),
        ("ja9 0x7f 81;; $$ ## !! 00 1 2 3 4 5 6 7 8", "what the model wrote is no prose"),
    ] {
        check(call().model_writes(written).run(), why);
    }
    let lore = json!({ "lore": { "text": "The mill burned down." } });
    let retold = call().inputs(lore).model_writes(format!("{WRITTEN} The mill burned down.")).run();
    let why = "told without the model: what the model wrote was told before";
    assert!(retold.lines.contains(why), "{}", retold.lines);
    check(
        call().model_breaks_off("The lock gives way with a cl").run(),
        "what the model wrote is too short",
    );
    for code in [SkillError::LLM_TIMED_OUT, SkillError::LLM_REFUSED, SkillError::LLM_FAILED] {
        check(call().model_fails(code).run(), code);
    }
}

#[test]
fn a_text_that_is_not_told_to_the_player_or_says_something_twice_is_not_shown() {
    for (written, why) in [
        ("You pick the old lock. Now: go on from there.", "says its prompt again"),
        ("The lock is old and dry.\nFact: You pick the lock.", "says its prompt again"),
        ("I pick the lock, and the door swings open at last.", "is not told to the player"),
        ("“Let me see,” you say, and I look at the lock.", "is not told to the player"),
        (
            "\"You pick the lock. \" \"It is open, says the smith.",
            "has a quotation mark without its other one",
        ),
        ("You bend over the lock. It gives way. You bend over the lock.", "says a sentence twice"),
        (&format!("Slowly you open the old {}.", "o".repeat(60)), "is no prose"),
    ] {
        let told = testing::call(narrate, json!({ "prompt": "I pick the lock" }))
            .model_writes(written)
            .run();
        let why = format!("told without the model: what the model wrote {why}");
        assert!(told.lines.contains(&why) && text(&told) != written, "{written}: {}", told.lines);
    }
}

#[test]
fn a_text_of_the_model_may_quote_somebody_who_says_i() {
    let call = || testing::call(narrate, json!({ "prompt": "I greet the smith" })).seed(4);
    for text in [
        "“I was asleep,” the smith says. “No. No. My mistake.” He yawns at you.",
        "\"I never lock it,\" the smith tells you. \"Go in.\"",
    ] {
        assert_eq!(self::text(&call().model_writes(text).run()), text);
    }
}

/// The prompt leaves room in a quarter of a small model's context.
#[test]
fn what_the_model_is_asked_is_bounded() {
    let long = "examine the door and ".repeat(2_500);
    let state =
        json!({ "story": { "lastNarration": long, "scene": "the mill", "focus": "the door" } });
    let steps = (0..100).map(|n| (format!("s{n}"), json!({ "text": "very long ".repeat(23) })));
    let inputs = Value::Object(steps.collect());
    let input = json!({ "prompt": long, "focus": long });
    let told = testing::call(narrate, input).state(state).inputs(inputs).run();
    let [prose] = told.prose.as_slice() else { panic!("it asks once") };
    let chars = prose.prompt.chars().count() + prose.system.as_deref().unwrap_or_default().len();
    assert!(chars < 2_600, "{chars}: {}", prose.prompt);
}

/// A world knows whether the lock has opened, and no fact says so.
#[test]
fn in_a_world_a_roll_alone_decides_nothing() {
    let world = json!({ "world": { "now": { "here": "cellar" } } });
    let input = json!({ "prompt": "I roll a d20 to pick the lock" });
    let shown = |value| text(&said(input.clone(), &world, d20(value), 7));
    assert_eq!([shown(20), shown(1)], ["The dice show 20.", "The dice show 1."]);
}

/// The world has done nothing: no fact says otherwise. The player's words are not told back as a deed.
#[test]
fn in_a_world_what_no_fact_says_is_not_done() {
    let world = json!({ "world": { "now": { "here": "cellar" } } });
    for style in STYLES {
        for seed in 0..10 {
            let told = |prompt: &str| {
                text(&said(json!({ "prompt": prompt, "style": style }), &world, json!({}), seed))
            };
            for deed in ["lol", "I take the crown", "juggle my knives", "open the gate", "go north"]
            {
                let text = told(deed);
                assert!(
                    ["Nothing comes of that.", "That changes nothing."].contains(&text.as_str()),
                    "{text}"
                );
            }
            for asked in [
                "who is the queen?",
                "\"Hello!\" I say to the guard",
                "ask the ghost about the key",
            ] {
                let text = told(asked);
                assert!(
                    ["No answer comes.", "Nobody answers that."].contains(&text.as_str()),
                    "{text}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_of_a_model_gives_a_text(written in "(?s).{0,300}", cut in any::<bool>()) {
        let call = testing::call(narrate, json!({ "prompt": "look around" }));
        let call = if cut { call.model_breaks_off(written) } else { call.model_writes(written) };
        let told = call.run();
        prop_assert!(told.ok && !text(&told).is_empty());
    }

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
