//! Models of the architecture `phi3` with random weights.

use std::{io, path::Path};

use crate::{
    bpe::{self, SPACE},
    gguf::{Gguf, MetadataValue, Tensor},
    weights::{RandomWeights, even, ones},
};

/// The template of Phi-3.5.
pub const CHAT_TEMPLATE: &str = concat!(
    "{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}",
    "{{'<|system|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'user' %}",
    "{{'<|user|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'assistant' %}",
    "{{'<|assistant|>\n' + message['content'] + '<|end|>\n'}}{% endif %}{% endfor %}",
    "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}",
);

/// Control tokens, in the order of Phi-3.5.
const SPECIALS: [&str; 11] = [
    "<|endoftext|>",
    "<|assistant|>",
    "<|placeholder1|>",
    "<|placeholder2|>",
    "<|placeholder3|>",
    "<|placeholder4|>",
    "<|system|>",
    "<|end|>",
    "<|placeholder5|>",
    "<|placeholder6|>",
    "<|user|>",
];

/// Tokens of Phi-3.5, and the first of its control tokens.
const BENCH_TOKENS: usize = 32_064;
const CONTROLS_FROM: usize = 32_000;

/// The type of a token, with llama.cpp's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A piece of text.
    Normal = 1,
    /// Replaces text that has no token.
    Unknown = 2,
    /// Never part of a text.
    Control = 3,
    /// Has no piece.
    Unused = 5,
    /// One byte.
    Byte = 6,
}

/// One token of a vocabulary: its piece, its score (higher is merged earlier), its type.
pub type VocabularyToken = (String, f32, TokenKind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelShape {
    /// Width of a token.
    pub embedding: usize,
    pub layers: usize,
    /// Attention heads; each as wide as the embedding divided by them.
    pub heads: usize,
    /// Width of the feed-forward layer.
    pub feed_forward: usize,
    /// Context length in tokens.
    pub context: u32,
}

/// Bytes, printable ASCII and the control tokens: every text can be written, one character a token.
pub fn tiny_vocabulary() -> Vec<VocabularyToken> {
    let mut tokens = first_tokens();
    tokens.push((SPACE.to_string(), -1.0, TokenKind::Normal));
    tokens.extend(('!'..='~').map(|char| (char.to_string(), -1.0, TokenKind::Normal)));
    tokens.extend(SPECIALS.map(|name| (name.to_owned(), 0.0, TokenKind::Control)));
    tokens
}

/// A vocabulary of at most `pieces` pieces of a text, and the bytes for everything else.
pub fn vocabulary(text: &str, pieces: usize) -> Vec<VocabularyToken> {
    let mut tokens = first_tokens();
    learn(&mut tokens, text, pieces);
    tokens.extend(SPECIALS.map(|name| (name.to_owned(), 0.0, TokenKind::Control)));
    tokens
}

/// As many tokens as Phi-3.5 has, with its control tokens in the same places.
pub fn bench_vocabulary(text: &str) -> Vec<VocabularyToken> {
    let mut tokens = first_tokens();
    let pieces = CONTROLS_FROM - tokens.len();
    learn(&mut tokens, text, pieces);
    let unused = |id: usize| (format!("[PAD{id}]"), -1e9, TokenKind::Unused);
    tokens.extend((tokens.len()..CONTROLS_FROM).map(unused));
    tokens.extend(SPECIALS.map(|name| (name.to_owned(), 0.0, TokenKind::Control)));
    tokens.extend((tokens.len()..BENCH_TOKENS).map(unused));
    tokens
}

/// An earlier merge has a higher score, and the characters come last, as SentencePiece writes them.
fn learn(tokens: &mut Vec<VocabularyToken>, text: &str, pieces: usize) {
    let pieces = (0_u16..).zip(bpe::pieces(text, pieces));
    tokens.extend(pieces.map(|(rank, piece)| (piece, -f32::from(rank), TokenKind::Normal)));
}

/// The first tokens of every vocabulary of this tokenizer.
fn first_tokens() -> Vec<VocabularyToken> {
    let mut tokens = vec![
        ("<unk>".to_owned(), 0.0, TokenKind::Unknown),
        ("<s>".to_owned(), 0.0, TokenKind::Control),
        ("</s>".to_owned(), 0.0, TokenKind::Control),
    ];
    tokens.extend((0..=255).map(|byte| (format!("<0x{byte:02X}>"), 0.0, TokenKind::Byte)));
    tokens
}

/// Writes the smallest model: 0.13 million weights, half a megabyte, in milliseconds. Each seed gives another model.
pub fn tiny(path: &Path, seed: u64) -> io::Result<()> {
    tiny_with(path, &tiny_vocabulary(), seed)
}

/// Like [`tiny`], with another vocabulary.
pub fn tiny_with(path: &Path, vocabulary: &[VocabularyToken], seed: u64) -> io::Result<()> {
    let shape = ModelShape { embedding: 64, layers: 2, heads: 2, feed_forward: 128, context: 4096 };
    let mut out = io::BufWriter::new(std::fs::File::create(path)?);
    phi3("narratoria-tiny", shape, vocabulary, seed).write(&mut out)?;
    out.into_inner()?.sync_all()
}

/// Writes a model with 220 million weights of 32 bits (880 MB), to be quantised; its layers are a third as wide
/// as those of Phi-3.5. The vocabulary is trained on `text`.
pub fn bench(path: &Path, text: &str, seed: u64) -> io::Result<()> {
    let shape =
        ModelShape { embedding: 1024, layers: 12, heads: 16, feed_forward: 2816, context: 131_072 };
    let mut out = io::BufWriter::new(std::fs::File::create(path)?);
    phi3("narratoria-bench", shape, &bench_vocabulary(text), seed).write(&mut out)?;
    out.into_inner()?.sync_all()
}

pub fn phi3(
    name: &str,
    shape: ModelShape,
    vocabulary: &[VocabularyToken],
    seed: u64,
) -> Gguf<'static> {
    let ModelShape { embedding, layers, heads, feed_forward, context } = shape;
    let head = embedding / heads;
    let weights = RandomWeights::new(seed);
    let matrix = |name, rows, columns, spread| weights.matrix(name, rows, columns, spread);
    let words = vocabulary.len();
    let mut tensors = vec![matrix("token_embd.weight".to_owned(), words, embedding, 1.0)];
    for layer in 0..layers {
        let name = |what: &str| format!("blk.{layer}.{what}.weight");
        tensors.push(ones(name("attn_norm"), embedding));
        tensors.push(matrix(name("attn_qkv"), 3 * heads * head, embedding, even(embedding)));
        tensors.push(matrix(name("attn_output"), embedding, embedding, even(embedding)));
        tensors.push(ones(name("ffn_norm"), embedding));
        tensors.push(matrix(name("ffn_up"), 2 * feed_forward, embedding, even(embedding)));
        tensors.push(matrix(name("ffn_down"), embedding, feed_forward, even(feed_forward)));
    }
    if context > 4096 {
        // Position factors of a long context; not used below 4096 tokens.
        let steps = |from: f32, to: f32| {
            let n = head / 2;
            move |_: usize| (0..n).map(|i| from + (to - from) * i as f32 / (n - 1) as f32).collect()
        };
        let factors = |name: &str, to| Tensor {
            name: name.to_owned(),
            shape: vec![head / 2],
            numbers: Box::new(steps(1.0, to)),
        };
        tensors.push(factors("rope_factors_long.weight", 60.0));
        tensors.push(factors("rope_factors_short.weight", 2.8));
    }
    tensors.push(ones("output_norm.weight".to_owned(), embedding));
    // A larger spread than the others, as in a trained model.
    tensors.push(matrix("output.weight".to_owned(), words, embedding, 2.5 * even(embedding)));
    let keys = keys(name, (embedding, layers, heads, feed_forward, context), vocabulary);
    Gguf { keys, tensors }
}

