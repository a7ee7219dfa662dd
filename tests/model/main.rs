//! The program with a language model: models of random weights in every file that a real one has, a hub that serves them,
//! and every fault of both. The one package of tests that llama.cpp is built for.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

mod campaign_words;
mod commands;
mod hostile_models;
mod launch;
mod listening;
#[path = "../story/memory_dataset.rs"]
mod memory_dataset;
mod models;
mod narrating;
mod narrator;
#[expect(dead_code, reason = "the tests of the commands use the rest")]
#[path = "../page_client.rs"]
mod page_client;
#[expect(dead_code, reason = "the tests of the commands use the rest")]
#[path = "../player_machine.rs"]
mod player_machine;
#[expect(dead_code, reason = "the tests of the commands use the rest")]
#[path = "../pty.rs"]
mod pty;
mod real_servers;
mod servers;
#[path = "../tick_story.rs"]
mod tick_story;

use std::path::Path;

/// The program that the tests run.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_narratoria-with-model"))
}
