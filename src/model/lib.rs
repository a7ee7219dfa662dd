//! Language models on this machine. [`files`] finds, fetches and verifies model files, [`caches`] finds those of other
//! programs, [`llm`] runs a model with llama.cpp on a thread of its own, [`server`] asks one that another program runs,
//! [`memory`] and [`instructions`] report what the machine has. Knows nothing of skills, plans or stories.
//!
//! Without the feature `llama` the crate has only [`memory`] and [`instructions`].

#[cfg(feature = "llama")]
pub mod caches;
#[cfg(feature = "llama")]
pub mod files;
pub mod instructions;
#[cfg(feature = "llama")]
pub mod llm;
pub mod memory;
#[cfg(feature = "llama")]
mod processor;
#[cfg(feature = "llama")]
pub mod server;
