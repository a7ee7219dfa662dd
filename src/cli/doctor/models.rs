//! Language models: those that were fetched, the one in use, and those of other programs.

use narratoria_model::{
    caches::find_models,
    files::{DownloadState, ModelDir, ModelFile, ModelName, default_model, size_text},
};
use serde_json::{Value, json};

use super::{access::permit, finding::DoctorFinding, probe::DoctorContext};
use crate::{config::UserConfig, model::places};

/// Most unusable files that are named.
const NAMED_MAX: usize = 5;

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    if let Some(home) = &context.home {
        let files = ModelDir::open(home.models());
        match files.list() {
            Ok(list) => findings.extend(list.iter().map(about_file)),
            // The probe of the home says so of a file in the place of the folder.
            Err(_) if !home.models().is_dir() => {}
            Err(error) => findings.push(DoctorFinding::fault(
                error.to_string(),
                json!(null),
                permit(&home.models()),
            )),
        }
        findings.extend(in_use(UserConfig::load(home).unwrap_or_default().model, &files));
    }
    findings.extend(of_others());
    findings
}

/// A file of the program's own folder, compared with the record of its download by size alone.
fn about_file(file: &ModelFile) -> DoctorFinding {
    let name = &file.name;
    let value = json!({"name": name.to_string(), "bytes": file.bytes});
    match &file.state {
        DownloadState::Complete { record: Some(record) } if record.bytes != file.bytes => {
            let text = format!(
                "`{name}` is damaged: it has {} bytes and had {}",
                file.bytes, record.bytes
            );
            let command = format!("narratoria model rm {name} && narratoria model pull {name}");
            DoctorFinding::fault(text, value, command)
        }
        DownloadState::Complete { .. } => {
            DoctorFinding::ok(format!("`{name}` is here, {}", size_text(file.bytes)), value)
        }
        DownloadState::Partial { .. } => {
            let text = format!("`{name}` is here in part, {}", size_text(file.bytes));
            DoctorFinding::note(text, value, format!("narratoria model pull {name}"))
        }
    }
}

/// The model that is used without `--model`. The probe of servers looks at one on a server.
fn in_use(chosen: Option<ModelName>, files: &ModelDir) -> Option<DoctorFinding> {
    let name = chosen.unwrap_or_else(|| ModelName::Hub(default_model()));
    let value = json!({"inUse": name.to_string()});
    match &name {
        ModelName::Hub(hub) => files.find(hub).is_none().then(|| {
            let text = format!("the model in use, `{hub}`, is not here; without it the rules plan");
            DoctorFinding::note(text, value, format!("narratoria model pull {hub}"))
        }),
        ModelName::Path(path) => (!path.is_file()).then(|| {
            let text = format!("the model in use, `{}`, is not there", path.display());
            DoctorFinding::fault(text, value, "narratoria config unset model.use")
        }),
        ModelName::Server(_) => None,
    }
}

/// The files of other programs, as `narratoria model find` lists them.
fn of_others() -> Vec<DoctorFinding> {
    let found = find_models(&places());
    let mut findings = Vec::new();
    let paths: Vec<Value> =
        found.models.iter().map(|model| json!(model.path.display().to_string())).collect();
    if !paths.is_empty() {
        let text = match paths.len() {
            1 => "1 model file of another program can be used where it lies".to_owned(),
            count => format!("{count} model files of other programs can be used where they lie"),
        };
        findings.push(DoctorFinding::ok(text, json!(paths)));
    }
    findings.extend(found.unusable.iter().take(NAMED_MAX).map(|file| {
        let path = file.path.display();
        let text = format!("`{path}` ({}) cannot be used: {}", file.program, file.why);
        DoctorFinding::note(text, json!(path.to_string()), "narratoria model find")
    }));
    findings
}
