//! Scripts: the files that a manifest names in `scripts` become compiled schemas and components.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Schema,
    catalog::Script,
    compile_budget::CompileBudget,
    component_file::ComponentFile,
    grant::Grant,
    hosts::HttpHost,
    manifest::{MANIFEST_FILE, ManifestJson, ScriptJson},
    package::{PackageFiles, path_fault},
    problem::ProblemList,
};
use narratoria_protocol::stored_file::{RunnableFile, runnable_file};

/// Longest schema of a script's input or output.
const SCHEMA_BYTES_MAX: u64 = 256 << 10;
/// Longest component. One with a whole Python inside has 18.5 MB.
pub const COMPONENT_BYTES_MAX: u64 = 32 << 20;
/// All components of one package together.
pub(super) const COMPONENTS_BYTES_MAX: u64 = 256 << 20;

/// The first bytes of every wasm binary.
const WASM_MAGIC: &[u8] = b"\0asm";
/// Version 13 of layer 1: a component. A core module has `01 00 00 00`.
const COMPONENT_VERSION: &[u8] = &[0x0d, 0x00, 0x01, 0x00];
const MODULE_VERSION: &[u8] = &[0x01, 0x00, 0x00, 0x00];
/// Returns the faultless scripts; problems of the others go to `findings`.
pub(super) fn build_scripts(
    package: &PackageFiles,
    manifest: &ManifestJson,
    budget: &mut CompileBudget,
    findings: &mut ProblemList,
) -> Vec<Script> {
    let mut components = ComponentFinder { package, budget, found: BTreeMap::new(), bytes: 0 };
    let mut names = BTreeSet::new();
    let mut scripts = Vec::new();
    for (idx, json) in manifest.scripts.iter().enumerate() {
        let pointer = format!("/scripts/{idx}");
        if !names.insert(&json.name) {
            let what = format!("`{}` is the name of two scripts", json.name);
            findings.field(MANIFEST_FILE, format!("{pointer}/name"), what);
        }
        scripts.extend(build_script(&mut components, json, &pointer, findings));
    }
    scripts
}

fn build_script(
    components: &mut ComponentFinder<'_>,
    json: &ScriptJson,
    pointer: &str,
    findings: &mut ProblemList,
) -> Option<Script> {
    let grants = json.grants();
    let component = components.get(&json.path, &format!("{pointer}/path"), findings);
    let field = format!("{pointer}/inputSchema");
    let input_schema = components.load_schema(&json.input_schema, &field, findings);
    if let Some(schema) = &input_schema
        && schema.document().get("type").and_then(Value::as_str) != Some("object")
    {
        let what = "an input is an object, so the schema must say `\"type\": \"object\"`";
        findings.file(&json.input_schema, what);
    }
    if let Some(schema) = &input_schema {
        check_value_pointers(schema, json, findings);
    }
    let field = format!("{pointer}/outputSchema");
    for (idx, host) in grants.http.iter().enumerate() {
        if let Err(error) = HttpHost::parse(host) {
            findings.field(
                MANIFEST_FILE,
                format!("{pointer}{}/{idx}", json.hosts_pointer()),
                error.to_string(),
            );
        }
    }
    if json.heavy && Grant::ALL.into_iter().any(|grant| grant.is_requested_in(&grants)) {
        let what = "a heavy script may run on another machine, which has nothing of the story: it takes no grants";
        findings.field(MANIFEST_FILE, format!("{pointer}/heavy"), what);
    }
    let output_schema =
        json.output_schema.as_deref().map(|file| components.load_schema(file, &field, findings));
    Some(Script {
        name: json.name.clone(),
        path: json.path.clone(),
        description: json.description.clone(),
        timeout: json.timeout(),
        required: json.required,
        is_async: json.is_async,
        requires_approval: json.requires_approval,
        is_offered: json.offered,
        is_heavy: json.heavy,
        input_errors: json.input_errors.clone(),
        reads: json.reads.clone(),
        limits: json.limits(),
        grants,
        input_schema: input_schema?,
        output_schema: match output_schema {
            Some(schema) => Some(schema?),
            None => None,
        },
        component: component?,
    })
}

