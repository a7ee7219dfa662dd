//! What `skill install` is to install: a file or a folder of this machine, a file at an address, or a package that an index
//! names. What lies elsewhere is fetched whole into a scratch folder before anything of it is read.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{
    ARCHIVE_BYTES_MAX, INDEX_BYTES_MAX, INDEX_FILE, IndexEntry, InstallSource, PackageIndex,
    SIGNATURE_BYTES_MAX, SIGNATURE_SUFFIX, read_outside,
};
use narratoria_ui::visible;
use semver::Version;
use tempfile::TempDir;

use super::{
    fetch::{FetchError, PackageUrl, UrlError, failed, fetch, fetch_bytes},
    packages,
    signed_archive::{ARCHIVE, SIGNATURE, signature_path},
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
    /// What an index says about it.
    pub(super) listed: Option<ListedArchive>,
    /// Holds what was fetched.
    scratch: Option<TempDir>,
}

/// An entry of an index.
pub(super) struct ListedArchive {
    pub(super) name: String,
    pub(super) version: Version,
    pub(super) entry: IndexEntry,
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
    pub(super) fn fetch(text: &str, is_offline: bool) -> Result<NamedArchive, TurnError> {
        let url = PackageUrl::parse(text).map_err(bad_address)?;
        let archive = FetchedArchive::fetch(&url, is_offline)?;
        let signature = url.with_suffix(SIGNATURE_SUFFIX).map_err(bad_address)?;
        match fetch_bytes(&signature, SIGNATURE_BYTES_MAX, is_offline) {
            Ok(bytes) => archive.keep_signature(&bytes)?,
            // A server that has no answer now may have a signature.
            Err(FetchError::NotThere) => {}
            Err(error) => return Err(failed(SIGNATURE, &signature, error)),
        }
        let source = InstallSource { archive: url.as_str().to_owned(), index: None };
        Ok(archive.named(&url, source, None))
    }
}

/// A file in a scratch folder of its own.
struct FetchedArchive {
    scratch: TempDir,
    path: PathBuf,
}

impl FetchedArchive {
    fn fetch(url: &PackageUrl, is_offline: bool) -> Result<FetchedArchive, TurnError> {
        let scratch = packages::scratch_folder()?;
        let path = scratch.path().join("archive");
        let unwritable = |why| CliError::Unwritable { what: ARCHIVE, path: path.clone(), why };
        let mut file = File::create(&path).map_err(unwritable)?;
        fetch(url, ARCHIVE_BYTES_MAX, is_offline, &mut file)
            .map_err(|error| failed(ARCHIVE, url, error))?;
        Ok(FetchedArchive { scratch, path })
    }

    fn keep_signature(&self, bytes: &[u8]) -> Result<(), TurnError> {
        let path = signature_path(&self.path);
        let kept = std::fs::write(&path, bytes);
        kept.map_err(|why| CliError::Unwritable { what: SIGNATURE, path, why }.into())
    }

    fn named(
        self,
        url: &PackageUrl,
        source: InstallSource,
        listed: Option<ListedArchive>,
    ) -> NamedArchive {
        NamedArchive {
            signature: signature_path(&self.path),
            path: self.path,
            shown: url.as_str().into(),
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

    pub(super) fn read(&self, is_offline: bool) -> Result<PackageIndex, TurnError> {
        let (bytes, shown) = match self {
            IndexPlace::Folder(folder) => {
                let path = folder.join(INDEX_FILE);
                let bytes = read_outside(&path, INDEX_BYTES_MAX)
                    .map_err(|error| CliError::outside_file(INDEX, &path, error))?;
                (bytes, path.display().to_string())
            }
            IndexPlace::Address(url) => {
                let bytes = fetch_bytes(url, INDEX_BYTES_MAX, is_offline);
                let bytes = bytes.map_err(|error| failed(INDEX, url, error))?;
                (bytes, url.as_str().to_owned())
            }
        };
        PackageIndex::parse(&bytes).map_err(|error| {
            let what = format!("the index of packages `{}`: {error}", visible(&shown));
            TurnError::new(TurnErrorKind::BadInput, what)
        })
    }

    /// Finds `NAME` or `NAME@VERSION` in the index that was read here, and fetches its archive.
    pub(super) fn archive(
        &self,
        index: &PackageIndex,
        wanted: &str,
        is_offline: bool,
    ) -> Result<NamedArchive, TurnError> {
        let (name, version, entry) = self.find(index, wanted)?;
        let listed = ListedArchive { name: name.to_owned(), version, entry: entry.clone() };
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
                let archive = FetchedArchive::fetch(&url, is_offline)?;
                if let Some(file) = &entry.signature {
                    let signature = index.beside(file).map_err(bad_address)?;
                    let bytes = fetch_bytes(&signature, SIGNATURE_BYTES_MAX, is_offline)
                        .map_err(|error| failed(SIGNATURE, &signature, error))?;
                    archive.keep_signature(&bytes)?;
                }
                let (place, index) = (url.as_str().to_owned(), Some(self.text()));
                let source = InstallSource { archive: place, index };
                Ok(archive.named(&url, source, Some(listed)))
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

fn whole_path(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or(path.to_owned());
    whole.to_string_lossy().into_owned()
}

fn bad_address(error: UrlError) -> TurnError {
    TurnError::new(TurnErrorKind::BadInput, error)
}
