//! A small world: places, things and people, and what the player does to them.
//!
//! The map is written once; play changes a few values beside it. Every action ends in facts: plain sentences with the
//! names that they speak of. Knows nothing of plans and prose.

pub mod act;
pub mod action;
pub mod by_meaning;
pub mod change;
pub mod check;
pub mod company;
pub mod definition;
pub mod entity;
pub mod fact;
pub mod now;
mod numbers;
mod own_verbs;
pub mod parse;
pub mod possible;
pub mod premise;
pub mod scope;
pub mod script;
pub mod situation;
pub mod speech_act;
#[cfg(not(target_os = "wasi"))]
pub mod testing;
#[cfg(not(target_os = "wasi"))]
pub mod wording_examples;
pub mod wordings;
pub mod words;
pub mod world;
