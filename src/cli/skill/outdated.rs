//! `narratoria skill outdated`: compares installed packages with archives, folders, indexes and registries. Only an index or a
//! registry that is named, or that a package was installed from, is asked.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::TurnError;
use narratoria_registry::{OciReference, PackageUrl};
use narratoria_skills::{
    ARCHIVE_SUFFIX, InstallSource, PackageDir, PackageIndex, open_package_folder, read_origin,
};
use semver::Version;
use serde_json::json;

use super::{
    index_signer::check_signer,
    named_archive::{IndexPlace, bad_reference},
    packed_archive::PackedArchive,
    remote::{Remote, registry_failed},
};
use crate::{
    args::{Format, SkillOutdatedArgs},
    error::CliError,
    exit::Exit,
    print_document, print_text,
    settings::{CliSettings, is_offline},
};
use narratoria_ui::{Out, Tone, note, render_table, report};

/// Most archives and packages that are read, because each archive is read whole to check its digests.
const SOURCES_MAX: usize = 256;

/// A package that is not installed.
struct AvailablePackage {
    version: Version,
    /// A path or an address.
    place: String,
}

/// An installed package beside the newest one that was found.
struct OutdatedRow {
    name: String,
    installed: Version,
    newest: Option<AvailablePackage>,
    /// Where it was installed from, whether that still exists or not.
    origin: Option<InstallSource>,
}

impl OutdatedRow {
    fn is_outdated(&self) -> bool {
        self.newest.as_ref().is_some_and(|newest| newest.version > self.installed)
    }
}

pub(super) fn outdated(args: SkillOutdatedArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    for path in &args.sources {
        if !path.exists() && !is_elsewhere(path) {
            return Err(CliError::NoFile { what: "archive or folder", path: path.clone() }.into());
        }
    }
    let packages = PackageDir::new(settings.home()?.installed_skills());
    let mut rows: Vec<OutdatedRow> = Vec::new();
    for (name, folder) in packages.installed() {
        if let Some((_, installed)) = version_of_folder(&folder) {
            let origin = read_origin(&folder).map(|origin| origin.source);
            rows.push(OutdatedRow { name, installed, newest: None, origin });
        }
    }
    let mut lists = VersionLists::new(packages, is_offline(args.offline.offline));
    let is_named = !args.sources.is_empty();
    let (named, sources) = match is_named {
        true => named_places(args.sources)?,
        false => (Vec::new(), rows.iter().filter_map(folder_of_origin).collect()),
    };
    let mut available = find_available(&sources, &mut err);
    for row in &mut rows {
        row.newest = available.remove(&row.name);
        // The list of one package says nothing about another, unless the player names it.
        let own = row.origin.as_ref().and_then(ListPlace::of).filter(|_| !is_named);
        let places: Vec<&ListPlace> =
            named.iter().filter(|place| place.may_have(row)).chain(&own).collect();
        for place in places {
            let found = lists.newest(place, &row.name, &mut err);
            if let Some(found) = found
                && row.newest.as_ref().is_none_or(|known| known.version < found.version)
            {
                row.newest = Some(found);
            }
        }
    }
    print(&rows, &settings)?;
    if settings.format == Format::Plain && !rows.is_empty() && !lists.has_asked() {
        let what = "no registry was asked: only archives and folders on this machine were compared";
        note(&mut err, Tone::Notice, "note", what);
    }
    Ok(Exit::Done)
}

/// A place that says which versions there are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ListPlace {
    Index(IndexPlace),
    /// Has neither tag nor digest.
    Registry(OciReference),
}

impl ListPlace {
    /// The index or the registry that a package was installed from, if it was one.
    fn of(origin: &InstallSource) -> Option<ListPlace> {
        match &origin.index {
            Some(index) => IndexPlace::parse(index).ok().map(ListPlace::Index),
            None => OciReference::parse(&origin.archive)
                .ok()
                .map(|package| ListPlace::Registry(package.all_versions())),
        }
    }

    /// A registry has versions of one package: the one that came from there, or has the name of its repository.
    fn may_have(&self, row: &OutdatedRow) -> bool {
        let ListPlace::Registry(package) = self else { return true };
        let own = row.origin.as_ref().and_then(ListPlace::of);
        let last = package.repository().rsplit('/').next();
        own.as_ref() == Some(self) || last == Some(row.name.as_str())
    }
}

/// The indexes and registries, and the other files and folders, among those that the player names.
fn named_places(named: Vec<PathBuf>) -> Result<(Vec<ListPlace>, Vec<PathBuf>), TurnError> {
    let (mut lists, mut others) = (Vec::new(), Vec::new());
    for path in named {
        let text = path.to_string_lossy();
        match IndexPlace::in_folder(&path) {
            Some(index) => lists.push(ListPlace::Index(index)),
            None if OciReference::is_meant(&text) => {
                let package = OciReference::parse(&text).map_err(bad_reference)?;
                lists.push(ListPlace::Registry(package.all_versions()));
            }
            None if is_elsewhere(&path) => lists.push(ListPlace::Index(IndexPlace::parse(&text)?)),
            None => others.push(path),
        }
    }
    Ok((lists, others))
}

/// The folder of the archive that a package was installed from, if that was not an index.
fn folder_of_origin(row: &OutdatedRow) -> Option<PathBuf> {
    let origin = row.origin.as_ref().filter(|origin| origin.index.is_none())?;
    let archive = Path::new(&origin.archive);
    archive.parent().filter(|_| !is_elsewhere(archive)).map(Path::to_owned)
}

/// Returns true for an address and a package of a registry.
fn is_elsewhere(path: &Path) -> bool {
    path.to_str().is_some_and(|text| PackageUrl::is_meant(text) || OciReference::is_meant(text))
}

