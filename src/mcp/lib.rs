//! The server of the Model Context Protocol (MCP): stories, turns and the author's tools for programs of others. It knows
//! nothing of stories and skills; it plays through the hub of the page, and asks a [`ToolHost`] for the rest.
//!
//! A message passes the transport, which is lines or HTTP (its length, its JSON, how many calls there are), then rmcp, which
//! speaks the revisions of the protocol, then the table of tools or of resources. The client speaks for the player: what needs a
//! decision is asked by elicitation, and without it nothing is approved.

mod addresses;
mod asking;
mod call_error;
mod endpoint;
mod host;
mod http_sessions;
pub mod limits;
mod line_transport;
mod messages;
mod resources;
mod server;
mod skill_entries;
mod stdio;
mod tool_calls;
mod turn;
mod turn_result;
mod work;

pub use endpoint::McpEndpoint;
pub use host::{
    CheckCampaignWork, CheckSkillsWork, EvaluateWork, InspectSkillWork, RunScriptWork, ToolHost,
    ToolWork, WorkProcess,
};
pub use server::{McpOptions, serve};
pub use stdio::stdio;
