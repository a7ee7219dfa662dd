//! Errors of edits, and hints for the person who edits.

use crate::PlanErrors;

/// Why an edit makes no new version. A refused edit changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanEditError {
    #[error("there is no step `{step}` in the plan")]
    UnknownStep { step: String, near: Option<String> },
    #[error("there is no place {to} among {steps} steps, the first is 0 and the last is {last}")]
    UnknownPlace { to: usize, steps: usize, last: usize },
    #[error("step `{step}` cannot come before step `{need}`, {}", needed_how(step, .through))]
    BeforeDependency {
        step: String,
        need: String,
        /// The steps between, if the dependency is indirect.
        through: Vec<String>,
    },
    #[error("step `{step}` cannot come after step `{dependent}`, {}", needs_how(step, .through))]
    AfterDependent {
        step: String,
        dependent: String,
        /// The steps between, if the dependency is indirect.
        through: Vec<String>,
    },
    #[error("step `{step}` cannot be removed, `{}` {}", by.join("`, `"), if by.len() == 1 { "needs it" } else { "need it" })]
    HasDependents { step: String, by: Vec<String> },
    #[error("there is a step `{step}` in the plan already")]
    DuplicateStepId { step: String },
    /// Another step reads a part of the output, and a skipped step gives null.
    #[error("step `{step}` cannot be skipped, `{reader}` takes `{reference}` from it")]
    SkippedStepIsRead { step: String, reader: String, reference: String },
    #[error("the plan is no different after this edit")]
    NoChange,
    #[error("the edited plan would not be valid:\n{0}")]
    InvalidPlan(PlanErrors),
}

impl PlanEditError {
    /// Returns hints for the person.
    pub fn hints(&self) -> Vec<String> {
        match self {
            PlanEditError::UnknownStep { near: Some(near), .. } => {
                vec![format!("did you mean `{near}`?")]
            }
            PlanEditError::HasDependents { step, .. } => {
                vec![format!("skip it instead, or remove what needs `{step}` first")]
            }
            PlanEditError::BeforeDependency { step, need, through } => {
                vec![dependency_hint(step, through.first().unwrap_or(need))]
            }
            PlanEditError::AfterDependent { step, dependent, through } => {
                vec![dependency_hint(dependent, through.first().unwrap_or(step))]
            }
            PlanEditError::SkippedStepIsRead { reader, .. } => {
                vec![format!("skip `{reader}` first, or give it another input")]
            }
            PlanEditError::DuplicateStepId { .. } => {
                vec!["give the new step another `toolId`".to_owned()]
            }
            PlanEditError::InvalidPlan(errors) => errors.hints(),
            _ => Vec::new(),
        }
    }
}

/// Returns a hint about `step`, which waits for `need` directly.
fn dependency_hint(step: &str, need: &str) -> String {
    format!("take the dependency of `{step}` on `{need}` out first, if it is not meant")
}

fn needed_how(step: &str, through: &[String]) -> String {
    match through {
        [] => "which it needs".to_owned(),
        through => format!("which `{step}` needs through `{}`", through.join("`, `")),
    }
}

fn needs_how(step: &str, through: &[String]) -> String {
    match through {
        [] => "which needs it".to_owned(),
        through => format!("which needs `{step}` through `{}`", through.join("`, `")),
    }
}
