//! Inputs that draw their values from the state: what counts is the state that the step sees.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::harness::{ExecutionSetup, object, run};
use narratoria_protocol::StoryState;

/// Runs a plan where `/scope` has a lamp, and reports each step with the reason of its failure.
async fn check(plan: &str, tool_fields: Value, patches: Value) -> String {
    let setup = ExecutionSetup {
        schema: Some(json!({
            "type": "object",
            "properties": {"target": {"type": "string", "valuesFrom": "/scope/names"}}
        })),
        start: StoryState::new(object(json!({"scope": {"names": ["lamp"]}}))),
        tool_fields,
        patches,
        ..ExecutionSetup::default()
    };
    let ran = run(plan, setup).await;
    let steps = ran.plan.steps().iter().zip(&ran.trace.steps).map(|(step, trace)| {
        let why = trace.outcome.failure().map(|why| format!(" {} {why}", why.code()));
        format!("{} {}{}", step.tool_id, trace.outcome.as_str(), why.unwrap_or_default())
    });
    steps.collect::<Vec<_>>().join("\n")
}

#[tokio::test(start_paused = true)]
async fn what_an_earlier_step_took_away_cannot_be_named() {
    let fields = || json!({"use": {"input": {"target": "lamp"}}});
    assert_snapshot!(check("break use<-break", fields(), json!({"break": {}})).await, @"
    break success
    use success
    ");
    let gone = json!({"break": {"scope": {"names": ["shards"]}}});
    assert_snapshot!(check("break use<-break", fields(), gone.clone()).await, @r#"
    break success
    use failed INPUT_MISMATCH its input is not what `use/run` takes: "lamp" is not in scope (`/scope/names`); there are: "shards" at `/target`
    "#);
    // A step that does not depend on the other one sees the state at the start of the turn.
    assert_snapshot!(check("break use", fields(), gone).await, @"
    break success
    use success
    ");
}

#[tokio::test(start_paused = true)]
async fn items_are_checked_and_what_an_earlier_step_brought_can_be_named() {
    let fields = json!({"use": {"forEach": ["lamp", "rope"], "input": {"target": "$item"}}});
    assert_snapshot!(check("use", fields.clone(), json!({})).await, @r#"use failed INPUT_MISMATCH its input is not what `use/run` takes: "rope" is not in scope (`/scope/names`); there are: "lamp" at `/1/target`"#);
    let found = json!({"search": {"scope": {"names": ["lamp", "rope"]}}});
    assert_snapshot!(check("search use<-search", fields, found).await, @"
    search success
    use success
    ");
}

#[tokio::test(start_paused = true)]
async fn a_value_of_another_step_is_checked_when_it_is_there() {
    let fields = json!({"use": {"input": {"target": "$ask.got[0]"}}});
    assert_snapshot!(check("a ask<-a use<-ask", fields, json!({})).await, @r#"
    a success
    ask success
    use failed INPUT_MISMATCH its input is not what `use/run` takes: "a" is not in scope (`/scope/names`); there are: "lamp" at `/target`
    "#);
}
