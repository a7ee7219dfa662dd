//! What `skill install` is to install: a file or a folder of this machine, a file at an address, a package in a registry, or one
//! that an index names. What lies elsewhere is fetched whole into a scratch folder before anything of it is read.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::nearest::nearest;
use narratoria_registry::{
    FetchError, OciReference, OciReferenceError, PackageUrl, UrlError, fetch, fetch_bytes,
};
use narratoria_skills::{
    ARCHIVE_BYTES_MAX, ArchiveSignature, INDEX_BYTES_MAX, INDEX_FILE, IndexClaims, IndexEntry,
    InstallSource, PackageIndex, SIGNATURE_BYTES_MAX, SIGNATURE_SUFFIX, SignerKey, read_outside,
};
use narratoria_ui::visible;
use semver::Version;
use tempfile::TempDir;

use super::{
    packages,
    remote::{Remote, failed, registry_failed},
    signed_archive::{ARCHIVE, SIGNATURE, read_signature, signature_path},
};
use crate::error::CliError;

/// Word for indexes in messages.
const INDEX: &str = "index of packages";

/// An archive, a zip file or a folder, on this machine by now.
pub(super) struct NamedArchive {
    pub(super) path: PathBuf,
    /// The name for messages: a path or an address.
    pub(super) shown: PathBuf,
    /// The place that the package remembers.
    pub(super) source: InstallSource,
    /// The place of its signature, there or not.
    pub(super) signature: PathBuf,
    /// What an index or a registry says about it.
    pub(super) listed: Option<ListedArchive>,
    /// Holds what was fetched.
    scratch: Option<TempDir>,
}

/// What the place that names an archive says about it. The archive has to be like that.
pub(super) struct ListedArchive {
    /// Who says it, such as `the index`.
    pub(super) by: &'static str,
    pub(super) name: Option<String>,
    pub(super) version: Option<Version>,
    /// SHA-256 of the archive, if that vouches for it.
    pub(super) sha256: Option<String>,
    pub(super) is_signed: bool,
}

/// An index that has been read.
pub(super) struct SignedIndex {
    pub(super) packages: PackageIndex,
    /// The key that has signed it; `None` if it is not signed.
    pub(super) signer: Option<SignerKey>,
}

/// A folder or a server with an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexPlace {
    Folder(PathBuf),
    /// The address of the index itself.
    Address(PackageUrl),
}

impl NamedArchive {
    /// The file or the folder at a path.
    pub(super) fn at(path: &Path) -> NamedArchive {
        NamedArchive {
            path: path.to_owned(),
            shown: path.to_owned(),
            source: InstallSource { archive: whole_path(path), index: None },
            signature: signature_path(path),
            listed: None,
            scratch: None,
        }
    }

    /// Returns true if it comes from a server, so that a digest or a signature has to vouch for it.
    pub(super) fn is_fetched(&self) -> bool {
        self.scratch.is_some()
    }

    /// Fetches the file at an address, and the signature beside it if there is one.
    pub(super) fn fetch(text: &str, remote: &Remote) -> Result<NamedArchive, TurnError> {
        let url = PackageUrl::parse(text).map_err(bad_address)?;
        let archive = FetchedArchive::fetch(&url, remote)?;
        let signature = url.with_suffix(SIGNATURE_SUFFIX).map_err(bad_address)?;
        if let Some(bytes) = fetch_signature(&signature, remote)? {
            archive.keep_signature(&bytes)?;
        }
        let source = InstallSource { archive: url.as_str().to_owned(), index: None };
        Ok(archive.named(url.as_str(), source, None))
    }

    /// Fetches a package of a registry with its signature. Its tag is resolved once, and the package remembers the digest. If
    /// several have signed it, `key` says whose signature counts.
    pub(super) fn pull(
        text: &str,
        key: Option<&SignerKey>,
        remote: &Remote,
    ) -> Result<NamedArchive, TurnError> {
        let named = OciReference::parse(text).map_err(bad_reference)?;
        let failed = |error| registry_failed("fetched", &named, error);
        let registry = remote.registry(&named)?;
        let found = registry.find(&named).map_err(failed)?;
        let archive =
            FetchedArchive::receive(|file| registry.download(&found, file).map_err(failed))?;
        let signatures = registry.signatures(&found).map_err(failed)?;
        if let Some(signature) = chosen_signature(&found.reference, &signatures, key)? {
            archive.keep_signature(signature)?;
        }
        let listed = ListedArchive {
            by: "the tag",
            name: None,
            version: found.reference.version(),
            // What a tag leads to is up to the registry; a digest comes from whoever named it.
            sha256: named.digest().map(|_| found.archive_sha256().to_owned()),
            is_signed: false,
        };
        let shown = found.reference.to_string();
        let source = InstallSource { archive: shown.clone(), index: None };
        Ok(archive.named(&shown, source, Some(listed)))
    }
}

