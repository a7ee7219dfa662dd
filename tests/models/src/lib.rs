//! Language models with random weights in GGUF files: one small enough for a test, one as large as a bench
//! needs. A random model is the worst adversary that a grammar can have. The architecture is `phi3`, the
//! tokenizer that of Phi-3.5 (SentencePiece with byte tokens), so that these models and a real one run the same
//! code; [`tiny_of_shape`] makes models of architectures that remember otherwise. [`hub`] serves files as a model hub
//! does, [`server`] answers as a server of models does, both with every fault that a test asks for.

mod architectures;
mod bert;
mod bpe;
mod gguf;
pub mod hub;
mod phi3;
pub mod server;
mod text;
mod weights;

pub use architectures::{MemoryShape, tiny_of_shape};
pub use bert::embedding;
pub use bpe::pieces;
pub use gguf::{Gguf, MetadataValue, Tensor};
pub use phi3::{
    CHAT_TEMPLATE, ModelShape, TokenKind, VocabularyToken, bench, bench_vocabulary, phi3, tiny,
    tiny_vocabulary, tiny_with, vocabulary,
};
pub use text::text;
