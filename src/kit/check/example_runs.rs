//! The rules about examples: each runs twice, and its result, the second result and its cost are checked.

use std::{io, time::Duration};

use serde_json::Value;

use super::{
    budget::CheckBudget,
    finding::{FindingCollector, FindingLocation},
    rules::{self, FindingLevel},
};
use crate::{ExampleRun, PackageHarness, examples::run_example_as};
use narratoria_protocol::{EVENT_ASK, Event};
use narratoria_protocol::{InvocationEnding, ResourceUsage};
use narratoria_skills::{
    FUEL_DEFAULT, MEMORY_BYTES_DEFAULT, STDOUT_BYTES_DEFAULT, Script, SkillExample,
};

/// The `ui_event` that every front end supports.
const EVENT_CHOICES: &str = "narrative_choice";

/// Usage above this share of a limit is tight.
const TIGHT_PERCENT: u128 = 50;
/// Usage above this share is too tight.
const TOO_TIGHT_PERCENT: u128 = 90;
/// A limit that exceeds the usage by this factor, and the host's default too, is far too high.
const FAR_MORE: u64 = 10;

/// The highest usage of a script's examples.
#[derive(Debug, Clone, Copy, Default)]
struct PeakUsage {
    fuel: u64,
    memory_bytes: u64,
    stdout_bytes: u64,
    time: Duration,
}

/// Runs all examples of all scripts; returns the number of those that were run.
pub(super) async fn check(
    harness: &PackageHarness,
    budget: &CheckBudget,
    findings: &mut FindingCollector<'_>,
) -> io::Result<usize> {
    let skill = harness.skill();
    let mut count = 0;
    for (script_idx, script) in skill.scripts.iter().enumerate() {
        let mut peak = None;
        let examples = || skill.examples.iter().filter(|example| example.script == script.name);
        for example in examples() {
            // Runs the example twice under one request id, because the answer may contain the id.
            let id = harness.new_request_id();
            let run = run_example_as(harness, example, id.clone());
            let Some(run) = budget.run(run).await else {
                findings.leave_out(format!("the example `{}`", example.file));
                continue;
            };
            let run = run?;
            count += 1;
            report_run(script, example, &run, findings);
            // An aborted run is an error already, and may have used its whole time.
            if !matches!(run.run.invocation.ending, InvocationEnding::Aborted(_)) {
                let Some(again) = budget.run(run_example_as(harness, example, id)).await else {
                    findings.leave_out(format!("the example `{}` a second time", example.file));
                    continue;
                };
                if let Some(what) = first_difference(&run, &again?) {
                    let place = FindingLocation::file(&example.file);
                    findings.add(&rules::REPEAT_DIFFERS, place, what);
                }
            }
            let usage = run.run.invocation.usage;
            peak = Some(peak.unwrap_or_else(PeakUsage::default).max(&usage));
        }
        let place = |field: &str| {
            FindingLocation::field("skill.json", format!("/scripts/{script_idx}{field}"))
        };
        let untried = untried_parts(script, examples());
        if examples().next().is_some() && !untried.is_empty() {
            let parts = untried.join(", ");
            let what = format!("no example of `{}` has {parts} in its `state`", script.name);
            findings.add(&rules::EXAMPLE_STATE_NOT_TRIED, place("/reads"), what);
        }
        match peak {
            None if examples().next().is_some() => {}
            None => {
                let what = format!("the script `{}` has no example", script.name);
                findings.add(&rules::EXAMPLE_NONE, place(""), what);
            }
            Some(peak) => check_headroom(script, peak, place, findings),
        }
    }
    Ok(count)
}

/// The parts of the state that the script reads and none of its examples has, in words.
fn untried_parts<'e>(
    script: &Script,
    examples: impl Iterator<Item = &'e SkillExample>,
) -> Vec<String> {
    let states: Vec<&Value> = examples.filter_map(|example| example.state.as_ref()).collect();
    let has = |state: &Value, pointer: &str| match state.pointer(pointer) {
        None | Some(Value::Null) => false,
        Some(whole) if pointer.is_empty() => whole.as_object().is_some_and(|it| !it.is_empty()),
        Some(_) => true,
    };
    let untried = script.reads.iter().filter(|pointer| !states.iter().any(|it| has(it, pointer)));
    let in_words = |pointer: &String| match pointer.is_empty() {
        true => "anything".to_owned(),
        false => format!("`{pointer}`"),
    };
    untried.map(in_words).collect()
}

