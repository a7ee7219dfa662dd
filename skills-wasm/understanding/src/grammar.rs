//! Frames: what may stand behind a verb, what that comes to, and which reading costs least.

pub(crate) mod asked;
pub(crate) mod built;
pub(crate) mod chart;
pub(crate) mod frame_meaning;
pub(crate) mod frame_slots;
pub(crate) mod frames;
pub(crate) mod questions;
