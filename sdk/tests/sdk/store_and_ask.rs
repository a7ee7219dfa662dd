//! What a script keeps, and what it asks, natively.

use narratoria_sdk::{
    Ctx, Done, QUESTION_CHARS_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX, SkillError, Value, json, testing,
};

use crate::{Ended, Nothing};

#[track_caller]
fn check_refused(script: fn(&mut Ctx, Nothing) -> Ended, code: &str, message: &str) {
    let said = testing::call(script, json!({})).run();
    assert!(!said.ok);
    assert_eq!(said.error_code(), Some(code));
    assert_eq!(said.summary.as_deref(), Some(message));
}

fn count(ctx: &mut Ctx, _: Nothing) -> Ended {
    let mut store = ctx.store();
    let visits = store.get::<u32>("visits")?.unwrap_or(0) + 1;
    store.set("visits", visits)?;
    Ok(Done::ok().output(json!({ "visits": visits })))
}

#[test]
fn what_is_kept_is_there_the_next_time() {
    let first = testing::call(count, json!({})).run();
    assert_eq!(first.output["visits"], 1);
    let second = testing::call(count, json!({})).kept("visits", &first.kept["visits"]).run();
    assert_eq!(second.kept["visits"], 2);
}

#[test]
fn a_script_sees_its_own_changes() {
    let script = |ctx: &mut Ctx, _: Nothing| -> Ended {
        let mut store = ctx.store();
        store.set("room/b", json!({ "lit": true }))?;
        store.set("room/a", "dark")?;
        store.delete("room/c")?;
        store.delete("never")?;
        assert_eq!(store.get::<String>("room/a")?.unwrap(), "dark");
        assert_eq!(store.get::<Value>("room/c")?, None);
        Ok(Done::ok().output(json!({ "rooms": store.list("room/")?, "all": store.list("")? })))
    };
    let said = testing::call(script, json!({})).kept("room/c", 1).kept("rooms", 3).run();
    assert_eq!(said.output["rooms"], json!(["room/a", "room/b"]));
    assert_eq!(said.output["all"], json!(["room/a", "room/b", "rooms"]));
}

#[test]
fn what_an_older_version_kept_otherwise_is_named() {
    let said = testing::call(count, json!({})).kept("visits", "many").run();
    assert_eq!(said.error_code(), Some("INVALID_STORED"));
    insta::assert_snapshot!(said.summary.unwrap(), @r#"`visits` is "many": invalid type: string "many", expected u32"#);
}

#[test]
fn each_limit_of_the_store_is_named() {
    check_refused(
        |ctx, _| Ok(Done::ok().output(json!({ "found": ctx.store().get::<Value>("")? }))),
        "STORE_REFUSED",
        "a key is 1 to 256 bytes long, this one is 0",
    );
    check_refused(
        |ctx, _| {
            let key = "k".repeat(STORE_KEY_BYTES_MAX + 1);
            ctx.store().delete(&key).map(|()| Done::ok().output(json!({})))
        },
        "STORE_REFUSED",
        "a key is 1 to 256 bytes long, this one is 257",
    );
    check_refused(
        |ctx, _| {
            // With its two quotation marks.
            let value = "v".repeat(STORE_VALUE_BYTES_MAX - 1);
            ctx.store().set("key", value).map(|()| Done::ok().output(json!({})))
        },
        "STORE_REFUSED",
        "a value is at most 65536 bytes long, that of `key` is 65537",
    );
    check_refused(
        |ctx, _| {
            let mut store = ctx.store();
            for n in 0..=STORE_WRITES_MAX {
                store.set(&(n % STORE_ENTRIES_MAX).to_string(), n)?;
            }
            Ok(Done::ok().output(json!({})))
        },
        "STORE_REFUSED",
        "one invocation makes at most 1000 changes, `0` would be one more",
    );
}

fn greet(ctx: &mut Ctx, _: Nothing) -> Ended {
    let name = ctx.ask("Who goes there?", &["A friend", "Nobody"])?;
    let sure = ctx.ask("Are you sure?", &[])?;
    Ok(Done::ok().output(json!({ "name": name, "sure": sure })))
}

/// S2 "Human-in-the-Loop".
#[test]
fn answers_come_in_the_order_of_the_questions() {
    let said = testing::call(greet, json!({})).answer("Ada\n\"L\"").answer("yes").run();
    assert_eq!(said.output, json!({ "name": "Ada\n\"L\"", "sure": "yes" }));
    assert_eq!(
        said.ui_event("ask"),
        Some(&json!({ "question": "Who goes there?", "choices": ["A friend", "Nobody"] }))
    );
}

#[test]
fn a_question_that_nobody_answers_is_an_error_that_a_script_can_live_with() {
    let said = testing::call(greet, json!({})).answer("Ada").run();
    assert_eq!(said.error_code(), Some(SkillError::NOBODY_ANSWERED));
    let script = |ctx: &mut Ctx, _: Nothing| -> Ended {
        let name = ctx.ask("Who goes there?", &[]).unwrap_or_else(|_| "a stranger".to_owned());
        Ok(Done::ok().output(json!({ "name": name })))
    };
    assert_eq!(testing::call(script, json!({})).run().output["name"], "a stranger");
}

#[test]
fn a_question_that_the_host_would_not_take_is_not_asked() {
    let script = |ctx: &mut Ctx, _: Nothing| -> Ended {
        ctx.ask(&"?".repeat(QUESTION_CHARS_MAX + 1), &[])?;
        Ok(Done::ok().output(json!({})))
    };
    let said = testing::call(script, json!({})).answer("unread").run();
    assert_eq!(said.error_code(), Some("INVALID_QUESTION"));
    assert_eq!(said.ui_event("ask"), None);
    check_refused(
        |ctx, _| {
            ctx.patch(7);
            ctx.ask("?", &[]).map(|_| Done::ok().output(json!({})))
        },
        "NOT_AN_OBJECT",
        "`state_patch.patch` is not an object; put the value under a key",
    );
}

#[test]
fn a_script_that_asks_without_end_is_stopped_here() {
    let script = |ctx: &mut Ctx, _: Nothing| -> Ended {
        loop {
            ctx.ask("Again?", &[])?;
        }
    };
    let call = (0..20).fold(testing::call(script, json!({})), |call, _| call.answer("yes"));
    assert_eq!(call.run().error_code(), Some("TOO_MANY_QUESTIONS"));
}