/// Runs every example as with a player who refuses the optional grants: it must end as it is expected to, with any
/// output.
pub(super) async fn check_without_optional_grants(
    harness: &PackageHarness,
    budget: &CheckBudget,
    findings: &mut FindingCollector<'_>,
) -> io::Result<()> {
    for example in &harness.skill().examples {
        let scripts = &harness.skill().scripts;
        let Some(idx) = scripts.iter().position(|script| script.name == example.script) else {
            continue;
        };
        if harness.grants(idx).withheld.is_empty() {
            continue;
        }
        let run = run_example_as(harness, example, harness.new_request_id());
        let Some(run) = budget.run(run).await else {
            let what = format!("the example `{}` without the optional grants", example.file);
            findings.leave_out(what);
            continue;
        };
        let Some(fault) = fault_without_grants(&scripts[idx], example, &run?) else { continue };
        let refused = harness.grants(idx).withheld.keys();
        let refused: Vec<String> = refused.map(|grant| format!("`{}`", grant.as_str())).collect();
        let what = format!("without {} {fault}", refused.join(" and "));
        findings.add(&rules::GRANTS_NOT_OPTIONAL, FindingLocation::file(&example.file), what);
    }
    Ok(())
}

/// Why the script does not do without its optional grants, a part of a sentence.
fn fault_without_grants(
    script: &Script,
    example: &SkillExample,
    run: &ExampleRun,
) -> Option<String> {
    let wants_ok = example.expect.get("ok") != Some(&Value::Bool(false));
    match &run.run.invocation.ending {
        InvocationEnding::Aborted(refusal) => {
            let stderr = last_line(&run.run.invocation.stderr_tail);
            Some(format!("the script {refusal}{stderr}"))
        }
        InvocationEnding::Failed { summary, error_code, .. } if wants_ok => {
            let why = summary.as_ref().or(error_code.as_ref());
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            Some(format!("`ok` is false{why}, expected is true"))
        }
        InvocationEnding::Done { output, .. } => {
            let mismatches =
                script.output_schema.as_ref()?.mismatches(&Value::Object(output.clone()));
            let first = mismatches.first()?;
            let part = first.pointer.replace('/', ".");
            Some(format!("`output{part}`: {}", first.what))
        }
        InvocationEnding::Failed { .. } => None,
    }
}

fn report_run(
    script: &Script,
    example: &SkillExample,
    run: &ExampleRun,
    findings: &mut FindingCollector<'_>,
) {
    let place = |pointer: &str| FindingLocation::field(&example.file, pointer);
    let output = match &run.run.invocation.ending {
        InvocationEnding::Aborted(refusal) => {
            let stderr = last_line(&run.run.invocation.stderr_tail);
            let what = format!("the script {refusal}{stderr}");
            return findings.add(&rules::EXAMPLE_REFUSED, place(""), what);
        }
        InvocationEnding::Done { output, .. } => Some(output),
        InvocationEnding::Failed { .. } => None,
    };
    for difference in &run.differences {
        findings.add(&rules::EXAMPLE_DIFFERS, place("/expect"), difference);
    }
    for fault in &run.run.asset_faults {
        findings.add(&rules::EXAMPLE_ASSET, place(""), fault);
    }
    for fault in run.run.messages.iter().filter_map(|said| event_fault(&said.event)) {
        findings.add(&rules::EXAMPLE_EVENT, place(""), fault);
    }
    if let (Some(output), Some(schema)) = (output, &script.output_schema) {
        for mismatch in schema.mismatches(&Value::Object(output.clone())) {
            let part = mismatch.pointer.replace('/', ".");
            let what = format!("`output{part}`: {}", mismatch.what);
            findings.add(&rules::EXAMPLE_OUTPUT, place(""), what);
        }
    }
}

