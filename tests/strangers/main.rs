//! Packages that strangers might write, by family, through the real program: what is refused, what a turn with them
//! may cost, and that the next turn plays. `tests/hostile` does the same for components alone.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

mod campaigns;
mod cases;
mod interrupts;
mod package;
mod plans;
#[expect(dead_code, reason = "the tests of the commands use the rest")]
#[path = "../cli/player_machine.rs"]
mod player_machine;
mod rights;
mod rules;
mod watched;
