//! The scripts that a plan of this turn may use, and what a model writes for each.

use std::sync::Arc;

use serde_json::Value;

use super::{
    grammar,
    grammar_type::{GrammarField, GrammarType},
    lowering::{self, LoweringError},
    tool::{Tool, ToolParameters, VerbatimParameter},
};
use crate::plan_step::tool_path;
use narratoria_skills::{Catalog, Script, Skill};

/// Most scripts that a model can choose from. More would neither fit the prompt nor help it choose.
pub const TOOL_SET_MAX: usize = 32;

/// What a trigger writes where the player's sentence goes as it is.
const WHOLE_SENTENCE: &str = "{sentence}";

/// What a model may choose from. Clones share it.
#[derive(Debug, Clone)]
pub struct ToolSet {
    /// Whatever is disabled: the prompt shows all of them, so that it stays the same through a turn.
    pub(super) tools: Arc<[Tool]>,
    /// For each item, whether this turn may use it.
    pub(super) is_offered: Vec<bool>,
    left_out: Arc<[(String, String)]>,
}

impl ToolSet {
    /// The scripts of the catalog that a model can be held to, at most [`MENU_SCRIPTS_MAX`]: those that a skill
    /// falls back to first, then by priority, then by name. Those of `disabled` skills are known and not offered.
    ///
    /// `can_write` says whether a schema can be used as a grammar, and why not. An optional property that it
    /// refuses is not offered, and a script whose required ones it refuses is left out.
    pub fn from_catalog(
        catalog: &Catalog,
        disabled: &[String],
        can_write: &dyn Fn(&Value) -> Result<(), String>,
    ) -> ToolSet {
        let mut items = Vec::new();
        let mut left_out = Vec::new();
        for (skill, script_idx) in ranked_scripts(catalog) {
            let path = tool_path(skill, &skill.scripts[script_idx]);
            if items.len() >= TOOL_SET_MAX {
                left_out.push((path, format!("at most {TOOL_SET_MAX} scripts are offered")));
                continue;
            }
            match build_tool(skill, script_idx) {
                Ok(item) => items.push(item),
                Err(reason) => left_out.push((path, format!("its input {reason}"))),
            }
        }
        let refused = |items: &[Tool]| {
            let all: Vec<&Tool> = items.iter().collect();
            can_write(&grammar::plan_schema(&all)).err()
        };
        if !items.is_empty() && refused(&items).is_some() {
            items.retain_mut(|item| match drop_refused_parameters(item, &refused) {
                Ok(()) => true,
                Err(reason) => {
                    left_out.push((item.path.clone(), format!("its grammar is refused: {reason}")));
                    false
                }
            });
            while let Some(reason) =
                Some(&items).filter(|it| !it.is_empty()).and_then(|it| refused(it))
            {
                for item in items.split_off(items.len() / 2) {
                    left_out.push((item.path, format!("the grammar of all is refused: {reason}")));
                }
            }
        }
        let is_offered = offered_flags(&items, disabled);
        ToolSet { tools: items.into(), is_offered, left_out: left_out.into() }
    }

    /// The same menu with other skills disabled.
    pub fn with_disabled(&self, disabled: &[String]) -> ToolSet {
        ToolSet { is_offered: offered_flags(&self.tools, disabled), ..self.clone() }
    }

    /// The schema of a plan of this turn, for [`Grammar::schema`](narratoria_model::llm::Grammar::schema). Nothing
    /// meets the schema of an empty tool set.
    pub fn plan_schema(&self) -> Value {
        grammar::plan_schema(&self.offered_tools().collect::<Vec<_>>())
    }

    /// Whether there is nothing to choose from.
    pub fn is_empty(&self) -> bool {
        !self.is_offered.contains(&true)
    }

    /// The tool paths that a plan may use, strongest first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.offered_tools().map(|item| item.path.as_str())
    }

    /// Scripts of the catalog that no turn offers, each with the reason.
    pub fn left_out(&self) -> &[(String, String)] {
        &self.left_out
    }

    pub(super) fn offered_tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().zip(&self.is_offered).filter(|(_, is)| **is).map(|(item, _)| item)
    }

    pub(super) fn tool(&self, path: &str) -> Option<&Tool> {
        self.offered_tools().find(|item| item.path == path)
    }
}

