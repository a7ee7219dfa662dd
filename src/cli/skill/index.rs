//! `narratoria skill index`: writes the `index.json` of a folder of packed skills.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::digest::sha256;
use narratoria_skills::{
    ARCHIVE_SUFFIX, INDEX_BYTES_MAX, INDEX_FILE, IndexEntry, OutsideFileError, PackageIndex,
    SIGNATURE_SUFFIX, read_outside,
};
use narratoria_ui::{Out, Tone, note, plural, visible};
use serde_json::json;

use super::{
    packed_archive::PackedArchive,
    signed_archive::{OpenedArchive, SIGNATURE, read_opened, signature_path, untrusted},
    signing_key,
};
use crate::{
    args::{Format, SkillIndexArgs},
    error::CliError,
    exit::Exit,
    files, print_document, print_text,
    settings::CliSettings,
};

pub(super) fn index(args: SkillIndexArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    if !args.folder.is_dir() {
        return Err(CliError::NotAFolder { path: args.folder }.into());
    }
    let mut err = Out::stderr(look);
    let mut key = None;
    if let Some(file) = &args.sign {
        key = signing_key::open(file, args.password_file.as_deref(), &settings, &mut err)?;
        if key.is_none() {
            return Ok(Exit::Interrupted);
        }
    }
    let archives = archives_in(&args.folder)?;
    let path = args.folder.join(INDEX_FILE);
    check_place(&path)?;
    if archives.is_empty() {
        let what = format!("there is no archive in `{}`", args.folder.display());
        return Err(TurnError::new(TurnErrorKind::NotFound, what)
            .hint(format!("`narratoria skill pack` writes archives, `…{ARCHIVE_SUFFIX}`")));
    }
    let mut index = PackageIndex::default();
    for archive in &archives {
        add(&mut index, archive)?;
    }
    let text = index.to_text();
    check(&text, &path)?;
    let signature = key.as_ref().map(|key| key.sign_index(text.as_bytes())).transpose();
    let signature = signature.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    files::write(&path, "index of packages", &text)?;
    let beside = signature_path(&path);
    match &signature {
        Some(signature) => files::write(&beside, SIGNATURE, signature)?,
        None if beside.is_file() => {
            let what = format!("`{}` is the signature of another index", beside.display());
            note(&mut err, Tone::Warning, "warning", &what);
        }
        None => {}
    }
    let (packages, versions) = index.counts();
    match settings.format {
        Format::Json => {
            let document = json!({
                "index": path.display().to_string(),
                "sha256": sha256(text.as_bytes()),
                "packages": packages,
                "versions": versions,
                "key": key.as_ref().map(|key| key.key().as_str()),
            });
            print_document(look, &document)?;
        }
        Format::Plain => {
            let shown = path.display().to_string();
            let (packages, versions) = (plural(packages, "package"), plural(versions, "version"));
            print_text(look, &format!("{}: {packages}, {versions}\n", visible(&shown)))?;
        }
    }
    Ok(Exit::Done)
}

/// Only an index is replaced: other programs have files of that name too.
fn check_place(path: &Path) -> Result<(), TurnError> {
    match read_outside(path, INDEX_BYTES_MAX) {
        Err(OutsideFileError::Missing) => Ok(()),
        Ok(bytes) if PackageIndex::parse(&bytes).is_ok() => Ok(()),
        _ => {
            let what =
                format!("`{}` is there already, and is no index of packages", path.display());
            Err(TurnError::new(TurnErrorKind::Refused, what).hint("move it away first"))
        }
    }
}

/// The archives of a folder, by their names.
fn archives_in(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |why| CliError::Unreadable { what: "folder", path: folder.to_owned(), why };
    let mut archives = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.to_string_lossy().ends_with(ARCHIVE_SUFFIX) && path.is_file() {
            archives.push(path);
        }
    }
    archives.sort();
    Ok(archives)
}

/// Reads an archive whole, so that an index names nothing that nobody can install.
fn add(index: &mut PackageIndex, path: &Path) -> Result<(), TurnError> {
    // Its signature must hold, if there is one.
    let OpenedArchive { file, signed } = OpenedArchive::open(path, &signature_path(path))?;
    let bytes = read_opened(file, path)?;
    let PackedArchive { name, version } = PackedArchive::read(path, &bytes)?;
    let refused = |what: String| {
        let what = format!("{}: {what}", path.display());
        TurnError::new(TurnErrorKind::BadInput, what)
    };
    if let Some(signed) = &signed {
        let checked = signed.check_package(&name, &version);
        checked.map_err(|error| untrusted(&signature_path(path), &error))?;
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entry = IndexEntry {
        signature: signed.map(|_| format!("{file}{SIGNATURE_SUFFIX}")),
        sha256: sha256(&bytes),
        file,
    };
    match index.insert(&name, version.clone(), entry) {
        None => Ok(()),
        Some(IndexEntry { file: other, .. }) => {
            Err(refused(format!("it holds `{name}` {version}, and so does `{other}`"))
                .hint("remove one of them: a version is one archive"))
        }
    }
}

/// Those who read the index have to understand it: its size, and the names of its files.
fn check(text: &str, path: &Path) -> Result<(), TurnError> {
    let unusable = |why: String| {
        let what = format!("the index `{}` would not be read: {why}", path.display());
        TurnError::new(TurnErrorKind::BadInput, what)
    };
    if text.len() as u64 > INDEX_BYTES_MAX {
        return Err(unusable(format!("it would have more than {INDEX_BYTES_MAX} bytes")));
    }
    PackageIndex::parse(text.as_bytes()).map(drop).map_err(|error| unusable(error.to_string()))
}
