//! The scripts that a plan of this turn may use, and the parameters that the model writes for each.

use std::sync::Arc;

use serde_json::Value;

use super::{
    grammar::{self, PlanShape},
    grammar_type::{GrammarField, GrammarType},
    lowering::{self, LoweringError},
    tool::{Tool, ToolParameters, VerbatimParameter},
    tool_outputs::output_fields,
};
use crate::{lexical::is_narrator, occasion::makes_sense_in, plan_step::tool_path};
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, Script, Skill, StateValueLists};

/// Most scripts that a model can choose from. More would neither fit the prompt nor help it choose.
pub(super) const TOOL_SET_MAX: usize = 32;

/// The template of a property that takes the player's sentence unchanged.
const WHOLE_SENTENCE: &str = "{sentence}";

/// The tools that a model may choose from. Clones share them.
#[derive(Debug, Clone)]
pub struct ToolSet {
    /// Disabled tools included: the prompt shows all of them, so that it does not change during a turn.
    pub(super) tools: Arc<[Tool]>,
    /// The tools with the values that the state has in this turn.
    turn_tools: Arc<[Tool]>,
    /// For each tool, whether this turn may use it.
    pub(super) is_offered: Vec<bool>,
    /// True if the state lists the values that can be named. A sentence of the plan's own could name something else,
    /// and no check would notice.
    pub(super) names_are_given: bool,
    left_out: Arc<[(String, String)]>,
}

impl ToolSet {
    /// The scripts whose input a grammar can enforce, at most [`TOOL_SET_MAX`]: narrating scripts first, then by
    /// priority, then by name. The tools of `disabled` skills are in the set and not offered.
    ///
    /// `can_write` says why a schema cannot be a grammar. The model is not offered an optional property that
    /// `can_write` refuses, nor a script with such a required property.
    pub fn from_catalog(
        catalog: &Catalog,
        disabled: &[String],
        can_write: &dyn Fn(&Value) -> Result<(), String>,
    ) -> ToolSet {
        let mut tools = Vec::new();
        let mut left_out = Vec::new();
        for (skill, script_idx) in ranked_scripts(catalog) {
            let path = tool_path(skill, &skill.scripts[script_idx]);
            if tools.len() >= TOOL_SET_MAX {
                left_out.push((path, format!("at most {TOOL_SET_MAX} scripts are offered")));
                continue;
            }
            match build_tool(skill, script_idx) {
                Ok(tool) => tools.push(tool),
                Err(reason) => left_out.push((path, format!("its input {reason}"))),
            }
        }
        let shape = PlanShape { is_recovery: true, has_narrative: true };
        let refused = |tools: &[Tool]| {
            let all: Vec<&Tool> = tools.iter().collect();
            can_write(&grammar::plan_schema(&all, shape)).err()
        };
        if !tools.is_empty() && refused(&tools).is_some() {
            tools.retain_mut(|tool| match drop_refused_parameters(tool, &refused) {
                Ok(()) => true,
                Err(reason) => {
                    left_out.push((tool.path.clone(), format!("its grammar is refused: {reason}")));
                    false
                }
            });
            while let Some(reason) =
                Some(&tools).filter(|it| !it.is_empty()).and_then(|it| refused(it))
            {
                for tool in tools.split_off(tools.len() / 2) {
                    left_out.push((tool.path, format!("the grammar of all is refused: {reason}")));
                }
            }
        }
        let is_offered = offered_flags(&tools, disabled);
        let tools: Arc<[Tool]> = tools.into();
        ToolSet {
            turn_tools: Arc::clone(&tools),
            tools,
            is_offered,
            names_are_given: false,
            left_out: left_out.into(),
        }
    }

    /// Returns the tools with other skills disabled.
    pub fn with_disabled(&self, disabled: &[String]) -> ToolSet {
        ToolSet { is_offered: offered_flags(&self.tools, disabled), ..self.clone() }
    }

    /// Returns the tools for a state with these values: a text that is drawn from the state is one of them. A tool that
    /// needs a value of an empty list is not offered.
    pub fn in_state(&self, values: &StateValueLists) -> ToolSet {
        let mut is_offered = self.is_offered.clone();
        let in_state = |(tool, is_offered): (&Tool, &mut bool)| {
            tool_in_state(tool, values).unwrap_or_else(|_| {
                *is_offered = false;
                tool.clone()
            })
        };
        let turn_tools = self.tools.iter().zip(&mut is_offered).map(in_state).collect();
        let mut pointers =
            self.tools.iter().flat_map(|it| it.script().input_schema.value_pointers());
        let names_are_given =
            pointers.any(|pointer| values.get(pointer).is_some_and(|list| list.is_there));
        ToolSet { turn_tools, is_offered, names_are_given, ..self.clone() }
    }

