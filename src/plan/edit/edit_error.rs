//! Why an edit is refused.

use crate::PlanErrors;

/// Why there is no new version. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanEditError {
    /// No step has that id.
    #[error("there is no step `{step}` in the plan")]
    UnknownStep {
        /// As given.
        step: String,
        /// The nearest id, if one is near.
        near: Option<String>,
    },
    /// No such place.
    #[error("there is no place {to} among {steps} steps, the first is 0 and the last is {last}")]
    UnknownPlace {
        /// As given.
        to: usize,
        /// How many steps there are.
        steps: usize,
        /// The last place.
        last: usize,
    },
    /// It would come before what it waits for.
    #[error("step `{step}` cannot come before step `{need}`, {}", needed_how(step, .through))]
    BeforeDependency {
        /// The step.
        step: String,
        /// What it needs.
        need: String,
        /// The steps between, if it needs it only because of others.
        through: Vec<String>,
    },
    /// It would come after what waits for it.
    #[error("step `{step}` cannot come after step `{dependent}`, {}", needs_how(step, .through))]
    AfterDependent {
        /// The step.
        step: String,
        /// What needs it.
        dependent: String,
        /// The steps between, if it is needed only because of others.
        through: Vec<String>,
    },
    /// Others would be left without what they wait for.
    #[error("step `{step}` cannot be removed, `{}` {}", by.join("`, `"), if by.len() == 1 { "needs it" } else { "need it" })]
    HasDependents {
        /// The step.
        step: String,
        /// Who needs it.
        by: Vec<String>,
    },
    /// The id is taken.
    #[error("there is a step `{step}` in the plan already")]
    DuplicateStepId {
        /// The id.
        step: String,
    },
    /// A part of what a skipped step gives is wanted, and it gives nothing.
    #[error("step `{step}` cannot be skipped, `{reader}` takes `{reference}` from it")]
    SkippedStepIsRead {
        /// The step.
        step: String,
        /// Who reads.
        reader: String,
        /// What.
        reference: String,
    },
    /// The plan says that already.
    #[error("the plan is no different after this edit")]
    NoChange,
    /// The edit could be made, but what comes of it is no valid plan.
    #[error("the edited plan would not be valid:\n{0}")]
    InvalidPlan(PlanErrors),
}

impl PlanEditError {
    /// The ways out.
    pub fn hints(&self) -> Vec<String> {
        match self {
            PlanEditError::UnknownStep { near: Some(near), .. } => {
                vec![format!("did you mean `{near}`?")]
            }
            PlanEditError::HasDependents { step, .. } => {
                vec![format!("skip it instead, or remove what needs `{step}` first")]
            }
            PlanEditError::BeforeDependency { .. } | PlanEditError::AfterDependent { .. } => {
                vec!["take the dependency out first, if it is not meant".to_owned()]
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
