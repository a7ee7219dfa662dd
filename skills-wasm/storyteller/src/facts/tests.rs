//! Beats of facts: what the player reads, what the story remembers, and what becomes of a model's text.

use narratoria_sdk::{Value, json, testing};
use proptest::prelude::*;

use super::known::FACTS_MAX;
use crate::narrate;

const STYLES: [&str; 4] = ["classic", "noir", "whimsical", "terse"];

fn scope() -> Value {
    json!({ "now": { "minutes": 30, "time": "evening", "light": "bright" }, "scope": {
        "here": "kitchen", "people": ["Martha Quill"], "things": ["storm lantern", "kitchen table"],
        "carried": ["letter"], "exits": ["yard"], "directions": ["north"], "doors": ["oak door"], "topics": [],
    }})
}

fn tell(facts: Value, style: &str, story: &Value, seed: u64) -> testing::CallResult {
    let input = json!({ "prompt": "take the lantern", "style": style });
    let state = json!({ "world": scope(), "story": story });
    let inputs = json!({ "act": { "results": [], "facts": facts } });
    testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run()
}

fn text(said: &testing::CallResult) -> String {
    said.output["text"].as_str().unwrap().to_owned()
}

fn taken() -> Value {
    json!([{ "fact": "taken", "subject": "you", "object": "storm lantern", "place": "kitchen",
        "text": "You take the storm lantern." }])
}

#[test]
fn a_fact_is_told_plainly_and_always_names_its_thing() {
    let mut texts = std::collections::BTreeSet::new();
    for style in STYLES {
        for seed in 0..50 {
            let text = text(&tell(taken(), style, &json!({}), seed));
            assert!(text.contains("storm lantern") && text.ends_with('.'), "{style}: {text}");
            texts.insert(text);
        }
    }
    assert!(texts.len() >= 4, "{texts:#?}");
}

#[test]
fn terse_is_the_fact_itself() {
    assert_eq!(text(&tell(taken(), "terse", &json!({}), 1)), "You take the storm lantern.");
}

/// A refusal gives its reason, however often it comes, and nothing beside it.
#[test]
fn a_refusal_is_its_reason() {
    let refused = json!([{ "fact": "refused", "subject": "you", "object": "oak door", "because": "locked",
        "text": "The oak door is locked." }]);
    for style in STYLES {
        let mut story = json!({});
        for seed in 0..20 {
            let said = tell(refused.clone(), style, &story, seed);
            let text = text(&said);
            assert!(text.to_lowercase().ends_with("the oak door is locked."), "{style}: {text}");
            let is_plain = text == "The oak door is locked.";
            assert!(is_plain || (seed == 0 && style != "classic"), "{style}: {text}");
            story = said.patch()["story"].clone();
        }
    }
}

/// The fields of a refusal hold what the world knows; the player reads its sentence.
#[test]
fn a_refusal_names_nothing_that_its_sentence_does_not_name() {
    for because in ["not_here", "dark", "no_one", "locked", "fixed", "held", "hurt"] {
        let refused = json!([{ "fact": "refused", "subject": "you", "object": "Ida Penrose", "other": "brass bell",
            "place": "signal shed", "because": because, "details": ["hymn slip"],
            "text": "You do not see the guard here." }]);
        for style in STYLES {
            let mut story = json!({});
            for seed in 0..20 {
                let said = tell(refused.clone(), style, &story, seed);
                let lower = text(&said).to_lowercase();
                for hidden in ["ida", "penrose", "bell", "shed", "slip"] {
                    assert!(!lower.contains(hidden), "{style}: {lower}");
                }
                story = said.patch()["story"].clone();
            }
        }
    }
}

