//! Runs an example and compares the result with the expected one.

use std::io;

use serde_json::Value;

use super::harness::{HarnessCall, HarnessRun, PackageHarness, object};
use narratoria_protocol::InvocationEnding;
use narratoria_protocol::{Message, Object};
use narratoria_skills::SkillExample;

#[derive(Debug, Clone, PartialEq)]
pub struct ExampleRun {
    pub run: HarnessRun,
    /// Differences from the expected result, a sentence each; empty if there is none.
    pub differences: Vec<String>,
}

/// Runs an example in the sandbox and compares.
pub async fn run_example(
    harness: &PackageHarness,
    example: &SkillExample,
) -> io::Result<ExampleRun> {
    run_example_as(harness, example, harness.new_request_id()).await
}

/// Runs an example like [`run_example`], with this id of its request.
pub(super) async fn run_example_as(
    harness: &PackageHarness,
    example: &SkillExample,
    request_id: String,
) -> io::Result<ExampleRun> {
    let scripts = &harness.skill().scripts;
    let script_idx = scripts.iter().position(|script| script.name == example.script);
    let script_idx = script_idx.expect("examples of unknown scripts are refused with the package");
    let call = HarnessCall {
        input: example.input.clone(),
        state: object(example.state.clone()),
        inputs: example.inputs.clone().unwrap_or_default(),
        campaign: example.campaign.clone().unwrap_or_default(),
        services: example.services.clone(),
        seed: example.seed,
        request_id: Some(request_id),
        ..HarnessCall::default()
    };
    let ran = harness.run(script_idx, call).await?;
    let differences = differences(&example.expect, &ran);
    Ok(ExampleRun { run: ran, differences })
}

/// Compares only the parts that `expect` names (`contracts/skill-example.schema.json`).
fn differences(expect: &Object, ran: &HarnessRun) -> Vec<String> {
    let wanted_ok = expect.get("ok") != Some(&Value::Bool(false));
    let output = match &ran.invocation.ending {
        InvocationEnding::Aborted(refusal) => return vec![format!("the script {refusal}")],
        InvocationEnding::Done { .. } if !wanted_ok => {
            return vec!["`ok` is true, expected is false".to_owned()];
        }
        InvocationEnding::Failed { summary, .. } if wanted_ok => {
            let why = summary.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
            return vec![format!("`ok` is false{why}, expected is true")];
        }
        InvocationEnding::Done { output, .. } | InvocationEnding::Failed { output, .. } => output,
    };
    let mut differences = Vec::new();
    for (name, wanted) in expect.get("output").and_then(Value::as_object).into_iter().flatten() {
        match output.get(name) {
            Some(found) if found == wanted => {}
            Some(found) => {
                differences.push(format!("`output.{name}` is {found}, expected is {wanted}"))
            }
            None => differences.push(format!("`output.{name}` is missing, expected is {wanted}")),
        }
    }
    let mut events = ran.messages.iter().map(Message::to_json);
    for wanted in expect.get("events").and_then(Value::as_array).into_iter().flatten() {
        let fields = wanted.as_object();
        let is_wanted = |event: Value| {
            fields.into_iter().flatten().all(|(name, part)| event.get(name) == Some(part))
        };
        if !events.any(is_wanted) {
            differences.push(format!("no event, or none at its place, is {wanted}"));
        }
    }
    differences
}
