//! Models with short names. The names, sizes and descriptions come from the hub; these models were not run where the
//! list was written, so it promises nothing about their plans or their prose. Everything that does not depend on the
//! weights (the prompt, the grammar, the download) is tested with generated models.

/// A model with a short name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownModel {
    /// The short name, which a player may type instead of the name.
    pub alias: &'static str,
    /// `owner/repo/file.gguf`.
    pub name: &'static str,
    /// The approximate size.
    pub bytes: u64,
    /// Of the weights, as an SPDX expression.
    pub licence: &'static str,
    pub what: &'static str,
}

/// The short name of the model that finds memories by their meaning.
pub const EMBEDDING_ALIAS: &str = "all-minilm-l6-v2";

/// The first one is the default.
pub const KNOWN: &[KnownModel] = &[
    KnownModel {
        alias: "phi-3.5-mini",
        name: "bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf",
        bytes: 2_390_000_000,
        licence: "MIT",
        what: "the default: 3.8 billion parameters",
    },
    KnownModel {
        alias: "qwen3-4b",
        name: "unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        bytes: 2_500_000_000,
        licence: "Apache-2.0",
        what: "4 billion parameters, better at calling tools as others report",
    },
    KnownModel {
        alias: "phi-4-mini",
        name: "unsloth/Phi-4-mini-instruct-GGUF/Phi-4-mini-instruct-Q4_K_M.gguf",
        bytes: 2_490_000_000,
        licence: "MIT",
        what: "3.8 billion parameters, the successor of the default",
    },
    KnownModel {
        alias: "gemma-4-e2b",
        name: "unsloth/gemma-4-E2B-it-GGUF/gemma-4-E2B-it-Q4_K_M.gguf",
        bytes: 3_110_000_000,
        licence: "Apache-2.0",
        what: "computes with 2 billion parameters at a time, twice as fast as its size as others report",
    },
    KnownModel {
        alias: "qwen3-1.7b",
        name: "bartowski/Qwen_Qwen3-1.7B-GGUF/Qwen_Qwen3-1.7B-Q4_K_M.gguf",
        bytes: 1_280_000_000,
        licence: "Apache-2.0",
        what: "for small machines: 1.7 billion parameters",
    },
    KnownModel {
        alias: EMBEDDING_ALIAS,
        name: "second-state/All-MiniLM-L6-v2-Embedding-GGUF/all-MiniLM-L6-v2-ggml-model-f16.gguf",
        bytes: 45_900_000,
        licence: "Apache-2.0",
        what: "finds memories by their meaning; writes no text",
    },
];