/// The storyteller says that the lamp cannot be lit, and leaves out that the player holds it already.
#[test]
fn a_refusal_behind_a_deed_is_told_unless_it_says_what_is_so_already() {
    let taken = json!({ "fact": "taken", "subject": "you", "object": "lamp", "text": "You take the lamp." });
    let refused = |because: &str, text: &str| json!({ "fact": "refused", "subject": "you", "object": "lamp", "because": because, "text": text });
    for style in STYLES {
        let unlit = json!([taken, refused("no_fuel", "You would need matches to light the lamp.")]);
        let told = text(&tell(unlit, style, &json!({}), 1)).to_lowercase();
        assert!(told.contains("you would need matches"), "{style}: {told}");
        let held = json!([taken, refused("held", "You have the lamp already.")]);
        let told = text(&tell(held, style, &json!({}), 1)).to_lowercase();
        assert!(!told.contains("already"), "{style}: {told}");
    }
}

/// The kitchen, as a look gives it.
fn kitchen(people: &str) -> Value {
    json!([
        { "fact": "described", "subject": "you", "object": "kitchen", "place": "kitchen",
          "text": "A low room with a black stove. A rope hangs over the sink." },
        { "fact": "things_here", "subject": "you", "place": "kitchen", "details": ["kitchen table"],
          "text": "You see a kitchen table here." },
        { "fact": "people_here", "subject": "you", "place": "kitchen", "text": people },
        { "fact": "exits", "subject": "you", "place": "kitchen", "details": ["north", "yard"],
          "text": "You can go north to the yard." },
    ])
}

#[test]
fn a_description_is_told_plainly_and_a_second_look_says_what_is_new() {
    let whole = "A low room with a black stove. A rope hangs over the sink. You see a kitchen table here. \
                 Martha Quill is here. You can go north to the yard.";
    for style in STYLES {
        let first = tell(kitchen("Martha Quill is here."), style, &json!({}), 3);
        assert_eq!(text(&first), whole, "{style}");
        let mut story = first.patch()["story"].clone();
        for seed in 0..3 {
            let again = tell(kitchen("Martha Quill is here."), style, &story, seed);
            assert_eq!(text(&again), "You see nothing new in the kitchen.");
            story = again.patch()["story"].clone();
        }
        let two = tell(kitchen("Martha Quill and a cook are here."), style, &story, 3);
        assert_eq!(text(&two), "Martha Quill and a cook are here.");
        // Something else happens between: the player reads the whole again.
        let other = tell(taken(), style, &two.patch()["story"], 3);
        let story = &other.patch()["story"];
        assert_eq!(text(&tell(kitchen("Martha Quill is here."), style, story, 3)), whole);
    }
}

#[test]
fn a_second_look_at_a_thing_says_what_is_new() {
    let lantern = |closed: &str| {
        json!([
            { "fact": "described", "subject": "you", "object": "storm lantern", "text": format!("It is dented. {closed}") },
            { "fact": "contents", "subject": "you", "object": "storm lantern", "text": "You see a wick in the storm lantern.",
              "because": "in", "details": ["wick"] },
        ])
    };
    let first = tell(lantern("It is open."), "classic", &json!({}), 3);
    assert_eq!(text(&first), "It is dented. It is open. In the storm lantern is a wick.");
    let again = tell(lantern("It is open."), "classic", &first.patch()["story"], 3);
    assert_eq!(text(&again), "You see nothing new about the storm lantern.");
    let closed = tell(lantern("It is closed."), "classic", &again.patch()["story"], 3);
    assert_eq!(text(&closed), "It is dented. It is closed.");
}

/// Who goes somewhere has not looked yet.
#[test]
fn a_look_after_the_way_there_is_a_first_look() {
    let mut facts = kitchen("Martha Quill is here.");
    facts.as_array_mut().unwrap().insert(
        0,
        json!({ "fact": "moved", "subject": "you", "object": "south",
        "place": "kitchen", "text": "You go south to the kitchen." }),
    );
    let came = tell(facts.clone(), "classic", &json!({}), 3);
    let look = tell(kitchen("Martha Quill is here."), "classic", &came.patch()["story"], 3);
    assert!(text(&came).ends_with(&text(&look)), "{}", text(&look));
    // Who comes back reads who and what is there, and of the rest what has changed.
    let back = tell(facts, "classic", &look.patch()["story"], 3);
    assert_eq!(
        text(&back),
        "You go south to the kitchen. You see a kitchen table here. Martha Quill is here."
    );
}

