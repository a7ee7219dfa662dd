//! Row 4: component + grants + request become events. Alone names wasmtime.
//!
//! [`Sandbox`] owns the engine and the cache of compiled components, [`Prepared`] is a component ready
//! to be invoked, and one [`Invocation`] is one fresh store and instance, gone when it ends. Knows the
//! wire and the catalog's grants; knows nothing of plans, retries or stories.
//!
//! What an invocation gets: its stdin with the request and with answers to what it asks, a stdout that is decoded line by line as it is written, a stderr
//! of which the tail is kept, a clock that tells no time, randomness drawn from the request's seed. What
//! it does not get unless granted: files, environment, network, a language model ([`TextModel`]). Dropping the future stops it.

mod cache;
mod clock;
mod llm;
mod load;
mod memory;
mod outcome;
mod run;
mod stdin;
mod stdio;
mod store;
mod text_model;

pub use llm::{
    LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_RESERVE, LLM_TEMPERATURE_MAX, LLM_TIME_MAX,
    LLM_TOKENS_MAX, TEXT_BYTES_MAX,
};
pub use load::{INVOCATIONS_MAX, LoadError, Prepared, Sandbox, SandboxOptions};
pub use outcome::{
    Answers, Ending, EventSink, Invocation, Refusal, Said, StoreMap, StoreWrite, Usage,
};
pub use run::{Job, Limits, Preopen};
pub use stdio::STDERR_TAIL_BYTES_MAX;
pub use store::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX,
};
pub use text_model::{
    TextAsk, TextError, TextModel, TextModelSlot, TextReply, TextSink, Writer, Writing,
};