/// What an index or a registry has.
enum VersionList {
    Index(PackageIndex),
    Registry(Option<Version>),
}

/// The indexes and registries that have been asked, each once.
struct VersionLists {
    remote: Remote,
    /// Knows who signs the indexes.
    packages: PackageDir,
    read: Vec<(ListPlace, Option<VersionList>)>,
}

impl VersionLists {
    fn new(packages: PackageDir, is_offline: bool) -> VersionLists {
        VersionLists { remote: Remote::new(is_offline), packages, read: Vec::new() }
    }

    /// The newest version of a package in a list. One that cannot be read is reported once and has none.
    fn newest(&mut self, place: &ListPlace, name: &str, err: &mut Out) -> Option<AvailablePackage> {
        if self.read.iter().all(|(known, _)| known != place) {
            let list = self.read(place);
            let list = list.map_err(|error| report(err, &error)).ok();
            self.read.push((place.clone(), list));
        }
        let (_, list) = self.read.iter().find(|(known, _)| known == place)?;
        match (place, list.as_ref()?) {
            (ListPlace::Registry(package), VersionList::Registry(Some(version))) => {
                let place = package.with_version(version).ok()?.to_string();
                Some(AvailablePackage { version: version.clone(), place })
            }
            (ListPlace::Index(place), VersionList::Index(index)) => {
                let (version, _) = index.newest(name)?;
                Some(AvailablePackage { version: version.clone(), place: place.text() })
            }
            _ => None,
        }
    }

    fn read(&self, place: &ListPlace) -> Result<VersionList, TurnError> {
        match place {
            ListPlace::Index(place) => {
                let index = place.read(&self.remote)?;
                check_signer(&self.packages, place, &index)?;
                Ok(VersionList::Index(index.packages))
            }
            ListPlace::Registry(package) => {
                let newest = self.remote.registry(package)?.newest();
                let failed = |error| registry_failed("compared", package, error);
                newest.map(VersionList::Registry).map_err(failed)
            }
        }
    }

    fn has_asked(&self) -> bool {
        let is_far = |place: &ListPlace| !matches!(place, ListPlace::Index(IndexPlace::Folder(_)));
        self.read.iter().any(|(place, _)| is_far(place))
    }
}

fn print(rows: &[OutdatedRow], settings: &CliSettings) -> Result<(), TurnError> {
    let look = settings.terminal.look;
    if settings.format == Format::Json {
        let one = |row: &OutdatedRow| {
            json!({
                "name": row.name,
                "installed": row.installed.to_string(),
                "newest": row.newest.as_ref().map(|newest| newest.version.to_string()),
                "place": row.newest.as_ref().map(|newest| &newest.place),
                "origin": row.origin.as_ref().map(|origin| &origin.archive),
                "outdated": row.is_outdated(),
            })
        };
        print_document(look, &rows.iter().map(one).collect::<Vec<_>>())?;
        return Ok(());
    }
    if rows.is_empty() {
        print_text(look, "no package is installed\n")?;
        return Ok(());
    }
    let line = |row: &OutdatedRow| {
        let (newest, place) = match &row.newest {
            Some(newest) if row.is_outdated() => (newest.version.to_string(), newest.place.clone()),
            Some(_) => ("nothing newer".to_owned(), String::new()),
            None => ("nothing to compare with".to_owned(), String::new()),
        };
        [row.name.clone(), row.installed.to_string(), newest, place]
    };
    let lines: Vec<[String; 4]> = rows.iter().map(line).collect();
    print_text(look, &render_table(["NAME", "INSTALLED", "NEWER", "WHERE"], &lines, look.width))?;
    Ok(())
}

/// Finds the newest version of each package in these files and folders, by name.
fn find_available(sources: &[PathBuf], err: &mut Out) -> BTreeMap<String, AvailablePackage> {
    let mut files: Vec<PathBuf> = Vec::new();
    for source in sources {
        files.extend(expand(source));
    }
    files.sort();
    files.dedup();
    if files.len() > SOURCES_MAX {
        let what = format!(
            "{} archives and packages were found, the first {SOURCES_MAX} are compared",
            files.len()
        );
        note(err, Tone::Warning, "warning", &what);
        files.truncate(SOURCES_MAX);
    }
    let mut newest: BTreeMap<String, AvailablePackage> = BTreeMap::new();
    for place in files {
        let found =
            if place.is_dir() { version_of_folder(&place) } else { version_of_archive(&place) };
        let Some((name, version)) = found else {
            let what = format!("`{}` holds no package that can be compared", place.display());
            note(err, Tone::Warning, "warning", &what);
            continue;
        };
        if newest.get(&name).is_none_or(|known| known.version < version) {
            let place = place.display().to_string();
            newest.insert(name, AvailablePackage { version, place });
        }
    }
    newest
}

/// Returns the source itself if it is an archive or a package; otherwise the archives and packages in the folder.
fn expand(source: &Path) -> Vec<PathBuf> {
    if !source.is_dir() || narratoria_skills::is_package_folder(source) {
        return vec![source.to_owned()];
    }
    let entries = fs::read_dir(source).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_source = |path: &PathBuf| {
        let is_archive = path.to_string_lossy().ends_with(ARCHIVE_SUFFIX) && path.is_file();
        is_archive || (path.is_dir() && narratoria_skills::is_package_folder(path))
    };
    // Takes one more than the limit, so that the caller sees that there are too many.
    entries.filter(is_source).take(SOURCES_MAX + 1).collect()
}

fn version_of_folder(folder: &Path) -> Option<(String, Version)> {
    open_package_folder(folder).ok()?.name_and_version()
}

fn version_of_archive(path: &Path) -> Option<(String, Version)> {
    PackedArchive::find(path).map(|PackedArchive { name, version }| (name, version))
}