fn offered_flags(items: &[Tool], disabled: &[String]) -> Vec<bool> {
    items.iter().map(|item| !disabled.contains(&item.skill.name)).collect()
}

/// All scripts, those first that should be on the menu first.
fn ranked_scripts(catalog: &Catalog) -> Vec<(&Arc<Skill>, usize)> {
    let mut scripts: Vec<(&Arc<Skill>, usize)> = catalog
        .iter()
        .flat_map(|skill| (0..skill.scripts.len()).map(move |idx| (skill, idx)))
        .collect();
    // The catalog is in name order, and the sort is stable.
    scripts.sort_by_key(|(skill, idx)| {
        (!is_narrator(skill, &skill.scripts[*idx]), std::cmp::Reverse(skill.priority))
    });
    scripts
}

fn is_narrator(skill: &Skill, script: &Script) -> bool {
    skill.triggers.iter().any(|trigger| trigger.fallback && trigger.script == script.name)
}

fn build_tool(skill: &Arc<Skill>, script_idx: usize) -> Result<Tool, LoweringError> {
    let script = &skill.scripts[script_idx];
    let (slots, said) = match lowering::lower_schema(script.input_schema.document())? {
        GrammarType::Object(fields) => {
            let (slots, said) = split_verbatim(fields, &verbatim_names(skill, script));
            (ToolParameters::Properties(slots), said)
        }
        shape if is_object_type(&shape) => (ToolParameters::WholeInput(shape), Vec::new()),
        _ => return Err("is no object".to_owned()),
    };
    Ok(Tool {
        skill: Arc::clone(skill),
        script_idx,
        path: tool_path(skill, script),
        parameters: slots,
        verbatim_parameters: said,
        is_narrator: is_narrator(skill, script),
    })
}

fn is_object_type(shape: &GrammarType) -> bool {
    match shape {
        GrammarType::Object(_) => true,
        GrammarType::Enum(words) => words.iter().all(Value::is_object),
        GrammarType::AnyOf(shapes) => shapes.iter().all(is_object_type),
        _ => false,
    }
}

/// The properties that a trigger fills with the sentence as it is. Triggers that the skill falls back to have the
/// last word, where there are any.
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

/// What the model writes, and what the host writes because any words of the player fit there.
fn split_verbatim(
    fields: Vec<GrammarField>,
    said_names: &[&str],
) -> (Vec<GrammarField>, Vec<VerbatimParameter>) {
    let mut slots = Vec::new();
    let mut said = Vec::new();
    for field in fields {
        let free =
            free_text(&field.grammar_type).filter(|_| said_names.contains(&field.name.as_str()));
        if let Some((chars_min, chars_max)) = free {
            said.push(VerbatimParameter { name: field.name, chars_min, chars_max });
            continue;
        }
        let shape = match field.is_required {
            true => Some(field.grammar_type),
            false => field.grammar_type.without_null(),
        };
        slots.extend(shape.map(|shape| GrammarField { grammar_type: shape, ..field }));
    }
    (slots, said)
}

fn free_text(shape: &GrammarType) -> Option<(u64, Option<u64>)> {
    match shape {
        GrammarType::Text(text) if text.is_free() => Some((text.chars_min, text.chars_max)),
        GrammarType::AnyOf(shapes) => shapes.iter().find_map(free_text),
        _ => None,
    }
}

/// Takes away optional slots that are refused, if that is all there is.
fn drop_refused_parameters(
    item: &mut Tool,
    refused: &dyn Fn(&[Tool]) -> Option<String>,
) -> Result<(), LoweringError> {
    let Some(reason) = refused(std::slice::from_ref(item)) else { return Ok(()) };
    let ToolParameters::Properties(slots) = &item.parameters else { return Err(reason) };
    let alone = |slot: &GrammarField| {
        let slots = ToolParameters::Properties(vec![slot.clone()]);
        refused(&[Tool { parameters: slots, ..item.clone() }]).is_none()
    };
    let kept = slots.iter().filter(|slot| slot.is_required || alone(slot)).cloned().collect();
    item.parameters = ToolParameters::Properties(kept);
    refused(std::slice::from_ref(item)).map_or(Ok(()), Err)
}
