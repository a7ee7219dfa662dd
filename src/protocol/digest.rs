//! SHA-256 as text: 64 lower-case hexadecimal digits, as `sha256sum` and the model hub write them. Pure.

use sha2::{Digest as _, Sha256};

/// A digest of bytes that arrive in pieces.
#[derive(Clone, Default)]
pub struct Sha256Hasher(Sha256);

impl Sha256Hasher {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added so far.
    pub fn hex(&self) -> String {
        format!("{:x}", self.0.clone().finalize())
    }
}

/// The digest of these bytes.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Returns true if a text is a digest in the form that [`sha256`] writes.
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{Sha256Hasher, is_digest, sha256};

    #[test]
    fn a_digest_equals_the_standard_s_example() {
        let mut digest = Sha256Hasher::default();
        digest.update(b"a");
        digest.update(b"bc");
        let text = digest.hex();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(text, sha256(b"abc"));
        assert!(is_digest(&text) && !is_digest(&text.to_uppercase()) && !is_digest("ba78"));
    }
}
