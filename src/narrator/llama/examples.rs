//! A skill's examples as the prompt shows them: the player's sentence and the compact plan for it. Pure.

use serde_json::{Value, json};

use super::tool_set::{Tool, ToolParameters, ToolSet};
use narratoria_protocol::Object;
use narratoria_skills::SkillExample;

impl ToolSet {
    /// The compact plan that an example stands for: its step and, where the skill wants its outcome told, one
    /// that tells it. Nothing where a model could not write it, where the script is not to succeed, where it follows
    /// steps that the example does not name, or where it takes from elsewhere what its sentence does not say: a
    /// model would learn to guess.
    pub(super) fn compact_example(&self, item: &Tool, example: &SkillExample) -> Option<String> {
        let is_good = example.expect.get("ok") != Some(&Value::Bool(false));
        let is_whole = example.inputs.is_none() && is_input_in_sentence(item, example);
        if !is_good || !is_whole || !can_write(item, &example.input) {
            return None;
        }
        let mut steps = vec![self.syntax.write_step(item, &example.input, &[])];
        if wants_narration(item)
            && let Some(narrator) = self.narrator()
        {
            steps.push(self.syntax.write_step(narrator, &Object::new(), &[0]));
        }
        Some(json!({"steps": steps, "narrative": ""}).to_string())
    }

    /// The first script that narrates and needs nothing written. Whatever is disabled: the prompt's examples
    /// stay the same.
    pub(super) fn narrator(&self) -> Option<&Tool> {
        self.tools.iter().find(|item| item.is_narrator && can_write(item, &Object::new()))
    }
}

/// Whether the sentence has every word and number that the input has where it need not.
fn is_input_in_sentence(item: &Tool, example: &SkillExample) -> bool {
    let ToolParameters::Properties(slots) = &item.parameters else { return true };
    let sentence = example.sentence.as_deref().unwrap_or_default().to_lowercase();
    let optional = slots.iter().filter(|slot| !slot.is_required);
    optional.filter_map(|slot| example.input.get(&slot.name)).all(|value| match value {
        Value::String(text) => sentence.contains(&text.to_lowercase()),
        Value::Number(number) => sentence.contains(&number.to_string()),
        _ => true,
    })
}

fn wants_narration(item: &Tool) -> bool {
    let mut triggers = item.skill.triggers.iter();
    !item.is_narrator && triggers.any(|it| it.script == item.script().name && it.narrate)
}

/// Whether all of an input can be written, what the host says aside.
fn can_write(item: &Tool, input: &Object) -> bool {
    let slots = match &item.parameters {
        ToolParameters::Properties(slots) => slots,
        ToolParameters::WholeInput(shape) => return shape.admits(&Value::Object(input.clone())),
    };
    let is_said = |name: &str| item.verbatim_parameters.iter().any(|said| said.name == name);
    let slot = |name: &str| slots.iter().find(|slot| slot.name == name);
    input.iter().all(|(name, value)| {
        is_said(name) || slot(name).is_some_and(|slot| slot.grammar_type.admits(value))
    }) && slots.iter().all(|slot| !slot.is_required || input.contains_key(&slot.name))
}
