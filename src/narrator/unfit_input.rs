//! Triggers that fire and fill an input that their script does not accept, for who asks why a plan has no such step. Pure.

use serde_json::{Value, json};

use crate::{plan_step::tool_path, schema_filling::complete_input, slot_filling::fill_fields};
use narratoria_protocol::{Object, visible::clip};
use narratoria_skills::{Script, Skill, StateValueLists, Trigger};

/// `metadata.unfit` of a plan.
pub(crate) const UNFIT_KEY: &str = "unfit";

/// Triggers of one sentence that are recorded.
const UNFIT_MAX: usize = 4;

/// Longest reason, in characters.
const WHY_CHARS_MAX: usize = 200;

/// A trigger of an installed package that fired in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnfitInput {
    tool: String,
    why: String,
}

impl UnfitInput {
    pub(crate) fn of(
        skill: &Skill,
        script: &Script,
        trigger: &Trigger,
        sentence: &str,
        state_values: &StateValueLists,
    ) -> Option<UnfitInput> {
        let why = unfit_input(skill, trigger, sentence, state_values)?;
        Some(UnfitInput { tool: tool_path(skill, script), why })
    }
}

/// The list in a plan; `None` if it is empty.
pub(crate) fn unfit_document(unfit: &[UnfitInput]) -> Option<Value> {
    let rows = unfit.iter().take(UNFIT_MAX).map(|it| json!({"tool": it.tool, "why": it.why}));
    (!unfit.is_empty()).then(|| rows.collect())
}

/// Why a script does not accept what a trigger fills in from a sentence. `None` if it does, and if the trigger needs other
/// words than the sentence has.
pub fn unfit_input(
    skill: &Skill,
    trigger: &Trigger,
    sentence: &str,
    state_values: &StateValueLists,
) -> Option<String> {
    let script = skill.script(&trigger.script)?;
    let filled = || fill_fields(trigger, script, sentence, state_values);
    let whole = (skill, script);
    if complete_input(filled()?, &Object::new(), whole, sentence, state_values).is_some() {
        return None;
    }
    let mut input = filled()?;
    input.by_default.append(&mut input.said);
    let input = Value::Object(input.by_default);
    let mismatches = script.input_schema.mismatches_in_state(&input, &[], state_values);
    let why = mismatches.first().map(|it| match it.pointer.as_str() {
        "" => it.what.clone(),
        pointer => format!("{pointer}: {}", it.what),
    });
    // The words of the sentence may have spoilt what the trigger alone would fill well.
    let why = why.unwrap_or_else(|| "the schema refuses what its words fill in".to_owned());
    Some(clip(&why, WHY_CHARS_MAX).into_owned())
}