type ModelSizes = (usize, usize, usize, usize, u32);

fn keys(
    name: &str,
    sizes: ModelSizes,
    vocabulary: &[VocabularyToken],
) -> Vec<(String, MetadataValue)> {
    let (embedding, layers, heads, feed_forward, context) = sizes;
    let number = |n: usize| MetadataValue::U32(u32::try_from(n).expect("no size is that large"));
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let list = [
        ("general.architecture", text("phi3")),
        ("general.name", text(name)),
        ("phi3.context_length", MetadataValue::U32(context)),
        ("phi3.rope.scaling.original_context_length", MetadataValue::U32(4096)),
        ("phi3.embedding_length", number(embedding)),
        ("phi3.feed_forward_length", number(feed_forward)),
        ("phi3.block_count", number(layers)),
        ("phi3.attention.head_count", number(heads)),
        ("phi3.attention.head_count_kv", number(heads)),
        ("phi3.attention.layer_norm_rms_epsilon", MetadataValue::F32(1e-5)),
        ("phi3.attention.sliding_window", MetadataValue::U32(262_144)),
        ("phi3.rope.dimension_count", number(embedding / heads)),
        ("phi3.rope.freq_base", MetadataValue::F32(10_000.0)),
    ];
    let own = list.into_iter().map(|(key, value)| (key.to_owned(), value));
    own.chain(tokenizer_keys(vocabulary)).collect()
}

/// The keys of a tokenizer with this vocabulary and of [`CHAT_TEMPLATE`].
pub(crate) fn tokenizer_keys(vocabulary: &[VocabularyToken]) -> Vec<(String, MetadataValue)> {
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let id = |piece: &str| {
        let at = vocabulary.iter().position(|token| token.0 == piece).expect("it is a special");
        MetadataValue::U32(u32::try_from(at).expect("no vocabulary is that large"))
    };
    let list = [
        ("general.file_type", MetadataValue::U32(0)),
        ("tokenizer.ggml.model", text("llama")),
        ("tokenizer.ggml.pre", text("default")),
        (
            "tokenizer.ggml.tokens",
            MetadataValue::Texts(vocabulary.iter().map(|t| t.0.clone()).collect()),
        ),
        (
            "tokenizer.ggml.scores",
            MetadataValue::Floats(vocabulary.iter().map(|token| token.1).collect()),
        ),
        (
            "tokenizer.ggml.token_type",
            MetadataValue::Ints(vocabulary.iter().map(|token| token.2 as i32).collect()),
        ),
        ("tokenizer.ggml.bos_token_id", MetadataValue::U32(1)),
        ("tokenizer.ggml.eos_token_id", id("<|endoftext|>")),
        ("tokenizer.ggml.unknown_token_id", MetadataValue::U32(0)),
        ("tokenizer.ggml.padding_token_id", id("<|endoftext|>")),
        ("tokenizer.ggml.eot_token_id", id("<|end|>")),
        ("tokenizer.ggml.add_bos_token", MetadataValue::Bool(false)),
        ("tokenizer.ggml.add_eos_token", MetadataValue::Bool(false)),
        ("tokenizer.chat_template", text(CHAT_TEMPLATE)),
    ];
    list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
