//! `narratoria skill outdated`: compares installed packages with archives and folders on this machine. There is no registry,
//! and nothing is downloaded.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::TurnError;
use narratoria_skills::{
    ARCHIVE_SUFFIX, PackageDir, open_outside, open_package_folder, read_archive, read_origin,
};
use semver::Version;
use serde_json::json;

use crate::{
    args::{Format, SkillOutdatedArgs},
    error::CliError,
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, render_table};

/// Most archives and packages that are read, because each archive is read whole to check its digests.
const SOURCES_MAX: usize = 256;

/// A package that is not installed.
struct AvailablePackage {
    version: Version,
    place: PathBuf,
}

/// An installed package beside the newest one that was found.
struct OutdatedRow {
    name: String,
    installed: Version,
    newest: Option<AvailablePackage>,
    /// The archive from which it was installed, whether it still exists or not.
    origin: Option<PathBuf>,
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
        if !path.exists() {
            return Err(CliError::NoFile { what: "archive or folder", path: path.clone() }.into());
        }
    }
    let packages = PackageDir::new(settings.home()?.installed_skills());
    let mut rows: Vec<OutdatedRow> = Vec::new();
    for (name, folder) in packages.installed() {
        if let Some((_, installed)) = version_of_folder(&folder) {
            let origin = read_origin(&folder).map(|origin| origin.archive);
            rows.push(OutdatedRow { name, installed, newest: None, origin });
        }
    }
    let sources = match args.sources.is_empty() {
        true => {
            rows.iter().filter_map(|row| Some(row.origin.as_ref()?.parent()?.to_owned())).collect()
        }
        false => args.sources,
    };
    let mut available = find_available(&sources, &mut err);
    for row in &mut rows {
        row.newest = available.remove(&row.name);
    }
    print(&rows, &settings)?;
    if settings.format == Format::Plain && !rows.is_empty() {
        let what = "there is no registry: only archives and folders on this machine were compared";
        note(&mut err, Tone::Notice, "note", what);
    }
    Ok(Exit::Done)
}

fn print(rows: &[OutdatedRow], settings: &CliSettings) -> Result<(), TurnError> {
    let look = settings.terminal.look;
    let shown = |path: &Path| path.display().to_string();
    if settings.format == Format::Json {
        let one = |row: &OutdatedRow| {
            json!({
                "name": row.name,
                "installed": row.installed.to_string(),
                "newest": row.newest.as_ref().map(|newest| newest.version.to_string()),
                "place": row.newest.as_ref().map(|newest| shown(&newest.place)),
                "origin": row.origin.as_deref().map(shown),
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
            Some(newest) if row.is_outdated() => (newest.version.to_string(), shown(&newest.place)),
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
