//! Examples of packages, run natively (docs/writing-skills.md, "Examples").

use std::{fs, panic};

use narratoria_sdk::{Ctx, Done, Prose, SkillError, Value, json, testing};

use crate::{Ended, Nothing};

/// Asks everything around it.
fn curious(ctx: &mut Ctx, _: Nothing) -> Ended {
    let config: Value = ctx.config()?;
    let visits = ctx.store().get::<u32>("visits")?;
    let known = ctx.memory().recall_tagged("ferry", &["person"], 3)?;
    let known: Vec<String> = known.into_iter().map(|one| one.text).collect();
    let who = ctx.ask("Who goes there?", &[])?;
    let mut skies = Vec::new();
    for _ in 0..2 {
        skies.push(ctx.http().get("https://api.example.com/sky")?.json::<Value>()?["sky"].clone());
    }
    let gone = ctx.http().get("https://api.example.com/gone")?.status;
    let prose = ctx.llm().write(Prose::new("The sky."))?.text;
    let place = ctx.campaign().text("world.json")?;
    Ok(Done::ok().output(json!({
        "units": config["units"], "visits": visits, "known": known, "who": who, "skies": skies,
        "gone": gone, "prose": prose, "place": place,
    })))
}

/// Runs one example of the script `curious`.
fn check(example: &Value) {
    let folder = tempfile::tempdir().expect("a test may make a folder");
    fs::write(folder.path().join("one.json"), example.to_string()).expect("and a file in it");
    let path = folder.path().to_str().expect("its path is text");
    testing::check_examples(curious, path, "curious");
}

/// docs/writing-skills.md, "What the host answers in an example".
#[test]
fn a_native_test_answers_as_an_example_says() {
    let example = json!({
        "script": "curious", "input": {},
        "config": { "units": "imperial" },
        "store": { "visits": 2 },
        "memory": [
            { "text": "Mira keeps the ferry.", "tags": ["person"] },
            { "text": "The ferry leaks." },
        ],
        "answers": ["A friend"],
        "http": {
            "https://api.example.com/sky": { "body": { "sky": "red" } },
            "https://api.example.com/gone": { "status": 410 },
        },
        "llm": ["Red, and full of gulls."],
        "campaign": { "world.json": { "here": "mill" } },
        "expect": { "output": {
            "units": "imperial", "visits": 2, "known": ["Mira keeps the ferry."], "who": "A friend",
            "skies": ["red", "red"], "gone": 410, "prose": "Red, and full of gulls.",
            "place": "{\"here\":\"mill\"}",
        } },
    });
    check(&example);
}

#[test]
fn an_example_that_says_nothing_of_them_has_no_services() {
    let nobody = json!({ "type": "error", "errorCode": SkillError::NOBODY_ANSWERED });
    check(&json!({
        "script": "curious", "input": {}, "expect": { "ok": false, "events": [nobody] },
    }));
}

/// docs/writing-skills.md, "Examples": the code of a failure is a part of an event.
#[test]
fn an_expectation_has_no_other_parts_than_its_contract() {
    let wrong = json!({
        "script": "curious", "input": {}, "expect": { "ok": false, "errorCode": "NOBODY_ANSWERED" },
    });
    let message = panic::catch_unwind(|| check(&wrong)).unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.contains("unknown field `errorCode`"), "{message}");
}
