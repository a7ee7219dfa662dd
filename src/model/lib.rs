//! Language models on this machine. [`files`] finds, fetches and verifies model files, [`caches`] finds those of other
//! programs, [`llm`] runs a model with llama.cpp on a thread of its own, [`server`] asks one that another program runs,
//! [`memory`] reports how much memory the machine has. Knows nothing of skills, plans or stories.
//!
//! Without the feature `llama` the crate has only [`memory`].

#[cfg(feature = "llama")]
pub mod caches;
#[cfg(feature = "llama")]
pub mod files;
#[cfg(feature = "llama")]
pub mod llm;
pub mod memory;
#[cfg(feature = "llama")]
mod processor;
#[cfg(feature = "llama")]
pub mod server;
