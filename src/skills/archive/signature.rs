//! The signatures of an archive and of an index: a file of minisign beside it. Its trusted comment says which version of which
//! package the archive holds, or that it is an index, its digest, and the public key of the signer. Knows bytes and keys; knows
//! nothing of files and of who is trusted.
//!
//! The file lies where a stranger wrote it. [`ArchiveSignature::parse`] accepts one form, and nothing that it read counts
//! before [`ArchiveSignature::verify`] has found it true.

use std::{fmt, io, io::Read, str::FromStr};

use minisign_verify::{Error as MinisignError, PublicKey, Signature};
use semver::Version;

use super::ARCHIVE_BYTES_MAX;
use crate::{
    front_matter::is_skill_name,
    signer_key::{SignerKey, SignerKeyError},
};
use narratoria_protocol::{
    digest::{Sha256Hasher, is_digest},
    visible::{clip, visible_word},
};

/// The end of the name of a signature, after the whole name of its archive.
pub const SIGNATURE_SUFFIX: &str = ".minisig";

/// Longest file of a signature. One that `narratoria skill pack --sign` makes has about 500 bytes.
pub const SIGNATURE_BYTES_MAX: u64 = 4 << 10;

/// The lines of a file: a comment, the signature, the trusted comment, and the signature of both.
const LINES: usize = 4;

/// What the signer says about an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedClaims {
    /// Of the package.
    pub name: String,
    /// Of the package.
    pub version: Version,
    /// SHA-256 of the archive, in hexadecimal.
    pub sha256: String,
    /// The public key that the signature is by.
    pub key: SignerKey,
}

/// What the signer says about an index. An archive's comment is none of an index, nor the other way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexClaims {
    /// SHA-256 of the index, in hexadecimal.
    pub sha256: String,
    /// The public key that the signature is by.
    pub key: SignerKey,
}

/// The field of an index's comment that an archive's has not, and its value.
const INDEX_FIELD: &str = "index";
const INDEX_KIND: &str = "packages";

/// A signature that has been read and not yet verified.
#[derive(Clone)]
pub struct ArchiveSignature {
    signature: Signature,
    claims: SignedClaims,
}

/// Why a signature does not hold. Each is a sentence about "the signature".
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    #[error("it is no file of minisign: {what}")]
    Unreadable { what: &'static str },
    #[error("its trusted comment {what}")]
    BadComment { what: String },
    #[error("its trusted comment names no key that could be checked: {0}")]
    BadKey(SignerKeyError),
    /// The key id in the signature is not that of the named key.
    #[error("it is not by the key {key}, which its trusted comment names")]
    OtherSigner { key: SignerKey },
    /// The archive, the comment or the signature was changed.
    #[error("it does not hold for this file and the key {key}")]
    Wrong { key: SignerKey },
    #[error("it is for a file with the digest {signed}, and this one's is {found}")]
    OtherFile { signed: String, found: String },
    #[error("it is for `{}` {}, and the archive holds `{name}` {version}", signed.name, signed.version)]
    OtherPackage { signed: Box<SignedClaims>, name: String, version: Version },
    #[error("the archive has more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the archive cannot be read")]
    Io(#[source] io::Error),
}

/// The trusted comment: fields that tabs divide, as in those that minisign writes itself.
impl fmt::Display for SignedClaims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignedClaims { name, version, sha256, key } = self;
        write!(f, "name:{name}\tversion:{version}\tsha256:{sha256}\tkey:{}", key.as_str())
    }
}

impl FromStr for SignedClaims {
    type Err = SignatureError;

    /// Other fields may stand there too, such as the time that minisign adds.
    fn from_str(comment: &str) -> Result<SignedClaims, SignatureError> {
        let (name, version) = (field(comment, "name")?, field(comment, "version")?);
        if !is_skill_name(name) {
            return Err(wrong("name", name));
        }
        Ok(SignedClaims {
            name: name.to_owned(),
            version: Version::parse(version).map_err(|_| wrong("version", version))?,
            sha256: digest_field(comment)?,
            key: key_field(comment)?,
        })
    }
}

impl fmt::Display for IndexClaims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IndexClaims { sha256, key } = self;
        write!(f, "{INDEX_FIELD}:{INDEX_KIND}\tsha256:{sha256}\tkey:{}", key.as_str())
    }
}

impl FromStr for IndexClaims {
    type Err = SignatureError;

    fn from_str(comment: &str) -> Result<IndexClaims, SignatureError> {
        match field(comment, INDEX_FIELD)? {
            INDEX_KIND => {
                Ok(IndexClaims { sha256: digest_field(comment)?, key: key_field(comment)? })
            }
            other => Err(wrong(INDEX_FIELD, other)),
        }
    }
}

