//! `narratoria mcp`: stories and the author's tools for a program that speaks the Model Context Protocol on this process's
//! input and output.

mod given_folder;
mod tool_processes;

use std::sync::Arc;

use narratoria_engine::TurnError;
use narratoria_mcp::{McpOptions, stdio};
use narratoria_ui::{Out, Tone, note};
use tokio::runtime::Handle;

pub(super) use given_folder::GivenFolder;
pub(super) use tool_processes::ToolProcesses;

use super::{
    args::{CommonArgs, Format, McpArgs},
    clock_and_ids::draw_run,
    exit::Exit,
    interrupt::Interrupts,
    serve::PageHost,
    settings::CliSettings,
};

const FOR_PROGRAMS: &str =
    "a program is to start this and to speak MCP on its input and output; Ctrl-C ends it";

pub(super) async fn mcp(args: McpArgs) -> Result<Exit, TurnError> {
    let McpArgs { folder, planner, skills } = args;
    let settings = CliSettings::check(CommonArgs { skills, format: Format::Json })?;
    let settings = settings.offline(planner.is_offline());
    let look = settings.terminal.look;
    let interrupts = Interrupts::listen(look);
    if settings.terminal.is_interactive {
        note(&mut Out::stderr(look), Tone::Notice, "note", FOR_PROGRAMS);
    }
    let files = GivenFolder::open(folder.as_deref())?;
    let tools = ToolProcesses::new(settings.clone(), &planner, files)?;
    let host = PageHost::open(settings, planner, Handle::current())?;
    let options = McpOptions { version: env!("CARGO_PKG_VERSION").to_owned(), run: draw_run() };
    let ended = interrupts.exit_token().clone();
    narratoria_mcp::serve(options, Arc::new(host), Arc::new(tools), stdio(), ended).await;
    Ok(Exit::Done)
}