/// The last line of stderr, which has the message of a panic.
fn last_line(stderr: &str) -> String {
    // Rust adds a note after the message of a panic.
    let is_telling = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: ");
    match stderr.lines().rev().find(is_telling) {
        None => String::new(),
        Some(line) => format!("; its stderr ends with `{}`", line.trim()),
    }
}

/// Why a front end could not show an event. The decoder has checked everything else.
fn event_fault(event: &Event) -> Option<String> {
    let Event::UiEvent { event: name, payload } = event else { return None };
    match name.as_str() {
        EVENT_ASK if event.question().is_none() => Some(
            "a `ui_event` `ask` is no well-formed question, so nobody will answer it".to_owned(),
        ),
        EVENT_CHOICES => {
            let choices = payload.as_ref().and_then(|payload| payload.get("choices"));
            let is_list = choices.and_then(Value::as_array).is_some_and(|list| !list.is_empty());
            let what = "a `ui_event` `narrative_choice` has no `choices`, or none in it";
            (!is_list).then(|| what.to_owned())
        }
        _ => None,
    }
}

/// The first difference between two runs, in words.
fn first_difference(first: &ExampleRun, second: &ExampleRun) -> Option<String> {
    let (one, two) = (&first.run, &second.run);
    let lines = |run: &ExampleRun| -> Vec<String> {
        run.run.messages.iter().map(|said| said.to_json().to_string()).collect()
    };
    let (one_said, two_said) = (lines(first), lines(second));
    if let Some(at) =
        (0..one_said.len().max(two_said.len())).find(|at| one_said.get(*at) != two_said.get(*at))
    {
        return Some(format!("event {} is not the same the second time", at + 1));
    }
    if one.invocation.ending != two.invocation.ending {
        return Some("it does not end in the same way the second time".to_owned());
    }
    if one.invocation.writes != two.invocation.writes {
        return Some("it does not keep the same the second time".to_owned());
    }
    None
}

impl PeakUsage {
    fn max(self, usage: &ResourceUsage) -> PeakUsage {
        PeakUsage {
            fuel: self.fuel.max(usage.fuel),
            memory_bytes: self.memory_bytes.max(usage.memory_bytes_peak),
            stdout_bytes: self.stdout_bytes.max(usage.stdout_bytes),
            time: self.time.max(usage.elapsed),
        }
    }
}

fn check_headroom(
    script: &Script,
    peak: PeakUsage,
    place: impl Fn(&str) -> FindingLocation,
    findings: &mut FindingCollector<'_>,
) {
    let limits = &script.limits;
    let used = [
        ("fuel", "/limits", u128::from(peak.fuel), u128::from(limits.fuel)),
        ("memory", "/limits", peak.memory_bytes.into(), limits.memory_bytes.into()),
        ("stdout", "/limits", peak.stdout_bytes.into(), limits.stdout_bytes.into()),
        ("time", "/timeout", peak.time.as_micros(), script.timeout.as_micros()),
    ];
    for (what, field, used, limit) in used {
        let percent = used * 100 / limit.max(1);
        if percent > TIGHT_PERCENT {
            let level = if percent > TOO_TIGHT_PERCENT {
                FindingLevel::Error
            } else {
                FindingLevel::Warning
            };
            let what = format!(
                "an example of `{}` uses {percent} % of its {what}: {used} of {limit}{}",
                script.name,
                if what == "time" { " microseconds" } else { "" },
            );
            findings.add_at(&rules::LIMITS_TIGHT, level, place(field), what);
        }
    }
    let asked = [
        ("fuel", peak.fuel, limits.fuel, FUEL_DEFAULT),
        ("memory", peak.memory_bytes, limits.memory_bytes, MEMORY_BYTES_DEFAULT),
        ("stdout", peak.stdout_bytes, limits.stdout_bytes, STDOUT_BYTES_DEFAULT),
    ];
    for (what, used, limit, default) in asked {
        if limit > default && used.saturating_mul(FAR_MORE) < limit {
            let what = format!(
                "`{}` asks for {what} {limit}, its examples use {used} at most, and {default} is the default",
                script.name
            );
            findings.add(&rules::LIMITS_FAR_MORE, place("/limits"), what);
        }
    }
}
