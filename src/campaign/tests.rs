//! Campaigns as files in memory: their compiled forms and their problems.

mod broken;
mod bundled;
mod contracts;
mod covers;
mod dead_ends;
mod folders;
mod grammar;
mod kept;
mod loading;
mod mutated;
mod page;
mod stored;
mod walking;
mod wording;

use std::collections::BTreeMap;

use crate::{CampaignStartingPoint, CompileResult, template_files};

/// All findings, a line each.
fn shown(result: &CompileResult) -> String {
    let lines: Vec<String> = result.problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The files of a template without the schemas for editors.
fn files_of(from: CampaignStartingPoint) -> BTreeMap<String, Vec<u8>> {
    let files = template_files(from, "bridge").into_iter();
    files.filter(|(path, _)| !path.starts_with("schemas/")).collect()
}

fn minimal() -> BTreeMap<String, Vec<u8>> {
    files_of(CampaignStartingPoint::Minimal)
}

fn full() -> BTreeMap<String, Vec<u8>> {
    files_of(CampaignStartingPoint::Full)
}
