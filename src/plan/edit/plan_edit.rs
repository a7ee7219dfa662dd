//! Edits as a front end sends them.

use serde::{Deserialize, Serialize};

use crate::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;

/// One edit. In JSON: `{"edit": "move", "toolId": "look", "to": 0}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "edit",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PlanEdit {
    /// Replaces the whole input.
    SetInput {
        tool_id: String,
        input: Object,
    },
    /// Replaces or removes the description.
    Describe {
        tool_id: String,
        description: Option<String>,
    },
    /// Moves a step.
    Move {
        tool_id: String,
        /// The new index in `tools`.
        to: usize,
    },
    /// The step stays in the plan, but does not run.
    Skip {
        tool_id: String,
    },
    /// Undoes [`PlanEdit::Skip`].
    Unskip {
        tool_id: String,
    },
    Add {
        tool: Box<ToolJson>,
        /// The index in `tools`; the end by default.
        #[serde(default)]
        at: Option<usize>,
    },
    Remove {
        tool_id: String,
    },
    /// Replaces the written dependencies. Those that references and conditions imply stay.
    SetDependencies {
        tool_id: String,
        dependencies: Vec<String>,
    },
    /// Replaces everything except the id and the lineage.
    ReplaceAll {
        plan: Box<PlanJson>,
    },
}
