//! The keys of authors and the signatures that they make, in the files of minisign. Knows texts and passwords; asks nobody for
//! one, and knows nothing of files.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use minisign::{KeyPair, PError, PublicKey, SecretKey, SecretKeyBox, sign};
use narratoria_protocol::digest::sha256;
use narratoria_skills::{IndexClaims, PackReport, SignedClaims, SignerKey, SignerKeyError};

/// Longest file of a secret key. One of minisign has about 300 bytes.
pub const SECRET_KEY_BYTES_MAX: usize = 4 << 10;

/// Bytes of a secret key: the algorithms of signature, password and checksum, the salt and costs of the password, the id,
/// the key and the checksum.
const KEY_BYTES: usize = 158;

/// The algorithm of a key's password, none and scrypt, behind that of the signature.
const PLAIN: &[u8] = &[0, 0];
const SCRYPT: &[u8] = b"Sc";

/// Comments of the files, which no signature covers.
const SECRET_COMMENT: &str = "narratoria secret key";
const SIGNATURE_COMMENT: &str = "signature of a package of Narratoria";
const INDEX_COMMENT: &str = "signature of an index of packages of Narratoria";

/// A secret key that can sign.
pub struct SigningKey {
    secret: SecretKey,
    public: PublicKey,
    key: SignerKey,
}

/// A new pair of keys, as the texts of their files.
pub struct NewKeyPair {
    pub secret: String,
    pub public: String,
    pub key: SignerKey,
}

/// Why a key cannot be used or made.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error("it is no secret key of minisign")]
    NotAKey,
    /// Of minisign itself, such as a wrong password.
    #[error("{0}")]
    Minisign(PError),
    #[error("its public key cannot be used: {0}")]
    BadPublicKey(SignerKeyError),
}

impl From<PError> for SigningError {
    fn from(error: PError) -> SigningError {
        SigningError::Minisign(error)
    }
}

/// Whether a password protects the secret key in this text.
pub fn needs_password(secret: &str) -> Result<bool, SigningError> {
    let line = secret.lines().nth(1).unwrap_or_default();
    let bytes = BASE64_STANDARD.decode(line.trim()).unwrap_or_default();
    match bytes.get(2..4) {
        Some(PLAIN) if bytes.len() == KEY_BYTES => Ok(false),
        Some(SCRYPT) if bytes.len() == KEY_BYTES => Ok(true),
        _ => Err(SigningError::NotAKey),
    }
}

/// Makes a pair of keys. The secret one has this password.
pub fn new_key_pair(password: Option<String>) -> Result<NewKeyPair, SigningError> {
    let KeyPair { pk, sk } = match password {
        // Without a password this function would ask for one.
        Some(password) => KeyPair::generate_encrypted_keypair(Some(password))?,
        None => KeyPair::generate_unencrypted_keypair()?,
    };
    Ok(NewKeyPair {
        secret: sk.to_box(Some(SECRET_COMMENT))?.into_string(),
        public: pk.to_box()?.into_string(),
        key: signer_key(&pk)?,
    })
}

impl SigningKey {
    /// Opens the secret key in this text. [`needs_password`] says whether it has a password.
    pub fn open(secret: &str, password: Option<String>) -> Result<SigningKey, SigningError> {
        needs_password(secret)?;
        let file = SecretKeyBox::from_string(secret)?;
        let secret = match password {
            Some(password) => file.into_secret_key(Some(password))?,
            None => file.into_unencrypted_secret_key()?,
        };
        let public = PublicKey::from_secret_key(&secret)?;
        let key = signer_key(&public)?;
        Ok(SigningKey { secret, public, key })
    }

    /// The public key of the pair.
    pub fn key(&self) -> &SignerKey {
        &self.key
    }

    /// Signs an archive that has just been packed. Returns the text of the signature's file.
    pub fn sign(&self, packed: &PackReport, archive: &[u8]) -> Result<String, SigningError> {
        let claims = SignedClaims {
            name: packed.name.clone(),
            version: packed.version.clone(),
            sha256: packed.sha256.clone(),
            key: self.key.clone(),
        };
        self.sign_bytes(archive, &claims.to_string(), SIGNATURE_COMMENT)
    }