#[test]
fn of_several_descriptions_each_says_what_it_describes() {
    let described = |object: &str, text: &str| json!({ "fact": "described", "subject": "you", "object": object, "text": text });
    let both = json!([
        described("storm lantern", "It is dented."),
        described("oak door", "An oak door with a brass plate."),
    ]);
    assert_eq!(
        text(&tell(both, "classic", &json!({}), 3)),
        "You look at the storm lantern. It is dented. An oak door with a brass plate."
    );
}

/// A question of the game is asked as it stands.
#[test]
fn what_the_player_would_have_to_say_is_asked_plainly() {
    let asked = "You would have to say what you mean by \u{201c}him\u{201d}.";
    let facts =
        json!([{ "fact": "refused", "subject": "you", "because": "not_here", "text": asked }]);
    let mut story = json!({});
    for seed in 0..20 {
        let said = tell(facts.clone(), STYLES[seed as usize % 4], &story, seed);
        assert_eq!(text(&said), asked);
        story = said.patch()["story"].clone();
    }
}

#[test]
fn words_that_were_just_said_are_not_said_again_in_full() {
    let said = json!([{ "fact": "said", "subject": "Martha Quill", "object": "storm",
        "text": "Martha Quill says: “It took the chimney pot. It did not take the light.”" }]);
    let first = tell(said.clone(), "classic", &json!({}), 3);
    assert!(text(&first).contains("“It took the chimney pot. It did not take the light.”"));
    let second = text(&tell(said, "classic", &first.patch()["story"], 3));
    assert!(second.contains("Martha Quill") && !second.contains("chimney"), "{second}");
}

/// A letter may be read again; right after the first time there is nothing new in it.
#[test]
fn a_text_that_was_just_read_is_not_told_in_full() {
    let read = json!([{ "fact": "read", "subject": "you", "object": "letter",
        "text": "You read the letter: “Come before the boat does.”" }]);
    let first = tell(read.clone(), "classic", &json!({}), 3);
    let second = tell(read.clone(), "classic", &first.patch()["story"], 3);
    assert_eq!(text(&second), "The letter says the same.");
    let between = tell(taken(), "classic", &second.patch()["story"], 3);
    assert_eq!(text(&tell(read, "classic", &between.patch()["story"], 3)), text(&first));
}

#[test]
fn what_two_steps_find_is_told_once() {
    let facts = json!([
        { "fact": "people_here", "subject": "you", "text": "Martha Quill is here.", "details": ["Martha Quill"] },
        { "fact": "whereabouts", "subject": "Martha Quill", "text": "Martha Quill is here." },
    ]);
    for (seed, style) in STYLES.iter().enumerate() {
        let said = text(&tell(facts.clone(), style, &json!({}), seed as u64));
        assert_eq!(said.matches("Martha Quill").count(), 1, "{said}");
    }
}

#[test]
fn two_deeds_become_one_sentence() {
    let facts = json!([
        { "fact": "taken", "subject": "you", "object": "storm lantern", "text": "You take the storm lantern." },
        { "fact": "lit", "subject": "you", "object": "storm lantern", "text": "You light the storm lantern." },
    ]);
    assert_eq!(
        text(&tell(facts, "terse", &json!({}), 1)),
        "You take the storm lantern and light it."
    );
}

#[test]
fn people_who_come_together_are_one_sentence_and_times_are_words() {
    let arrived = |who: &str, text: &str| json!({ "fact": "arrived", "subject": who, "place": "kitchen", "text": text });
    let facts = json!([
        { "fact": "waited", "subject": "you", "details": ["2 hours"], "text": "You wait for 2 hours." },
        arrived("Ada Lund", "Ada Lund arrives."),
        arrived("cook", "The cook arrives."),
        arrived("Bo Ek", "Bo Ek comes from the yard."),
    ]);
    assert_eq!(
        text(&tell(facts, "terse", &json!({}), 1)),
        "You wait for two hours. Ada Lund and the cook arrive. Bo Ek comes from the yard."
    );
}