/// The signature that counts, of those that a registry has for a package. It is not verified yet.
fn chosen_signature<'s>(
    package: &OciReference,
    signatures: &'s [Vec<u8>],
    key: Option<&SignerKey>,
) -> Result<Option<&'s [u8]>, TurnError> {
    let is_by = |signature: &Vec<u8>, key: &SignerKey| {
        ArchiveSignature::parse(signature).is_ok_and(|signature| signature.signer() == key)
    };
    match (signatures, key) {
        ([], _) => Ok(None),
        ([one], _) => Ok(Some(one)),
        (several, Some(key)) => {
            // Without one by that key the first is as wrong as the others, and is refused with its own key.
            let found = several.iter().find(|signature| is_by(signature, key));
            Ok(found.or(several.first()).map(Vec::as_slice))
        }
        (several, None) => {
            let what = format!("the package `{package}` has {} signatures", several.len());
            Err(TurnError::new(TurnErrorKind::Refused, what)
                .hint("`narratoria skill install --key KEY` says whose counts"))
        }
    }
}

/// A file in a scratch folder of its own.
struct FetchedArchive {
    scratch: TempDir,
    path: PathBuf,
}

impl FetchedArchive {
    fn fetch(url: &PackageUrl, remote: &Remote) -> Result<FetchedArchive, TurnError> {
        FetchedArchive::receive(|file| {
            fetch(&remote.client, url, ARCHIVE_BYTES_MAX, file)
                .map_err(|error| failed(ARCHIVE, url, error))
        })
    }

    /// Makes the file that `receive` fills.
    fn receive(
        receive: impl FnOnce(&mut File) -> Result<(), TurnError>,
    ) -> Result<FetchedArchive, TurnError> {
        let scratch = packages::scratch_folder()?;
        let path = scratch.path().join("archive");
        let unwritable = |why| CliError::Unwritable { what: ARCHIVE, path: path.clone(), why };
        receive(&mut File::create(&path).map_err(unwritable)?)?;
        Ok(FetchedArchive { scratch, path })
    }

    fn keep_signature(&self, bytes: &[u8]) -> Result<(), TurnError> {
        let path = signature_path(&self.path);
        let kept = std::fs::write(&path, bytes);
        kept.map_err(|why| CliError::Unwritable { what: SIGNATURE, path, why }.into())
    }

    fn named(
        self,
        shown: &str,
        source: InstallSource,
        listed: Option<ListedArchive>,
    ) -> NamedArchive {
        NamedArchive {
            signature: signature_path(&self.path),
            path: self.path,
            shown: shown.into(),
            source,
            listed,
            scratch: Some(self.scratch),
        }
    }
}