    /// Returns the tools without those that make no sense in this state ([`makes_sense_in`]).
    pub fn that_make_sense(&self, catalog: &Catalog, state: &Object) -> ToolSet {
        let mut is_offered = self.is_offered.clone();
        for (tool, is_offered) in self.tools.iter().zip(&mut is_offered) {
            *is_offered &= makes_sense_in(catalog, &tool.skill, tool.script(), state);
        }
        ToolSet { is_offered, ..self.clone() }
    }

    /// The places of the state that the offered tools draw values from, each once.
    pub(super) fn value_pointers(&self) -> Vec<&str> {
        let mut pointers: Vec<&str> = Vec::new();
        for pointer in self.offered_tools().flat_map(|it| it.script().input_schema.value_pointers())
        {
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        pointers
    }

    /// Returns true if an offered tool accepts any text while the state has no list at this place.
    pub(super) fn is_open_without_list(&self, pointer: &str) -> bool {
        let mut sources =
            self.offered_tools().flat_map(|it| it.script().input_schema.value_sources());
        sources.any(|source| source.is_open && source.pointer == pointer)
    }

    /// The schema of a plan of this turn, for [`Grammar::schema`](narratoria_model::llm::Grammar::schema). Nothing
    /// meets the schema of an empty tool set.
    pub fn plan_schema(&self) -> Value {
        self.schema(false)
    }

    /// The schema of a plan that replaces a failed one. The model may also skip steps, and give up with a reason (S2,
    /// strategy 3).
    pub fn recovery_schema(&self) -> Value {
        self.schema(true)
    }

    fn schema(&self, is_recovery: bool) -> Value {
        let shape = PlanShape { is_recovery, has_narrative: !self.names_are_given };
        grammar::plan_schema(&self.offered_tools().collect::<Vec<_>>(), shape)
    }

    /// Returns true if this turn offers no tool.
    pub fn is_empty(&self) -> bool {
        !self.is_offered.contains(&true)
    }

    /// The tool paths that a plan may use, in the order of the tools.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.offered_tools().map(|tool| tool.path.as_str())
    }

    /// The scripts that are never offered, each with the reason.
    pub fn left_out(&self) -> &[(String, String)] {
        &self.left_out
    }

    pub(super) fn offered_tools(&self) -> impl Iterator<Item = &Tool> {
        self.turn_tools.iter().zip(&self.is_offered).filter(|(_, is)| **is).map(|(tool, _)| tool)
    }

    #[cfg(test)]
    pub(super) fn tool(&self, path: &str) -> Option<&Tool> {
        self.offered_tools().find(|tool| tool.path == path)
    }
}

fn offered_flags(tools: &[Tool], disabled: &[String]) -> Vec<bool> {
    tools.iter().map(|tool| !disabled.contains(&tool.skill.name)).collect()
}

/// All scripts, those that the tool set should keep first.
fn ranked_scripts(catalog: &Catalog) -> Vec<(&Arc<Skill>, usize)> {
    let mut scripts: Vec<(&Arc<Skill>, usize)> = catalog
        .iter()
        .flat_map(|skill| (0..skill.scripts.len()).map(move |idx| (skill, idx)))
        .filter(|(skill, idx)| skill.scripts[*idx].is_offered)
        .collect();
    // The catalog is in name order, and the sort is stable.
    scripts.sort_by_key(|(skill, idx)| {
        (!is_narrator(skill, &skill.scripts[*idx]), std::cmp::Reverse(skill.priority))
    });
    scripts
}

/// A script as a tool, with the values of a state.
pub(super) fn tool_of(
    skill: &Arc<Skill>,
    script_idx: usize,
    values: &StateValueLists,
) -> Result<Tool, LoweringError> {
    tool_in_state(&build_tool(skill, script_idx)?, values)
}

fn build_tool(skill: &Arc<Skill>, script_idx: usize) -> Result<Tool, LoweringError> {
    let script = &skill.scripts[script_idx];
    let (parameters, verbatim_parameters) =
        match lowering::lower_schema(script.input_schema.document())? {
            GrammarType::Object(fields) => {
                let (written, verbatim) = split_verbatim(fields, &verbatim_names(skill, script));
                (ToolParameters::Properties(written), verbatim)
            }
            input if is_object_type(&input) => (ToolParameters::WholeInput(input), Vec::new()),
            _ => return Err("is no object".to_owned()),
        };
    Ok(Tool {
        skill: Arc::clone(skill),
        script_idx,
        outputs: output_fields(&tool_path(skill, script), script),
        path: tool_path(skill, script),
        parameters,
        verbatim_parameters,
        is_narrator: is_narrator(skill, script),
    })
}

