//! The world from outside: its scripts, premises that become worlds, and long play.

#![expect(clippy::unwrap_used, reason = "a test may panic, in a helper too")]

mod campaign;
mod invariants;
mod large;
mod limits;
mod play_out;
mod premise;
mod premise_plots;
mod premise_reading;
mod premise_shapes;
mod scripts;
mod talk;
mod threads;
