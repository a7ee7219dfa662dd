//! The voice of a language model: what it is told, the compact plan that it may write, and what becomes of it.
//!
//! A [`Menu`] holds the scripts that a plan of this turn may use, each with its shapes: the
//! values that a model may write. Out of it come the grammar ([`Menu::schema`]), the prompt ([`prompt()`]), the plan
//! ([`Menu::expand`]) and, while it is still being written, its steps ([`Menu::reader`]). [`LlamaVoice`]
//! puts all of it to a [`Model`](crate::llm::Model), as soon as there is one in its [`ModelSlot`].
//!
//! The grammar is what protects the player: whatever a sentence or a package's prompt talks the model into, only
//! scripts of the menu can be named, and only inputs that they accept can be written.

mod bound;
mod examples;
mod expand;
mod form;
mod grammar;
mod menu;
mod notation;
mod prompt;
mod quote;
mod rules;
mod shape;
mod slot;
mod stream;
mod trim;
mod voice;

pub use bound::{FIELD_NAME_BYTES_MAX, FIELDS_MAX, LIST_ITEMS_MAX, NUMBER_MAX};
pub use expand::{ExpandError, Expanded, PLAN_TEXT_BYTES_MAX, StepError};
pub use form::{Form, PLAN_STEPS_MAX};
pub use grammar::NARRATIVE_CHARS_MAX;
pub use menu::{MENU_SCRIPTS_MAX, Menu};
pub use prompt::{
    SENTENCE_TOKENS_MAX, SENTENCE_TOKENS_MIN, STORY_TOKENS_MAX, TURN_TOKENS_MAX, prompt,
};
pub use shape::TEXT_CHARS_MAX;
pub use slot::ModelSlot;
pub use stream::StepReader;
pub use voice::{LlamaVoice, PLAN_TOKENS_MAX};

#[cfg(test)]
mod tests;
