//! SHA-256 as text: 64 lower-case hexadecimal digits, as `sha256sum` and the model hub write it. Pure.

use sha2::{Digest as _, Sha256};

/// A digest that grows.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Takes in what comes next.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Of everything so far.
    pub fn text(&self) -> String {
        format!("{:x}", self.0.clone().finalize())
    }
}

/// The digest of one text.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Whether a text is a digest as [`sha256`] writes it.
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{Digest, is_digest, sha256};

    #[test]
    fn a_digest_is_that_of_the_standard() {
        let mut digest = Digest::default();
        digest.add(b"a");
        digest.add(b"bc");
        let text = digest.text();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(text, sha256(b"abc"));
        assert!(is_digest(&text) && !is_digest(&text.to_uppercase()) && !is_digest("ba78"));
    }
}
