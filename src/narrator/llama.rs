//! The voice of a language model: what it is told, the compact plan that it may write, and what becomes of it.
//!
//! A [`Menu`] holds the scripts that a plan of this turn may use, each with its shapes: the
//! values that a model may write. Out of it come the grammar ([`Menu::schema`]), the prompt ([`prompt()`]), the plan
//! ([`Menu::expand`]) and, while it is still being written, its steps ([`Menu::reader`]). [`LlamaVoice`]
//! puts all of it to a [`Model`](narratoria_model::llm::Model), as soon as there is one in its [`ModelSlot`].
//!
//! The grammar is what protects the player: whatever a sentence or a package's prompt talks the model into, only
//! scripts of the menu can be named, and only inputs that they accept can be written.

mod examples;
mod expand;
mod grammar;
mod grammar_type;
mod lowering;
mod model_slot;
mod notation;
mod planner;
mod prompt;
mod quote;
mod rules;
mod step_syntax;
mod stream;
mod token_budget;
mod tool_set;

pub use expand::{CompactPlanError, CompactStepError, ExpandedPlan, PLAN_TEXT_BYTES_MAX};
pub use grammar::NARRATIVE_CHARS_MAX;
pub use grammar_type::TEXT_CHARS_MAX;
pub use lowering::{FIELD_NAME_BYTES_MAX, FIELDS_MAX, LIST_ITEMS_MAX, NUMBER_MAX};
pub use model_slot::ModelSlot;
pub use planner::{LlamaPlanner, PLAN_TOKENS_MAX};
pub use prompt::{
    SENTENCE_TOKENS_MAX, SENTENCE_TOKENS_MIN, STORY_TOKENS_MAX, TURN_TOKENS_MAX, prompt,
};
pub use step_syntax::{PLAN_STEPS_MAX, StepSyntax};
pub use stream::StepReader;
pub use tool_set::{TOOL_SET_MAX, ToolSet};

#[cfg(test)]
mod tests;
