//! The planner with a language model: its prompt, the grammar of the compact plan that it writes, and the expansion of
//! that plan.
//!
//! A [`ToolSet`] holds the scripts that a plan of this turn may use, each with the values that a model may write for it.
//! It gives the grammar ([`ToolSet::plan_schema`]), the prompt ([`prompt()`]), the plan ([`ToolSet::expand`]) and, while
//! the plan is being written, its steps ([`ToolSet::step_reader`]). [`LlamaPlanner`] runs a
//! [`Model`](narratoria_model::llm::Model) with them as soon as there is one in its [`ModelSlot`].
//!
//! [`LlamaTickPlanner`] plans ticks with the same tools, in S4's form. [`write_document`] writes under any schema.
//!
//! The grammar protects the player: no sentence and no package's prompt can make the model name a script outside the
//! tool set, or write an input that the script refuses.

mod aptitude;
mod arbiter;
mod cascade;
mod compact_error;
mod document;
mod examples;
mod expand;
mod form;
mod grammar;
mod grammar_type;
mod known_lines;
mod lowering;
mod model_slot;
mod notation;
mod pace;
mod planner;
mod prompt;
mod question_examples;
mod quote;
mod rules;
mod schema_definitions;
mod skill_prompts;
mod speed;
mod step_notes;
mod step_syntax;
mod stream;
mod tick_grammar;
mod tick_planner;
mod tick_prompt;
mod token_budget;
mod tool;
mod tool_outputs;
mod tool_question;
mod tool_set;
mod tool_set_cache;

pub use aptitude::{APTITUDE_MIN, measure_aptitude};
pub use cascade::{ASKED_LOG_ODDS_MIN, CascadePlanner, LATE_MAX, TooSlowSink};
pub use compact_error::{CompactPlanError, CompactStepError};
pub use document::{DocumentError, DocumentRequest, write_document};
pub use expand::{ExpandedPlan, abort_reason};
pub use model_slot::ModelSlot;
pub use planner::{LlamaPlanner, PLAN_TOKENS_MAX};
pub use prompt::{PlanPrompt, prompt};
pub use skill_prompts::PromptCut;
pub use speed::{PlannerSpeed, measure_speed};
pub use stream::StepReader;
pub use tick_planner::{LlamaTickPlanner, TICK_PLAN_TOKENS_MAX};
pub use tool_question::ask_whether_asked_for;
pub use tool_set::ToolSet;

#[cfg(test)]
mod tests;
