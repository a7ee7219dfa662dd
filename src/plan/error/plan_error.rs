//! One thing wrong with a plan, in one sentence, and the way out of it.

use super::{FailureCategory, join_names, quote};
use crate::{FOR_EACH_ITEMS_MAX, ReferenceCheckError};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::ToolPathError;

/// What a `toolPath` may look like.
const TOOL_PATH_FORMS: &str = "write `<skill>/<script>` or `capability:<tag>`";

/// A plan that passes the check, for somebody who has not seen one.
const SMALLEST_PLAN: &str = r#"{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}"#;

/// How messages call the whole document.
pub(crate) const THE_PLAN: &str = "the plan";

/// One thing wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Refused before it is read.
    #[error("the plan has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`crate::PLAN_BYTES_MAX`].
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
        /// [`narratoria_protocol::DEPTH_MAX`].
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
    SchemaViolation {
        /// Such as `tools[1] ("door").dependencies[0]`.
        place: String,
        /// What is wrong there, with the value.
        what: String,
    },
    /// A typo would else change what a plan means without a word.
    #[error("{place} has a field `{field}` that no plan has")]
    UnknownField {
        /// Such as `tools[1] ("door")`.
        place: String,
        /// As given.
        field: String,
        /// Those that it may have.
        known: Vec<String>,
    },
    /// A graph of this size is no story's turn.
    #[error("the plan has {steps} steps, the limit is {limit}")]
    TooManySteps {
        /// How many.
        steps: usize,
        /// [`crate::STEPS_MAX`].
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
    InvalidId {
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
        /// The first of them that names the next one only in a reference or a condition, and that one.
        implied: Option<(String, String)>,
    },
    /// A string that begins like a reference leads nowhere, or to something that does not fit.
    #[error("{place}: `{}` {why}", quote(.reference))]
    Reference {
        /// Such as `tools[1] ("door").input.dice`.
        place: String,
        /// As given.
        reference: String,
        /// What is wrong with it.
        why: Box<ReferenceCheckError>,
    },
    /// `forEach` is neither a list nor a reference.
    #[error("{place} is {found}; it is a list, or a reference to one such as `$step.items`")]
    InvalidForEach {
        /// Such as `tools[1] ("door").forEach`.
        place: String,
        /// As given.
        found: String,
    },
    /// Items are never left out in silence.
    #[error("{place} has {items} items, the limit is {limit}")]
    TooManyItems {
        /// Such as `tools[1] ("door").forEach`.
        place: String,
        /// How many.
        items: usize,
        /// `maxItems`, or what it is at most.
        limit: usize,
    },
    /// There is no loop to bound.
    #[error("step `{step}` has `maxItems`, but no `forEach`")]
    MaxItemsWithoutForEach {
        /// The step.
        step: String,
    },
    /// The condition cannot be read, or could never be answered.
    #[error("{place}: {what}")]
    Condition {
        /// Such as `tools[1] ("door").when`.
        place: String,
        /// What is wrong with it.
        what: String,
    },
    /// What the output must meet is no schema.
    #[error("{place}: {what}")]
    InvalidExpect {
        /// Such as `tools[1] ("door").expect`.
        place: String,
        /// What the compiler of schemas said.
        what: String,
    },
    /// Nobody of that name is loaded.
    #[error("step `{step}` suggests skill `{skill}`, which does not exist")]
    UnknownSuggestion {
        /// The step.
        step: String,
        /// As given.
        skill: String,
        /// The nearest name, if one is near.
        near: Option<String>,
    },
}

impl PlanError {
    /// The way out, where there is one.
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
            PlanError::NotUtf8 { .. } | PlanError::NotJson { .. } => {
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

    /// Which of S0's reasons this is.
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
            None => format!("skill `{skill}` has: {}", join_names(has)),
        },
        ToolPathError::UnknownCapability { tag } => match nearest(tag, known) {
            Some(near) => format!("did you mean `capability:{near}`?"),
            None => format!("known capabilities: {}", join_names(known)),
        },
        ToolPathError::UnknownSkill { .. } => format!("known scripts: {}", join_names(known)),
        ToolPathError::Malformed { .. } if known.is_empty() => TOOL_PATH_FORMS.to_owned(),
        ToolPathError::Malformed { .. } => {
            format!("{TOOL_PATH_FORMS}; known scripts: {}", join_names(known))
        }
    }
}
