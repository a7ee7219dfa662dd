//! Finds packages, loads each, and builds the catalog. A faulty package never stops the others.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;
use narratoria_protocol::{JsonBounds, read_json};
use semver::Version;

use super::{
    agent_skill::{ListedFiles, agent_skill_file, list_files},
    catalog::{Catalog, PackageOrigin, Skill},
    claim_conflicts::drop_conflicting_claims,
    compile_budget::{CATALOG_STEPS_MAX, CompileBudget, CompiledSize},
    config::{CONFIG_FILE, ConfigForm, ConfigFormError, PlayerSide, SettingsFolder},
    forbidden::ForbiddenFile,
    front_matter::{
        SKILL_MD_NAMES, SKILL_PROMPT_BYTES_MAX, is_skill_name, name_in_skill_md, parse_agent_skill,
    },
    manifest::MANIFEST_FILE,
    package::{
        EmbeddedFiles, FilesInMemory, PackageFiles, PackageReadError, entry_names, from_io,
        open_folder,
    },
    problem::{Problem, ProblemList, Severity, reported_problems},
    schema_meter::limit_steps,
    skill::{MANIFEST_BYTES_MAX, SkillWithDependencies, forbidden_files, load_skill},
};

/// Most packages in one folder. Each costs a start some milliseconds and the planner a choice.
pub const PACKAGES_MAX: usize = 256;

const NO_NAME: &str = "has no name that a package could have";