#[test]
fn a_way_through_several_places_is_one_sentence() {
    let moved = |place: &str, text: &str| json!({ "fact": "moved", "subject": "you", "object": place, "text": text });
    let facts = json!([
        moved("stair", "You go up to the stair."),
        moved("green", "You go up to the green."),
        moved("kitchen", "You go east to the kitchen."),
    ]);
    assert_eq!(
        text(&tell(facts, "terse", &json!({}), 1)),
        "You go up to the stair and then up to the green. You go east to the kitchen."
    );
}

#[test]
fn what_is_refused_twice_for_one_reason_has_one_answer() {
    let refused = json!({ "fact": "refused", "subject": "you", "object": "red apple", "because": "not_here",
        "text": "You do not see the red apple here." });
    let facts = json!([refused, taken()[0], refused, refused]);
    for seed in 0..10 {
        let text = text(&tell(facts.clone(), STYLES[seed as usize % 4], &json!({}), seed));
        assert_eq!(text.matches("red apple").count(), 1, "{text}");
    }
}

#[test]
fn three_things_that_are_taken_are_one_sentence() {
    let taken = |object: &str, text: &str| json!({ "fact": "taken", "subject": "you", "object": object, "text": text });
    let facts = json!([
        taken("ink pad", "You take the ink pad from the desk."),
        taken("storm lantern", "You take the storm lantern."),
        taken("Form 12b", "You take Form 12b."),
        { "fact": "refused", "subject": "you", "object": "oak door", "text": "The oak door is fixed." },
    ]);
    assert_eq!(
        text(&tell(facts, "terse", &json!({}), 1)),
        "You take the ink pad, the storm lantern and Form 12b. The oak door is fixed."
    );
}

#[test]
fn dice_are_told_where_no_fact_says_how_it_went() {
    let roll = json!({ "formula": "1d20", "kept": [15], "total": 15, "minimum": 1, "maximum": 20 });
    let call = |facts: Value| {
        let input = json!({ "prompt": "persuade Martha", "style": "terse" });
        let inputs = json!({ "roll": roll, "act": { "facts": facts } });
        testing::call(narrate, input)
            .state(json!({ "world": scope() }))
            .inputs(inputs)
            .seed(2)
            .run()
    };
    let used = json!([{ "fact": "used", "subject": "you", "object": "oak door", "text": "You push the oak door." }]);
    let said = call(used);
    assert!(
        text(&said).ends_with("You push the oak door.") && text(&said).len() > 24,
        "{}",
        text(&said)
    );
    assert_eq!(said.patch()["story"]["lastOutcome"], "success");
    let persuaded = json!([{ "fact": "persuaded", "subject": "Martha Quill", "because": "persuade",
        "text": "Martha Quill lets you have the key." }]);
    assert_eq!(text(&call(persuaded)), "Martha Quill lets you have the key.");
}

#[test]
fn what_people_think_now_is_told_as_it_shows() {
    let facts = json!([
        { "fact": "perception", "subject": "Martha Quill", "details": ["up", "trusts you"], "text": "Martha Quill trusts you now." },
        { "fact": "standing", "subject": "the Harbour Watch", "details": ["down", "disliked"], "text": "You are disliked by the Harbour Watch now." },
    ]);
    for style in STYLES {
        for seed in 0..20 {
            let text = text(&tell(facts.clone(), style, &json!({}), seed));
            assert!(text.contains("Martha Quill") && text.contains("Harbour Watch"), "{text}");
            assert!(text.to_lowercase().contains("trusts you now"), "{text}");
        }
    }
}

#[test]
fn the_facts_of_a_step_with_a_text_of_its_own_are_told_already() {
    let input = json!({ "prompt": "look" });
    let inputs = json!({ "lore": { "text": "The mill is old.", "facts": taken() } });
    let said = testing::call(narrate, input).inputs(inputs).run();
    assert!(!text(&said).contains("lantern"), "{}", text(&said));
}

