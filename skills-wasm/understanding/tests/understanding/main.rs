//! Sentences that players type, in worlds of their own, and what they come to.

#![expect(clippy::unwrap_used, reason = "a test may panic, in a helper too")]

mod reactions;
mod readings;
mod sentences;
mod voices;
