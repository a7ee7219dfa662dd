//! Packages that strangers might write, by family, through the real program: what is refused, what a turn with them
//! may cost, and that the next turn plays. `tests/hostile` does the same for components alone.

#![cfg(target_os = "linux")]
mod campaigns;
mod cases;
mod interrupts;
mod package;
mod plans;
mod rights;
mod rules;
mod watched;