/// An embedded package: its name and its files.
pub type EmbeddedPackage = (&'static str, EmbeddedFiles);

/// A place to look for packages.
#[derive(Debug, Clone)]
pub enum PackageRoot {
    /// Packages that are part of the binary.
    BuiltIn(&'static [EmbeddedPackage]),
    /// A folder whose sub-folders are packages, or that is a package itself.
    Folder(PathBuf),
}

#[derive(Debug, Clone, Default)]
pub struct LoadReport {
    /// Every usable skill.
    pub catalog: Catalog,
    /// Why the other packages were not loaded, and notes.
    pub problems: Vec<Problem>,
}

/// A package that has been found but not yet read.
#[derive(Debug)]
pub struct PackageHandle {
    name: String,
    origin: PackageOrigin,
    package: PackageFiles,
}

/// Loads every package of every root, without any settings of a player.
pub fn load(roots: &[PackageRoot]) -> LoadReport {
    load_for_player(roots, &PlayerSide::none())
}

/// Loads every package of every root with the player's settings and under the player's policy: it lowers limits, and a
/// package that asks for a refused grant is not loaded.
///
/// If two have one name, the folder that comes earlier in `roots` wins; a package that cannot be loaded wins over none.
/// A folder wins over a built-in package only if the player agreed to that: see [`SettingsFolder`].
pub fn load_for_player(roots: &[PackageRoot], player: &PlayerSide<'_>) -> LoadReport {
    let mut loading =
        LoadingCatalog { built_in: built_in_names(roots), ..LoadingCatalog::default() };
    let (built_in, folders): (Vec<&PackageRoot>, Vec<&PackageRoot>) =
        roots.iter().partition(|root| matches!(root, PackageRoot::BuiltIn(_)));
    // Built-in skills always fit: the sums do not include them.
    limit_steps(CATALOG_STEPS_MAX, || {
        folders.into_iter().for_each(|root| loading.load_root(root, player));
    });
    built_in.into_iter().for_each(|root| loading.load_root(root, player));
    let LoadingCatalog { mut problems, mut chosen, .. } = loading;
    drop_conflicting_claims(&mut chosen, &mut problems);
    drop_unmet_dependencies(&mut chosen, &mut problems);
    let mut catalog = Catalog::default();
    for candidate in chosen.into_values() {
        catalog.insert(candidate.skill);
    }
    LoadReport { catalog, problems: reported_problems(problems) }
}

/// The packages that are loaded so far.
#[derive(Default)]
struct LoadingCatalog {
    problems: Vec<Problem>,
    /// Names of the built-in packages.
    built_in: BTreeSet<&'static str>,
    chosen: BTreeMap<String, SkillWithDependencies>,
    /// The sum of what the packages from folders make the host keep, added in the order of their roots and names.
    size: CompiledSize,
}

impl LoadingCatalog {
    fn load_root(&mut self, root: &PackageRoot, player: &PlayerSide<'_>) {
        for PackageHandle { name, origin, package } in root.find(&mut self.problems) {
            if let Some(winner) = self.chosen.get(&name) {
                let what = format!("{origin} is not used, {} comes first", winner.skill.origin);
                self.problems.push(about(&name, what, Severity::Note));
                continue;
            }
            if replaces_without_agreement(&name, &origin, &self.built_in, player.settings) {
                let what = format!(
                    "{origin} is not used: a package takes the place of a built-in skill only if you agree to that; \
                     `narratoria skill install` asks"
                );
                self.problems.push(about(&name, what, Severity::Note));
                continue;
            }
            let is_ours = origin == PackageOrigin::BuiltIn;
            let budget = match is_ours {
                true => CompileBudget::default(),
                false => CompileBudget::after(self.size),
            };
            match load_skill(&name, &package, origin, player, budget) {
                Ok(mut candidate) => {
                    let refused = player.variables.policy().apply(&mut candidate.skill);
                    if refused.is_empty() {
                        if !is_ours {
                            self.size = self.size.with(candidate.size);
                        }
                        self.problems.append(&mut candidate.notes);
                        self.chosen.insert(name, candidate);
                    }
                    self.problems.extend(refused);
                }
                Err(found) => self.problems.extend(found),
            }
        }
    }
}

/// Names of the built-in packages of these roots.
fn built_in_names(roots: &[PackageRoot]) -> BTreeSet<&'static str> {
    let names = roots.iter().flat_map(|root| match root {
        PackageRoot::BuiltIn(packages) => *packages,
        PackageRoot::Folder(_) => &[],
    });
    names.map(|(name, _)| *name).collect()
}

/// Returns true if a package of a folder has the name of a built-in one, and the player has not agreed to use it instead.
/// A plain Agent Skill is such a package too.
fn replaces_without_agreement(
    name: &str,
    origin: &PackageOrigin,
    built_in: &BTreeSet<&str>,
    settings: &SettingsFolder,
) -> bool {
    *origin != PackageOrigin::BuiltIn
        && built_in.contains(name)
        && !settings.agrees_to_replacement(name, origin)
}

/// Loads the package in this folder without its dependencies and without any settings of a player, or returns all its
/// problems.
pub fn load_package(folder: &Path) -> Result<Skill, Vec<Problem>> {
    open_package_folder(folder).map_err(|problem| vec![problem])?.load(&PlayerSide::none())
}

/// The package in this folder, not yet read.
pub fn open_package_folder(folder: &Path) -> Result<PackageHandle, Problem> {
    let shown = folder.display().to_string();
    let whole = |what: String| about(&shown, what, Severity::Skipped);
    let dir = open_folder(folder).map_err(whole)?;
    let name = folder_name(folder).ok_or_else(|| whole(NO_NAME.to_owned()))?;
    let origin = PackageOrigin::Folder(folder.to_owned());
    Ok(PackageHandle { name, origin, package: PackageFiles::in_folder(dir, folder) })
}

impl PackageHandle {
    /// The package in this folder under another name and place: the ones that it will have.
    pub(super) fn open_as(
        folder: &Path,
        name: &str,
        origin: PackageOrigin,
    ) -> Result<PackageHandle, Problem> {
        let whole = |what: String| about(name, what, Severity::Skipped);
        let dir = open_folder(folder).map_err(whole)?;
        let package = PackageFiles::in_folder(dir, folder);
        Ok(PackageHandle { name: name.to_owned(), origin, package })
    }
}

/// The files of which a package holds one.
fn package_files() -> impl Iterator<Item = &'static str> {
    [MANIFEST_FILE].into_iter().chain(SKILL_MD_NAMES)
}

/// Returns true if the folder is a package: it holds a manifest, or a `SKILL.md` that is a whole skill.
pub fn is_package_folder(folder: &Path) -> bool {
    package_files().any(|file| folder.join(file).symlink_metadata().is_ok())
}

