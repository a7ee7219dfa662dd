//! What the story remembers, and what hosts answer, natively.

use narratoria_sdk::{
    Ctx, Done, HTTP_REQUESTS_MAX, HttpRequest, HttpResponse, RECALLED_MAX, REMEMBERS_MAX,
    SkillError, TAGS_MAX, TEXT_TO_REMEMBER_BYTES_MAX, json, testing,
};

use crate::{Ended, Nothing};

#[test]
fn a_script_recalls_what_others_and_itself_had_the_story_remember() {
    let script = |ctx: &mut Ctx, _: Nothing| -> Ended {
        let mut memory = ctx.memory();
        memory.remember("Mira keeps the ferry.", &["person"])?;
        let texts = |found: Vec<narratoria_sdk::MemoryText>| {
            found.into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        let mira = texts(memory.recall("who is mira", 9)?);
        let item = texts(memory.recall_tagged("", &["Item"], 9)?);
        let newest = texts(memory.recall("", 1)?);
        Ok(Done::ok().output(json!({ "mira": mira, "item": item, "newest": newest })))
    };
    let said = testing::call(script, json!({}))
        .remembered("Mira is old.", &[])
        .remembered("A key of bone.", &["item"])
        .run();
    assert_eq!(
        said.output,
        json!({
            "mira": ["Mira is old.", "Mira keeps the ferry."],
            "item": ["A key of bone."],
            "newest": ["Mira keeps the ferry."],
        })
    );
    assert_eq!(said.remembered.len(), 3);
}

#[test]
fn each_limit_of_the_memory_is_named() {
    let check = |script: fn(&mut Ctx, Nothing) -> Ended, message: &str| {
        let said = testing::call(script, json!({})).run();
        assert_eq!(said.error_code(), Some("MEMORY_REFUSED"));
        assert_eq!(said.summary.as_deref(), Some(message));
    };
    check(
        |ctx, _| {
            ctx.memory().remember(&"x".repeat(TEXT_TO_REMEMBER_BYTES_MAX), &["t"; TAGS_MAX])?;
            ctx.memory().remember(&"x".repeat(TEXT_TO_REMEMBER_BYTES_MAX + 1), &[])?;
            Ok(Done::ok().output(json!({})))
        },
        "a text to remember is 1 to 2048 bytes long, this one is 2049",
    );
    check(
        |ctx, _| {
            for _ in 0..=REMEMBERS_MAX {
                ctx.memory().remember("x", &[])?;
            }
            Ok(Done::ok().output(json!({})))
        },
        "one invocation has at most 64 texts remembered",
    );
    check(
        |ctx, _| {
            ctx.memory().recall("x", RECALLED_MAX)?;
            ctx.memory().recall("x", RECALLED_MAX + 1)?;
            Ok(Done::ok().output(json!({})))
        },
        "at most 1 to 32 texts are recalled at once, not 33",
    );
    check(
        |ctx, _| {
            ctx.memory().remember("x", &["t"; TAGS_MAX + 1])?;
            Ok(Done::ok().output(json!({})))
        },
        "a text has at most 8 tags, these are 9",
    );
}

fn fetch(ctx: &mut Ctx, _: Nothing) -> Ended {
    let request = HttpRequest::new("POST", "https://a.example/in?x=1")
        .header("Authorization", "Bearer secret")
        .body("application/json", "{}");
    let answer = ctx.http().send(request)?;
    Ok(Done::ok().output(json!({ "status": answer.status, "text": answer.text()? })))
}

fn to(location: &str, status: u16) -> HttpResponse {
    HttpResponse::new(status, "").with_header("Location", location)
}

#[test]
fn redirects_are_followed_without_what_is_for_one_host_alone() {
    let said = testing::call(fetch, json!({}))
        .web_answers("https://a.example/in?x=1", to("../out", 307))
        .web_answers("https://a.example/out", to("https://b.example/", 302))
        .web_answers("https://b.example/", HttpResponse::new(404, "nothing"))
        .run();
    assert_eq!(said.output, json!({ "status": 404, "text": "nothing" }));
    let told: Vec<String> = said
        .requests
        .iter()
        .map(|it| format!("{} {} {} {}", it.method, it.url, it.headers.len(), it.body.len()))
        .collect();
    assert_eq!(
        told,
        [
            "POST https://a.example/in?x=1 2 2",
            "POST https://a.example/out 2 2",
            "GET https://b.example/ 0 0"
        ]
    );
}

#[test]
fn a_circle_of_redirects_has_an_end_and_so_have_requests() {
    let mut call = testing::call(fetch, json!({}));
    for _ in 0..9 {
        call = call.web_answers("https://a.example/in?x=1", to("?x=1", 307));
    }
    let said = call.run();
    assert_eq!(said.error_code(), Some(SkillError::HTTP_FAILED));
    assert_eq!(
        said.summary.as_deref(),
        Some("more than 5 redirects, the last one to https://a.example/in?x=1")
    );
    assert_eq!(said.requests.len(), 6);

    let many = |ctx: &mut Ctx, _: Nothing| -> Ended {
        for _ in 0..HTTP_REQUESTS_MAX {
            let error = ctx.http().get("https://nowhere.example/").unwrap_err();
            assert_eq!(error.code, SkillError::HTTP_REFUSED);
        }
        let error = ctx.http().get("https://nowhere.example/").unwrap_err();
        Ok(Done::ok().output(json!({ "said": error.message })))
    };
    let said = testing::call(many, json!({})).run();
    assert_eq!(said.output["said"], "one invocation makes at most 16 requests");
}
