//! Finds packages, loads each, and puts the catalog together. What is wrong with one package never
//! stops the others.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};

use super::{
    catalog::{Catalog, Origin},
    config::Lookup,
    manifest::MANIFEST_FILE,
    package::{EmbeddedFiles, Package, ReadError, entry_names, from_io},
    problem::{Problem, Severity},
    skill::{Candidate, load_skill},
};

/// Most packages in one folder. Each costs a start some milliseconds and the planner a choice.
pub const PACKAGES_MAX: usize = 256;

/// An embedded package: its name and its files.
pub type EmbeddedPackage = (&'static str, EmbeddedFiles);

/// Where to look for packages.
#[derive(Debug, Clone)]
pub enum Root {
    /// Packages that are part of the binary.
    BuiltIn(&'static [EmbeddedPackage]),
    /// A folder whose sub-folders are packages, or that is a package itself.
    Folder(PathBuf),
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Every usable skill.
    pub catalog: Catalog,
    /// Why the others are not in it, and what else is worth knowing.
    pub problems: Vec<Problem>,
}

/// A package that has been found but not yet looked into.
struct Found {
    name: String,
    origin: Origin,
    package: Package,
}

/// Loads every package of every root.
///
/// Where two have the same name, the folder that comes earlier in `roots` wins, and any folder wins
/// over what is built in; a package that cannot be loaded wins over nothing. `env` is what `${VAR}` in
/// a `config.json` reads.
pub fn load(roots: &[Root], env: Lookup<'_>) -> Loaded {
    let mut problems = Vec::new();
    let mut chosen: BTreeMap<String, Candidate> = BTreeMap::new();
    let (built_in, folders): (Vec<&Root>, Vec<&Root>) =
        roots.iter().partition(|root| matches!(root, Root::BuiltIn(_)));
    for root in folders.into_iter().chain(built_in) {
        for Found { name, origin, package } in root.find(&mut problems) {
            if let Some(winner) = chosen.get(&name) {
                let what = format!("{origin} is not used, {} comes first", winner.skill.origin);
                problems.push(about(&name, what, Severity::Note));
                continue;
            }
            match load_skill(&name, &package, origin, env) {
                Ok(candidate) => {
                    chosen.insert(name, candidate);
                }
                Err(found) => problems.extend(found),
            }
        }
    }
    drop_unmet(&mut chosen, &mut problems);
    let mut catalog = Catalog::default();
    for candidate in chosen.into_values() {
        catalog.insert(candidate.skill);
    }
    Loaded { catalog, problems }
}

/// Takes out each skill that counts on one that is not there, until nothing changes any more.
fn drop_unmet(chosen: &mut BTreeMap<String, Candidate>, problems: &mut Vec<Problem>) {
    loop {
        let unmet: Vec<(String, Vec<Problem>)> = chosen
            .iter()
            .map(|(name, candidate)| (name.clone(), unmet_needs(name, candidate, chosen)))
            .filter(|(_, needs)| !needs.is_empty())
            .collect();
        if unmet.is_empty() {
            return;
        }
        for (name, needs) in unmet {
            chosen.remove(&name);
            problems.extend(needs);
        }
    }
}

fn unmet_needs(
    name: &str,
    candidate: &Candidate,
    chosen: &BTreeMap<String, Candidate>,
) -> Vec<Problem> {
    let mut needs = Vec::new();
    for (other, wanted) in &candidate.dependencies {
        let what = match chosen.get(other) {
            None => format!("needs the skill `{other}` {wanted}, which is not loaded"),
            Some(found) if !wanted.matches(&found.skill.version) => {
                format!("needs the skill `{other}` {wanted}, loaded is {}", found.skill.version)
            }
            Some(_) => continue,
        };
        needs.push(Problem {
            file: Some(MANIFEST_FILE.to_owned()),
            field: Some(format!("/dependencies/{other}")),
            ..about(name, what, Severity::Skipped)
        });
    }
    needs
}

fn about(package: &str, what: String, severity: Severity) -> Problem {
    Problem { package: package.to_owned(), file: None, field: None, what, severity }
}

impl Root {
    /// The packages of this root in name order.
    fn find(&self, problems: &mut Vec<Problem>) -> Vec<Found> {
        match self {
            Root::BuiltIn(packages) => {
                let mut found: Vec<Found> = packages
                    .iter()
                    .map(|(name, files)| Found {
                        name: (*name).to_owned(),
                        origin: Origin::BuiltIn,
                        package: Package::Embedded(files),
                    })
                    .collect();
                found.sort_by(|a, b| a.name.cmp(&b.name));
                found
            }
            Root::Folder(path) => match find_in_folder(path, problems) {
                Ok(found) => found,
                Err(what) => {
                    problems.push(about(&path.display().to_string(), what, Severity::Skipped));
                    Vec::new()
                }
            },
        }
    }
}

fn find_in_folder(path: &Path, problems: &mut Vec<Problem>) -> Result<Vec<Found>, String> {
    let dir =
        Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
            _ => format!("cannot be opened: {error}"),
        })?;
    if dir.symlink_metadata(MANIFEST_FILE).is_ok() {
        let name = folder_name(path).ok_or("has no name that a package could have")?;
        let origin = Origin::Folder(path.to_owned());
        return Ok(vec![Found { name, origin, package: Package::Folder(dir) }]);
    }
    let mut names = entry_names(&dir).map_err(|error| error.to_string())?;
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    let mut found = Vec::new();
    for name in names {
        match open_package(&dir, &name) {
            Ok(None) => {}
            Ok(Some(package)) => {
                let origin = Origin::Folder(path.join(&name));
                found.push(Found { name, origin, package: Package::Folder(package) });
            }
            Err(what) => problems.push(about(&name, what, Severity::Skipped)),
        }
    }
    if found.len() > PACKAGES_MAX {
        let what = format!(
            "has {} packages, only the first {PACKAGES_MAX} in name order are loaded",
            found.len()
        );
        problems.push(about(&path.display().to_string(), what, Severity::Skipped));
        found.truncate(PACKAGES_MAX);
    }
    Ok(found)
}

/// `None` for a plain file, which is nobody's package.
fn open_package(dir: &Dir, name: &str) -> Result<Option<Dir>, String> {
    let opened = dir.metadata(name).and_then(|metadata| {
        if metadata.is_dir() { dir.open_dir(name).map(Some) } else { Ok(None) }
    });
    opened.map_err(|error| match from_io(&error) {
        ReadError::Outside => "is a link that leads out of the folder".to_owned(),
        ReadError::Missing => "is a link that leads nowhere".to_owned(),
        other => other.to_string(),
    })
}

/// The last part of the path, also of `.` and the like.
fn folder_name(path: &Path) -> Option<String> {
    let whole = std::fs::canonicalize(path).ok()?;
    Some(whole.file_name()?.to_str()?.to_owned())
}
