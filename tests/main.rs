//! The program as its users meet it: the real binary, real components, real files. One binary of tests, so that their
//! dependencies are linked once.

#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

mod cli;
mod contracts;
#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod fleet;
mod hostile;
mod kit;
mod mcp_client;
mod mcp_http_client;
mod page_client;
mod player_machine;
#[cfg(target_os = "linux")]
mod pty;
#[cfg(target_os = "linux")]
mod strangers;
mod tick_story;

use std::path::Path;

/// The program that the tests run.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_narratoria"))
}
