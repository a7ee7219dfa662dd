//! What a script says, as text: every line that goes to the host.

use insta::assert_snapshot;
use narratoria_sdk::{
    Choice, Ctx, DEPTH_MAX, Done, EVENTS_MAX, LINE_BYTES_MAX, SkillError, Value, json, testing,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nothing;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// The wish.
    what: String,
    #[serde(default)]
    times: u8,
}

#[derive(Serialize, JsonSchema)]
struct Granted {
    wishes: Vec<String>,
}

fn grant(ctx: &mut Ctx, wish: Wish) -> Result<Done<Granted>, SkillError> {
    if wish.what == "more wishes" {
        return Err(SkillError::new("GREEDY", "a wish cannot be for more wishes")
            .details(json!({ "asked": wish.times })));
    }
    ctx.info("the lamp glows");
    let wishes = vec![wish.what; usize::from(wish.times)];
    Ok(Done::ok().summary("granted").output(Granted { wishes }))
}

/// Calls [`grant`] with `input` and returns its stdout.
fn said(input: Value) -> String {
    testing::call(grant, input).run().lines
}

/// Runs `script` without input and returns its stdout.
fn speak(script: fn(&mut Ctx)) -> testing::CallResult {
    let whole = |ctx: &mut Ctx, _: Nothing| {
        script(ctx);
        Ok::<_, SkillError>(Done::ok())
    };
    testing::call(whole, json!({})).run()
}

