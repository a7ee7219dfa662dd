//! The configuration: the file, and the variables that override it.

use narratoria_engine::TurnError;
use serde_json::json;

use super::{
    access::{is_there, move_aside, permit},
    finding::DoctorFinding,
    probe::DoctorContext,
};
use crate::{
    config::{self, PREMISE_VARIABLE, UserConfig},
    error::{CliError, with_hints},
    settings::Home,
};

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let Some(home) = context.home.as_ref().filter(|home| home.folder().is_dir()) else {
        return vec![DoctorFinding::ok("every setting has its default", json!(null))];
    };
    if let Err(error) = UserConfig::load(home) {
        return vec![of_file(&error, home)];
    }
    let mut findings = Vec::new();
    findings.extend(config::plan_settings(&context.settings).err().map(|error| of_turn(&error)));
    findings.extend(config::premise(None, &context.settings).err().map(|error| {
        DoctorFinding::fault(error.to_string(), json!(null), format!("unset {PREMISE_VARIABLE}"))
    }));
    if findings.is_empty() {
        let path = home.config();
        let value = json!(path.display().to_string());
        findings.push(match is_there(&path) {
            true => DoctorFinding::ok(format!("`{}` is in order", path.display()), value),
            false => DoctorFinding::ok("there is no file, so every setting has its default", value),
        });
    }
    findings
}

/// A file that cannot be used, and what to do about it.
fn of_file(error: &TurnError, home: &Home) -> DoctorFinding {
    let path = home.config();
    let command = match error.error.downcast_ref::<CliError>() {
        Some(CliError::Unreadable { .. }) => permit(&path),
        Some(CliError::NotRegular { .. } | CliError::TooLarge { .. }) => move_aside(&path),
        _ => "narratoria config edit".to_owned(),
    };
    DoctorFinding::fault(with_hints(error), json!(path.display().to_string()), command)
}

/// Settings of a turn that no command accepts.
fn of_turn(error: &TurnError) -> DoctorFinding {
    let command = match error.error.downcast_ref::<CliError>() {
        Some(CliError::BadVariable(error)) => format!("unset {}", error.variable()),
        Some(CliError::BeyondS0(_)) => "narratoria config set plan.beyond-s0 on".to_owned(),
        _ => "narratoria config show --origin".to_owned(),
    };
    DoctorFinding::fault(error.to_string(), json!(null), command)
}
