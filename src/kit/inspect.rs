//! Describes an untrusted package: the content of its components (read, not compiled), its grants against its imports,
//! its limits, and the cost of its examples.

pub(super) mod component;
pub(super) mod grants;

use std::io;

pub use component::{ComponentFacts, MemoryFacts, NameList};
pub use grants::{GrantFacts, GrantUse};

use super::{ExampleRun, PackageHarness, run_example};
use narratoria_protocol::{digest::sha256, millis};
use narratoria_skills::{
    FUEL_DEFAULT, FUEL_MAX, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX, STDOUT_BYTES_DEFAULT,
    STDOUT_BYTES_MAX, Script, Skill, TIMEOUT_DEFAULT, TIMEOUT_MAX, ValueSource,
};

/// One script, described without a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptFacts {
    pub name: String,
    /// Path of the component inside the package.
    pub path: String,
    /// Size of the component.
    pub bytes: u64,
    /// The component's digest, in hexadecimal.
    pub sha256: String,
    /// Or the reason why it cannot be read.
    pub component: Result<ComponentFacts, String>,
    /// One for each kind of grant. Empty if the component cannot be read.
    pub grants: Vec<GrantFacts>,
    /// Limits of one attempt.
    pub limits: Vec<LimitFacts>,
    /// Length of the input's schema as JSON without blanks.
    pub input_schema_bytes: u64,
    /// The parts of the input that draw their values from the state.
    pub values_from: Vec<ValueSource>,
    /// Length of the output's schema, if there is one.
    pub output_schema_bytes: Option<u64>,
}

/// One limit of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitFacts {
    pub what: Limit,
    /// This script's limit.
    pub value: u64,
    /// The limit of a manifest that names none.
    pub default: u64,
    /// The most that a manifest may ask for.
    pub ceiling: u64,
}

/// A limited resource, with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// In units of wasmtime fuel.
    Fuel,
    /// In bytes.
    Memory,
    /// In bytes.
    Stdout,
    /// In milliseconds.
    Time,
}

impl Limit {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Fuel => "fuel",
            Limit::Memory => "memory",
            Limit::Stdout => "stdout",
            Limit::Time => "timeout",
        }
    }
}

/// Describes every script of a package.
pub fn inspect(skill: &Skill) -> Vec<ScriptFacts> {
    skill.scripts.iter().map(inspect_script).collect()
}

fn inspect_script(script: &Script) -> ScriptFacts {
    let wasm = script.component.read().map_err(|error| error.to_string());
    let digest = wasm.as_ref().map(|wasm| sha256(wasm)).unwrap_or_default();
    let (component, imports) = match wasm.and_then(|wasm| component::read(&wasm)) {
        Ok((facts, imports)) => (Ok(facts), Some(imports)),
        Err(why) => (Err(why), None),
    };
    let grants = imports.map(|imports| grants::facts(&script.grants, &imports));
    ScriptFacts {
        name: script.name.clone(),
        path: script.path.clone(),
        bytes: script.component.length() as u64,
        sha256: digest,
        grants: grants.unwrap_or_default(),
        component,
        limits: limits(script),
        input_schema_bytes: length(script.input_schema.document()),
        values_from: script.input_schema.value_sources().to_vec(),
        output_schema_bytes: script.output_schema.as_ref().map(|one| length(one.document())),
    }
}

fn limits(script: &Script) -> Vec<LimitFacts> {
    let limit = |what, holds, default, ceiling| LimitFacts { what, value: holds, default, ceiling };
    let limits = &script.limits;
    vec![
        limit(Limit::Fuel, limits.fuel, FUEL_DEFAULT, FUEL_MAX),
        limit(Limit::Memory, limits.memory_bytes, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX),
        limit(Limit::Stdout, limits.stdout_bytes, STDOUT_BYTES_DEFAULT, STDOUT_BYTES_MAX),
        limit(Limit::Time, millis(script.timeout), millis(TIMEOUT_DEFAULT), millis(TIMEOUT_MAX)),
    ]
}

/// Runs every example of the package, in the order of their files.
pub async fn run_examples(harness: &PackageHarness) -> io::Result<Vec<ExampleRun>> {
    let mut runs = Vec::new();
    for example in &harness.skill().examples {
        runs.push(run_example(harness, example).await?);
    }
    Ok(runs)
}

fn length(document: &serde_json::Value) -> u64 {
    document.to_string().len() as u64
}