/// The packages of these roots, not yet read; if two have one name, the one that [`load_for_player`] would take if both
/// were good.
pub fn find_in_roots(roots: &[PackageRoot], settings: &SettingsFolder) -> Vec<PackageHandle> {
    let names = built_in_names(roots);
    let (built_in, folders): (Vec<&PackageRoot>, Vec<&PackageRoot>) =
        roots.iter().partition(|root| matches!(root, PackageRoot::BuiltIn(_)));
    let mut found: Vec<PackageHandle> = Vec::new();
    for root in folders.into_iter().chain(built_in) {
        // Loading the roots reports their problems.
        for one in root.find(&mut Vec::new()) {
            if found.iter().all(|other| other.name != one.name)
                && !replaces_without_agreement(&one.name, &one.origin, &names, settings)
            {
                found.push(one);
            }
        }
    }
    found
}

impl PackageHandle {
    /// A package of these files. For the manifest's check, its folder has this name.
    pub fn in_memory(name: &str, files: FilesInMemory) -> PackageHandle {
        let origin = PackageOrigin::Folder(PathBuf::from(name));
        PackageHandle { name: name.to_owned(), origin, package: PackageFiles::Memory(files) }
    }

    /// Its folder's name, which its manifest must confirm.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn files(&self) -> &PackageFiles {
        &self.package
    }

    pub fn origin(&self) -> &PackageOrigin {
        &self.origin
    }

    /// Loads it without its dependencies, or returns all its problems.
    pub fn load(&self, player: &PlayerSide<'_>) -> Result<Skill, Vec<Problem>> {
        self.load_with_notes(player).map(|(skill, _)| skill)
    }

    /// Loads it like [`PackageHandle::load`], with remarks that do not keep it from being used.
    pub fn load_with_notes(
        &self,
        player: &PlayerSide<'_>,
    ) -> Result<(Skill, Vec<Problem>), Vec<Problem>> {
        let loaded = load_skill(
            &self.name,
            &self.package,
            self.origin.clone(),
            player,
            CompileBudget::default(),
        )?;
        Ok((loaded.skill, loaded.notes))
    }

    /// Name and version as its manifest, or the front matter of a plain Agent Skill, has them. Checks nothing else.
    pub fn name_and_version(&self) -> Option<(String, Version)> {
        if !self.package.has(MANIFEST_FILE) {
            let file = agent_skill_file(&self.package)?;
            let bytes = self.package.read(file, SKILL_PROMPT_BYTES_MAX).ok()?;
            let text = str::from_utf8(&bytes).ok()?;
            let name = name_in_skill_md(text)?;
            let version = parse_agent_skill(text, &name).ok()?.version;
            return Some((name, version));
        }
        let bytes = self.package.read(MANIFEST_FILE, MANIFEST_BYTES_MAX).ok()?;
        let manifest = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
        let text = |field: &str| manifest.get(field)?.as_str();
        let name = text("name").filter(|name| is_skill_name(name))?;
        Some((name.to_owned(), Version::parse(text("version")?).ok()?))
    }

    /// Its files that are listed and never run.
    pub fn list_files(&self) -> ListedFiles {
        list_files(&self.package)
    }

    /// Its files that no package may hold, with their paths; an empty path is the package itself. A package with one
    /// is not loaded.
    pub fn forbidden_files(&self) -> Vec<(String, ForbiddenFile)> {
        // Loading the package reports what is wrong with its manifest.
        let mut ignored = ProblemList::for_package(&self.name);
        let manifest = self.package.json(MANIFEST_FILE, MANIFEST_BYTES_MAX, &mut ignored);
        let scripts = manifest.as_ref().and_then(|it| it.get("scripts")?.as_array());
        let paths = scripts.into_iter().flatten().filter_map(|script| script.get("path")?.as_str());
        forbidden_files(&self.package, &paths.collect::<Vec<_>>())
    }

    /// The form of its settings, even if the rest of the package is faulty.
    pub fn config_form(&self, settings: &SettingsFolder) -> Result<ConfigForm, ConfigFormError> {
        ConfigForm::read(&self.name, &self.package, &self.origin, settings)
    }

    /// Removes the package's own `config.json`, whose values the player has taken over.
    pub fn remove_packaged_config(&self) -> io::Result<()> {
        self.package.remove(CONFIG_FILE)
    }
}

