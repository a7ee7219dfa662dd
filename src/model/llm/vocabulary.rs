//! Converts between texts and tokens.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use llama_cpp_2::{
    model::LlamaModel, sampling::LlamaSampler, token::LlamaToken, token_type::LlamaTokenAttr,
    vocab::VocabType,
};
use toktrie::{TokTrie, TokenizerEnv};

/// A byte that is a token of its own and is never merged with its neighbours.
const SENTINEL: u8 = 0x02;
/// Texts are tokenized in pieces of at most this size: llama.cpp counts bytes in 32 bits.
const PIECE_BYTES_MAX: usize = 1 << 24;

pub(super) struct Vocabulary {
    model: Arc<LlamaModel>,
    trie: TokTrie,
    /// Put before a text, and removed again, where the tokenizer would put a space there.
    sentinel: Option<LlamaToken>,
    bos: Option<LlamaToken>,
    /// Tokens that llama.cpp recognises in any text, in players' texts too.
    defined: HashSet<LlamaToken>,
    longest: usize,
    /// The tokens that are a letter or a digit of ASCII, alone or after a space.
    labels: HashMap<char, Vec<u32>>,
}

impl Vocabulary {
    /// The error is the reason why the vocabulary cannot be used.
    pub(super) fn new(model: Arc<LlamaModel>) -> Result<Vocabulary, String> {
        let vocab = model.vocab();
        let n = vocab.n_tokens();
        if vocab.vocab_type() == VocabType::NONE || n < 1 {
            return Err("it has no vocabulary".to_owned());
        }
        let is_token = |token: LlamaToken| (0..n).contains(&token.0);
        if !is_token(vocab.eos()) && !is_token(vocab.eot()) {
            return Err("its vocabulary has no token for the end of a text".to_owned());
        }
        let trie = LlamaSampler::llguidance_tok_env(&model).tok_trie().clone();
        let defined = vocab
            .tokens()
            .filter(|token| vocab.attr(*token).contains(LlamaTokenAttr::UserDefined))
            .filter(|token| {
                let piece = vocab.token_to_piece(*token, true, None);
                piece.starts_with(b"<") || piece.starts_with(b"[")
            })
            .collect();
        let bos = Some(vocab.bos()).filter(|bos| vocab.should_add_bos() && is_token(*bos));
        let longest = trie.max_token_len().max(1);
        let labels = find_labels(&trie);
        let model = Arc::clone(&model);
        let mut vocabulary =
            Vocabulary { trie, sentinel: None, bos, defined, longest, labels, model };
        vocabulary.sentinel = vocabulary.find_sentinel();
        Ok(vocabulary)
    }

    /// Only tokenizers that put a space before a text need it.
    fn find_sentinel(&self) -> Option<LlamaToken> {
        let of = |text: &[u8]| self.model.vocab().tokenize(text, false, false);
        let first = *of(b"a").first()?;
        if !self.piece(first).starts_with(b" ") {
            return None;
        }
        let sentinel = *of(&[SENTINEL]).last()?;
        (self.piece(sentinel) == [SENTINEL]).then_some(sentinel)
    }

    /// Tokenizes a text in the middle of another. Nothing in it becomes a control token.
    pub(super) fn tokenize_plain(&self, text: &str) -> Vec<LlamaToken> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES_MAX));
            tokens.extend(self.tokenize_without_control(piece));
            rest = after;
        }
        tokens
    }

    /// Tokenizes a piece of the model's own chat template, with its control tokens.
    pub(super) fn tokenize_template(&self, text: &str, is_first: bool) -> Vec<LlamaToken> {
        if !is_first {
            return self.tokenize_inner(text.as_bytes(), true);
        }
        let mut tokens = self.model.vocab().tokenize(text.as_bytes(), false, true);
        if let Some(bos) = self.bos.filter(|bos| tokens.first() != Some(bos)) {
            tokens.insert(0, bos);
        }
        tokens
    }

    /// Tokenizes a text with more text before and after it.
    fn tokenize_inner(&self, text: &[u8], with_control: bool) -> Vec<LlamaToken> {
        let vocab = self.model.vocab();
        let Some(sentinel) = self.sentinel else {
            return vocab.tokenize(text, false, with_control);
        };
        let mut tokens = vocab.tokenize(&[&[SENTINEL], text].concat(), false, with_control);
        if let Some(at) = tokens.iter().position(|token| *token == sentinel) {
            tokens.drain(..=at);
        }
        tokens
    }

    /// Splits the text at `<` and `[` if llama.cpp would recognise a tag that the vocabulary defines.
    fn tokenize_without_control(&self, text: &str) -> Vec<LlamaToken> {
        let tokens = self.tokenize_inner(text.as_bytes(), false);
        if !tokens.iter().any(|token| self.defined.contains(token)) {
            return tokens;
        }
        let pieces = text.split_inclusive(['<', '[']);
        pieces.flat_map(|piece| self.tokenize_inner(piece.as_bytes(), false)).collect()
    }

    /// Fewest tokens that a text of this many bytes can have.
    pub(super) fn tokens_min(&self, bytes: usize) -> usize {
        bytes / self.longest
    }

    /// Returns true if the name, such as `<|im_start|>`, is one control token.
    pub(super) fn has_control(&self, name: &str) -> bool {
        let tokens = self.model.vocab().tokenize(name.as_bytes(), false, true);
        matches!(tokens[..], [token] if self.model.vocab().is_control(token))
    }

    /// The tokens of a label: a letter or a digit of ASCII. None for any other character.
    pub(super) fn label_tokens(&self, label: char) -> &[u32] {
        self.labels.get(&label).map_or(&[], Vec::as_slice)
    }

    /// The bytes of a token; none for a control token.
    pub(super) fn piece(&self, token: LlamaToken) -> Vec<u8> {
        self.model.vocab().token_to_piece(token, false, None)
    }

    /// Returns true if a token ends a text. Every control token does: it has no place inside a text.
    pub(super) fn is_end(&self, token: LlamaToken) -> bool {
        let vocab = self.model.vocab();
        vocab.is_eog(token) || vocab.is_control(token)
    }
}

fn find_labels(trie: &TokTrie) -> HashMap<char, Vec<u32>> {
    let mut labels: HashMap<char, Vec<u32>> = HashMap::new();
    for token in 0..u32::try_from(trie.vocab_size()).unwrap_or(u32::MAX) {
        match trie.token(token) {
            [letter] | [b' ', letter] if letter.is_ascii_alphanumeric() => {
                labels.entry(char::from(*letter)).or_default().push(token);
            }
            _ => {}
        }
    }
    labels
}

impl TokenizerEnv for Vocabulary {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    /// Canonical, so that llguidance may force tokens.
    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        let of = |text: &str| {
            self.tokenize_inner(text.as_bytes(), false)
                .into_iter()
                .map(|token| token.0.cast_unsigned())
                .collect()
        };
        self.trie.tokenize_with_greedy_fallback(bytes, of)
    }
}
