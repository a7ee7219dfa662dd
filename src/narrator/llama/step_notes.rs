//! The notes at the end of a compact step: when it runs, whether the player is asked first, what it does and why. All
//! of them are optional, and most steps have none. Pure.

use serde_json::{Map, Value, json};

use super::tool_outputs::{OutputCondition, OutputField, condition_schemas, read_condition};
use narratoria_plan::wire::ToolJson;

/// Longest text of a note. The player sees it beside the step.
const NOTE_CHARS_MAX: u64 = 60;

const IF: &str = "if";
const ASK: &str = "ask";
const DO: &str = "do";
const WHY: &str = "why";
const SKIP: &str = "skip";

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepNotes {
    condition: Option<OutputCondition>,
    asks: bool,
    description: Option<String>,
    reason: Option<String>,
    /// Why the step is not run (S2, strategy 3).
    skip: Option<String>,
}

/// The schema of the notes of step `idx`. A condition needs outputs of earlier steps. Only a plan that replaces a failed
/// one skips steps: a step without a purpose is left out of a first plan.
pub(super) fn notes_schema(idx: usize, outputs: &[&OutputField], is_recovery: bool) -> Value {
    let text = json!({"type": "string", "minLength": 1, "maxLength": NOTE_CHARS_MAX});
    let mut notes = Map::new();
    let conditions = if idx > 0 { condition_schemas(outputs) } else { Vec::new() };
    if !conditions.is_empty() {
        notes.insert(IF.to_owned(), super::grammar_type::any_of_schema(conditions));
    }
    notes.insert(ASK.to_owned(), json!({"const": true}));
    notes.insert(DO.to_owned(), text.clone());
    notes.insert(WHY.to_owned(), text.clone());
    if is_recovery {
        notes.insert(SKIP.to_owned(), text);
    }
    json!({"type": "object", "properties": notes, "additionalProperties": false})
}

impl StepNotes {
    /// Reads the notes of step `idx`. An error quotes the part that cannot be read.
    pub(super) fn read(
        notes: Value,
        idx: usize,
        outputs: &[&OutputField],
        is_recovery: bool,
    ) -> Result<StepNotes, String> {
        let Value::Object(fields) = notes else { return Err(notes.to_string()) };
        let mut read = StepNotes::default();
        for (name, value) in fields {
            let wrong = || format!("{{\"{name}\":{value}}}");
            let text = || {
                let text = value
                    .as_str()
                    .filter(|text| (1..=NOTE_CHARS_MAX).contains(&(text.chars().count() as u64)));
                text.map(str::to_owned).ok_or_else(wrong)
            };
            match name.as_str() {
                IF if idx > 0 => {
                    let condition = read_condition(&value, outputs);
                    read.condition = Some(condition.ok_or_else(wrong)?);
                }
                ASK if value == Value::Bool(true) => read.asks = true,
                DO => read.description = Some(text()?),
                WHY => read.reason = Some(text()?),
                SKIP if is_recovery => read.skip = Some(text()?),
                _ => return Err(wrong()),
            }
        }
        Ok(read)
    }

    /// Adds the notes to a step that follows the `earlier` ones. A condition on a step that is not there is dropped.
    pub(super) fn add_to(self, step: &mut ToolJson, earlier: &[ToolJson]) {
        let source = self.condition.as_ref().and_then(|it| Some((it, it.source(earlier)?)));
        if let Some((condition, source)) = source {
            step.when = Some(condition.in_plan(source));
            depend_on(step, source);
        }
        if self.asks {
            step.requires_approval = Some(true);
        }
        step.description = self.description;
        step.reason = self.reason;
        if let Some(reason) = self.skip {
            (step.skip, step.reason) = (true, Some(reason));
        }
    }
}

/// Adds a dependency, unless the step has it.
pub(super) fn depend_on(step: &mut ToolJson, source: &ToolJson) {
    if !step.dependencies.contains(&source.tool_id) {
        step.dependencies.push(source.tool_id.clone());
    }
}