impl IndexPlace {
    /// A folder with an index, the index itself, or the address of either.
    pub(super) fn parse(text: &str) -> Result<IndexPlace, TurnError> {
        if !PackageUrl::is_meant(text) {
            let path = Path::new(text);
            let is_index = path.file_name().is_some_and(|name| name == INDEX_FILE);
            let folder = path.parent().filter(|_| is_index).unwrap_or(path);
            return Ok(IndexPlace::Folder(whole_path(folder).into()));
        }
        let url = PackageUrl::parse(text).map_err(bad_address)?;
        if Path::new(url.as_str().split('?').next().unwrap_or_default())
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("json"))
        {
            return Ok(IndexPlace::Address(url));
        }
        let slash = if url.ends_with_slash() { "" } else { "/" };
        let index = url.with_suffix(&format!("{slash}{INDEX_FILE}"));
        index.map(IndexPlace::Address).map_err(bad_address)
    }

    /// Whether a folder has an index.
    pub(super) fn in_folder(folder: &Path) -> Option<IndexPlace> {
        let has_one = folder.join(INDEX_FILE).is_file();
        has_one.then(|| IndexPlace::Folder(whole_path(folder).into()))
    }

    /// The text that [`IndexPlace::parse`] reads.
    pub(super) fn text(&self) -> String {
        match self {
            IndexPlace::Folder(folder) => folder.to_string_lossy().into_owned(),
            IndexPlace::Address(url) => url.as_str().to_owned(),
        }
    }

    /// Reads the index, and verifies the signature beside it if there is one.
    pub(super) fn read(&self, remote: &Remote) -> Result<SignedIndex, TurnError> {
        let (bytes, signature, shown) = match self {
            IndexPlace::Folder(folder) => {
                let path = folder.join(INDEX_FILE);
                let bytes = read_outside(&path, INDEX_BYTES_MAX)
                    .map_err(|error| CliError::outside_file(INDEX, &path, error))?;
                let signature = read_signature(&signature_path(&path))?;
                (bytes, signature, path.display().to_string())
            }
            IndexPlace::Address(url) => {
                let bytes = fetch_bytes(&remote.client, url, INDEX_BYTES_MAX);
                let bytes = bytes.map_err(|error| failed(INDEX, url, error))?;
                let beside = url.with_suffix(SIGNATURE_SUFFIX).map_err(bad_address)?;
                let signature = fetch_signature(&beside, remote)?;
                (bytes, signature, url.as_str().to_owned())
            }
        };
        let shown = visible(&shown);
        let claims = signature.map(|signature| IndexClaims::verify(&signature, &bytes));
        let claims = claims.transpose().map_err(|error| {
            let what = format!("the signature of the index `{shown}` cannot be trusted: {error}");
            TurnError::new(TurnErrorKind::Refused, what)
        })?;
        let packages = PackageIndex::parse(&bytes).map_err(|error| {
            let what = format!("the index of packages `{shown}`: {error}");
            TurnError::new(TurnErrorKind::BadInput, what)
        })?;
        Ok(SignedIndex { packages, signer: claims.map(|claims| claims.key) })
    }

    /// Finds `NAME` or `NAME@VERSION` in the index that was read here, and fetches its archive.
    pub(super) fn archive(
        &self,
        index: &PackageIndex,
        wanted: &str,
        remote: &Remote,
    ) -> Result<NamedArchive, TurnError> {
        let (name, version, entry) = self.find(index, wanted)?;
        let listed = ListedArchive {
            by: "the index",
            name: Some(name.to_owned()),
            version: Some(version),
            sha256: Some(entry.sha256.clone()),
            is_signed: entry.signature.is_some(),
        };
        match self {
            IndexPlace::Folder(folder) => {
                let path = folder.join(&entry.file);
                let signature = entry.signature.as_ref().map(|file| folder.join(file));
                let mut archive = NamedArchive::at(&path);
                archive.signature = signature.unwrap_or(archive.signature);
                archive.source.index = Some(self.text());
                archive.listed = Some(listed);
                Ok(archive)
            }
            IndexPlace::Address(index) => {
                let url = index.beside(&entry.file).map_err(bad_address)?;
                let archive = FetchedArchive::fetch(&url, remote)?;
                if let Some(file) = &entry.signature {
                    let signature = index.beside(file).map_err(bad_address)?;
                    let bytes = fetch_bytes(&remote.client, &signature, SIGNATURE_BYTES_MAX)
                        .map_err(|error| failed(SIGNATURE, &signature, error))?;
                    archive.keep_signature(&bytes)?;
                }
                let (place, index) = (url.as_str().to_owned(), Some(self.text()));
                let source = InstallSource { archive: place, index };
                Ok(archive.named(url.as_str(), source, Some(listed)))
            }
        }
    }

    fn find<'w, 'i>(
        &self,
        index: &'i PackageIndex,
        wanted: &'w str,
    ) -> Result<(&'w str, Version, &'i IndexEntry), TurnError> {
        let (name, version) = match wanted.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (wanted, None),
        };
        let found = match version {
            None => index.newest(name).map(|(version, entry)| (version.clone(), entry)),
            Some(text) => {
                let version = Version::parse(text).map_err(|why| {
                    let what = format!("`{}` is no version: {why}", visible(text));
                    TurnError::new(TurnErrorKind::BadInput, what)
                        .hint("a package of an index is named as NAME or NAME@VERSION")
                })?;
                index.version(name, &version).map(|entry| (version, entry))
            }
        };
        if let Some((version, entry)) = found {
            return Ok((name, version, entry));
        }
        let (wanted, place) = (visible(wanted).into_owned(), self.text());
        let what = format!("there is no package `{wanted}` in the index of `{}`", visible(&place));
        let error = TurnError::new(TurnErrorKind::NotFound, what);
        Err(match (index.newest(name), nearest(name, index.names())) {
            (Some((newest, _)), _) => error.hint(format!("its newest version there is {newest}")),
            (None, Some(near)) => error.hint(format!("did you mean `{near}`?")),
            (None, None) => error,
        })
    }
}

/// The bytes of a signature on a server, if there is one. A server that has no answer now may have one.
fn fetch_signature(url: &PackageUrl, remote: &Remote) -> Result<Option<Vec<u8>>, TurnError> {
    match fetch_bytes(&remote.client, url, SIGNATURE_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FetchError::NotThere) => Ok(None),
        Err(error) => Err(failed(SIGNATURE, url, error)),
    }
}

fn whole_path(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or(path.to_owned());
    whole.to_string_lossy().into_owned()
}

fn bad_address(error: UrlError) -> TurnError {
    TurnError::new(TurnErrorKind::BadInput, error)
}

pub(super) fn bad_reference(error: OciReferenceError) -> TurnError {
    TurnError::new(TurnErrorKind::BadInput, error)
}