    /// Signs an index of packages. Returns the text of the signature's file.
    pub fn sign_index(&self, index: &[u8]) -> Result<String, SigningError> {
        let claims = IndexClaims { sha256: sha256(index), key: self.key.clone() };
        self.sign_bytes(index, &claims.to_string(), INDEX_COMMENT)
    }

    fn sign_bytes(
        &self,
        bytes: &[u8],
        trusted: &str,
        untrusted: &str,
    ) -> Result<String, SigningError> {
        let signature =
            sign(Some(&self.public), &self.secret, bytes, Some(trusted), Some(untrusted))?;
        Ok(signature.into_string())
    }
}

fn signer_key(public: &PublicKey) -> Result<SignerKey, SigningError> {
    SignerKey::parse(&public.to_base64()).map_err(SigningError::BadPublicKey)
}

#[cfg(test)]
mod tests {
    use narratoria_protocol::digest::sha256;
    use narratoria_skills::{
        ArchiveSignature, IndexClaims, PackReport, SignatureError, SignedClaims,
    };
    use proptest::prelude::*;

    use super::{NewKeyPair, SigningKey, needs_password, new_key_pair};

    const ARCHIVE: &[u8] = b"the bytes of an archive";

    fn packed(archive: &[u8]) -> PackReport {
        PackReport {
            name: "weather".to_owned(),
            version: semver::Version::new(0, 2, 0),
            sha256: sha256(archive),
            bytes: archive.len() as u64,
            files: Vec::new(),
        }
    }

    fn key() -> SigningKey {
        SigningKey::open(&new_key_pair(None).unwrap().secret, None).unwrap()
    }

    fn verify(signature: &str, archive: &[u8]) -> Result<SignedClaims, SignatureError> {
        ArchiveSignature::parse(signature.as_bytes())?.verify(archive).cloned()
    }

    fn error(signature: &str, archive: &[u8]) -> String {
        verify(signature, archive).unwrap_err().to_string()
    }

    #[test]
    fn a_signature_says_what_was_signed_by_which_key() {
        let key = key();
        let signature = key.sign(&packed(ARCHIVE), ARCHIVE).unwrap();
        let claims = verify(&signature, ARCHIVE).unwrap();
        assert_eq!((&*claims.name, claims.version.to_string()), ("weather", "0.2.0".to_owned()));
        assert_eq!((claims.sha256, &claims.key), (sha256(ARCHIVE), key.key()));
        let lines: Vec<&str> = signature.lines().collect();
        assert_eq!(lines[0], "untrusted comment: signature of a package of Narratoria");
        assert!(lines[2].starts_with("trusted comment: name:weather\tversion:0.2.0\tsha256:"));
    }

    #[test]
    fn a_password_protects_a_key_and_a_wrong_one_opens_nothing() {
        let NewKeyPair { secret, public, key } = new_key_pair(Some("tide".to_owned())).unwrap();
        assert!(needs_password(&secret).unwrap());
        assert_eq!(public.lines().nth(1), Some(key.as_str()));
        let open = |password: Option<&str>| {
            let opened = SigningKey::open(&secret, password.map(str::to_owned));
            opened.map(|opened| opened.key().clone()).map_err(|error| error.to_string())
        };
        assert_eq!(open(Some("tide")), Ok(key));
        assert_eq!(open(Some("ebb")), Err("Wrong password for that key".to_owned()));
        assert!(open(None).is_err());
        for text in ["", "untrusted comment: x", "untrusted comment: x\nRWRTY0Iy\n", &public] {
            assert_eq!(
                needs_password(text).unwrap_err().to_string(),
                "it is no secret key of minisign"
            );
        }
        assert!(!needs_password(&new_key_pair(None).unwrap().secret).unwrap());
    }

