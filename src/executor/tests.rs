//! Plans in a mini language, run by a scripted runner under a paused clock; and random ones, held against
//! a model of the rules.

mod arbitration;
mod decisions;
mod flow;
mod harness;
mod journal;
mod limits;
mod oracle;
mod rules;
mod timing;
mod wire;
