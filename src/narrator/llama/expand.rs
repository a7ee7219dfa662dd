//! A compact plan becomes the steps of a Plan JSON. Pure, and trusts nobody: without a grammar a model writes
//! anything.

use serde_json::Value;

use super::{
    step_syntax::PLAN_STEPS_MAX,
    tool_set::{ToolSet, VerbatimParameter},
};
use crate::{PlanRequest, lexical::SENTENCE_BYTES_MAX, plan_step::plan_step};
use narratoria_plan::wire::ToolJson;

/// Longest text that is read as a compact plan. What a grammar lets through is far shorter.
pub const PLAN_TEXT_BYTES_MAX: usize = 64 << 10;

/// Longest piece of a model's text that an error repeats.
const QUOTE_CHARS_MAX: usize = 80;

/// What a player says who says nothing, where something must be said.
const EMPTY_SENTENCE: &str = "…";

/// A compact plan, expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpandedPlan {
    /// The steps, each depending only on those before it.
    pub tools: Vec<ToolJson>,
    /// What to show where no step narrates.
    pub narrative: Option<String>,
}

/// What is wrong with a text that should be a compact plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactPlanError {
    /// Longer than any plan.
    #[error("the plan has {bytes} bytes, at most {limit} are read")]
    TooLong {
        /// How many.
        bytes: usize,
        /// Most.
        limit: usize,
    },
    /// No JSON.
    #[error("the plan is not JSON: {reason}")]
    NotJson {
        /// As the parser said it.
        reason: String,
    },
    /// JSON, but without a list of steps.
    #[error("the plan has no list `steps`")]
    NoSteps,
    /// A plan of nothing.
    #[error("the plan has {steps} steps, not 1 to {limit}")]
    StepCount {
        /// How many.
        steps: usize,
        /// Most.
        limit: usize,
    },
    /// A step is wrong.
    #[error("step {idx} of the plan: {fault}")]
    InvalidStep {
        /// Counted from 0, as the model does.
        idx: usize,
        /// What is wrong.
        fault: CompactStepError,
    },
}

/// What is wrong with one step of a compact plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactStepError {
    /// Of another form.
    #[error("`{}` is no step", quoted(.found))]
    NotAStep {
        /// What stands there.
        found: String,
    },
    /// Not on the menu, or disabled.
    #[error("`{}` is no tool that this plan may use", quoted(.found))]
    UnknownTool {
        /// As written.
        found: String,
    },
    /// Too many or too few values.
    #[error("`{path}` has {found} parts where {expected} belong")]
    WrongLength {
        /// The tool.
        path: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A slot that the tool does not have.
    #[error("`{path}` has no slot `{}`", quoted(.name))]
    UnknownParameter {
        /// The tool.
        path: String,
        /// As written.
        name: String,
    },
    /// No object where the input belongs.
    #[error("`{path}` has `{}` where an object belongs", quoted(.found))]
    InputNotObject {
        /// The tool.
        path: String,
        /// What stands there.
        found: String,
    },
    /// Not a list of earlier steps.
    #[error("`{path}` comes after `{}`, which is no list of numbers below {idx}", quoted(.found))]
    InvalidDependencies {
        /// The tool.
        path: String,
        /// As written.
        found: String,
        /// The step's own number.
        idx: usize,
    },
}

impl ToolSet {
    /// The steps and the narrative of a complete compact plan. Whether they make a plan that can run is for
    /// [`Plan::build`](narratoria_plan::Plan::build) to say.
    pub fn expand(
        &self,
        text: &str,
        ask: &PlanRequest<'_>,
    ) -> Result<ExpandedPlan, CompactPlanError> {
        if text.len() > PLAN_TEXT_BYTES_MAX {
            let limit = PLAN_TEXT_BYTES_MAX;
            return Err(CompactPlanError::TooLong { bytes: text.len(), limit });
        }
        let plan: Value = serde_json::from_str(text)
            .map_err(|error| CompactPlanError::NotJson { reason: error.to_string() })?;
        let Value::Object(mut fields) = plan else { return Err(CompactPlanError::NoSteps) };
        let Some(Value::Array(steps)) = fields.remove("steps") else {
            return Err(CompactPlanError::NoSteps);
        };
        if steps.is_empty() || steps.len() > PLAN_STEPS_MAX {
            return Err(CompactPlanError::StepCount { steps: steps.len(), limit: PLAN_STEPS_MAX });
        }
        let mut tools = Vec::new();
        for (idx, step) in steps.into_iter().enumerate() {
            let tool = self.expand_step(step, &tools, ask.sentence);
            tools.push(tool.map_err(|fault| CompactPlanError::InvalidStep { idx, fault })?);
        }
        let narrative = match fields.remove("narrative") {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text),
            _ => None,
        };
        Ok(ExpandedPlan { tools, narrative })
    }

    /// A step that comes after these.
    pub(super) fn expand_step(
        &self,
        step: Value,
        earlier: &[ToolJson],
        sentence: &str,
    ) -> Result<ToolJson, CompactStepError> {
        let written = self.syntax.read_step(self, step, earlier.len())?;
        let mut input = written.input;
        for said in &written.tool.verbatim_parameters {
            input.insert(said.name.clone(), Value::String(verbatim_sentence(sentence, said)));
        }
        let item = written.tool;
        let mut step = plan_step(earlier, &item.skill, item.script(), input, None);
        step.dependencies = written.after.iter().map(|idx| earlier[*idx].tool_id.clone()).collect();
        Ok(step)
    }
}

/// The player's sentence, as much of it as fits.
fn verbatim_sentence(sentence: &str, said: &VerbatimParameter) -> String {
    let mut words = sentence[..sentence.floor_char_boundary(SENTENCE_BYTES_MAX)].trim();
    if let Some(max) = said.chars_max {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        words = words.char_indices().nth(max).map_or(words, |(end, _)| &words[..end]);
    }
    match words {
        "" if said.chars_min > 0 => EMPTY_SENTENCE.to_owned(),
        words => words.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
