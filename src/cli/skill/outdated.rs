//! `narratoria skill outdated`: compares installed packages with archives, folders and indexes. There is no registry; only an
//! index that is named, or that a package was installed from, is fetched.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::TurnError;
use narratoria_skills::{
    ARCHIVE_SUFFIX, InstallSource, PackageDir, PackageIndex, open_outside, open_package_folder,
    read_archive, read_origin,
};
use semver::Version;
use serde_json::json;

use super::{fetch::PackageUrl, named_archive::IndexPlace};
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
        if !path.exists() && !is_address(path) {
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
    let mut indexes = Indexes::new(is_offline(args.offline.offline));
    let is_named = !args.sources.is_empty();
    let (named, sources) = match is_named {
        true => named_places(args.sources)?,
        false => (Vec::new(), rows.iter().filter_map(folder_of_origin).collect()),
    };
    let mut available = find_available(&sources, &mut err);
    for row in &mut rows {
        row.newest = available.remove(&row.name);
        // The index of one package says nothing about another, unless the player names it.
        let own = row.origin.as_ref().and_then(|origin| origin.index.as_deref());
        let own = own.filter(|_| !is_named);
        for place in named.iter().cloned().chain(own.and_then(|own| IndexPlace::parse(own).ok())) {
            let found = indexes.newest(&place, &row.name, &mut err);
            if let Some(found) = found
                && row.newest.as_ref().is_none_or(|known| known.version < found.version)
            {
                row.newest = Some(found);
            }
        }
    }
    print(&rows, &settings)?;
    if settings.format == Format::Plain && !rows.is_empty() && !indexes.has_fetched() {
        let what = "there is no registry: only archives and folders on this machine were compared";
        note(&mut err, Tone::Notice, "note", what);
    }
    Ok(Exit::Done)
}

/// The indexes, and the other files and folders, among those that the player names.
fn named_places(named: Vec<PathBuf>) -> Result<(Vec<IndexPlace>, Vec<PathBuf>), TurnError> {
    let (mut indexes, mut others) = (Vec::new(), Vec::new());
    for path in named {
        match IndexPlace::in_folder(&path) {
            Some(index) => indexes.push(index),
            None if is_address(&path) => indexes.push(IndexPlace::parse(&path.to_string_lossy())?),
            None => others.push(path),
        }
    }
    Ok((indexes, others))
}

/// The folder of the archive that a package was installed from, if that was not an index.
fn folder_of_origin(row: &OutdatedRow) -> Option<PathBuf> {
    let origin = row.origin.as_ref().filter(|origin| origin.index.is_none())?;
    let archive = Path::new(&origin.archive);
    archive.parent().filter(|_| !is_address(archive)).map(Path::to_owned)
}

fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(PackageUrl::is_meant)
}

/// The indexes that have been read, each once.
struct Indexes {
    is_offline: bool,
    read: Vec<(IndexPlace, Option<PackageIndex>)>,
}

impl Indexes {
    fn new(is_offline: bool) -> Indexes {
        Indexes { is_offline, read: Vec::new() }
    }

    /// The newest version in an index. One that cannot be read is reported once and has none.
    fn newest(
        &mut self,
        place: &IndexPlace,
        name: &str,
        err: &mut Out,
    ) -> Option<AvailablePackage> {
        if self.read.iter().all(|(known, _)| known != place) {
            let index = place.read(self.is_offline);
            let index = index.map_err(|error| report(err, &error)).ok();
            self.read.push((place.clone(), index));
        }
        let (_, index) = self.read.iter().find(|(known, _)| known == place)?;
        let (version, _) = index.as_ref()?.newest(name)?;
        Some(AvailablePackage { version: version.clone(), place: place.text() })
    }

    fn has_fetched(&self) -> bool {
        self.read.iter().any(|(place, _)| matches!(place, IndexPlace::Address(_)))
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

/// Returns the name and version of a package in an archive; `None` if one of its digests is wrong.
fn version_of_archive(path: &Path) -> Option<(String, Version)> {
    let file = open_outside(path).ok()?;
    let mut files = narratoria_skills::FilesInMemory::new();
    read_archive(file, &mut |path, content| {
        if ["skill.json", "SKILL.md", "skill.md"].contains(&path) {
            files.insert(path.to_owned(), content.to_vec());
        }
        Ok(())
    })
    .ok()?;
    narratoria_skills::PackageHandle::in_memory("", files).name_and_version()
}
