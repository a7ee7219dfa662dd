//! The results of `skill test` for programs: JSON and JUnit XML.

use std::time::Duration;

use narratoria_kit::{
    CoveredPart, ExampleCoverage, ExampleRun,
    junit::{JunitCase, JunitReport, JunitResult, JunitSuite},
};
use narratoria_protocol::InvocationEnding;
use serde_json::{Value, json};

use super::usage::usage_document;
use crate::exit::Exit;

/// Version of `contracts/skill-test-report.schema.json`.
const VERSION: u32 = 1;

/// One package and its examples.
pub(super) struct TestedPackage {
    pub(super) name: String,
    /// The package as the player named it.
    pub(super) folder: String,
    /// Why it could not be run.
    pub(super) problems: Vec<String>,
    /// The examples that were run.
    pub(super) examples: Vec<TestedExample>,
    /// Every name that `--only` knows in this package.
    pub(super) names: Vec<String>,
    pub(super) coverage: ExampleCoverage,
    pub(super) took: Duration,
}

pub(super) struct TestedExample {
    pub(super) file: String,
    pub(super) script: String,
    pub(super) run: ExampleRun,
    /// True if its file was rewritten with the actual result.
    pub(super) is_updated: bool,
    pub(super) took: Duration,
}

impl TestedExample {
    pub(super) fn is_ok(&self) -> bool {
        self.is_updated || self.run.differences.is_empty()
    }
}

impl TestedPackage {
    fn is_ok(&self) -> bool {
        self.exit() == Exit::Done
    }

    pub(super) fn exit(&self) -> Exit {
        match (self.problems.is_empty(), self.examples.iter().all(TestedExample::is_ok)) {
            (false, _) => Exit::BadInput,
            (true, false) => Exit::Failed,
            (true, true) => Exit::Done,
        }
    }
}

/// The report of `contracts/skill-test-report.schema.json`.
pub(super) fn test_document(tested: &[TestedPackage]) -> Value {
    let examples = || tested.iter().flat_map(|package| &package.examples);
    json!({
        "version": VERSION,
        "ok": tested.iter().all(TestedPackage::is_ok),
        "examples": examples().count(),
        "differ": examples().filter(|example| !example.is_ok()).count(),
        "packages": tested.iter().map(package_document).collect::<Vec<_>>(),
    })
}

fn package_document(package: &TestedPackage) -> Value {
    let part = |part: &CoveredPart| json!({"total": part.total, "shown": part.total - part.missing.len(), "missing": part.missing});
    let ExampleCoverage { scripts, triggers, output_fields } = &package.coverage;
    json!({
        "name": package.name,
        "folder": package.folder,
        "ok": package.is_ok(),
        "problems": package.problems,
        "coverage": {
            "scripts": part(scripts),
            "triggers": part(triggers),
            "outputFields": part(output_fields),
        },
        "examples": package.examples.iter().map(example_document).collect::<Vec<_>>(),
    })
}

fn example_document(example: &TestedExample) -> Value {
    let invocation = &example.run.run.invocation;
    let (ending, message) = match &invocation.ending {
        InvocationEnding::Done { summary, .. } => ("done", summary.clone()),
        InvocationEnding::Failed { summary, .. } => ("gave-up", summary.clone()),
        InvocationEnding::Aborted(refusal) => ("refused", Some(refusal.to_string())),
    };
    let events: Vec<Value> = example.run.run.messages.iter().map(|said| said.to_json()).collect();
    json!({
        "file": example.file,
        "script": example.script,
        "ok": example.is_ok(),
        "updated": example.is_updated,
        "differences": example.run.differences,
        "ending": ending,
        "message": message,
        "events": events,
        "stderr": invocation.stderr_tail,
        "usage": usage_document(&invocation.usage),
    })
}

/// The results as JUnit XML: a suite for each package, a case for each example. A package that cannot be run is one case
/// with an error.
pub(super) fn test_junit(tested: &[TestedPackage], started: String) -> String {
    JunitReport { started, suites: tested.iter().map(suite).collect() }.render()
}

fn suite(package: &TestedPackage) -> JunitSuite {
    let mut cases: Vec<JunitCase> = package.examples.iter().map(case).collect();
    if let Some(first) = package.problems.first() {
        cases.push(JunitCase {
            name: "package".to_owned(),
            took: package.took,
            result: JunitResult::Error {
                message: first.clone(),
                kind: "package".to_owned(),
                text: package.problems.join("\n"),
            },
        });
    }
    let ExampleCoverage { scripts, triggers, output_fields } = &package.coverage;
    let parts = [("script", scripts), ("trigger", triggers), ("output field", output_fields)];
    let missing = parts.iter().flat_map(|(what, part)| {
        part.missing.iter().map(move |name| format!("no example shows the {what} {name}\n"))
    });
    JunitSuite {
        name: package.name.clone(),
        class: package.folder.clone(),
        took: package.took,
        cases,
        output: missing.collect(),
        errors: package.problems.join("\n"),
    }
}

fn case(example: &TestedExample) -> JunitCase {
    let differences = &example.run.differences;
    let result = match differences.first() {
        Some(first) if !example.is_updated => JunitResult::Failed {
            message: first.clone(),
            kind: "differs".to_owned(),
            text: differences.join("\n"),
        },
        _ => JunitResult::Passed,
    };
    let name = example.file.trim_start_matches("examples/").trim_end_matches(".json");
    JunitCase { name: format!("{} {name}", example.script), took: example.took, result }
}