#[test]
fn the_story_remembers_where_it_is_and_what_it_is_about() {
    let story = tell(taken(), "classic", &json!({ "beats": 4 }), 1).patch()["story"].clone();
    assert_eq!(
        (&story["beats"], &story["scene"], &story["focus"]),
        (&json!(5), &json!("the kitchen"), &json!("the storm lantern"))
    );
    assert_eq!(story["told"].as_array().unwrap().len(), 1);
}

/// The model gets the facts and no more, and in silence: what it writes is compared with them first.
#[test]
fn the_model_tells_the_facts_and_its_text_is_shown_where_it_keeps_to_them() {
    let state =
        json!({ "world": scope(), "story": { "lastNarration": "You stand in the kitchen." } });
    let call = |written: &str| {
        let input = json!({ "prompt": "take the lantern", "style": "noir" });
        let inputs = json!({ "act": { "facts": taken() } });
        testing::call(narrate, input)
            .state(&state)
            .inputs(inputs)
            .seed(1)
            .model_writes(written)
            .run()
    };
    let good = "You take the storm lantern from the table. Martha Quill watches your hands.";
    let told = call(good);
    assert_eq!((text(&told).as_str(), told.aloud.as_str()), (good, ""));
    insta::assert_snapshot!(told.prose[0].prompt, @"
    Before: You stand in the kitchen.
    Deed of the hero: take the lantern
    Fact: You take the storm lantern.
    Now: tell these facts.
    ");
    let bad = "You take the storm lantern. Behind you a dragon stirs in the dark.";
    let told = call(bad);
    assert!(
        text(&told).contains("storm lantern") && !text(&told).contains("dragon"),
        "{}",
        text(&told)
    );
    let why = "told without the model, whose text names `dragon`, which is not there";
    assert!(told.lines.contains(why), "{}", told.lines);
    let denied = call("You try for the storm lantern, and it slips away from your fingers.");
    assert!(
        denied.lines.contains("says `slips away`, and the fact is: You take the storm lantern."),
        "{}",
        denied.lines
    );
}

/// The player waits for each text of the model, so one whose texts are mostly refused is asked for few.
#[test]
fn a_model_whose_texts_are_mostly_refused_is_asked_in_one_of_twelve_turns() {
    let good = "You take the storm lantern from the table. Martha Quill watches your hands.";
    let bad = "You take the storm lantern. Behind you a dragon stirs in the dark.";
    // Turn after turn in one story; the texts that the model is asked for.
    let play = |written: &dyn Fn(usize) -> &'static str, turns: usize| {
        let mut story = json!({});
        let mut asked = Vec::new();
        for turn in 0..turns {
            story.as_object_mut().unwrap().remove("told");
            let told = testing::call(narrate, json!({ "prompt": "take the lantern" }))
                .state(json!({ "world": scope(), "story": story }))
                .inputs(json!({ "act": { "facts": taken() } }))
                .model_writes(written(turn))
                .run();
            if told.prose.is_empty() {
                assert!(
                    told.lines.contains("most of what the model wrote lately"),
                    "{}",
                    told.lines
                );
            } else {
                asked.push(turn);
            }
            for (key, value) in told.patch()["story"].as_object().unwrap() {
                story[key] = value.clone();
            }
        }
        asked
    };
    let every_turn: Vec<usize> = (0..40).collect();
    assert_eq!(play(&|_| good, 40), every_turn);
    assert_eq!(play(&|turn| if turn % 2 == 0 { good } else { bad }, 40), every_turn);
    assert_eq!(play(&|_| bad, 40), [0, 1, 2, 3, 4, 5, 6, 7, 12, 24, 36]);
    // Another model takes over, and is soon trusted.
    let later = play(&|turn| if turn < 8 { bad } else { good }, 60);
    assert_eq!(
        later,
        [[0, 1, 2, 3, 4, 5, 6, 7].as_slice(), &[12, 24, 36, 48], &(49..60).collect::<Vec<_>>()]
            .concat()
    );
}

