//! Checks a vocabulary for faults over which llama.cpp would end the process when it loads it or reads a text.

use std::collections::{HashMap, HashSet};

use super::reader::{GgufError, GgufValue};

/// Most tokens of a vocabulary; the largest real ones have a quarter of a million.
const TOKENS_MAX: usize = 1 << 20;

pub(super) fn check(keys: &HashMap<String, GgufValue>) -> Result<(), GgufError> {
    let Some(GgufValue::Texts(tokens)) = keys.get("tokenizer.ggml.tokens") else {
        return Err(GgufError::damaged("it has no vocabulary"));
    };
    if tokens.is_empty() || tokens.len() > TOKENS_MAX {
        return Err(GgufError::Damaged(format!("its vocabulary has {} tokens", tokens.len())));
    }
    let mut known: HashSet<&[u8]> = HashSet::with_capacity(tokens.len());
    // llama.cpp reads a token up to its first NUL.
    let end = |token: &'_ Vec<u8>| token.iter().position(|byte| *byte == 0).unwrap_or(token.len());
    for token in tokens.iter().map(|token| &token[..end(token)]).filter(|token| !token.is_empty()) {
        if !known.insert(token) {
            let token = String::from_utf8_lossy(token);
            return Err(GgufError::Damaged(format!(
                "its vocabulary has the token `{token}` twice"
            )));
        }
        // llama.cpp gives such names to tokens that have none.
        if token.starts_with(b"[EMPTY_") {
            return Err(GgufError::damaged("its vocabulary has names that llama.cpp gives"));
        }
        if std::str::from_utf8(token).is_err() {
            return Err(GgufError::damaged("a token of its vocabulary is not UTF-8"));
        }
    }
    let is_bytewise =
        matches!(keys.get("tokenizer.ggml.model"), Some(GgufValue::Text(name)) if name == "llama");
    let has_byte = |byte: u8| {
        known.contains(format!("<0x{byte:02X}>").as_bytes()) || known.contains([byte].as_slice())
    };
    match (0..=u8::MAX).find(|byte| is_bytewise && !has_byte(*byte)) {
        Some(byte) => {
            Err(GgufError::Damaged(format!("its vocabulary has no token for the byte {byte}")))
        }
        None => Ok(()),
    }
}
