//! The player's password, of which the program keeps a hash alone.

use std::str::FromStr as _;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use sha2::{Digest as _, Sha256};

use crate::limits::{PASSWORD_BYTES_MAX, PASSWORD_MEMORY_KIB_MAX, PASSWORD_PASSES_MAX};

/// Fewest characters of a password that others may try.
pub const PASSWORD_CHARS_MIN: usize = 10;

/// The cost of one try, as OWASP advises for Argon2id: 19 MiB, two passes, one lane.
const COST: PasswordCost = PasswordCost { memory_kib: 19_456, passes: 2 };

const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

/// What every text of a hash begins with: Argon2id in its version 1.3.
const ALGORITHM: &str = "$argon2id$v=19$";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PasswordCost {
    pub(crate) memory_kib: u32,
    pub(crate) passes: u32,
}

/// A salted hash of a password. Its text is a PHC string, which other programs read too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordHash {
    cost: PasswordCost,
    salt: [u8; SALT_BYTES],
    hash: [u8; HASH_BYTES],
}

/// Why there is no hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    #[error("the password has {chars} characters, and needs at least {PASSWORD_CHARS_MIN}")]
    TooShort { chars: usize },
    #[error("the password has more than {PASSWORD_BYTES_MAX} bytes")]
    TooLong,
    #[error("it is no hash of a password that this program has written")]
    NoHash,
    #[error("the hash cannot be computed: {0}")]
    NotComputed(argon2::Error),
}

impl PasswordHash {
    /// Hashes a new password. `salt` is random text, another one each time.
    pub fn of(password: &str, salt: &str) -> Result<PasswordHash, PasswordError> {
        let chars = password.chars().count();
        if chars < PASSWORD_CHARS_MIN {
            return Err(PasswordError::TooShort { chars });
        }
        PasswordHash::with_cost(password, salt, COST)
    }

    pub(crate) fn with_cost(
        password: &str,
        salt: &str,
        cost: PasswordCost,
    ) -> Result<PasswordHash, PasswordError> {
        if password.len() > PASSWORD_BYTES_MAX {
            return Err(PasswordError::TooLong);
        }
        let digest = Sha256::digest(salt);
        let mut salt = [0; SALT_BYTES];
        salt.copy_from_slice(&digest[..SALT_BYTES]);
        let hash = computed(password, &salt, cost)?;
        Ok(PasswordHash { cost, salt, hash })
    }

    /// Reads the text of a hash.
    pub fn parse(text: &str) -> Result<PasswordHash, PasswordError> {
        parsed(text.trim()).ok_or(PasswordError::NoHash)
    }

    /// The text that [`PasswordHash::parse`] reads.
    pub fn to_text(&self) -> String {
        let PasswordCost { memory_kib, passes } = self.cost;
        let (salt, hash) = (STANDARD_NO_PAD.encode(self.salt), STANDARD_NO_PAD.encode(self.hash));
        format!("{ALGORITHM}m={memory_kib},t={passes},p=1${salt}${hash}")
    }

    /// Returns true if this is the password. Takes its time, and [`COST`] of memory.
    pub fn is_of(&self, password: &str) -> bool {
        // A longer one cannot have been set.
        if password.len() > PASSWORD_BYTES_MAX {
            return false;
        }
        computed(password, &self.salt, self.cost).is_ok_and(|hash| is_same(&self.hash, &hash))
    }
}

/// Compares secrets in a time that does not depend on where they differ.
pub(crate) fn is_same(secret: &[u8], other: &[u8]) -> bool {
    let (secret, other) = (Sha256::digest(secret), Sha256::digest(other));
    secret.iter().zip(other.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn parsed(text: &str) -> Option<PasswordHash> {
    let [cost, salt, hash] =
        text.strip_prefix(ALGORITHM)?.split('$').collect::<Vec<_>>().try_into().ok()?;
    let [memory, passes, lanes] = cost.split(',').collect::<Vec<&str>>().try_into().ok()?;
    let memory_kib = u32::from_str(memory.strip_prefix("m=")?).ok()?;
    let passes = u32::from_str(passes.strip_prefix("t=")?).ok()?;
    let is_bounded = memory_kib <= PASSWORD_MEMORY_KIB_MAX && passes <= PASSWORD_PASSES_MAX;
    if lanes != "p=1" || !is_bounded {
        return None;
    }
    let salt = STANDARD_NO_PAD.decode(salt).ok()?.try_into().ok()?;
    let hash = STANDARD_NO_PAD.decode(hash).ok()?.try_into().ok()?;
    Some(PasswordHash { cost: PasswordCost { memory_kib, passes }, salt, hash })
}

fn computed(
    password: &str,
    salt: &[u8; SALT_BYTES],
    cost: PasswordCost,
) -> Result<[u8; HASH_BYTES], PasswordError> {
    let params = Params::new(cost.memory_kib, cost.passes, 1, Some(HASH_BYTES));
    let params = params.map_err(PasswordError::NotComputed)?;
    let mut blocks = vec![Block::default(); params.block_count()];
    let mut hash = [0; HASH_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, &mut blocks)
        .map_err(PasswordError::NotComputed)?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::{PasswordCost, PasswordError, PasswordHash};

    const CHEAP: PasswordCost = PasswordCost { memory_kib: 64, passes: 1 };

    #[test]
    fn a_hash_is_read_as_it_was_written_and_knows_its_password_alone() {
        let hash = PasswordHash::with_cost("nine lanterns", "a", CHEAP).unwrap();
        let text = hash.to_text();
        assert!(text.starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{text}");
        assert!(!text.contains("lanterns"));
        assert_eq!(PasswordHash::parse(&format!("{text}\n")).unwrap(), hash);
        assert!(hash.is_of("nine lanterns"));
        for other in ["", "nine lantern", "nine lanterns ", "Nine lanterns", &"n".repeat(5000)] {
            assert!(!hash.is_of(other), "{other}");
        }
        let salted = PasswordHash::with_cost("nine lanterns", "b", CHEAP).unwrap();
        assert_ne!(salted.to_text(), text);
    }

    #[test]
    fn a_password_is_neither_short_nor_endless() {
        let refused = |password: &str| PasswordHash::of(password, "a").unwrap_err();
        assert_eq!(refused("ninechars"), PasswordError::TooShort { chars: 9 });
        assert_eq!(refused(&"n".repeat(1025)), PasswordError::TooLong);
    }

    #[test]
    fn what_this_program_has_not_written_is_no_hash() {
        let text = PasswordHash::with_cost("nine lanterns", "a", CHEAP).unwrap().to_text();
        for broken in [
            String::new(),
            "nine lanterns".to_owned(),
            text.replace("argon2id", "argon2i"),
            text.replace("m=64", "m=4294967295"),
            text.replace("t=1", "t=4000000000"),
            text.replace("p=1", "p=9"),
            text[..text.len() - 1].to_owned(),
            format!("{text}$more"),
        ] {
            assert_eq!(PasswordHash::parse(&broken), Err(PasswordError::NoHash), "{broken}");
        }
    }
}
