//! S3: acceptance criteria with a rule.

use insta::assert_snapshot;
use serde_json::json;

use super::harness::{ExecutionSetup, run};

/// S3 `acceptanceCriteria`: a rule decides, and a text alone stops nothing.
#[tokio::test(start_paused = true)]
async fn an_output_that_does_not_meet_a_criterion_is_a_failed_attempt() {
    let criteria = |of: &str| {
        json!({"acceptanceCriteria": [
            "it is a joy to see",
            {"text": "it saw somebody", "expect": {"required": ["saw"]}},
            {"text": "it was alone", "holds": of},
        ]})
    };
    let fields = json!({
        "a": criteria("size(output.got) == 0 && has(input.x) == false"),
        "b": criteria("output.saw == 'nobody'"),
        "c": criteria("output.nothing == 1"),
        "d": {"acceptanceCriteria": [{"text": "it slept", "expect": {"required": ["slept"]}}]},
    });
    let setup = ExecutionSetup { tool_fields: fields, ..ExecutionSetup::default() };
    let ran = run("a:d5 b:d5 c?@1:d5/d5 d?:d5 e<-b", setup).await;
    assert_snapshot!(ran.timeline, @r#"
      0 a starts
      5 a success
      5 b starts
     10 b success
     10 c starts
     15 c its output does not meet the criterion "it was alone": the condition `output.nothing == 1` has no answer: `output` has no `nothing`, only `saw`, `got`; again in 100 ms
    115 c starts, try 2
    120 c failed: its output does not meet the criterion "it was alone": the condition `output.nothing == 1` has no answer: `output` has no `nothing`, only `saw`, `got`
    120 d starts
    125 d failed: its output does not meet the criterion "it slept": "slept" is a required property
    125 e starts
    125 e success
    125 plan success
    "#);
}
