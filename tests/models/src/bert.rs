//! A model of the architecture `bert` that gives texts vectors: words of one group have one vector, all others are
//! unknown, and the vector of a text is the mean of its words. So it knows meanings without being trained.

use std::{io, path::Path};

use rand::{RngExt, SeedableRng, rngs::SmallRng};

use crate::gguf::{Gguf, MetadataValue, Tensor};

/// Width of a vector.
const WIDTH: usize = 32;
const FEED_FORWARD: usize = 32;
const CONTEXT: usize = 256;
/// The first word; the special tokens come before it, where llama.cpp looks for them.
const WORDS_FROM: usize = 104;

/// Writes a model whose words are those of the groups. Words of one group mean the same.
pub fn embedding(path: &Path, groups: &[&[&str]], seed: u64) -> io::Result<()> {
    let mut out = io::BufWriter::new(std::fs::File::create(path)?);
    bert(groups, seed).write(&mut out)?;
    out.into_inner()?.sync_all()
}

fn bert(groups: &[&[&str]], seed: u64) -> Gguf<'static> {
    let mut rng = SmallRng::seed_from_u64(seed);
    // A special token has no direction, so it does not count.
    let mut rows = vec![vec![0.0; WIDTH]; WORDS_FROM];
    let mut tokens: Vec<String> = (0..WORDS_FROM).map(special).collect();
    for group in groups {
        let vector: Vec<f32> = (0..WIDTH).map(|_| rng.random_range(-1.0..1.0)).collect();
        for word in *group {
            tokens.push(format!("\u{2581}{word}"));
            rows.push(vector.clone());
        }
    }
    let words = tokens.len();
    let mut rows = rows.into_iter();
    let filled = |name: &str, shape: &[usize], with: f32| Tensor {
        name: name.to_owned(),
        shape: shape.to_vec(),
        numbers: Box::new(move |n| vec![with; n]),
    };
    let mut tensors = vec![
        Tensor {
            name: "token_embd.weight".to_owned(),
            shape: vec![WIDTH, words],
            numbers: Box::new(move |_| rows.next().unwrap_or_else(|| vec![0.0; WIDTH])),
        },
        filled("position_embd.weight", &[WIDTH, CONTEXT], 0.0),
        filled("token_types.weight", &[WIDTH, 2], 0.0),
        filled("token_embd_norm.weight", &[WIDTH], 1.0),
        filled("token_embd_norm.bias", &[WIDTH], 0.0),
    ];
    // The one layer adds nothing.
    for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
        tensors.push(filled(&format!("blk.0.{part}.weight"), &[WIDTH, WIDTH], 0.0));
        tensors.push(filled(&format!("blk.0.{part}.bias"), &[WIDTH], 0.0));
    }
    for (part, shape) in [("ffn_up", [WIDTH, FEED_FORWARD]), ("ffn_down", [FEED_FORWARD, WIDTH])] {
        tensors.push(filled(&format!("blk.0.{part}.weight"), &shape, 0.0));
        tensors.push(filled(&format!("blk.0.{part}.bias"), &shape[1..], 0.0));
    }
    for part in ["attn_output_norm", "layer_output_norm"] {
        tensors.push(filled(&format!("blk.0.{part}.weight"), &[WIDTH], 1.0));
        tensors.push(filled(&format!("blk.0.{part}.bias"), &[WIDTH], 0.0));
    }
    Gguf { keys: keys(tokens), tensors }
}

fn special(at: usize) -> String {
    match at {
        0 => "[PAD]".to_owned(),
        100 => "[UNK]".to_owned(),
        101 => "[CLS]".to_owned(),
        102 => "[SEP]".to_owned(),
        103 => "[MASK]".to_owned(),
        _ => format!("[unused{at}]"),
    }
}

fn keys(tokens: Vec<String>) -> Vec<(String, MetadataValue)> {
    let number = |n: usize| MetadataValue::U32(u32::try_from(n).expect("no size is that large"));
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let kinds = (0..tokens.len()).map(|at| if at < WORDS_FROM { 3 } else { 1 }).collect();
    let list = [
        ("general.architecture", text("bert")),
        ("general.name", text("narratoria-embedding")),
        ("bert.context_length", number(CONTEXT)),
        ("bert.embedding_length", number(WIDTH)),
        ("bert.feed_forward_length", number(FEED_FORWARD)),
        ("bert.block_count", number(1)),
        ("bert.attention.head_count", number(2)),
        ("bert.attention.layer_norm_epsilon", MetadataValue::F32(1e-12)),
        ("bert.attention.causal", MetadataValue::Bool(false)),
        ("bert.pooling_type", number(1)),
        ("tokenizer.ggml.model", text("bert")),
        ("tokenizer.ggml.token_type_count", number(2)),
        ("tokenizer.ggml.tokens", MetadataValue::Texts(tokens)),
        ("tokenizer.ggml.token_type", MetadataValue::Ints(kinds)),
    ];
    list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