#[test]
fn a_script_speaks_line_by_line_and_ends_with_done() {
    assert_snapshot!(said(json!({ "what": "tea", "times": 2 })), @r#"
{"version":"0","type":"log","level":"info","message":"the lamp glows"}
{"version":"0","type":"done","ok":true,"summary":"granted","output":{"wishes":["tea","tea"]}}
"#);
}

#[test]
fn the_output_keeps_the_order_of_the_type() {
    assert_snapshot!(testing::one_of_each(), @r#"
{"version":"0","type":"log","level":"error","message":"a log line"}
{"version":"0","type":"log","level":"info","message":"half way","fields":{"progress":50}}
{"version":"0","type":"state_patch","patch":{"door":{"guard":null,"open":true}}}
{"version":"0","type":"asset","assetId":"a1","kind":"image","mediaType":"image/png","path":"door.png","metadata":{"width":640}}
{"version":"0","type":"ui_event","event":"dice_roll","payload":{"rolls":[4]}}
{"version":"0","type":"ui_event","event":"narrative_choice","payload":{"choices":[{"id":"open","label":"Open the door","prompt":"I open the door"}]}}
{"version":"0","type":"error","errorCode":"TORCH_OUT","errorMessage":"the torch went out"}
{"version":"0","type":"done","ok":true,"summary":"all said","output":{"said":7}}
"#);
}

#[test]
fn an_error_of_the_script_is_an_event_and_a_failed_done() {
    assert_snapshot!(said(json!({ "what": "more wishes", "times": 3 })), @r#"
{"version":"0","type":"error","errorCode":"GREEDY","errorMessage":"a wish cannot be for more wishes","details":{"asked":3}}
{"version":"0","type":"done","ok":false,"summary":"a wish cannot be for more wishes"}
"#);
}

#[test]
fn wrong_input_names_the_field_and_its_value() {
    assert_snapshot!(said(json!({ "what": "tea", "times": "two" })), @r#"
{"version":"0","type":"error","errorCode":"INVALID_INPUT","errorMessage":"`input.times` is \"two\": invalid type: string \"two\", expected u8"}
{"version":"0","type":"done","ok":false,"summary":"`input.times` is \"two\": invalid type: string \"two\", expected u8"}
"#);
    assert_snapshot!(said(json!({ "times": 1 })), @r#"
{"version":"0","type":"error","errorCode":"INVALID_INPUT","errorMessage":"`input` is {\"times\":1}: missing field `what`"}
{"version":"0","type":"done","ok":false,"summary":"`input` is {\"times\":1}: missing field `what`"}
"#);
    assert_snapshot!(said(json!({ "what": "tea", "time": 1 })), @r#"
{"version":"0","type":"error","errorCode":"INVALID_INPUT","errorMessage":"`input.time` is 1: unknown field `time`, expected `what` or `times`"}
{"version":"0","type":"done","ok":false,"summary":"`input.time` is 1: unknown field `time`, expected `what` or `times`"}
"#);
    assert_snapshot!(said(json!({ "what": "tea", "times": 300 })), @r#"
{"version":"0","type":"error","errorCode":"INVALID_INPUT","errorMessage":"`input.times` is 300: invalid value: integer `300`, expected u8"}
{"version":"0","type":"done","ok":false,"summary":"`input.times` is 300: invalid value: integer `300`, expected u8"}
"#);
}

#[test]
fn describe_answers_with_the_schemas_and_runs_nothing() {
    let said = testing::call(grant, json!({})).operation("describe").run();
    assert!(said.ok && said.events.is_empty());
    let expected = json!(
        {
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "additionalProperties": false,
                "properties": {
                    "times": {
                        "default": 0,
                        "format": "uint8",
                        "maximum": 255,
                        "minimum": 0,
                        "type": "integer"
                    },
                    "what": {
                        "description": "The wish.",
                        "type": "string"
                    }
                },
                "required": [
                    "what"
                ],
                "title": "Wish",
                "type": "object"
            },
            "outputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {
                    "wishes": {
                        "items": {
                            "type": "string"
                        },
                        "type": "array"
                    }
                },
                "required": [
                    "wishes"
                ],
                "title": "Granted",
                "type": "object"
            }
        }
    );
    assert_eq!(said.output, expected);
}

#[test]
fn an_unknown_operation_is_refused() {
    let said = testing::call(grant, json!({})).operation("dance").run();
    assert_snapshot!(said.lines, @r#"
{"version":"0","type":"error","errorCode":"UNKNOWN_OPERATION","errorMessage":"the operation \"dance\" is unknown; known are `run` and `describe`"}
{"version":"0","type":"done","ok":false,"summary":"the operation \"dance\" is unknown; known are `run` and `describe`"}
"#);
}

#[test]
fn a_script_without_output_has_neither_output_nor_output_schema() {
    assert_snapshot!(speak(|_| {}).lines, @r#"{"version":"0","type":"done","ok":true}"#);
}

#[test]
fn a_patch_that_is_no_object_fails_the_script() {
    let said = speak(|ctx| {
        ctx.patch(json!([1, 2]));
        ctx.info("this is not said any more");
    });
    assert_snapshot!(said.lines, @r#"
{"version":"0","type":"error","errorCode":"NOT_AN_OBJECT","errorMessage":"`state_patch.patch` is not an object; put the value under a key"}
{"version":"0","type":"done","ok":false,"summary":"`state_patch.patch` is not an object; put the value under a key"}
"#);
}

#[test]
fn an_output_that_is_no_object_fails_the_script() {
    let script = |_: &mut Ctx, _: Nothing| Ok::<_, SkillError>(Done::ok().output(vec![1]));
    assert_snapshot!(testing::call(script, json!({})).run().lines, @r#"
{"version":"0","type":"error","errorCode":"NOT_AN_OBJECT","errorMessage":"`done.output` is not an object; put the value under a key"}
{"version":"0","type":"done","ok":false,"summary":"`done.output` is not an object; put the value under a key"}
"#);
}

#[test]
fn a_line_of_exactly_the_limit_is_sent_and_one_byte_more_is_not() {
    let frame = r#"{"version":"0","type":"log","level":"info","message":""}"#.len();
    for (extra, ok) in [(0, true), (1, false)] {
        let whole = |ctx: &mut Ctx, _: Nothing| {
            ctx.info(&"x".repeat(LINE_BYTES_MAX - frame + extra));
            Ok::<_, SkillError>(Done::ok())
        };
        let said = testing::call(whole, json!({})).run();
        assert_eq!(said.ok, ok);
        assert!(said.lines.lines().all(|line| line.len() <= LINE_BYTES_MAX));
        assert_eq!(said.error_code(), (!ok).then_some("EVENT_TOO_LONG"));
    }
}

#[test]
fn a_value_that_nests_too_deep_is_not_sent() {
    let said = speak(|ctx| {
        let mut value = json!({});
        for _ in 0..DEPTH_MAX {
            value = json!({ "in": value });
        }
        ctx.patch(value);
    });
    assert_eq!(said.error_code(), Some("EVENT_TOO_DEEP"));
}

#[test]
fn a_flood_of_events_ends_as_an_error_within_the_hosts_limit() {
    let said = speak(|ctx| {
        for _ in 0..2 * EVENTS_MAX {
            ctx.debug("again");
        }
    });
    assert_eq!(said.error_code(), Some("TOO_MANY_EVENTS"));
    assert!(said.lines.lines().count() as u64 <= EVENTS_MAX);
}

#[test]
fn an_error_with_details_that_do_not_fit_loses_the_details_only() {
    let script = |_: &mut Ctx, _: Nothing| {
        Err::<Done, _>(SkillError::new("BIG", "too big").details("x".repeat(LINE_BYTES_MAX)))
    };
    let said = testing::call(script, json!({})).run();
    assert_eq!((said.ok, said.error_code()), (false, Some("BIG")));
}

#[test]
fn an_error_through_the_question_mark_keeps_its_causes() {
    let script = |_: &mut Ctx, _: Nothing| {
        let number: u8 = "seven".parse()?;
        Ok::<_, SkillError>(Done::ok().summary(number.to_string()))
    };
    assert_snapshot!(testing::call(script, json!({})).run().lines, @r#"
{"version":"0","type":"error","errorCode":"FAILED","errorMessage":"invalid digit found in string"}
{"version":"0","type":"done","ok":false,"summary":"invalid digit found in string"}
"#);
}

#[test]
fn a_script_sees_its_request() {
    #[derive(Deserialize)]
    struct Config {
        mood: String,
    }
    let script = |ctx: &mut Ctx, _: Nothing| {
        let Config { mood } = ctx.config()?;
        let focus: Option<String> = ctx.state_at("/story/focus")?;
        let none: Option<String> = ctx.state_at("/story/nothing")?;
        let order: Vec<String> =
            ctx.inputs().map(|(step, output)| format!("{step}={}", output.is_some())).collect();
        let seen = json!({
            "mood": mood, "focus": focus, "none": none, "inputs": order, "roll": ctx.input_of("roll"),
            "missing": ctx.input_of("missing"), "seed": ctx.seed(), "tool": ctx.tool(),
            "requestId": ctx.request_id(),
        });
        Ok::<_, SkillError>(Done::ok().output(seen))
    };
    let said = testing::call(script, json!({}))
        .config(json!({ "mood": "grim" }))
        .state(json!({ "story": { "focus": "the door" } }))
        .inputs(json!({ "roll": { "total": 4 }, "look": null }))
        .seed(u64::MAX)
        .run();
    assert_eq!(
        said.output,
        json!({
            "mood": "grim", "focus": "the door", "none": null, "roll": { "total": 4 },
            "inputs": said.output["inputs"], "missing": null, "seed": u64::MAX, "tool": "tested",
            "requestId": "test",
        })
    );
    assert_eq!(said.output["inputs"].as_array().unwrap().len(), 2);

    let said = testing::call(script, json!({})).run();
    assert_snapshot!(said.summary.unwrap(), @"`config` is {}: missing field `mood`");
}

#[test]
fn patches_merge_as_the_host_merges_them() {
    let said = speak(|ctx| {
        ctx.patch(json!({ "a": { "b": 1, "c": [1, 2] } }));
        ctx.patch(json!({ "a": { "c": [3], "d": null } }));
        ctx.choices(&[Choice::new("go", "Go")]);
    });
    assert_eq!(said.patch(), json!({ "a": { "b": 1, "c": [3], "d": null } }));
    assert_eq!(
        said.ui_event("narrative_choice"),
        Some(&json!({ "choices": [{ "id": "go", "label": "Go" }] }))
    );
}