impl IndexClaims {
    /// Returns what the signer says about an index, if the signature is for it and by the key that it names. The caller judges
    /// whose key that is.
    pub fn verify(signature: &[u8], index: &[u8]) -> Result<IndexClaims, SignatureError> {
        let signature = read_file(signature)?;
        let claims: IndexClaims = signature.trusted_comment().parse()?;
        check(&signature, &claims.key, &claims.sha256, index)?;
        Ok(claims)
    }
}

/// A field of a trusted comment, which must stand there once.
fn field<'c>(comment: &'c str, name: &str) -> Result<&'c str, SignatureError> {
    let bad = |what: String| SignatureError::BadComment { what };
    let mut values =
        comment.split('\t').filter_map(|field| field.strip_prefix(name)?.strip_prefix(':'));
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        (None, _) => Err(bad(format!("has no `{name}:`"))),
        (Some(_), Some(_)) => Err(bad(format!("has `{name}:` twice"))),
    }
}

fn wrong(name: &str, value: &str) -> SignatureError {
    let what = format!("has `{name}:{}`", visible_word(&clip(value, 80)));
    SignatureError::BadComment { what }
}

fn digest_field(comment: &str) -> Result<String, SignatureError> {
    let digest = field(comment, "sha256")?;
    match is_digest(digest) {
        true => Ok(digest.to_owned()),
        false => Err(wrong("sha256", digest)),
    }
}

fn key_field(comment: &str) -> Result<SignerKey, SignatureError> {
    SignerKey::parse(field(comment, "key")?).map_err(SignatureError::BadKey)
}

/// Reads a file of minisign.
fn read_file(bytes: &[u8]) -> Result<Signature, SignatureError> {
    let unreadable = |what| SignatureError::Unreadable { what };
    if bytes.len() as u64 > SIGNATURE_BYTES_MAX {
        return Err(unreadable("it is too long"));
    }
    let text = str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))?;
    if text.lines().count() != LINES {
        return Err(unreadable("it has not four lines"));
    }
    Signature::decode(text).map_err(|error| match error {
        MinisignError::UnsupportedAlgorithm => unreadable("its algorithm is not known"),
        _ => unreadable("its lines are not those of a signature"),
    })
}

/// Reads a whole file, and compares it with its signature and with the digest that the signer says.
fn check(
    signature: &Signature,
    key: &SignerKey,
    sha256: &str,
    file: impl Read,
) -> Result<(), SignatureError> {
    let wrong = |_: MinisignError| SignatureError::Wrong { key: key.clone() };
    let public = PublicKey::from_base64(key.as_str()).map_err(wrong)?;
    let mut verifier = public.verify_stream(signature).map_err(|error| match error {
        MinisignError::UnexpectedKeyId => SignatureError::OtherSigner { key: key.clone() },
        MinisignError::UnsupportedLegacyMode => {
            SignatureError::Unreadable { what: "it is of the old form, which signs no digest" }
        }
        error => wrong(error),
    })?;
    let (mut digest, mut buffer) = (Sha256Hasher::default(), vec![0; 1 << 16]);
    let mut left = ARCHIVE_BYTES_MAX;
    let mut file = file.take(ARCHIVE_BYTES_MAX + 1);
    loop {
        let bytes = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => &buffer[..bytes],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(SignatureError::Io(error)),
        };
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or(SignatureError::TooLarge { limit: ARCHIVE_BYTES_MAX })?;
        verifier.update(bytes);
        digest.update(bytes);
    }
    verifier.finalize().map_err(wrong)?;
    let (signed, found) = (sha256.to_owned(), digest.hex());
    match signed == found {
        true => Ok(()),
        false => Err(SignatureError::OtherFile { signed, found }),
    }
}

impl ArchiveSignature {
    /// Reads a file of minisign with the fields of `narratoria skill pack --sign` in its trusted comment.
    pub fn parse(bytes: &[u8]) -> Result<ArchiveSignature, SignatureError> {
        let signature = read_file(bytes)?;
        let claims = signature.trusted_comment().parse()?;
        Ok(ArchiveSignature { signature, claims })
    }

    /// The key that the signature names as its own; whether that is so, [`ArchiveSignature::verify`] finds out.
    pub fn signer(&self) -> &SignerKey {
        &self.claims.key
    }

    /// Reads the whole file and returns what the signer says about it, if the signature is for this file and by the key
    /// that it names. The caller judges whose key that is, and whether the archive holds that package.
    pub fn verify(&self, archive: impl Read) -> Result<&SignedClaims, SignatureError> {
        let SignedClaims { key, sha256, .. } = &self.claims;
        check(&self.signature, key, sha256, archive)?;
        Ok(&self.claims)
    }
}

impl SignedClaims {
    /// Whether an archive holds what was signed. An older version must not pose as a new one, nor one package as another.
    pub fn check_package(&self, name: &str, version: &Version) -> Result<(), SignatureError> {
        match (self.name.as_str(), &self.version) == (name, version) {
            true => Ok(()),
            false => Err(SignatureError::OtherPackage {
                signed: Box::new(self.clone()),
                name: name.to_owned(),
                version: version.clone(),
            }),
        }
    }
}
