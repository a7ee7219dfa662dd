//! Plans in a mini language, run by a scripted runner under a paused clock; and random ones, held against
//! a model of the rules.

mod arbitration;
mod criteria;
mod decisions;
mod flow;
mod grace;
mod harness;
mod journal;
mod limits;
mod oracle;
mod record_sums;
mod rules;
mod scope;
mod state;
mod timing;
mod wire;
