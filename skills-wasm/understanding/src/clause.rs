//! One clause: what is said, asked or done, by its frames or by what else speaks for a reading.

pub(crate) mod again;
pub(crate) mod clause_reading;
pub(crate) mod commanded;
pub(crate) mod conversation;
pub(crate) mod errands;
pub(crate) mod evidence;
pub(crate) mod gestures;
pub(crate) mod guessed;
pub(crate) mod making;
pub(crate) mod orders;
pub(crate) mod own_wordings;
pub(crate) mod risky;
pub(crate) mod shortfall;
pub(crate) mod speech;
pub(crate) mod tails;
pub(crate) mod unheard;
pub(crate) mod verbless;
