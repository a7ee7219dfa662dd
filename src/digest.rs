//! SHA-256 of what is read, in the words of the hub.

use sha2::{Digest as _, Sha256};

/// Bytes read at a time.
pub(super) const CHUNK_BYTES: usize = 1 << 20;

/// A digest that grows.
#[derive(Clone, Default)]
pub(super) struct Digest(Sha256);

impl Digest {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// In hexadecimal.
    pub(super) fn text(&self) -> String {
        self.0.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Whether a text is a SHA-256 as [`Digest::text`] writes it.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{Digest, is_digest};

    #[test]
    fn a_digest_is_that_of_the_standard() {
        let mut digest = Digest::default();
        digest.add(b"a");
        digest.add(b"bc");
        let text = digest.text();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(is_digest(&text) && !is_digest(&text.to_uppercase()) && !is_digest("ba78"));
    }
}