#[test]
fn without_a_model_no_text_of_it_is_counted() {
    let story = tell(taken(), "classic", &json!({}), 1).patch()["story"].clone();
    assert_eq!(story.get("modelTexts"), None);
}

/// What a fact says may be told again; what the player has read a moment ago, and no fact says, may not.
#[test]
fn a_sentence_of_the_last_turns_is_no_news() {
    let old = "The stove ticks in its corner.";
    let before = tell(
        json!([{ "fact": "described", "subject": "you", "text": old }]),
        "classic",
        &json!({}),
        1,
    );
    let state = json!({ "world": scope(), "story": before.patch()["story"] });
    let call = |written: &str| {
        let inputs = json!({ "act": { "facts": taken() } });
        let input = json!({ "prompt": "take the lantern" });
        testing::call(narrate, input).state(&state).inputs(inputs).model_writes(written).run()
    };
    let new = "You take the storm lantern. It is heavy.";
    assert_eq!(text(&call(new)), new);
    let told = call(&format!("You take the storm lantern. {old}"));
    assert!(told.lines.contains("what the model wrote was told before"), "{}", told.lines);
}

#[test]
fn hostile_facts_neither_break_the_text_nor_reach_the_terminal() {
    let many: Vec<Value> = (0..500)
        .map(|n| json!({ "fact": "used", "subject": "you", "text": format!("You do thing {n}.") }))
        .collect();
    let said = tell(json!(many), "terse", &json!({}), 1);
    assert!(text(&said).matches("You do").count() <= FACTS_MAX);
    let facts = json!([7, {}, { "fact": "x", "subject": "you", "text": "\u{1b}[2J" }, { "fact": "taken",
        "subject": "\u{1b}[31m", "object": "{o} [a|b]", "text": "You take\u{7} the {o} [a|b]\u{202e}" }]);
    let said = tell(facts, "classic", &json!({ "told": "broken" }), 1);
    assert!(said.ok && !text(&said).chars().any(char::is_control), "{}", text(&said));
}

proptest! {
    #[test]
    fn any_facts_give_a_text(
        facts in prop::collection::vec(("[a-z_]{0,12}", "(?s).{0,30}", "(?s).{0,30}", "(?s).{1,80}"), 1..6),
        style in 0..4_usize,
        seed in any::<u64>(),
    ) {
        let facts: Vec<Value> = facts.iter().map(|(kind, subject, object, text)| {
            json!({ "fact": kind, "subject": subject, "object": object, "text": format!("{text} x") })
        }).collect();
        let said = tell(json!(facts), STYLES[style], &json!({}), seed);
        prop_assert!(said.ok);
        prop_assert!(!text(&said).is_empty() && !text(&said).chars().any(char::is_control), "{}", text(&said));
    }
}

/// The texts of a campaign are told as they stand, after what the player did and before what comes of them.
#[test]
fn an_authors_text_is_a_paragraph_of_its_own_word_for_word() {
    let told = "A bell rings.\n\nNobody   has rung it: \u{201c}Again\u{201d}, says Martha Quill to the dragon.";
    let facts = json!([
        taken()[0], { "fact": "told", "subject": "you", "text": told },
        { "fact": "received", "subject": "Martha Quill", "object": "letter", "text": "Martha Quill gives you the letter." },
        { "fact": "ended", "subject": "you", "object": "The Bell", "text": "So it ends." },
    ]);
    let said = tell(facts.clone(), "classic", &json!({}), 3);
    let text = text(&said);
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(
        paragraphs[1..5],
        [
            "A bell rings.",
            "Nobody has rung it: \u{201c}Again\u{201d}, says Martha Quill to the dragon.",
            "So it ends.",
            "The end: The Bell",
        ]
    );
    assert!(paragraphs[0].contains("storm lantern") && paragraphs[5].contains("letter"), "{text}");
    // What the player has just read is left out where something else answers, and told again where nothing does.
    let story = &said.patch()["story"];
    let again = self::text(&tell(facts, "noir", story, 4));
    assert!(again.contains("storm lantern") && !again.contains("A bell rings."), "{again}");
    let alone = json!([{ "fact": "told", "subject": "you", "text": told }]);
    let alone = self::text(&tell(alone, "noir", story, 4));
    assert!(alone.starts_with("A bell rings.\n\nNobody has rung it"), "{alone}");
}

