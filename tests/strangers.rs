//! Untrusted packages, by family, through the real program: the program refuses them or bounds the cost of a turn with
//! them, and the next turn plays. `tests/hostile` does this for components alone.

#![cfg(target_os = "linux")]
mod campaigns;
mod cases;
mod interrupts;
mod package;
mod plans;
mod rights;
mod rules;
mod watched;
