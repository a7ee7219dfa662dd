//! Edits as a front end sends them.

use serde::{Deserialize, Serialize};

use crate::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;

/// One change. As JSON `{"edit": "move", "toolId": "look", "to": 0}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "edit",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PlanEdit {
    /// Another input, whole.
    SetInput {
        /// Of which step.
        tool_id: String,
        /// What it gets.
        input: Object,
    },
    /// Another description, or none.
    Describe {
        /// Of which step.
        tool_id: String,
        /// For people.
        description: Option<String>,
    },
    /// Another place among the steps.
    Move {
        /// Which step.
        tool_id: String,
        /// Its index in `tools` afterwards.
        to: usize,
    },
    /// The step stays in the plan, but will not run.
    Skip {
        /// Which step.
        tool_id: String,
    },
    /// It will run after all.
    Unskip {
        /// Which step.
        tool_id: String,
    },
    /// One more step.
    Add {
        /// The step.
        tool: Box<ToolJson>,
        /// Its index in `tools`; at the end by default.
        #[serde(default)]
        at: Option<usize>,
    },
    /// One step less.
    Remove {
        /// Which step.
        tool_id: String,
    },
    /// Another text, whole. Its id and lineage are not taken from it.
    ReplaceAll {
        /// The text.
        plan: Box<PlanJson>,
    },
}