/// The tool with the values of a state. Its parameters stay in their places: an optional one for which there is no value
/// can only be left out.
fn tool_in_state(tool: &Tool, values: &StateValueLists) -> Result<Tool, LoweringError> {
    let schema = &tool.script().input_schema;
    if schema.value_sources().is_empty() {
        return Ok(tool.clone());
    }
    let schema = schema.in_state(values).map_err(|error| error.to_string())?;
    let parameters = match (&tool.parameters, lowering::lower_schema(schema.document())?) {
        (ToolParameters::Properties(fields), GrammarType::Object(bound)) => {
            let in_state = |field: &GrammarField| {
                let found = bound.iter().find(|one| one.name == field.name);
                let grammar_type =
                    match (found.map(|one| one.grammar_type.clone()), field.is_required) {
                        (Some(found), true) => found,
                        (Some(found), false) => found.without_null().unwrap_or(GrammarType::Null),
                        (None, true) => return Err(format!("`{}` has no value now", field.name)),
                        (None, false) => GrammarType::Null,
                    };
                Ok(GrammarField { grammar_type, ..field.clone() })
            };
            ToolParameters::Properties(fields.iter().map(in_state).collect::<Result<_, _>>()?)
        }
        (ToolParameters::WholeInput(_), lowered) if is_object_type(&lowered) => {
            ToolParameters::WholeInput(lowered)
        }
        _ => return Err("is no object".to_owned()),
    };
    Ok(Tool { parameters, ..tool.clone() })
}

fn is_object_type(grammar_type: &GrammarType) -> bool {
    match grammar_type {
        GrammarType::Object(_) => true,
        GrammarType::Enum(values) => values.iter().all(Value::is_object),
        GrammarType::AnyOf(types) => types.iter().all(is_object_type),
        _ => false,
    }
}

/// The properties that a trigger fills with the unchanged sentence. If the script has `fallback` triggers, only those
/// count.
fn verbatim_names<'s>(skill: &'s Skill, script: &Script) -> Vec<&'s str> {
    let own = || skill.triggers.iter().filter(|trigger| trigger.script == script.name);
    let has_fallback = own().any(|trigger| trigger.fallback);
    own()
        .filter(|trigger| trigger.fallback || !has_fallback)
        .flat_map(|trigger| &trigger.input)
        .filter(|(_, template)| template.as_str() == Some(WHOLE_SENTENCE))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// The properties that the model writes, and those that the host fills because any sentence fits there.
fn split_verbatim(
    fields: Vec<GrammarField>,
    verbatim_names: &[&str],
) -> (Vec<GrammarField>, Vec<VerbatimParameter>) {
    let mut written = Vec::new();
    let mut verbatim = Vec::new();
    for field in fields {
        let free = free_text(&field.grammar_type)
            .filter(|_| verbatim_names.contains(&field.name.as_str()));
        if let Some((chars_min, chars_max)) = free {
            verbatim.push(VerbatimParameter { name: field.name, chars_min, chars_max });
            continue;
        }
        let grammar_type = match field.is_required {
            true => Some(field.grammar_type),
            false => field.grammar_type.without_null(),
        };
        written.extend(grammar_type.map(|grammar_type| GrammarField { grammar_type, ..field }));
    }
    (written, verbatim)
}

/// Fewest and most characters, if the type takes any text.
fn free_text(grammar_type: &GrammarType) -> Option<(u64, Option<u64>)> {
    match grammar_type {
        GrammarType::Text(text) if text.is_free() => Some((text.chars_min, text.chars_max)),
        GrammarType::AnyOf(types) => types.iter().find_map(free_text),
        _ => None,
    }
}

/// Drops the optional parameters that the grammar refuses. An error if it refuses the rest too.
fn drop_refused_parameters(
    tool: &mut Tool,
    refused: &dyn Fn(&[Tool]) -> Option<String>,
) -> Result<(), LoweringError> {
    let Some(reason) = refused(std::slice::from_ref(tool)) else { return Ok(()) };
    let ToolParameters::Properties(fields) = &tool.parameters else { return Err(reason) };
    let is_accepted = |field: &GrammarField| {
        let parameters = ToolParameters::Properties(vec![field.clone()]);
        refused(&[Tool { parameters, ..tool.clone() }]).is_none()
    };
    let accepted = fields.iter().filter(|field| field.is_required || is_accepted(field));
    tool.parameters = ToolParameters::Properties(accepted.cloned().collect());
    refused(std::slice::from_ref(tool)).map_or(Ok(()), Err)
}
