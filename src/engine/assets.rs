//! Which of the assets that scripts announced are kept: those that are there.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::Update;
use crate::{
    executor::{Asset, StepTrace, Trace},
    plan::{Plan, Step},
    story::AssetRow,
};

/// Where a step's assets lie, relative to the story's folder; each item of a loop has a folder of its own.
/// The step's id is checked to be harmless before a plan may run, except that it may be all dots; hence the
/// prefix.
pub(super) fn asset_folder(plan_id: &str, tool_id: &str, item: Option<usize>) -> PathBuf {
    let folder = Path::new("assets").join(plan_id).join(format!("step-{tool_id}"));
    match item {
        Some(item) => folder.join(format!("item-{item}")),
        None => folder,
    }
}

/// The assets of a plan that succeeded: rows for the story with their news, and a warning for each that
/// cannot be kept. `versions` are the ids of the turn's plans, the newest first: a step that kept its result
/// has its files where an earlier version ran it.
pub(super) fn kept_assets(
    turn: u64,
    plan: &Plan,
    trace: &Trace,
    versions: &[&str],
    story_folder: &Path,
) -> (Vec<(AssetRow, Update)>, Vec<Update>) {
    let (mut kept, mut warnings) = (Vec::new(), Vec::new());
    for asset in trace.assets() {
        let step = plan.step(asset.step);
        let folders = versions.iter().map(|id| asset_folder(id, &step.tool_id, asset.item));
        let mut ran_in = folders.filter(|folder| story_folder.join(folder).exists());
        let folder = match trace.step(asset.step).kept {
            true => ran_in.next(),
            false => None,
        };
        let folder = folder.unwrap_or_else(|| asset_folder(plan.id(), &step.tool_id, asset.item));
        let granted = is_granted(step, trace.step(asset.step), asset.item);
        match check(&asset, granted, &story_folder.join(&folder)) {
            Ok(()) => {
                let path = folder.join(asset.path).to_string_lossy().into_owned();
                kept.push(keep(turn, plan, &asset, path));
            }
            Err(what) => warnings.push(Update::StepWarned {
                turn,
                plan_id: plan.id().to_owned(),
                tool_id: step.tool_id.clone(),
                error_code: "ASSET_NOT_KEPT".to_owned(),
                error_message: format!("asset `{}`: {what}", asset.asset_id),
                details: None,
            }),
        }
    }
    (kept, warnings)
}

/// Whether whoever made it may make assets.
fn is_granted(step: &Step, trace: &StepTrace, item: Option<usize>) -> bool {
    let mut made_by = trace.attempts.iter().filter(|a| a.failure.is_none() && a.item == item);
    made_by.any(|attempt| attempt.by.among(step).is_some_and(|by| by.script().grants.assets))
}

fn check(asset: &Asset<'_>, granted: bool, folder: &Path) -> Result<(), String> {
    if !granted {
        return Err(r#"its `skill.json` would need "grants": {"assets": true}"#.to_owned());
    }
    let path = Path::new(asset.path);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if asset.path.is_empty() || !plain {
        return Err(format!("`{}` is not a path inside its asset folder", asset.path));
    }
    // Without following links: a script may have made one that leads out of its folder.
    let mut found = folder.to_owned();
    for part in path.components() {
        found.push(part);
        match fs::symlink_metadata(&found) {
            Ok(meta) if meta.file_type().is_symlink() => {
                return Err(format!("`{}` leads through a link", asset.path));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("`{}` is not there: {error}", asset.path)),
        }
    }
    match found.is_file() {
        true => Ok(()),
        false => Err(format!("`{}` is not a regular file", asset.path)),
    }
}

fn keep(turn: u64, plan: &Plan, asset: &Asset<'_>, path: String) -> (AssetRow, Update) {
    let row = AssetRow {
        plan: plan.id().to_owned(),
        tool_id: plan.step(asset.step).tool_id.clone(),
        asset_id: asset.asset_id.to_owned(),
        kind: asset.kind.to_owned(),
        media_type: asset.media_type.to_owned(),
        path,
        metadata: asset.metadata.cloned(),
    };
    let update = Update::AssetCreated {
        turn,
        plan_id: row.plan.clone(),
        tool_id: row.tool_id.clone(),
        asset_id: row.asset_id.clone(),
        kind: row.kind.clone(),
        media_type: row.media_type.clone(),
        path: row.path.clone(),
        metadata: row.metadata.clone(),
    };
    (row, update)
}
