//! Row 3: language models on this machine. [`files`] finds, fetches and verifies model files, [`llm`] runs one
//! with llama.cpp on a thread of its own, [`machine`] reports how much memory there is. Knows nothing of
//! skills, plans or stories.
//!
//! Without the feature `llama` only [`machine`] is left.

#[cfg(feature = "llama")]
pub mod files;
#[cfg(feature = "llama")]
pub mod llm;
pub mod machine;