    /// Whoever changes what is signed, or takes a signature for something else, is found out.
    #[test]
    fn a_signature_holds_for_its_own_file_key_and_comment_alone() {
        let key = key();
        let signature = key.sign(&packed(ARCHIVE), ARCHIVE).unwrap();
        let wrong = format!("it does not hold for this file and the key {}", key.key());
        assert_eq!(error(&signature, b"the bytes of another archive"), wrong);
        assert_eq!(error(&signature.replace("version:0.2.0", "version:0.3.0"), ARCHIVE), wrong);
        let other = self::key();
        let stolen = signature.replace(key.key().as_str(), other.key().as_str());
        assert_eq!(
            error(&stolen, ARCHIVE),
            format!("it is not by the key {}, which its trusted comment names", other.key())
        );
        // The signer lies about the digest.
        let lie = key.sign(&packed(b"another"), ARCHIVE).unwrap();
        assert_eq!(
            error(&lie, ARCHIVE),
            format!(
                "it is for a file with the digest {}, and this one's is {}",
                sha256(b"another"),
                sha256(ARCHIVE)
            )
        );
    }

    /// The files are of different kinds, so a signature of one must not hold for the other.
    #[test]
    fn a_signature_of_an_index_is_none_of_an_archive_nor_the_other_way_round() {
        let key = key();
        let of_index = key.sign_index(ARCHIVE).unwrap();
        let claims = IndexClaims::verify(of_index.as_bytes(), ARCHIVE).unwrap();
        assert_eq!((claims.sha256, &claims.key), (sha256(ARCHIVE), key.key()));
        assert_eq!(error(&of_index, ARCHIVE), "its trusted comment has no `name:`");
        let of_archive = key.sign(&packed(ARCHIVE), ARCHIVE).unwrap();
        let refused = |signature: &str, index: &[u8]| {
            IndexClaims::verify(signature.as_bytes(), index).unwrap_err().to_string()
        };
        assert_eq!(refused(&of_archive, ARCHIVE), "its trusted comment has no `index:`");
        assert!(refused(&of_index, b"another").starts_with("it does not hold for this file"));
        let other = of_index.replace("index:packages", "index:stories");
        assert_eq!(refused(&other, ARCHIVE), "its trusted comment has `index:stories`");
    }

    #[test]
    fn a_text_that_is_no_signature_is_refused_with_the_reason() {
        let signature = key().sign(&packed(ARCHIVE), ARCHIVE).unwrap();
        let unreadable = |text: &str, why: &str| {
            assert_eq!(error(text, ARCHIVE), format!("it is no file of minisign: {why}"));
        };
        unreadable("", "it has not four lines");
        unreadable(&format!("{signature}more\n"), "it has not four lines");
        unreadable(&"x".repeat(5_000), "it is too long");
        unreadable("a\nb\nc\nd\n", "its lines are not those of a signature");
        let comment = |from: &str, to: &str, why: &str| {
            let text = error(&signature.replace(from, to), ARCHIVE);
            assert_eq!(text, format!("its trusted comment {why}"));
        };
        comment("name:weather\t", "", "has no `name:`");
        comment("name:weather\t", "name:weather\tname:weather\t", "has `name:` twice");
        comment("name:weather\t", "name:Wea ther\t", "has `name:Wea ther`");
        comment("version:0.2.0", "version:2", "has `version:2`");
        comment("sha256:", "sha256:f", &format!("has `sha256:f{}`", sha256(ARCHIVE)));
        let error = error(&signature.replace("key:RW", "key:RU"), ARCHIVE);
        assert!(error.starts_with("its trusted comment names no key that could be checked: `RU"));
    }

    /// Whatever is done to the bytes of a signature, it is refused or says the same, and nothing panics.
    #[test]
    fn no_change_of_a_signature_makes_another_one() {
        let signature = key().sign(&packed(ARCHIVE), ARCHIVE).unwrap();
        let whole = verify(&signature, ARCHIVE).unwrap();
        let changes = (any::<prop::sample::Index>(), any::<u8>(), any::<bool>());
        proptest!(|((at, byte, is_cut) in changes)| {
            let mut bytes = signature.clone().into_bytes();
            let at = at.index(bytes.len());
            match is_cut {
                true => bytes.truncate(at),
                false => bytes[at] = byte,
            }
            if let Ok(parsed) = ArchiveSignature::parse(&bytes)
                && let Ok(claims) = parsed.verify(ARCHIVE)
            {
                prop_assert_eq!(claims, &whole);
            }
        });
    }
}
