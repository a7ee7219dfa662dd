//! Everything that can be wrong with a plan's text, and what would put it right.

use std::fmt;

use crate::skills::{ToolPathError, nearest};

/// How many errors are worth reading, for a person as for a planner that tries again.
pub const PLAN_ERRORS_MAX: usize = 32;

/// How many names a hint lists.
const HINT_NAMES_MAX: usize = 12;

/// What a `toolPath` may look like.
const FORMS: &str = "write `<skill>/<script>` or `capability:<tag>`";

/// Longest piece of the planner's own text that a message quotes.
const QUOTE_CHARS_MAX: usize = 80;

/// A plan that passes the check, for somebody who has not seen one.
const SMALLEST_PLAN: &str = r#"{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}"#;

/// Why a plan came to nothing, in the words that S0 FR-027 and the contracts use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureCategory {
    /// A script said so, or broke a rule of its meaning.
    ToolFailure,
    /// Steps wait for each other.
    CircularDependency,
    /// Time ran out.
    Timeout,
    /// A plan or a script wrote what cannot be read.
    InvalidJson,
    /// A script's process ended badly.
    ProcessError,
}

impl FailureCategory {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureCategory::ToolFailure => "tool_failure",
            FailureCategory::CircularDependency => "circular_dependency",
            FailureCategory::Timeout => "timeout",
            FailureCategory::InvalidJson => "invalid_json",
            FailureCategory::ProcessError => "process_error",
        }
    }
}

/// All that is wrong with one plan: never empty, at most [`PLAN_ERRORS_MAX`] told one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanErrors {
    errors: Vec<PlanError>,
    left_off: usize,
}

/// One thing wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Refused before it is read.
    #[error("the plan has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`super::PLAN_BYTES_MAX`].
        limit: usize,
    },
    /// Plans are UTF-8.
    #[error("line {line}, column {column}: not UTF-8")]
    NotUtf8 {
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
    },
    /// Deep nesting is an attack on whoever walks the value.
    #[error("the plan nests deeper than {limit} levels")]
    TooDeep {
        /// [`crate::protocol::DEPTH_MAX`].
        limit: usize,
    },
    /// Not one complete JSON value.
    #[error("the plan is not JSON: line {line}, column {column}: {what}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
        /// What the parser said.
        what: String,
    },
    /// JSON, but not what `contracts/plan-json.schema.json` describes.
    #[error("{place}: {what}")]
    Shape {
        /// Such as `tools[1] ("door").dependencies[0]`.
        place: String,
        /// What is wrong there, with the value.
        what: String,
    },
    /// A graph of this size is no story's turn.
    #[error("the plan has {steps} steps, the limit is {limit}")]
    TooManySteps {
        /// How many.
        steps: usize,
        /// [`super::STEPS_MAX`].
        limit: usize,
    },
    /// `requestId` and `metadata.parentPlanId` are UUIDs.
    #[error("`{field}` is `{found}`, it must be a UUID")]
    NotUuid {
        /// Which.
        field: &'static str,
        /// As given.
        found: String,
    },
    /// A number outside its range.
    #[error("{place} is {found}, it must be between {min} and {max}")]
    OutOfRange {
        /// Such as `tools[1] ("door").timeoutMs`.
        place: String,
        /// As given.
        found: u64,
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Ids are shown everywhere and stand in references.
    #[error(
        "`tools[{at}]` is called `{found}`; an id is 1 to {limit} letters, digits, `_`, `.` and `-`"
    )]
    BadId {
        /// Index in the text.
        at: usize,
        /// As given.
        found: String,
        /// Most characters.
        limit: usize,
    },
    /// Ids are what dependencies go by.
    #[error("`tools[{first}]` and `tools[{second}]` are both called `{step}`")]
    DuplicateId {
        /// The id.
        step: String,
        /// Index of the one that had it.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// The path names nothing that is loaded.
    #[error("step `{step}`: {why}")]
    ToolPath {
        /// The step.
        step: String,
        /// What the catalog said.
        why: ToolPathError,
        /// What it could have named.
        known: Vec<String>,
    },
    /// The step's skill was lost earlier.
    #[error("step `{step}` uses skill `{skill}`, which is disabled")]
    SkillDisabled {
        /// The step.
        step: String,
        /// The skill.
        skill: String,
        /// Scripts that it could use instead.
        known: Vec<String>,
    },
    /// The tag exists, but nobody may be asked for it.
    #[error("step `{step}`: every skill with the capability `{tag}` is disabled ({})", skills.join(", "))]
    CapabilityDisabled {
        /// The step.
        step: String,
        /// The tag.
        tag: String,
        /// Who has it.
        skills: Vec<String>,
    },
    /// The script's own schema refuses the input.
    #[error("{place}: {what}")]
    Input {
        /// Such as `tools[1] ("door").input.dice`.
        place: String,
        /// What is wrong there, with the value.
        what: String,
        /// `<skill>/<script>`.
        script: String,
        /// Fields that the script's schema names.
        fields: Vec<String>,
    },
    /// A dependency names no step.
    #[error("step `{step}` needs `{missing}`, which is not in the plan")]
    UnknownDependency {
        /// The step.
        step: String,
        /// As given.
        missing: String,
        /// The nearest id, if one is near.
        near: Option<String>,
    },
    /// A circle of one.
    #[error("step `{step}` needs itself")]
    SelfDependency {
        /// The step.
        step: String,
    },
    /// A dependency is listed twice.
    #[error("step `{step}` needs `{dependency}` twice")]
    DuplicateDependency {
        /// The step.
        step: String,
        /// The other.
        dependency: String,
    },
    /// No order could satisfy these.
    #[error("steps wait for each other: {}", circle(.steps))]
    Cycle {
        /// Each needs the next, and the last needs the first.
        steps: Vec<String>,
    },
    /// Known to the contract, but nothing here could honour it.
    #[error("step `{step}` uses `{field}`, which this version cannot run")]
    Unsupported {
        /// The step.
        step: String,
        /// Which.
        field: &'static str,
    },
    /// The script's manifest wants a person's word.
    #[error("step `{step}` runs `{script}`, which asks for approval; this version cannot ask")]
    NeedsApproval {
        /// The step.
        step: String,
        /// `<skill>/<script>`.
        script: String,
    },
    /// Inputs are literal in this version.
    #[error("{place} is the reference `{reference}`, which this version cannot run")]
    Reference {
        /// Such as `tools[1] ("door").input.dice`.
        place: String,
        /// As given.
        reference: String,
    },
}

