//! `skill check` and `skill test`, through the real binary: what is built in passes, and every package of
//! `tests/kit/spoilt` is refused with exactly the text beside it.

#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

#[path = "kit/action.rs"]
mod action;
#[path = "kit/formats.rs"]
mod formats;
#[path = "kit/gate.rs"]
mod gate;
#[path = "kit/recipe.rs"]
mod recipe;
#[path = "kit/spoilt.rs"]
mod spoilt;
