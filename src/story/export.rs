//! Plans as documents: a whole record, or the plan alone as it can run again, as JSON and as YAML; and the copies for
//! people, `plans/plan_NNN.json` in the story's folder. No program reads the copies back, so one that cannot be written
//! is only a warning.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};
use serde_json::{Value, json};

use crate::{PlanRow, StoryError};
use narratoria_plan::TASK_KEY;
use narratoria_protocol::{
    Object,
    visible::{is_harmless, visible_yaml},
};

/// How the task of a plan from a file begins, if the plan names no sentence.
const FILE_TASK_START: &str = "(the plan ";

/// In the story's folder.
const PLANS_FOLDER: &str = "plans";

/// A plan as one JSON object: the fields of S3's record, and the number, turn and planner of the plan, Plan
/// JSON, the execution result and the errors.
pub fn export_plan(plan: &PlanRow, ordinal: u64, turn: u64) -> Value {
    let record = plan
        .record
        .as_ref()
        .map(|record| serde_json::to_value(record).expect("a record is made of JSON"));
    let mut document = match record {
        Some(Value::Object(record)) => record,
        _ => object(json!({
            "id": plan.id,
            "status": plan.status.as_str(),
            "previousPlanId": plan.parent_plan_id,
            "createdBy": plan.planner,
            "createdAt": plan.created_at.to_string(),
        })),
    };
    // The record of a plan that was replaced has an older status.
    document.insert("status".to_owned(), json!(plan.status.as_str()));
    document.extend(object(json!({
        "ordinal": ordinal,
        "turn": turn,
        "attempt": plan.attempt,
        "planner": plan.planner,
        "errors": plan.errors,
        "plan": plan.plan,
        "result": plan.result,
    })));
    Value::Object(document)
}

/// The plan alone, as it can run again. It takes the player's sentence along as `metadata.task`; that of a plan from a file
/// only names the file.
pub fn export_runnable_plan(plan: &PlanRow) -> Value {
    let mut document = plan.plan.clone();
    let task = plan.record.as_ref().map(|record| record.task.as_str());
    if let (Some(task), Some(fields)) = (task, document.as_object_mut())
        && !task.starts_with(FILE_TASK_START)
        && fields.contains_key("tools")
    {
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.entry(TASK_KEY).or_insert_with(|| task.into());
        }
    }
    document
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// Renders JSON as YAML that reads back as the same JSON.
pub fn to_yaml(value: &Value) -> String {
    let text = serde_saphyr::to_string(value).expect("YAML can express all JSON");
    if text.chars().all(is_harmless) {
        return text;
    }
    // A person may read it on a terminal, so control characters must be escaped. JSON is also YAML, and can
    // escape every character.
    let json = serde_json::to_string_pretty(value).expect("the value is JSON");
    format!("{}\n", visible_yaml(&json))
}

/// The folder of copies, and the errors in it so far.
pub(crate) struct ExportFolder {
    path: PathBuf,
    dir: Option<Dir>,
    warnings: Vec<StoryError>,
}

impl ExportFolder {
    /// Creates the folder if it is missing. Does not follow a link out of the story's folder.
    pub(crate) fn open(story: &Path) -> ExportFolder {
        let open = || {
            let story = Dir::open_ambient_dir(story, ambient_authority())?;
            match story.create_dir(PLANS_FOLDER) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            story.open_dir(PLANS_FOLDER)
        };
        let mut folder =
            ExportFolder { path: story.join(PLANS_FOLDER), dir: None, warnings: Vec::new() };
        match open() {
            Ok(dir) => folder.dir = Some(dir),
            Err(source) => {
                let path = folder.path.clone();
                folder.warnings.push(StoryError::Io { action: "open the folder", path, source });
            }
        }
        folder
    }

    /// Writes the whole copy, or nothing.
    pub(crate) fn write(&mut self, ordinal: u64, document: &Value) {
        let name = file_name(ordinal);
        let Some(dir) = &self.dir else { return };
        let mut text = format!("{document:#}");
        text.push('\n');
        if let Err(source) = replace(dir, &name, text.as_bytes()) {
            let path = self.path.join(name);
            self.warnings.push(StoryError::Io { action: "write the copy", path, source });
        }
    }

    /// Removes a copy, if it exists.
    pub(crate) fn remove(&mut self, ordinal: u64) {
        let name = file_name(ordinal);
        let Some(dir) = &self.dir else { return };
        match dir.remove_file(&name) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                let path = self.path.join(name);
                self.warnings.push(StoryError::Io { action: "remove the copy", path, source });
            }
            _ => {}
        }
    }

    pub(crate) fn warnings(self) -> Vec<StoryError> {
        self.warnings
    }
}

fn file_name(ordinal: u64) -> String {
    format!("plan_{ordinal:03}.json")
}

/// Writes a draft beside the file, then renames it. Not forced to the disk, since the database holds the data.
fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = format!(".{name}.part");
    // A process that died here may have left a draft, or it may be a link: remove it, do not write through it.
    match dir.remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = dir.open_with(&draft, OpenOptions::new().write(true).create_new(true))?;
    let written = file.write_all(bytes).and_then(|()| dir.rename(&draft, dir, name));
    if written.is_err() {
        // Best effort: the next write removes a remaining draft.
        let _ = dir.remove_file(&draft);
    }
    written
}
