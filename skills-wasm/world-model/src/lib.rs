//! A small world: places, things and people, and what the player does to them.
//!
//! The map is written once; play changes a few values beside it. Every action ends in facts: plain sentences with the
//! names that they speak of. Knows nothing of sentences, plans and prose.

pub mod act;
pub mod action;
pub mod change;
pub mod check;
pub mod company;
pub mod definition;
pub mod entity;
pub mod fact;
pub mod now;
pub mod numbers;
pub mod possible;
pub mod premise;
pub mod scope;
pub mod situation;
pub mod speech_act;
pub mod want;
pub mod words;
pub mod world;
