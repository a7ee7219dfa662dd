//! The world from outside: its scripts, premises that become worlds, sentences, and long play.

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
mod readings;
mod scripts;
mod sentences;
mod talk;
mod threads;
mod voices;
