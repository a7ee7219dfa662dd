//! Write Narratoria skills in Rust.
//!
//! A script is a program that reads one request from stdin, writes events to stdout and ends with `done`. With this
//! crate it is one function from a typed input to a typed output:
//!
//! ```
//! use narratoria_sdk::{Ctx, Done, SkillError};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Coin {
//!     /// What the player calls, `heads` or `tails`.
//!     call: String,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Flipped {
//!     won: bool,
//! }
//!
//! fn flip(ctx: &mut Ctx, coin: Coin) -> Result<Done<Flipped>, SkillError> {
//!     let shown = ctx.rng().pick(&["heads", "tails"]).copied().unwrap_or("edge");
//!     ctx.info(&format!("the coin shows {shown}"));
//!     Ok(Done::ok().summary(shown).output(Flipped { won: shown == coin.call }))
//! }
//!
//! // The whole program is `fn main() -> std::process::ExitCode { narratoria_sdk::run(flip) }`.
//! // The same function runs in a plain native test:
//! # use narratoria_sdk::{json, testing};
//! let said = testing::call(flip, json!({ "call": "heads" })).seed(7).run();
//! assert!(said.ok);
//! ```
//!
//! An author's crate depends on this crate, on `serde` with its derive, and on `schemars`; the doc comments of the
//! input type become the descriptions of its schema. [`Value`] and [`json!`] are those of `serde_json`.
//!
//! This crate is the guest's side of `contracts/event.schema.json`. It knows nothing of components, hosts and
//! manifests, so a program written with it also works in a shell pipe.

#![warn(missing_docs)]

#[cfg(target_os = "wasi")]
#[expect(unsafe_code, reason = "it takes values that the host has put into our memory")]
mod abi;
mod ask;
mod campaign;
mod clip;
mod ctx;
mod done;
mod events;
mod http;
mod line;
mod llm;
mod meaning;
mod memory;
mod request;
mod rng;
mod schema;
mod script_set;
mod serve;
mod services;
mod store;
mod story;
pub mod testing;

pub use ask::{ANSWER_BYTES_MAX, ASKS_MAX, CHOICE_CHARS_MAX, CHOICES_MAX, QUESTION_CHARS_MAX};
pub use campaign::{CAMPAIGN_FILE_BYTES_MAX, CampaignFiles};
pub use ctx::Ctx;
pub use done::{Done, SkillError};
pub use events::{Asset, Choice, Level};
pub use http::{
    HTTP_RECEIVED_BYTES_MAX, HTTP_REDIRECTS_MAX, HTTP_REQUESTS_MAX, HTTP_SENT_BYTES_MAX, Http,
    HttpRequest, HttpResponse,
};
pub use line::{DEPTH_MAX, EVENTS_MAX, LINE_BYTES_MAX};
pub use llm::{
    LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_TEMPERATURE_MAX, LLM_TOKENS_MAX, Llm, LlmText, Prose,
};
pub use meaning::{COMPARED_BYTES_MAX, COMPARED_TEXTS_MAX, COMPARISONS_MAX, TextMeaning};
pub use memory::{
    Memory, MemoryText, RECALL_QUERY_BYTES_MAX, RECALLED_MAX, RECALLS_MAX, REMEMBERS_MAX,
    TAG_BYTES_MAX, TAGS_MAX, TEXT_TO_REMEMBER_BYTES_MAX,
};
pub use request::REQUEST_BYTES_MAX;
pub use rng::Rng;
pub use schema::{input_schema, output_schema};
pub use script_set::ScriptSet;
pub use serde_json::{Value, json};
pub use serve::run;
pub use store::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX, Store,
};
pub use story::{Entities, Memories};
