//! Resolves the named packages: folders, names, or the packages in the current folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{CheckCampaign, CheckTarget, TargetKind};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{
    Catalog, EmbeddedPackage, InstallError, InstallOptions, PACKAGES_MAX, PackageDir,
    PackageOrigin, PackageRoot, PlayerSide, SettingsFolder, is_package_folder, load,
};
use tempfile::TempDir;

use super::signed_archive::{OpenedArchive, signature_path};
use crate::{args::PackagesArgs, environment, error::CliError};

/// Creates a temporary folder of this process, which is deleted on drop.
pub(crate) fn scratch_folder() -> Result<TempDir, CliError> {
    TempDir::new().map_err(|why| CliError::Unwritable {
        what: "folder for temporary files",
        path: environment::temporary_folder(),
        why,
    })
}

/// Returns the variables that are text. A package may name any of them in its `config.json` and its grants.
pub(super) fn environment() -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    environment::raw_variables().filter_map(text).collect()
}

/// Returns the packages in the order of their names, each once. Writes built-in ones to `scratch`.
pub(super) fn find(args: &PackagesArgs, scratch: &Path) -> Result<Vec<CheckTarget>, CliError> {
    let mut found = Vec::new();
    for package in &args.packages {
        found.extend(named(package, args, scratch)?);
    }
    if args.packages.is_empty() {
        let here = [PathBuf::from(".")];
        let folders = if args.skills.is_empty() { &here[..] } else { &args.skills[..] };
        for folder in folders {
            found.extend(in_folder(folder));
        }
        if found.is_empty() {
            return Err(CliError::NoPackageHere);
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|target| seen.insert(target.folder.clone()));
    Ok(found)
}

/// Resolves one argument. A folder without a manifest counts as a package unless it contains packages; the check
/// then reports the missing file.
fn named(
    package: &Path,
    args: &PackagesArgs,
    scratch: &Path,
) -> Result<Vec<CheckTarget>, CliError> {
    if package.is_dir() {
        let found = in_folder(package);
        return Ok(if found.is_empty() { vec![target(package)] } else { found });
    }
    let name = package.to_string_lossy();
    let in_skills = args.skills.iter().map(|folder| folder.join(package));
    if let Some(folder) = in_skills.into_iter().find(|folder| is_package_folder(folder)) {
        return Ok(vec![target(&folder)]);
    }
    let built_in = built_in();
    if let Some((name, files)) = built_in.iter().find(|(known, _)| *known == name) {
        let folder = scratch.join("built-in").join(name);
        write_package(&folder, files).map_err(|why| CliError::Unwritable {
            what: "copy of a built-in skill",
            path: folder.clone(),
            why,
        })?;
        let shown = format!("built-in/{name}");
        let (name, kind) = ((*name).to_owned(), TargetKind::BuiltIn);
        return Ok(vec![CheckTarget { name, display_name: shown, folder, kind, signer: None }]);
    }
    let mut known: Vec<String> = built_in.iter().map(|(name, _)| (*name).to_owned()).collect();
    for folder in &args.skills {
        known.extend(in_folder(folder).into_iter().map(|target| target.name));
    }
    Err(CliError::NoPackage { package: package.to_owned(), near: nearest(&name, &known) })
}

/// Returns the folder itself if it is a package, otherwise its subfolders that are, by name.
fn in_folder(folder: &Path) -> Vec<CheckTarget> {
    if is_package_folder(folder) {
        return vec![target(folder)];
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_package_folder(path)).collect();
    folders.sort();
    folders.truncate(PACKAGES_MAX);
    folders.iter().map(|folder| target(folder)).collect()
}

fn target(folder: &Path) -> CheckTarget {
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = folder.to_string_lossy().replace('\\', "/");
    // `skills/` and `./skills` are the folder `skills`.
    let shown = shown.trim_end_matches('/').trim_start_matches("./");
    let shown = if shown.is_empty() { "." } else { shown };
    let kind = TargetKind::Package;
    CheckTarget { name, display_name: shown.to_owned(), folder: whole, kind, signer: None }
}

/// Unpacks an archive into a folder of its own, for a check. A signature beside it must hold.
pub(super) fn in_archive(archive: &Path, folder: PathBuf) -> Result<CheckTarget, TurnError> {
    let OpenedArchive { file, signed } = OpenedArchive::open(archive, &signature_path(archive))?;
    let sha256 = signed.as_ref().map(|signed| signed.sha256.as_str());
    let options = InstallOptions { sha256, signed: signed.as_ref(), ..InstallOptions::default() };
    let unpacked = PackageDir::new(folder).install(file, options, &PlayerSide::none());
    let unpacked = unpacked.map_err(|error| {
        let problems = match &error {
            InstallError::InvalidPackage { problems, .. } => problems.as_slice(),
            _ => &[],
        };
        let lines = problems.iter().map(|problem| format!("\n{problem}")).collect::<String>();
        let what = format!("{}: {error}{lines}", archive.display());
        TurnError::new(TurnErrorKind::BadInput, what)
    })?;
    Ok(CheckTarget {
        name: unpacked.name,
        display_name: archive.display().to_string(),
        folder: unpacked.folder,
        kind: TargetKind::Package,
        signer: signed.map(|signed| signed.key),
    })
}

/// Marks the packages of which the player agreed that they take the place of a built-in skill, and the installed ones with the
/// keys that they were signed with.
pub(super) fn mark_installed(targets: &mut [CheckTarget], settings: &SettingsFolder) {
    for target in targets.iter_mut().filter(|target| target.kind == TargetKind::Package) {
        let origin = PackageOrigin::Folder(target.folder.clone());
        if settings.agrees_to_replacement(&target.name, &origin) {
            target.kind = TargetKind::AgreedReplacement;
        }
        target.signer = settings.signer(&origin).or(target.signer.take());
    }
}

/// Returns the skills that are part of the program.
pub(crate) fn built_in_skills() -> Catalog {
    load(&[narratoria_built_in::built_in()]).catalog
}

/// Returns true for the name of a skill that is part of the program.
pub(super) fn is_built_in(name: &str) -> bool {
    built_in().iter().any(|(known, _)| *known == name)
}

/// Returns the campaigns of the program, for the story of a check.
pub(crate) fn check_campaigns() -> Vec<CheckCampaign> {
    let bundled = narratoria_bundled_campaigns::bundled().iter();
    bundled.map(|one| CheckCampaign { name: one.name, files: one.files }).collect()
}

fn built_in() -> &'static [EmbeddedPackage] {
    match narratoria_built_in::built_in() {
        PackageRoot::BuiltIn(packages) => packages,
        PackageRoot::Folder(_) => &[],
    }
}

fn write_package(folder: &Path, files: &[(&str, &[u8])]) -> std::io::Result<()> {
    for (within, content) in files {
        let path = folder.join(within);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
    }
    Ok(())
}