impl PlanError {
    /// The way out, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            PlanError::ToolPath { why, known, .. } => Some(tool_path_hint(why, known)),
            PlanError::SkillDisabled { known, .. } if !known.is_empty() => {
                Some(format!("known scripts: {}", list(known)))
            }
            PlanError::Input { script, fields, .. } if !fields.is_empty() => {
                Some(format!("`{script}` takes: {}", list(fields)))
            }
            PlanError::UnknownDependency { near: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            PlanError::UnknownDependency { near: None, .. } => {
                Some("a dependency is the `toolId` of another step of the plan".to_owned())
            }
            PlanError::Reference { reference, .. } => {
                Some(format!("write `${reference}` for the text itself"))
            }
            PlanError::NotUtf8 { .. } | PlanError::NotJson { .. } => {
                Some(format!("a plan is one JSON object, the smallest is `{SMALLEST_PLAN}`"))
            }
            PlanError::DuplicateId { .. } => Some("give one of them another id".to_owned()),
            PlanError::SelfDependency { .. } => Some("take that dependency out".to_owned()),
            PlanError::DuplicateDependency { .. } => Some("name it once".to_owned()),
            PlanError::Cycle { .. } => Some("take one of these dependencies out".to_owned()),
            _ => None,
        }
    }

    /// Which of S0's reasons this is.
    pub fn category(&self) -> FailureCategory {
        match self {
            PlanError::Cycle { .. } | PlanError::SelfDependency { .. } => {
                FailureCategory::CircularDependency
            }
            _ => FailureCategory::InvalidJson,
        }
    }
}

impl PlanErrors {
    /// Counts those that are too many to tell.
    pub(super) fn push(&mut self, error: PlanError) {
        if self.errors.len() < PLAN_ERRORS_MAX {
            self.errors.push(error);
        } else {
            self.left_off += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// In the order of the plan's text where that says anything.
    pub fn iter(&self) -> impl Iterator<Item = &PlanError> {
        self.errors.iter()
    }

    /// How many more there are than [`PlanErrors::iter`] tells.
    pub fn left_off(&self) -> usize {
        self.left_off
    }

    /// `circular_dependency` when a circle is among the errors, else `invalid_json` (S0 FR-027).
    pub fn category(&self) -> FailureCategory {
        self.errors
            .iter()
            .map(PlanError::category)
            .find(|category| *category == FailureCategory::CircularDependency)
            .unwrap_or(FailureCategory::InvalidJson)
    }

    /// The hints of all errors, each once.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        for hint in self.errors.iter().filter_map(PlanError::hint) {
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        hints
    }
}

impl From<PlanError> for PlanErrors {
    fn from(error: PlanError) -> PlanErrors {
        PlanErrors { errors: vec![error], left_off: 0 }
    }
}

/// One error a line.
impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            let line_end = if at == 0 { "" } else { "\n" };
            write!(f, "{line_end}{error}")?;
        }
        match self.left_off {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for PlanErrors {}

fn circle(steps: &[String]) -> String {
    let mut text = steps.join(" -> ");
    if let Some(first) = steps.first() {
        text.push_str(" -> ");
        text.push_str(first);
    }
    text
}

fn tool_path_hint(why: &ToolPathError, known: &[String]) -> String {
    match why {
        ToolPathError::UnknownSkill { near: Some(near), .. } => format!("did you mean `{near}`?"),
        ToolPathError::UnknownScript { skill, script, has } => match nearest(script, has) {
            Some(near) => format!("did you mean `{skill}/{near}`?"),
            None => format!("skill `{skill}` has: {}", list(has)),
        },
        ToolPathError::UnknownCapability { tag } => match nearest(tag, known) {
            Some(near) => format!("did you mean `capability:{near}`?"),
            None => format!("known capabilities: {}", list(known)),
        },
        ToolPathError::UnknownSkill { .. } => format!("known scripts: {}", list(known)),
        ToolPathError::Malformed { .. } if known.is_empty() => FORMS.to_owned(),
        ToolPathError::Malformed { .. } => format!("{FORMS}; known scripts: {}", list(known)),
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown = names.iter().take(HINT_NAMES_MAX).map(String::as_str).collect::<Vec<_>>();
    match names.len().saturating_sub(HINT_NAMES_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The planner's text as it may stand in a message: short, and without what a terminal would obey.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTE_CHARS_MAX).flat_map(visible).collect();
    if text.chars().nth(QUOTE_CHARS_MAX).is_some() {
        quoted.push('…');
    }
    quoted
}

fn visible(char: char) -> impl Iterator<Item = char> {
    let (plain, escaped) =
        if char.is_control() { (None, Some(char.escape_default())) } else { (Some(char), None) };
    plain.into_iter().chain(escaped.into_iter().flatten())
}
