//! What the database knows of a plan, as a file that a person can read: `plans/plan_NNN.json` in the
//! story's folder. Nothing reads it back, so one that cannot be written costs nothing but itself.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};
use serde_json::{Value, json};

use super::{PlanRow, StoryError};
use narratoria_protocol::Object;
use narratoria_protocol::visible::{is_harmless, visible_yaml};

/// In the story's folder.
const PLANS_FOLDER: &str = "plans";

/// A plan as one JSON object: the record of S3, and beside its fields which number and turn the plan
/// has, which voice made it, Plan JSON, the execution result and the errors.
pub fn export_plan(plan: &PlanRow, ordinal: u64, turn: u64) -> Value {
    let record = plan
        .record
        .as_ref()
        .map(|record| serde_json::to_value(record).expect("a record is made of JSON"));
    let mut mirror = match record {
        Some(Value::Object(record)) => record,
        _ => object(json!({
            "id": plan.id,
            "status": plan.status.as_str(),
            "previousPlanId": plan.parent_plan_id,
            "createdBy": plan.planner,
            "createdAt": plan.created_at.to_string(),
        })),
    };
    // A record of a plan that was replaced does not know so.
    mirror.insert("status".to_owned(), json!(plan.status.as_str()));
    mirror.extend(object(json!({
        "ordinal": ordinal,
        "turn": turn,
        "attempt": plan.attempt,
        "planner": plan.planner,
        "errors": plan.errors,
        "plan": plan.plan,
        "result": plan.result,
    })));
    Value::Object(mirror)
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// Renders JSON as YAML that reads back as the same JSON.
pub fn to_yaml(value: &Value) -> String {
    let text = serde_saphyr::to_string(value).expect("JSON has nothing that YAML lacks");
    if text.chars().all(is_harmless) {
        return text;
    }
    // Somebody may look at it on a terminal. JSON is YAML too, and all its strings can be escaped.
    let json = serde_json::to_string_pretty(value).expect("it was JSON");
    format!("{}\n", visible_yaml(&json))
}

/// The folder of mirrors, and what went wrong in it.
pub(super) struct ExportFolder {
    path: PathBuf,
    dir: Option<Dir>,
    warnings: Vec<StoryError>,
}

impl ExportFolder {
    /// Makes it where it is missing. A link that leads out of the story's folder is not followed.
    pub(super) fn open(story: &Path) -> ExportFolder {
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

    /// Writes one: all of it, or nothing.
    pub(super) fn write(&mut self, ordinal: u64, mirror: &Value) {
        let name = file_name(ordinal);
        let Some(dir) = &self.dir else { return };
        let mut text = format!("{mirror:#}");
        text.push('\n');
        if let Err(source) = replace(dir, &name, text.as_bytes()) {
            let path = self.path.join(name);
            self.warnings.push(StoryError::Io { action: "write the copy", path, source });
        }
    }

    /// Removes one, if it is there.
    pub(super) fn remove(&mut self, ordinal: u64) {
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

    /// What went wrong.
    pub(super) fn warnings(self) -> Vec<StoryError> {
        self.warnings
    }
}

fn file_name(ordinal: u64) -> String {
    format!("plan_{ordinal:03}.json")
}

/// Beside it first, then in its place. Not forced to the disk: the database is, and has the same.
fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = format!(".{name}.part");
    // Of a process that died here. Whatever it is, it is removed and not written through.
    match dir.remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = dir.open_with(&draft, OpenOptions::new().write(true).create_new(true))?;
    let written = file.write_all(bytes).and_then(|()| dir.rename(&draft, dir, name));
    if written.is_err() {
        // Best effort: what is left over is removed by the next one to write here.
        let _ = dir.remove_file(&draft);
    }
    written
}
