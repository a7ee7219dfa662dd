//! Small models of architectures that keep their memory otherwise than `phi3`: of the last tokens only, or as one state.

use std::{io, path::Path};

use crate::{
    gguf::{Gguf, MetadataValue, Tensor},
    phi3::{VocabularyToken, tiny_vocabulary, tokenizer_keys},
    weights::{RandomWeights, constant, even, ones},
};

/// Width of a token.
const EMBEDDING: usize = 64;
/// Attention heads, and the width of each.
const HEADS: usize = 2;
const HEAD: usize = EMBEDDING / HEADS;
/// Width of the feed-forward layer.
const FEED_FORWARD: usize = 128;
/// Context length in tokens.
const CONTEXT: u32 = 4096;
/// Tokens that a layer with a sliding window looks back. A prompt of a test is longer.
const WINDOW: u32 = 32;
/// Every sixth layer of `gemma3` looks back over all tokens.
const GEMMA_LAYERS: usize = 6;
/// Sizes of a layer with a state.
const STATE: usize = 8;
const INNER: usize = 2 * EMBEDDING;
const CONVOLUTION: usize = 4;
const TIME_RANK: usize = 4;

/// How a model remembers what it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryShape {
    /// `gemma3`: most layers look back over the last tokens only.
    SlidingWindow,
    /// `mamba`: each layer has one state.
    Recurrent,
    /// `jamba`: layers with a state and layers with attention.
    Hybrid,
}

impl MemoryShape {
    pub const ALL: [MemoryShape; 3] =
        [MemoryShape::SlidingWindow, MemoryShape::Recurrent, MemoryShape::Hybrid];

    fn architecture(self) -> &'static str {
        match self {
            MemoryShape::SlidingWindow => "gemma3",
            MemoryShape::Recurrent => "mamba",
            MemoryShape::Hybrid => "jamba",
        }
    }

    /// True for each layer with attention; the others keep a state.
    fn layers(self) -> Vec<bool> {
        match self {
            MemoryShape::SlidingWindow => vec![true; GEMMA_LAYERS],
            MemoryShape::Recurrent => vec![false; 2],
            MemoryShape::Hybrid => vec![false, true],
        }
    }
}

/// Writes a model with random weights, half a megabyte, in milliseconds. Each seed gives another model.
pub fn tiny_of_shape(path: &Path, memory: MemoryShape, seed: u64) -> io::Result<()> {
    let mut out = io::BufWriter::new(std::fs::File::create(path)?);
    let vocabulary = tiny_vocabulary();
    let tensors = tensors(memory, vocabulary.len(), seed);
    Gguf { keys: keys(memory, &vocabulary), tensors }.write(&mut out)?;
    out.into_inner()?.sync_all()
}

fn tensors(memory: MemoryShape, words: usize, seed: u64) -> Vec<Tensor<'static>> {
    let weights = RandomWeights::new(seed);
    let square = |name, rows, columns| weights.matrix(name, rows, columns, even(columns));
    let is_gemma = memory == MemoryShape::SlidingWindow;
    // Gemma multiplies the embedding with the root of its width.
    let spread = if is_gemma { even(EMBEDDING) } else { 1.0 };
    let mut tensors =
        vec![weights.matrix("token_embd.weight".to_owned(), words, EMBEDDING, spread)];
    for (layer, has_attention) in memory.layers().into_iter().enumerate() {
        let name = |what: &str| format!("blk.{layer}.{what}.weight");
        tensors.push(ones(name("attn_norm"), EMBEDDING));
        if has_attention {
            for what in ["attn_q", "attn_k", "attn_v", "attn_output"] {
                tensors.push(square(name(what), EMBEDDING, EMBEDDING));
            }
        } else {
            let is_hybrid = memory == MemoryShape::Hybrid;
            tensors.extend(state_layer(&weights, layer, is_hybrid));
        }
        if is_gemma {
            for (what, size) in [
                ("attn_q_norm", HEAD),
                ("attn_k_norm", HEAD),
                ("post_attention_norm", EMBEDDING),
                ("post_ffw_norm", EMBEDDING),
            ] {
                tensors.push(ones(name(what), size));
            }
        }
        if memory != MemoryShape::Recurrent {
            tensors.push(ones(name("ffn_norm"), EMBEDDING));
            tensors.push(square(name("ffn_gate"), FEED_FORWARD, EMBEDDING));
            tensors.push(square(name("ffn_up"), FEED_FORWARD, EMBEDDING));
            tensors.push(square(name("ffn_down"), EMBEDDING, FEED_FORWARD));
        }
    }
    tensors.push(ones("output_norm.weight".to_owned(), EMBEDDING));
    let spread = 2.5 * even(EMBEDDING);
    tensors.push(weights.matrix("output.weight".to_owned(), words, EMBEDDING, spread));
    tensors
}