/// The world does nothing with a gesture, and an author does.
#[test]
fn where_an_author_answers_a_gesture_nothing_denies_it() {
    let nothing = json!({ "fact": "gesture", "subject": "you", "object": "oak door", "because": "paint",
        "text": "Nothing comes of that." });
    assert_eq!(text(&tell(json!([nothing]), "classic", &json!({}), 1)), "Nothing comes of that.");
    let told = json!({ "fact": "told", "subject": "you", "text": "The paint will not dry." });
    let both = json!([nothing, told]);
    assert_eq!(text(&tell(both, "classic", &json!({}), 1)), "The paint will not dry.");
}

/// A storylet that waits for a deed tells it; what others say of it, and other deeds, are told as well.
#[test]
fn an_authors_text_for_a_deed_stands_in_place_of_the_worlds_line() {
    let gesture = |object: &str, text: &str| json!({ "fact": "gesture", "subject": "you", "object": object, "because": "tag", "text": text });
    let told = json!({ "fact": "told", "subject": "you", "object": "ewe", "because": "deed",
        "text": "The tag goes through." });
    let answered = json!({ "fact": "gesture", "subject": "Bram", "because": "touch",
        "details": ["Bram looks away."], "text": "Bram looks away." });
    let facts = json!([gesture("ewe", "You tag the ewe."), told]);
    assert_eq!(text(&tell(facts, "terse", &json!({}), 1)), "The tag goes through.");
    let facts = json!([gesture("lamb", "You tag the lamb."), answered, told]);
    assert_eq!(
        text(&tell(facts, "terse", &json!({}), 1)),
        "You tag the lamb. Bram looks away.\n\nThe tag goes through."
    );
}

#[test]
fn an_authors_text_alone_is_a_whole_beat() {
    let said = tell(
        json!([{ "fact": "told", "subject": "you", "text": "It rains." }]),
        "classic",
        &json!({}),
        1,
    );
    assert_eq!(text(&said), "It rains.");
}

/// The view knows only who is where the player ends; a cupboard's door and the night hide the player from others.
#[test]
fn only_who_can_see_a_deed_is_its_witness() {
    let has_witness = |facts: &Value, world: &Value| {
        (0..300).any(|seed| {
            let state = json!({ "world": world, "story": {} });
            let inputs = json!({ "act": { "results": [], "facts": facts } });
            let input = json!({ "prompt": "bow", "style": "classic" });
            let said = testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run();
            // A deed that comes again is told with something around it.
            let story = said.patch()["story"].clone();
            let state = json!({ "world": world, "story": story });
            let inputs = json!({ "act": { "results": [], "facts": facts } });
            let input = json!({ "prompt": "bow", "style": "classic" });
            let again = testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run();
            text(&said).contains("Martha") || text(&again).contains("Martha")
        })
    };
    let bow = json!([{ "fact": "gesture", "subject": "you", "text": "You bow." }]);
    assert!(has_witness(&bow, &scope()));
    let mut shut_in = scope();
    shut_in["scope"]["unseeing"] = json!(["Martha Quill"]);
    assert!(!has_witness(&bow, &shut_in));
    let walk = json!([
        { "fact": "moved", "subject": "you", "object": "out", "place": "quay", "text": "You go out to the quay." },
        { "fact": "gesture", "subject": "you", "text": "You bow." },
        { "fact": "moved", "subject": "you", "object": "north", "place": "bakery", "text": "You go north to the bakery." },
    ]);
    assert!(!has_witness(&walk, &scope()));
}
