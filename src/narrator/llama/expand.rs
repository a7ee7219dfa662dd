//! Expands a compact plan into the steps of Plan JSON. Pure. Any text is possible, because a model without a grammar
//! writes anything.

use serde_json::Value;

use super::{
    compact_error::{CompactPlanError, CompactStepError},
    grammar::{ABORT, ABORT_CHARS_MAX},
    grammar_type::{GrammarField, GrammarType},
    step_notes::depend_on,
    step_syntax::{PLAN_STEPS_MAX, StepPlace, read_step},
    tool::{Tool, VerbatimParameter},
    tool_outputs::OutputReference,
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

/// The facts of a request that steps depend on.
#[derive(Debug, Clone)]
pub(super) struct ExpansionContext {
    pub(super) sentence: String,
    /// True if the plan replaces one that failed.
    pub(super) is_recovery: bool,
}

impl ExpansionContext {
    pub(super) fn of(request: &PlanRequest<'_>) -> ExpansionContext {
        let is_recovery = is_recovery(request);
        ExpansionContext { sentence: request.sentence.to_owned(), is_recovery }
    }
}

/// Returns true if the plan replaces one that failed: then the model may give up.
pub(super) fn is_recovery(request: &PlanRequest<'_>) -> bool {
    request.last_failure.is_some() || request.previous_plan.is_some()
}

/// Returns the reason of a model that gives up, `{"abort":"…"}` (S2, strategy 3). Returns `None` if the model may not
/// give up, or if it wrote a plan.
pub fn abort_reason(text: &str, request: &PlanRequest<'_>) -> Option<String> {
    let is_short = |reason: &str| (1..=ABORT_CHARS_MAX).contains(&(reason.chars().count() as u64));
    let bounds = JsonBounds::of_bytes(PLAN_TEXT_BYTES_MAX);
    match read_json(text.as_bytes(), bounds).ok()? {
        Value::Object(mut fields) if fields.len() == 1 && is_recovery(request) => {
            match fields.remove(ABORT)? {
                Value::String(reason) if is_short(&reason) => Some(reason),
                _ => None,
            }
        }
        _ => None,
    }
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
        let context = ExpansionContext::of(request);
        for (idx, step) in steps.into_iter().enumerate() {
            let tool = self.expand_step(step, &tools, &context);
            tools.push(tool.map_err(|fault| CompactPlanError::InvalidStep { idx, fault })?);
        }
        let narrative = match fields.remove("narrative") {
            Some(Value::String(text)) if !self.names_are_given && !text.trim().is_empty() => {
                Some(text)
            }
            _ => None,
        };
        Ok(ExpandedPlan { tools, narrative })
    }

    /// Expands a step that follows the `earlier` ones.
    pub(super) fn expand_step(
        &self,
        step: Value,
        earlier: &[ToolJson],
        context: &ExpansionContext,
    ) -> Result<ToolJson, CompactStepError> {
        let place = StepPlace { idx: earlier.len(), is_recovery: context.is_recovery };
        let tools: Vec<&Tool> = self.offered_tools().collect();
        let compact = read_step(&tools, step, place)?;
        let mut input = compact.input;
        for parameter in &compact.tool.verbatim_parameters {
            let words = verbatim_sentence(&context.sentence, parameter);
            input.insert(parameter.name.clone(), Value::String(words));
        }
        let missing = compact.references.iter().filter(|(_, it)| it.source(earlier).is_none());
        for (field, _) in missing {
            input.extend(in_place_of_reference(field, &context.sentence));
        }
        let tool = compact.tool;
        let mut step = plan_step(earlier, &tool.skill, tool.script(), input, None);
        step.dependencies = compact.after.iter().map(|idx| earlier[*idx].tool_id.clone()).collect();
        for (field, reference) in &compact.references {
            add_reference(&mut step, field, reference, earlier);
        }
        compact.notes.add_to(&mut step, earlier);
        Ok(step)
    }
}

/// Adds the value of an earlier step, if the plan has that step.
fn add_reference(
    step: &mut ToolJson,
    field: &GrammarField,
    reference: &OutputReference,
    earlier: &[ToolJson],
) {
    if let Some(source) = reference.source(earlier) {
        step.input.insert(field.name.clone(), reference.in_plan(source));
        depend_on(step, source);
    }
}

/// Returns the value of a parameter whose source is not in the plan. Returns `None` if it is optional, otherwise the
/// player's words, since only free texts of required parameters take references.
fn in_place_of_reference(field: &GrammarField, sentence: &str) -> Option<(String, Value)> {
    let GrammarType::Text(text) = &field.grammar_type else { return None };
    let (name, chars_min, chars_max) = (field.name.clone(), text.chars_min, text.chars_max);
    let parameter = VerbatimParameter { name, chars_min, chars_max };
    let words = Value::String(verbatim_sentence(sentence, &parameter));
    field.is_required.then_some((parameter.name, words))
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