fn state_layer(weights: &RandomWeights, layer: usize, is_hybrid: bool) -> Vec<Tensor<'static>> {
    let name = |what: &str| format!("blk.{layer}.{what}");
    let matrix = |what: &str, rows, columns| {
        weights.matrix(name(&format!("{what}.weight")), rows, columns, even(columns))
    };
    let zeros = |what: &str, size| constant(name(&format!("{what}.bias")), vec![size], 0.0);
    let mut tensors = vec![
        matrix("ssm_in", 2 * INNER, EMBEDDING),
        matrix("ssm_conv1d", INNER, CONVOLUTION),
        zeros("ssm_conv1d", INNER),
        matrix("ssm_x", TIME_RANK + 2 * STATE, INNER),
        matrix("ssm_dt", INNER, TIME_RANK),
        zeros("ssm_dt", INNER),
        // A state decays.
        constant(name("ssm_a"), vec![STATE, INNER], -0.1),
        ones(name("ssm_d"), INNER),
        matrix("ssm_out", EMBEDDING, INNER),
    ];
    if is_hybrid {
        tensors.push(ones(name("ssm_dt_norm.weight"), TIME_RANK));
        tensors.push(ones(name("ssm_b_norm.weight"), STATE));
        tensors.push(ones(name("ssm_c_norm.weight"), STATE));
    }
    tensors
}

fn keys(memory: MemoryShape, vocabulary: &[VocabularyToken]) -> Vec<(String, MetadataValue)> {
    let number = |n: usize| MetadataValue::U32(u32::try_from(n).expect("no size is that large"));
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let architecture = memory.architecture();
    let layers = memory.layers();
    let cached =
        layers.iter().map(|has_attention| if *has_attention { HEADS as i32 } else { 0 }).collect();
    let mut list = vec![
        ("context_length", MetadataValue::U32(CONTEXT)),
        ("embedding_length", number(EMBEDDING)),
        ("feed_forward_length", number(FEED_FORWARD)),
        ("block_count", number(layers.len())),
        ("attention.head_count", number(HEADS)),
        ("attention.head_count_kv", MetadataValue::Ints(cached)),
        ("attention.layer_norm_rms_epsilon", MetadataValue::F32(1e-5)),
    ];
    if memory == MemoryShape::SlidingWindow {
        list.push(("attention.sliding_window", MetadataValue::U32(WINDOW)));
        list.push(("attention.key_length", number(HEAD)));
        list.push(("attention.value_length", number(HEAD)));
    } else {
        list.push(("ssm.conv_kernel", number(CONVOLUTION)));
        list.push(("ssm.inner_size", number(INNER)));
        list.push(("ssm.state_size", number(STATE)));
        list.push(("ssm.time_step_rank", number(TIME_RANK)));
    }
    let own = list.into_iter().map(|(key, value)| (format!("{architecture}.{key}"), value));
    let general = [
        ("general.architecture".to_owned(), text(architecture)),
        ("general.name".to_owned(), text(&format!("narratoria-tiny-{architecture}"))),
    ];
    general.into_iter().chain(own).chain(tokenizer_keys(vocabulary)).collect()
}
