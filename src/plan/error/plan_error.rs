//! One error in a plan: a sentence and a hint.

use super::{FailureCategory, join_names, quote};
use crate::{ReferenceCheckError, model::FOR_EACH_ITEMS_MAX};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::ToolPathError;

const TOOL_PATH_FORMS: &str = "write `<skill>/<script>` or `capability:<tag>`";

/// A valid plan, for readers who have never seen one.
const SMALLEST_PLAN: &str = r#"{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}"#;

/// The name of the whole document in messages.
pub(crate) const THE_PLAN: &str = "the plan";

/// One error in a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Refused before parsing.
    #[error("the plan has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        bytes: usize,
        /// [`crate::PLAN_BYTES_MAX`].
        limit: usize,
    },
    #[error("line {line}, column {column}: not UTF-8")]
    NotUtf8 {
        line: usize,
        /// In bytes, from 1. Lines count from 1, too.
        column: usize,
    },
    /// Deep nesting could overflow the stack of a recursive parser.
    #[error("the plan nests deeper than {limit} levels")]
    TooDeep {
        /// [`narratoria_protocol::DEPTH_MAX`].
        limit: usize,
    },
    #[error("the plan is not JSON: line {line}, column {column}: {what}")]
    NotJson {
        line: usize,
        /// In bytes, from 1. Lines count from 1, too.
        column: usize,
        what: String,
    },
    /// Two parsers could read two different plans.
    #[error("line {line}, column {column}: the key {key} stands twice in one object")]
    DuplicateKey {
        /// The key as JSON.
        key: String,
        line: usize,
        /// In bytes, from 1. Lines count from 1, too.
        column: usize,
    },
    /// The plan would have another number than its author wrote.
    #[error("line {line}, column {column}: the number {number} would be read as another one")]
    Number {
        /// As it is written, cut short.
        number: String,
        line: usize,
        /// In bytes, from 1. Lines count from 1, too.
        column: usize,
    },
    /// Empty, in another encoding, or with too many values.
    #[error("the plan {what}")]
    Unreadable { what: String },
    /// Violates `contracts/plan-json.schema.json`.
    #[error("{place}: {what}")]
    SchemaViolation {
        place: String,
        /// The validator's message, with the value.
        what: String,
    },
    /// Unknown fields are refused, because a typo would silently change the plan.
    #[error("{place} has a field `{field}` that no plan has")]
    UnknownField {
        /// Such as `tools[1] ("door")`; every `place` below has this form.
        place: String,
        field: String,
        /// The fields that the contract allows there.
        known: Vec<String>,
    },
    #[error("the plan has {steps} steps, the limit is {limit}")]
    TooManySteps {
        steps: usize,
        /// [`crate::STEPS_MAX`].
        limit: usize,
    },
    #[error("`{field}` is `{found}`, it must be a UUID")]
    NotUuid { field: &'static str, found: String },
    #[error("{place} is {found}, it must be between {min} and {max}")]
    OutOfRange { place: String, found: u64, min: u64, max: u64 },
    #[error(
        "`tools[{at}]` is called `{found}`; an id is 1 to {limit} letters, digits, `_`, `.` and `-`"
    )]
    InvalidId {
        /// Index in `tools`.
        at: usize,
        found: String,
        limit: usize,
    },
    #[error("`tools[{first}]` and `tools[{second}]` are both called `{step}`")]
    DuplicateId { step: String, first: usize, second: usize },
    /// The path names no loaded script.
    #[error("step `{step}`: {why}")]
    ToolPath {
        step: String,
        why: ToolPathError,
        /// Known scripts, or known capabilities.
        known: Vec<String>,
    },
    /// The step's skill failed in an earlier attempt, or the player disabled it.
    #[error("step `{step}` uses skill `{skill}`, which is disabled")]
    SkillDisabled {
        step: String,
        skill: String,
        /// Scripts of enabled skills.
        known: Vec<String>,
    },
    #[error("step `{step}`: every skill with the capability `{tag}` is disabled ({})", skills.join(", "))]
    CapabilityDisabled {
        step: String,
        tag: String,
        /// The disabled skills with this tag.
        skills: Vec<String>,
    },
    /// The script's input schema refuses the input.
    #[error("{place}: {what}")]
    Input {
        place: String,
        /// The validator's message, with the value.
        what: String,
        script: String,
        /// The fields of the script's input schema.
        fields: Vec<String>,
    },
    #[error("step `{step}` needs `{missing}`, which is not in the plan")]
    UnknownDependency { step: String, missing: String, near: Option<String> },
    #[error("step `{step}` needs itself")]
    SelfDependency { step: String },
    #[error("step `{step}` needs `{dependency}` twice")]
    DuplicateDependency { step: String, dependency: String },
    #[error("steps wait for each other: {}", cycle(.steps))]
    Cycle {
        /// Each step needs the next, and the last needs the first.
        steps: Vec<String>,
        /// The first step of the cycle that needs the next only through a reference or a condition, and that next step.
        implied: Option<(String, String)>,
    },
    /// A string that begins like a reference leads nowhere, or its value does not fit.
    #[error("{place}: `{}` {why}", quote(.reference))]
    Reference { place: String, reference: String, why: Box<ReferenceCheckError> },
    #[error("{place} is {found}; it is a list, or a reference to one such as `$step.items`")]
    InvalidForEach { place: String, found: String },
    #[error("{place} has {items} items, the limit is {limit}")]
    TooManyItems {
        place: String,
        items: usize,
        /// `maxItems`, or its upper bound.
        limit: usize,
    },
    #[error("step `{step}` has `maxItems`, but no `forEach`")]
    MaxItemsWithoutForEach { step: String },
    /// The condition is malformed, or could never have an answer.
    #[error("{place}: {what}")]
    Condition { place: String, what: String },
    /// `expect` is not a JSON Schema.
    #[error("{place}: {what}")]
    InvalidExpect { place: String, what: String },
    #[error("step `{step}` suggests skill `{skill}`, which does not exist")]
    UnknownSuggestion { step: String, skill: String, near: Option<String> },
}

