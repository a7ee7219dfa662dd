//! The plot of a story: its open loops, and the storylets of its campaign.
//!
//! A storylet is a piece of text with conditions and effects. After each action the engine finds those that fit the moment,
//! tells the best of them and applies what they change. The definitions are what an author writes, the documents are what a
//! compiled campaign holds, and the engine is pure: the scripts read the state and the documents for it.

pub mod action;
pub mod advance;
pub mod checked;
pub mod choose;
pub mod compile;
pub mod definition;
pub mod document;
pub mod gate;
pub mod hint;
pub mod journal;
pub mod loops;
pub mod now;
pub mod open_hint;
pub mod script;
pub mod variants;

#[cfg(test)]
mod tests;
