//! Examples are tests: a run of one, and how what came out differs from what it expects.

use std::io;

use serde_json::Value;

use super::harness::{HarnessCall, HarnessRun, PackageHarness, object};
use narratoria_protocol::InvocationEnding;
use narratoria_protocol::{Message, Object};
use narratoria_skills::SkillExample;

/// An example, run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleRun {
    /// What came of it.
    pub run: HarnessRun,
    /// How that differs from what is expected, a sentence each; none if it is as it should be.
    pub differences: Vec<String>,
}

/// Runs an example in the sandbox and compares.
pub async fn run_example(rig: &PackageHarness, example: &SkillExample) -> io::Result<ExampleRun> {
    let scripts = &rig.skill().scripts;
    let script_idx = scripts.iter().position(|script| script.name == example.script);
    let script_idx = script_idx.expect("examples of unknown scripts are refused with the package");
    let call = HarnessCall {
        input: example.input.clone(),
        state: object(example.state.clone()),
        inputs: example.inputs.clone().unwrap_or_default(),
        seed: example.seed,
        ..HarnessCall::default()
    };
    let ran = rig.run(script_idx, call).await?;
    let differences = differences(&example.expect, &ran);
    Ok(ExampleRun { run: ran, differences })
}

/// What is not said in `expect` is not checked (`contracts/skill-example.schema.json`).
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
    let mut said = ran.messages.iter().map(Message::to_json);
    for wanted in expect.get("events").and_then(Value::as_array).into_iter().flatten() {
        let fields = wanted.as_object();
        let is_wanted = |event: Value| {
            fields.into_iter().flatten().all(|(name, part)| event.get(name) == Some(part))
        };
        if !said.any(is_wanted) {
            differences.push(format!("no event, or none at its place, is {wanted}"));
        }
    }
    differences
}