impl PlanError {
    /// Returns a hint for the planner or the author.
    pub fn hint(&self) -> Option<String> {
        match self {
            PlanError::ToolPath { why, known, .. } => Some(tool_path_hint(why, known)),
            PlanError::SkillDisabled { known, .. } if !known.is_empty() => {
                Some(format!("known scripts: {}", join_names(known)))
            }
            PlanError::Input { script, fields, .. } if !fields.is_empty() => {
                Some(format!("`{script}` takes: {}", join_names(fields)))
            }
            PlanError::UnknownDependency { near: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            PlanError::UnknownDependency { near: None, .. } => {
                Some("a dependency is the `toolId` of another step of the plan".to_owned())
            }
            PlanError::Reference { reference, why, .. } => why.hint(reference),
            PlanError::TooManyItems { items, limit, .. } if *items <= FOR_EACH_ITEMS_MAX => {
                Some(format!("set `maxItems` to {items}, or leave {} out", items - limit))
            }
            PlanError::TooManyItems { .. } => Some("spread the list over several steps".to_owned()),
            PlanError::MaxItemsWithoutForEach { .. } => Some("add `forEach`, or take it out".to_owned()),
            PlanError::UnknownSuggestion { near: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            PlanError::UnknownSuggestion { near: None, .. } => {
                Some("`narratoria skill list` shows who is there".to_owned())
            }
            PlanError::DuplicateKey { .. } => {
                Some("take one of the two out: only one of them could count".to_owned())
            }
            PlanError::Number { .. } => Some("write it as a string".to_owned()),
            PlanError::NotUtf8 { .. }
            | PlanError::NotJson { .. }
            | PlanError::Unreadable { .. } => {
                Some(format!("a plan is one JSON object, the smallest is `{SMALLEST_PLAN}`"))
            }
            PlanError::SchemaViolation { place, .. } if place == THE_PLAN => {
                Some(format!("a plan is one JSON object, the smallest is `{SMALLEST_PLAN}`"))
            }
            PlanError::UnknownField { field, known, .. } => Some(match nearest(field, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known fields: {}", join_names(known)),
            }),
            PlanError::TooManySteps { .. } => {
                Some("a loop (`forEach`) over a list is one step".to_owned())
            }
            PlanError::NotUuid { .. } => {
                Some("a UUID looks like `00000000-0000-4000-8000-000000000000`".to_owned())
            }
            PlanError::CapabilityDisabled { .. } => {
                Some("ask for another capability, or leave the step out".to_owned())
            }
            PlanError::InvalidExpect { .. } => Some(
                "`expect` is a JSON Schema that refers to nothing else, such as `{\"required\": [\"text\"]}`"
                    .to_owned(),
            ),
            PlanError::DuplicateId { .. } => Some("give one of them another id".to_owned()),
            PlanError::SelfDependency { .. } => Some("take that dependency out".to_owned()),
            PlanError::DuplicateDependency { .. } => Some("name it once".to_owned()),
            PlanError::Cycle { implied: None, .. } => {
                Some("take one of these dependencies out".to_owned())
            }
            PlanError::Cycle { implied: Some((step, need)), .. } => Some(format!(
                "take one of these dependencies out; `{step}` waits for `{need}` because it refers to it"
            )),
            _ => None,
        }
    }

    /// Returns the category of S0 FR-027.
    pub fn category(&self) -> FailureCategory {
        match self {
            PlanError::Cycle { .. } | PlanError::SelfDependency { .. } => {
                FailureCategory::CircularDependency
            }
            PlanError::Reference { why, .. } if **why == ReferenceCheckError::SelfReference => {
                FailureCategory::CircularDependency
            }
            _ => FailureCategory::InvalidJson,
        }
    }
}

fn cycle(steps: &[String]) -> String {
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
        ToolPathError::UnknownScript { skill, has, .. } if has.is_empty() => {
            format!("skill `{skill}` is a prompt alone, no step can run it")
        }
        ToolPathError::UnknownScript { skill, script, has } => match nearest(script, has) {
            Some(near) => format!("did you mean `{skill}/{near}`?"),
            None => format!("skill `{skill}` has: {}", join_names(has)),
        },
        ToolPathError::UnknownCapability { tag } => match nearest(tag, known) {
            Some(near) => format!("did you mean `capability:{near}`?"),
            None => format!("known capabilities: {}", join_names(known)),
        },
        ToolPathError::UnknownSkill { .. } => format!("known scripts: {}", join_names(known)),
        ToolPathError::Malformed { path } => match (script_of_file(path), known) {
            (Some(script), _) => format!("a plan names the script, not its file: write `{script}`"),
            (None, []) => TOOL_PATH_FORMS.to_owned(),
            (None, known) => format!("{TOOL_PATH_FORMS}; known scripts: {}", join_names(known)),
        },
    }
}

/// Returns the tool path for the path of a script's file: `dice-roller/roll-dice` for S0's
/// `skills/dice-roller/roll-dice.dart`.
pub fn script_of_file(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let skills = parts.iter().rposition(|part| *part == "skills");
    parts.drain(..skills.map_or(0, |at| at + 1));
    let (skill, file) = match parts.as_slice() {
        [skill, "scripts", file] | [skill, file] => (*skill, *file),
        _ => return None,
    };
    // A path such as `/bin/sh` means something else.
    if skills.is_none() && !file.contains('.') {
        return None;
    }
    let script = file.split_once('.').map_or(file, |(name, _)| name).replace('_', "-");
    let is_name = |name: &str| {
        let is_part = |part: &str| {
            let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
            !part.is_empty() && part.chars().all(is_plain)
        };
        name.split('-').all(is_part)
    };
    (is_name(skill) && is_name(&script)).then(|| format!("{skill}/{script}"))
}
