//! Expands a compact plan into the steps of Plan JSON. Pure. Any text is possible, because a model without a grammar
//! writes anything.

use serde_json::Value;

use super::{
    compact_error::{CompactPlanError, CompactStepError},
    step_syntax::{PLAN_STEPS_MAX, read_step},
    tool::VerbatimParameter,
    tool_set::ToolSet,
};
use crate::{PlanRequest, lexical::SENTENCE_BYTES_MAX, plan_step::plan_step};
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::{JsonBounds, StrictJsonError, read_json};

/// Longest compact plan, in bytes. A grammar allows only far shorter ones.
const PLAN_TEXT_BYTES_MAX: usize = 64 << 10;

/// Stands for an empty sentence where a script requires a text.
const EMPTY_SENTENCE: &str = "…";

/// A compact plan, expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpandedPlan {
    /// The steps, each depending only on those before it.
    pub tools: Vec<ToolJson>,
    /// Text to show if no step narrates.
    pub narrative: Option<String>,
}

impl ToolSet {
    /// Expands a complete compact plan. [`Plan::build`](narratoria_plan::Plan::build) checks whether it can run.
    pub fn expand(
        &self,
        text: &str,
        request: &PlanRequest<'_>,
    ) -> Result<ExpandedPlan, CompactPlanError> {
        let bounds = JsonBounds::of_bytes(PLAN_TEXT_BYTES_MAX);
        let plan = read_json(text.as_bytes(), bounds).map_err(|error| match error {
            StrictJsonError::TooLong { bytes, limit } => CompactPlanError::TooLong { bytes, limit },
            error => CompactPlanError::Unreadable { what: error.predicate() },
        })?;
        let Value::Object(mut fields) = plan else { return Err(CompactPlanError::NoSteps) };
        let Some(Value::Array(steps)) = fields.remove("steps") else {
            return Err(CompactPlanError::NoSteps);
        };
        if steps.is_empty() || steps.len() > PLAN_STEPS_MAX {
            return Err(CompactPlanError::StepCount { steps: steps.len(), limit: PLAN_STEPS_MAX });
        }
        let mut tools = Vec::new();
        for (idx, step) in steps.into_iter().enumerate() {
            let tool = self.expand_step(step, &tools, request.sentence);
            tools.push(tool.map_err(|fault| CompactPlanError::InvalidStep { idx, fault })?);
        }
        let narrative = match fields.remove("narrative") {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text),
            _ => None,
        };
        Ok(ExpandedPlan { tools, narrative })
    }

    /// Expands a step that follows the `earlier` ones.
    pub(super) fn expand_step(
        &self,
        step: Value,
        earlier: &[ToolJson],
        sentence: &str,
    ) -> Result<ToolJson, CompactStepError> {
        let compact = read_step(|path| self.tool(path), step, earlier.len())?;
        let mut input = compact.input;
        for parameter in &compact.tool.verbatim_parameters {
            input.insert(
                parameter.name.clone(),
                Value::String(verbatim_sentence(sentence, parameter)),
            );
        }
        let tool = compact.tool;
        let mut step = plan_step(earlier, &tool.skill, tool.script(), input, None);
        step.dependencies = compact.after.iter().map(|idx| earlier[*idx].tool_id.clone()).collect();
        Ok(step)
    }
}

/// The sentence, cut to the parameter's length.
fn verbatim_sentence(sentence: &str, parameter: &VerbatimParameter) -> String {
    let mut words = sentence[..sentence.floor_char_boundary(SENTENCE_BYTES_MAX)].trim();
    if let Some(max) = parameter.chars_max {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        words = words.char_indices().nth(max).map_or(words, |(end, _)| &words[..end]);
    }
    match words {
        "" if parameter.chars_min > 0 => EMPTY_SENTENCE.to_owned(),
        words => words.to_owned(),
    }
}