/// A script sees what its schema draws from, so that it can tell which of the values is meant.
fn check_value_pointers(schema: &Schema, json: &ScriptJson, findings: &mut ProblemList) {
    let mut reported = BTreeSet::new();
    for pointer in schema.value_pointers().filter(|pointer| reported.insert(*pointer)) {
        let is_read = |read: &String| {
            pointer
                .strip_prefix(read.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !json.reads.iter().any(is_read) {
            let what = format!(
                "draws values from `{pointer}`, which the script `{}` does not read: add it to its `reads`",
                json.name
            );
            findings.file(&json.input_schema, what);
        }
    }
}

/// Components by path, each found once even if several scripts share it.
struct ComponentFinder<'p> {
    package: &'p PackageFiles,
    budget: &'p mut CompileBudget,
    found: BTreeMap<String, Option<ComponentFile>>,
    bytes: u64,
}

impl ComponentFinder<'_> {
    fn load_schema(
        &mut self,
        file: &str,
        field: &str,
        findings: &mut ProblemList,
    ) -> Option<Schema> {
        if let Some(fault) = path_fault(file) {
            findings.field(MANIFEST_FILE, field, fault);
            return None;
        }
        let document = self.package.json(file, SCHEMA_BYTES_MAX, findings)?;
        let built = Schema::build_within(document, self.budget);
        built.map_err(|error| findings.file(file, error.to_string())).ok()
    }

    fn get(
        &mut self,
        path: &str,
        field: &str,
        findings: &mut ProblemList,
    ) -> Option<ComponentFile> {
        if let Some(fault) = path_fault(path) {
            findings.field(MANIFEST_FILE, field, fault);
            return None;
        }
        if let Some(known) = self.found.get(path) {
            return known.clone();
        }
        let found = match self.find(path) {
            Ok(component) => Some(component),
            Err(what) => {
                findings.file(path, what);
                None
            }
        };
        self.found.insert(path.to_owned(), found.clone());
        found
    }

    fn find(&mut self, path: &str) -> Result<ComponentFile, String> {
        let left = COMPONENTS_BYTES_MAX - self.bytes;
        let found = ComponentFile::find(self.package, path, COMPONENT_BYTES_MAX.min(left));
        let (component, head) = found.map_err(|error| error.to_string())?;
        if let Some(fault) = component_fault(&head) {
            return Err(fault.to_owned());
        }
        self.bytes += component.length() as u64;
        self.budget.take_component(component.length())?;
        Ok(component)
    }
}

/// Why these bytes cannot be a component, judged by the first eight. The sandbox, which compiles them, decides in the
/// end.
fn component_fault(bytes: &[u8]) -> Option<&'static str> {
    if let Some(version) = bytes.strip_prefix(WASM_MAGIC) {
        if version.starts_with(COMPONENT_VERSION) {
            return None;
        }
        if version.starts_with(MODULE_VERSION) {
            return Some(
                "is a core wasm module, a script must be a component (target wasm32-wasip2)",
            );
        }
        return Some(
            "is wasm of a version that this host does not know, a script must be a component",
        );
    }
    if runnable_file("", bytes) == Some(RunnableFile::Native) {
        return Some("is native code, a script must be a wasm component (target wasm32-wasip2)");
    }
    Some("is not wasm, a script must be a wasm component (target wasm32-wasip2)")
}

#[cfg(test)]
mod tests {
    use super::component_fault;

    #[test]
    fn only_a_component_is_accepted() {
        let cases: [&[u8]; 8] = [
            b"\0asm\x0d\0\x01\0rest",
            b"\0asm\x01\0\0\0rest",
            b"\0asm\x07\0\x01\0",
            b"\0asm",
            b"\x7fELF\x02\x01\x01\0",
            b"MZ\x90\0",
            b"#!/bin/sh",
            b"",
        ];
        let table: Vec<&str> =
            cases.iter().map(|case| component_fault(case).unwrap_or("fits")).collect();
        insta::assert_snapshot!(table.join("\n"), @"
        fits
        is a core wasm module, a script must be a component (target wasm32-wasip2)
        is wasm of a version that this host does not know, a script must be a component
        is wasm of a version that this host does not know, a script must be a component
        is native code, a script must be a wasm component (target wasm32-wasip2)
        is native code, a script must be a wasm component (target wasm32-wasip2)
        is not wasm, a script must be a wasm component (target wasm32-wasip2)
        is not wasm, a script must be a wasm component (target wasm32-wasip2)
        ");
    }
}
