//! Archives with the signatures beside them: `weather.skill.tar.gz` and `weather.skill.tar.gz.minisig`.

use std::{
    fs::File,
    io::{Read, Seek},
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{
    ARCHIVE_BYTES_MAX, ArchiveSignature, OutsideFileError, SIGNATURE_BYTES_MAX, SIGNATURE_SUFFIX,
    SignatureError, SignedClaims, open_outside, read_outside,
};

use crate::error::CliError;

/// Word for archives in messages.
pub(super) const ARCHIVE: &str = "archive";

/// Word for signatures in messages.
pub(super) const SIGNATURE: &str = "signature";

/// An archive that has not been read yet.
pub(super) struct OpenedArchive {
    pub(super) file: File,
    /// What its signature says, which holds for these bytes; `None` if there is no signature.
    pub(super) signed: Option<SignedClaims>,
}

impl OpenedArchive {
    /// Opens an archive, and verifies the signature in this file if there is one.
    pub(super) fn open(path: &Path, signature: &Path) -> Result<OpenedArchive, TurnError> {
        let mut file =
            open_outside(path).map_err(|error| CliError::outside_file(ARCHIVE, path, error))?;
        let Some(bytes) = read_signature(signature)? else {
            return Ok(OpenedArchive { file, signed: None });
        };
        let signed = ArchiveSignature::parse(&bytes)
            .and_then(|signature| signature.verify(&mut file).cloned())
            .map_err(|error| untrusted(signature, &error))?;
        let rewound = file.rewind();
        rewound.map_err(|why| CliError::Unreadable {
            what: ARCHIVE,
            path: path.to_owned(),
            why,
        })?;
        Ok(OpenedArchive { file, signed: Some(signed) })
    }
}

/// Reads an opened archive whole: the very file whose signature was verified.
pub(super) fn read_opened(file: File, path: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |why| CliError::Unreadable { what: ARCHIVE, path: path.to_owned(), why };
    let mut bytes = Vec::new();
    file.take(ARCHIVE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 <= ARCHIVE_BYTES_MAX {
        true => Ok(bytes),
        false => Err(CliError::TooLarge {
            what: ARCHIVE,
            path: path.to_owned(),
            limit: ARCHIVE_BYTES_MAX as usize,
        }),
    }
}

/// The bytes of a signature, if there is one.
pub(super) fn read_signature(path: &Path) -> Result<Option<Vec<u8>>, CliError> {
    match read_outside(path, SIGNATURE_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(OutsideFileError::Missing) => Ok(None),
        Err(error) => Err(CliError::outside_file(SIGNATURE, path, error)),
    }
}

/// The place of the signature of an archive.
pub(super) fn signature_path(archive: &Path) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(SIGNATURE_SUFFIX);
    path.into()
}

/// Returns the refusal of an archive whose signature does not hold. An attacker can take the signature away, but not make
/// one: therefore a wrong one is no reason to go on without.
pub(super) fn untrusted(signature: &Path, error: &SignatureError) -> TurnError {
    let what = format!("the signature `{}` cannot be trusted: {error}", signature.display());
    TurnError::new(TurnErrorKind::Refused, what)
        .hint("get the archive and its signature again, from where its author publishes them")
}
