//! What the host says to a script: one JSON object on stdin, then end of file.

use serde::Serialize;
use serde_json::Value;

use super::Object;

/// The ordinary operation: do the work.
pub const OPERATION_RUN: &str = "run";
/// The script answers with its own input and output schema and does nothing else.
pub const OPERATION_DESCRIBE: &str = "describe";

/// One invocation's input (`contracts/script-input.schema.json`). Scripts ignore what they do not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The plan this belongs to.
    pub request_id: String,
    /// The `toolId` of the step.
    pub tool: String,
    /// [`OPERATION_RUN`] or [`OPERATION_DESCRIBE`].
    pub operation: String,
    /// Checked against the script's input schema before it is sent.
    pub input: Object,
    /// The user's configuration of this skill, `${VAR}` already substituted.
    pub config: Object,
    /// Only the slices that the manifest asked for in `reads`.
    pub state: Value,
    /// Output of each dependency by `toolId`; null where an optional one gave none.
    pub inputs: Object,
    /// The only source of chance a script should use.
    pub seed: u64,
}

impl Request {
    /// The line as the script reads it, `\n` included.
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("a request holds only JSON values");
        line.push(b'\n');
        line
    }
}
