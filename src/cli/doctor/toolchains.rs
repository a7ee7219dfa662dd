//! The tools that build skills, one probe for each language. Finds them as `narratoria skill build` does.

use std::env;

use narratoria_kit::{Language, PackageBuildError, ToolOutput, find_toolchain};
use narratoria_ui::tool_stdio;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{finding::DoctorFinding, probe::DoctorContext};
use crate::skill::skill_build_tools;

/// The way to Rust itself. Each other tool has its command in the error of the kit.
const INSTALL_RUST: &str = "curl -sSf https://sh.rustup.rs | sh";

pub(super) fn rust(_: &DoctorContext) -> Vec<DoctorFinding> {
    vec![toolchain(Language::Rust, "Rust")]
}

pub(super) fn c(_: &DoctorContext) -> Vec<DoctorFinding> {
    vec![toolchain(Language::C, "C")]
}

pub(super) fn javascript(_: &DoctorContext) -> Vec<DoctorFinding> {
    vec![toolchain(Language::JavaScript, "JavaScript")]
}

pub(super) fn python(_: &DoctorContext) -> Vec<DoctorFinding> {
    vec![toolchain(Language::Python, "Python")]
}

/// Looks in the current folder and above it, then on the search path.
fn toolchain(language: Language, name: &str) -> DoctorFinding {
    let folder = env::current_dir().unwrap_or_else(|_| ".".into());
    let tools = skill_build_tools(ToolOutput::Shown(tool_stdio), CancellationToken::new());
    match find_toolchain(language, &folder, &tools) {
        Ok(tool) => {
            let tool = tool.display().to_string();
            DoctorFinding::ok(format!("skills in {name} are built by `{tool}`"), json!(tool))
        }
        Err(error) => {
            let help = help_of(&error);
            let command = help.iter().find_map(|help| help.split('`').nth(1));
            let install = command.unwrap_or(INSTALL_RUST);
            let more =
                if help.is_empty() { String::new() } else { format!(" ({})", help.join("; ")) };
            let text = format!("skills in {name} cannot be built: {error}{more}");
            DoctorFinding::note(text, json!(null), install)
        }
    }
}

/// How a tool is installed, a sentence each.
fn help_of(error: &PackageBuildError) -> &[String] {
    match error {
        PackageBuildError::NoTool { help, .. } => help,
        _ => &[],
    }
}
