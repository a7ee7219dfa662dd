//! Scripts written with the SDK, run natively: what they say, as text, and what the fake host gives them.

mod examples;
mod memory_and_http;
mod page_examples;
mod panic;
mod store_and_ask;
mod wire;
mod writing;

use narratoria_sdk::{Done, SkillError, Value};

/// The input of a script that needs none.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

type Ended = Result<Done<Value>, SkillError>;
