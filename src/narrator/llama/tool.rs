//! A script that a model can choose, with the parameters that the model writes and those that the host fills in.

use std::sync::Arc;

use super::{
    grammar_type::{GrammarField, GrammarType},
    tool_outputs::OutputField,
};
use narratoria_skills::{Script, Skill};

/// A script that a model can choose.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) skill: Arc<Skill>,
    pub(super) script_idx: usize,
    /// `<skill>/<script>`.
    pub(super) path: String,
    pub(super) parameters: ToolParameters,
    pub(super) verbatim_parameters: Vec<VerbatimParameter>,
    /// The parts of its output that later steps may read.
    pub(super) outputs: Vec<OutputField>,
    /// True if a `fallback` trigger names the script.
    pub(super) is_narrator: bool,
}

/// The part of an input that the model writes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ToolParameters {
    /// One value for each property. The type of an optional property excludes `null`, because `null` omits it.
    Properties(Vec<GrammarField>),
    /// The whole input, if it is one of several object types.
    WholeInput(GrammarType),
}

/// A property that the host fills with the player's sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerbatimParameter {
    pub(super) name: String,
    pub(super) chars_min: u64,
    pub(super) chars_max: Option<u64>,
}

impl Tool {
    pub(super) fn script(&self) -> &Script {
        &self.skill.scripts[self.script_idx]
    }
}
