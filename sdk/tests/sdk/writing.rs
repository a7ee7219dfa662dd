//! What a script has written, natively.

use narratoria_sdk::{
    Ctx, Done, LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_TOKENS_MAX, Prose, SkillError, json,
    testing,
};

use crate::{Ended, Nothing};

#[track_caller]
fn check_refused(script: fn(&mut Ctx, Nothing) -> Ended, message: &str) {
    let said = testing::call(script, json!({})).run();
    assert_eq!(said.error_code(), Some(SkillError::LLM_REFUSED));
    assert_eq!(said.summary.as_deref(), Some(message));
    assert!(said.prose.len() <= LLM_CALLS_MAX);
}

/// Has three texts written, two of them aloud.
fn thrice(ctx: &mut Ctx, _: Nothing) -> Ended {
    let mut texts = Vec::new();
    for (prompt, aloud) in [("one", true), ("two", false), ("three", true)] {
        let prose = Prose::new(prompt).system("be brief").tokens(9).temperature(0.0);
        let prose = if aloud { prose.aloud() } else { prose };
        let written = ctx.llm().write(prose)?;
        texts.push(json!([written.text, written.is_complete, written.sentences()]));
    }
    Ok(Done::ok().output(json!({ "texts": texts })))
}

#[test]
fn the_model_of_a_test_writes_what_the_test_says_in_order() {
    let said = testing::call(thrice, json!({}))
        .model_writes("It is one")
        .model_breaks_off("It is two. It i")
        .model_writes("It is three.")
        .run();
    assert_eq!(
        said.output["texts"],
        json!([
            ["It is one", true, "It is one"],
            ["It is two. It i", false, "It is two."],
            ["It is three.", true, "It is three."],
        ])
    );
    assert_eq!(said.aloud, "It is one\n\nIt is three.");
    let [one, _, three] = said.prose.as_slice() else { panic!("{:?}", said.prose) };
    assert_eq!(three, &Prose::new("three").system("be brief").tokens(9).temperature(0.0).aloud());
    assert_eq!(one.prompt, "one");
}

#[test]
fn without_a_model_a_script_is_told_so() {
    let said = testing::call(thrice, json!({})).run();
    assert_eq!(said.error_code(), Some(SkillError::LLM_UNAVAILABLE));
    assert_eq!((said.prose.len(), said.aloud.as_str()), (1, ""));
    let code = SkillError::LLM_TIMED_OUT;
    let said = testing::call(thrice, json!({})).model_writes("One.").model_fails(code).run();
    assert_eq!((said.error_code(), said.aloud.as_str()), (Some(code), "One."));
}

/// The host says the same in the same words.
#[test]
fn each_limit_of_the_model_is_named() {
    check_refused(
        |ctx, _| {
            let prose = Prose::new("p".repeat(LLM_PROMPT_BYTES_MAX)).system("s");
            ctx.llm().write(prose).map(|_| Done::ok().output(json!({})))
        },
        "a prompt with its system text is at most 16384 bytes long, this one is 16385",
    );
    check_refused(
        |ctx, _| {
            let prose = Prose::new("p").tokens(LLM_TOKENS_MAX + 1);
            ctx.llm().write(prose).map(|_| Done::ok().output(json!({})))
        },
        "a text has 1 to 400 tokens, this one is to have 401",
    );
    check_refused(
        |ctx, _| {
            let prose = Prose::new("p").temperature(f32::NAN);
            ctx.llm().write(prose).map(|_| Done::ok().output(json!({})))
        },
        "a temperature is 0 to 2, this one is NaN",
    );
    check_refused(
        |ctx, _| ctx.llm().write(Prose::new(" ")).map(|_| Done::ok().output(json!({}))),
        "a prompt must not be blank",
    );
    check_refused(
        |ctx, _| {
            for _ in 0..LLM_CALLS_MAX {
                // There is no model; it counts all the same.
                let _ = ctx.llm().write(Prose::new("p"));
            }
            ctx.llm().write(Prose::new("p")).map(|_| Done::ok().output(json!({})))
        },
        "one invocation asks for at most 4 texts",
    );
}
