//! Plans in a mini language, run by a scripted runner under a paused clock.

mod harness;
mod limits;
mod model;
mod rules;
mod written;
