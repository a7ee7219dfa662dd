//! `narratoria skill install`: packages from archives.

use std::{fs::File, io, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::digest::is_digest;
use narratoria_skills::{InstallError, InstallOptions, InstallReport, PackageDir};
use serde_json::{Value, json};

use super::pack::report_problems;
use crate::{
    cli::{
        args::{Format, SkillInstallArgs},
        environment,
        error::CliError,
        exit::Exit,
        print_document, print_text,
        settings::CliSettings,
    },
    ui::{Out, Tone, note, report, visible},
};

/// Word for archives in messages.
const ARCHIVE: &str = "archive";

pub(super) fn install(args: SkillInstallArgs) -> Result<Exit, TurnError> {
    check_digest(&args)?;
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let shelf = PackageDir::new(settings.home()?.installed_skills());
    let options = InstallOptions { force: args.force, sha256: args.sha256.as_deref() };
    let (mut exit, mut documents) = (Exit::Done, Vec::new());
    for path in &args.archives {
        // One bad archive keeps no other from being installed.
        match install_one(&shelf, path, options) {
            Ok(installed) => {
                for problem in &installed.config_problems {
                    note(&mut err, Tone::Warning, "warning", &problem.to_string());
                }
                if settings.format == Format::Plain {
                    print_text(look, &format!("{}\n", visible(&installed_text(&installed))))?;
                }
                documents.push(document(path, &installed));
            }
            Err(InstallFailure { error, problems }) => {
                report(&mut err, &error);
                report_problems(&mut err, &problems);
                exit = exit.max(error.kind.into());
            }
        }
    }
    if settings.format == Format::Json {
        print_document(look, &documents)?;
    }
    Ok(exit)
}

struct InstallFailure {
    error: TurnError,
    problems: Vec<narratoria_skills::Problem>,
}

fn install_one(
    shelf: &PackageDir,
    path: &Path,
    options: InstallOptions<'_>,
) -> Result<InstallReport, InstallFailure> {
    let plain = |error: TurnError| InstallFailure { error, problems: Vec::new() };
    let file = open(path).map_err(|error| plain(error.into()))?;
    shelf.install(file, options, &environment::variable).map_err(|error| match error {
        InstallError::InvalidPackage { name, problems } => {
            let error = InstallError::InvalidPackage { name, problems: Vec::new() };
            InstallFailure { error: named(path, error), problems }
        }
        error => plain(named(path, error)),
    })
}

fn open(path: &Path) -> Result<File, CliError> {
    let failed = |why: io::Error| match why.kind() {
        io::ErrorKind::NotFound => CliError::NoFile { what: ARCHIVE, path: path.to_owned() },
        _ => CliError::Unreadable { what: ARCHIVE, path: path.to_owned(), why },
    };
    // Asked before opening: a pipe would be waited for.
    if !path.metadata().map_err(failed)?.is_file() {
        let why = io::Error::other("it is no regular file");
        return Err(CliError::Unreadable { what: ARCHIVE, path: path.to_owned(), why });
    }
    File::open(path).map_err(failed)
}

/// Classifies the error and adds hints.
pub(super) fn install_error(error: InstallError) -> TurnError {
    let (kind, hint) = match &error {
        InstallError::NotNewer { .. } | InstallError::PathOccupied { .. } => {
            (TurnErrorKind::Refused, Some("`--force` replaces it"))
        }
        InstallError::WrongArchiveDigest { .. } => (TurnErrorKind::Refused, None),
        InstallError::NotInstalled { .. } => (
            TurnErrorKind::NotFound,
            Some("`narratoria skill list` shows where each one comes from"),
        ),
        InstallError::Io { .. } => (TurnErrorKind::Internal, None),
        _ => (TurnErrorKind::BadInput, None),
    };
    let error = TurnError::new(kind, error);
    hint.into_iter().fold(error, |error, hint| error.hint(hint))
}

fn named(path: &Path, error: InstallError) -> TurnError {
    let TurnError { kind, error, hints } = install_error(error);
    let error = TurnError { kind, error, hints: Vec::new() };
    TurnError { hints, ..TurnError::new(kind, format!("{}: {error}", path.display())) }
}

fn check_digest(args: &SkillInstallArgs) -> Result<(), TurnError> {
    let Some(digest) = &args.sha256 else { return Ok(()) };
    if args.archives.len() > 1 {
        let error = "`--sha256` is the digest of one archive, and there are several";
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    // Those of some tools are in capitals.
    if !is_digest(&digest.to_ascii_lowercase()) {
        let error = format!("`--sha256 {digest}` is no SHA-256: it has 64 hexadecimal digits");
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    Ok(())
}

fn installed_text(installed: &InstallReport) -> String {
    let InstallReport { name, version, previous_version: before, is_unchanged, .. } = installed;
    match before {
        _ if *is_unchanged => format!("{name} {version} is installed already"),
        Some(before) => format!("{name} {version} installed, in place of {before}"),
        None => format!("{name} {version} installed"),
    }
}

fn document(path: &Path, installed: &InstallReport) -> Value {
    json!({
        "archive": path.display().to_string(),
        "sha256": installed.sha256,
        "name": installed.name,
        "version": installed.version.to_string(),
        "before": installed.previous_version.as_ref().map(ToString::to_string),
        "changed": !installed.is_unchanged,
        "folder": installed.folder.display().to_string(),
    })
}
