//! Public keys of those who sign packages, in the form that minisign prints. Pure.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use narratoria_protocol::visible::{clip, visible_word};

/// Bytes of a key: the algorithm, the id, and the point of Ed25519.
const KEY_BYTES: usize = 42;

/// The only algorithm that minisign has for keys.
const ALGORITHM: &[u8] = b"Ed";

/// A public key of minisign, such as `RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3`.
///
/// Invariant: each key has one text, so that equal keys are equal texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SignerKey(String);

/// Why a text is no public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is no public key of minisign, which is a text of 56 letters and digits that begins with `RW`",
    shown(text)
)]
pub struct SignerKeyError {
    text: String,
}

impl SignerKey {
    /// Reads the text of a key. 42 bytes fill their base64, so no other text stands for the same key.
    pub fn parse(text: &str) -> Result<SignerKey, SignerKeyError> {
        let bytes = BASE64_STANDARD.decode(text).unwrap_or_default();
        match bytes.len() == KEY_BYTES && bytes.starts_with(ALGORITHM) {
            true => Ok(SignerKey(text.to_owned())),
            false => Err(SignerKeyError { text: text.to_owned() }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id, as minisign prints it. It is drawn at random and proves nothing: two keys can have the same.
    pub fn id(&self) -> String {
        let bytes = BASE64_STANDARD.decode(&self.0).unwrap_or_default();
        let id = bytes.get(ALGORITHM.len()..).and_then(<[u8]>::first_chunk);
        format!("{:016X}", u64::from_le_bytes(id.copied().unwrap_or_default()))
    }
}

/// The key and its id.
impl fmt::Display for SignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (id {})", self.0, self.id())
    }
}

/// A key has 56 characters, so 80 show every text that was meant as one.
fn shown(text: &str) -> String {
    visible_word(&clip(text, 80)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::SignerKey;

    const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

    #[test]
    fn a_key_has_one_text_and_the_id_that_minisign_prints() {
        let key = SignerKey::parse(KEY).unwrap();
        assert_eq!((key.as_str(), key.id()), (KEY, "E7620F1842B4E81F".to_owned()));
        assert_eq!(key.to_string(), format!("{KEY} (id E7620F1842B4E81F)"));
    }

    /// `RU…` would be the algorithm of a signature, with which the same key had two texts.
    #[test]
    fn a_text_that_is_no_key_is_refused() {
        let other_algorithm = KEY.replacen("RWQ", "RUQ", 1);
        let blank = format!(" {KEY}");
        let short = &KEY[..52];
        for text in ["", "RW", "weather", &other_algorithm, &blank, short, &KEY.to_lowercase()] {
            let error = SignerKey::parse(text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{text}` is no public key of minisign")),
                "{error}"
            );
        }
    }
}
