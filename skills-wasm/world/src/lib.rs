//! A small world: places, things and people, and what the player does to them.
//!
//! The map is written once; play changes a few values beside it. Every action ends in facts: plain sentences with the
//! names that they speak of. Knows nothing of plans, dice and prose.

pub mod fact;