/// Removes each skill that depends on a missing one, until no skill does.
fn drop_unmet_dependencies(
    chosen: &mut BTreeMap<String, SkillWithDependencies>,
    problems: &mut Vec<Problem>,
) {
    loop {
        let unmet: Vec<(String, Vec<Problem>)> = chosen
            .iter()
            .map(|(name, candidate)| (name.clone(), unmet_dependencies(name, candidate, chosen)))
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

fn unmet_dependencies(
    name: &str,
    candidate: &SkillWithDependencies,
    chosen: &BTreeMap<String, SkillWithDependencies>,
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

impl PackageRoot {
    /// The packages of this root in name order.
    fn find(&self, problems: &mut Vec<Problem>) -> Vec<PackageHandle> {
        match self {
            PackageRoot::BuiltIn(packages) => {
                let mut found: Vec<PackageHandle> = packages
                    .iter()
                    .map(|(name, files)| PackageHandle {
                        name: (*name).to_owned(),
                        origin: PackageOrigin::BuiltIn,
                        package: PackageFiles::Embedded(files),
                    })
                    .collect();
                found.sort_by(|a, b| a.name.cmp(&b.name));
                found
            }
            PackageRoot::Folder(path) => match find_in_folder(path, problems) {
                Ok(found) => found,
                Err(what) => {
                    problems.push(about(&path.display().to_string(), what, Severity::Skipped));
                    Vec::new()
                }
            },
        }
    }
}

fn find_in_folder(path: &Path, problems: &mut Vec<Problem>) -> Result<Vec<PackageHandle>, String> {
    let dir = open_folder(path)?;
    if package_files().any(|file| dir.symlink_metadata(file).is_ok()) {
        let name = folder_name(path).ok_or(NO_NAME)?;
        let origin = PackageOrigin::Folder(path.to_owned());
        let package = PackageFiles::in_folder(dir, path);
        return Ok(vec![PackageHandle { name, origin, package }]);
    }
    let mut names = entry_names(&dir).map_err(|error| error.to_string())?;
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    let mut found = Vec::new();
    for name in names {
        match open_package(&dir, &name) {
            Ok(None) => {}
            Ok(Some(package)) => {
                let folder = path.join(&name);
                let package = PackageFiles::in_folder(package, &folder);
                found.push(PackageHandle { name, origin: PackageOrigin::Folder(folder), package });
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

/// Name, folder and handle of every package in a folder that can be opened; reports no problems.
pub(super) fn find_packages(path: &Path) -> Vec<(String, PathBuf, Dir)> {
    let found = find_in_folder(path, &mut Vec::new()).unwrap_or_default();
    let parts = found.into_iter().filter_map(|found| match (found.origin, found.package) {
        (PackageOrigin::Folder(folder), PackageFiles::Folder(opened)) => {
            Some((found.name, folder, opened.dir))
        }
        _ => None,
    });
    parts.collect()
}

/// `None` for a plain file, which is no package.
fn open_package(dir: &Dir, name: &str) -> Result<Option<Dir>, String> {
    let opened = dir.metadata(name).and_then(|metadata| {
        if metadata.is_dir() { dir.open_dir(name).map(Some) } else { Ok(None) }
    });
    opened.map_err(|error| match from_io(&error) {
        PackageReadError::Outside => "is a link that leads out of the folder".to_owned(),
        PackageReadError::Missing => "is a link that leads nowhere".to_owned(),
        other => other.to_string(),
    })
}

/// The last part of the path, resolved first so that `.` and the like have a name too.
pub(super) fn folder_name(path: &Path) -> Option<String> {
    let whole = std::fs::canonicalize(path).ok()?;
    Some(whole.file_name()?.to_str()?.to_owned())
}
