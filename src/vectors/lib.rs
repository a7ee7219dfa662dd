//! Vectors of texts: near vectors mean near meanings. Memories and skills are found with them. This crate stores and
//! compares them; a [`TextEmbedder`] computes them.

use std::sync::Arc;

use narratoria_protocol::TextEmbedder;

mod cache;
mod vector;

pub use cache::VectorCache;
pub use vector::TextVector;

/// Loads the embedding model when it is first needed. The error is a part of a sentence for people.
pub type EmbedderLoader = Box<dyn Fn() -> Result<Arc<dyn TextEmbedder>, String> + Send + Sync>;
