//! The interface between the server and the program that has the skills and the author's tools.

use std::{ffi::OsString, path::PathBuf};

use narratoria_serve::HostError;
use narratoria_skills::SkillGuide;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Has the skills and the author's tools. Calls may block; the server makes them on threads that may.
pub trait ToolHost: Send + Sync + 'static {
    /// The process that does this work. It prints one JSON document, or one a line, and uses no more than the player allows.
    fn process(&self, work: &ToolWork) -> Result<WorkProcess, HostError>;

    /// The campaign of this name as a new story takes it: a name of the list, or a path in the folder that the player has given.
    fn campaign(&self, named: &str) -> Result<String, HostError>;

    /// What a script does, if the player has to approve it before it runs.
    fn needs_approval(&self, script: &str) -> Result<Option<String>, HostError>;

    /// The installed skills that have a `SKILL.md`.
    fn guides(&self) -> Result<Vec<SkillGuide>, HostError>;

    /// A file of such a skill.
    fn guide_file(&self, skill: &str, path: &str) -> Result<Vec<u8>, HostError>;
}

/// Work of a tool. What its strings name is an installed thing, or lies in the folder that the player has given.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolWork {
    InspectSkill(InspectSkillWork),
    RunScript(RunScriptWork),
    CheckSkills(CheckSkillsWork),
    CheckCampaign(CheckCampaignWork),
    Evaluate(EvaluateWork),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectSkillWork {
    pub package: String,
    /// Runs its examples too.
    #[serde(default)]
    pub examples: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunScriptWork {
    /// `<skill>/<script>`.
    pub script: String,
    #[serde(default)]
    pub input: Map<String, Value>,
    /// The story that the script sees, and does not change.
    pub story: Option<String>,
    pub seed: Option<u64>,
    #[serde(default)]
    pub answers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckSkillsWork {
    pub packages: Vec<String>,
    #[serde(default)]
    pub strict: bool,
    pub seconds: Option<u32>,
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckCampaignWork {
    pub campaign: String,
    pub walks: Option<u32>,
    pub turns: Option<u32>,
    #[serde(default)]
    pub strict: bool,
    pub seconds: Option<u32>,
    pub seed: Option<u64>,
}

/// Either of `cases` and `file`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvaluateWork {
    #[serde(default)]
    pub cases: Vec<Map<String, Value>>,
    pub file: Option<String>,
    /// For one plan.
    pub timeout_ms: Option<u32>,
    /// Most misses of the report.
    pub misses: Option<u32>,
}

/// A process to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkProcess {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// Variables over those of this process.
    pub variables: Vec<(&'static str, OsString)>,
    /// What it reads on its standard input.
    pub input: Vec<u8>,
}
