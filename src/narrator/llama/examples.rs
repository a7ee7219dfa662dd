//! A skill's examples in the prompt: the player's sentence and the compact plan for it. Pure.

use serde_json::{Value, json};

use super::{
    step_syntax::write_step,
    tool::{Tool, ToolParameters},
    tool_set::ToolSet,
};
use narratoria_protocol::Object;
use narratoria_skills::SkillExample;

impl ToolSet {
    /// The compact plan of an example: its step, and a narrating step if the skill wants its result narrated. None if the
    /// script fails in the example, if its input needs other steps, if the grammar cannot write the input, or if the
    /// sentence lacks a word of the input: from such an example a model would learn to guess.
    pub(super) fn compact_example(&self, tool: &Tool, example: &SkillExample) -> Option<String> {
        let is_good = example.expect.get("ok") != Some(&Value::Bool(false));
        let is_whole = example.inputs.is_none() && is_input_in_sentence(tool, example);
        if !is_good || !is_whole || !can_write(tool, &example.input) {
            return None;
        }
        let mut steps = vec![write_step(tool, &example.input, &[])];
        if wants_narration(tool)
            && let Some(narrator) = self.narrator()
        {
            steps.push(write_step(narrator, &Object::new(), &[0]));
        }
        Some(json!({"steps": steps, "narrative": ""}).to_string())
    }

    /// The first narrating script that needs no input from the model. Ignores disabled skills, so that the prompt's
    /// examples stay the same.
    pub(super) fn narrator(&self) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.is_narrator && can_write(tool, &Object::new()))
    }
}

/// Returns true if the sentence contains every text and number of the input's optional properties.
fn is_input_in_sentence(tool: &Tool, example: &SkillExample) -> bool {
    let ToolParameters::Properties(fields) = &tool.parameters else { return true };
    let sentence = example.sentence.as_deref().unwrap_or_default().to_lowercase();
    let optional = fields.iter().filter(|field| !field.is_required);
    optional.filter_map(|field| example.input.get(&field.name)).all(|value| match value {
        Value::String(text) => sentence.contains(&text.to_lowercase()),
        Value::Number(number) => sentence.contains(&number.to_string()),
        _ => true,
    })
}

fn wants_narration(tool: &Tool) -> bool {
    let mut triggers = tool.skill.triggers.iter();
    !tool.is_narrator && triggers.any(|it| it.script == tool.script().name && it.narrate)
}

/// Returns true if the model can write the input, except for the verbatim parameters.
fn can_write(tool: &Tool, input: &Object) -> bool {
    let fields = match &tool.parameters {
        ToolParameters::Properties(fields) => fields,
        ToolParameters::WholeInput(grammar_type) => {
            return grammar_type.admits(&Value::Object(input.clone()));
        }
    };
    let is_verbatim =
        |name: &str| tool.verbatim_parameters.iter().any(|parameter| parameter.name == name);
    let field = |name: &str| fields.iter().find(|field| field.name == name);
    input.iter().all(|(name, value)| {
        is_verbatim(name) || field(name).is_some_and(|field| field.grammar_type.admits(value))
    }) && fields.iter().all(|field| !field.is_required || input.contains_key(&field.name))
}
