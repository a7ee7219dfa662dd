//! A package without `skill.json`: a plain Agent Skill. It has a prompt and no scripts; its other files are listed for
//! people and programs, and the host never runs one.

use super::{
    catalog::{PackageOrigin, RetryPolicy, Skill},
    front_matter::{SKILL_MD_NAMES, SKILL_PROMPT_BYTES_MAX, parse_agent_skill},
    manifest::{MANIFEST_FILE, PRIORITY_DEFAULT},
    package::PackageFiles,
    problem::ProblemList,
};
use narratoria_protocol::Object;

/// Folders of an Agent Skill whose files are listed.
pub const LISTED_FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// Most files of a package that are listed. Published skills have some tens.
pub const LISTED_FILES_MAX: usize = 256;

/// Deepest folder whose files are listed, counted from the package.
const LISTED_DEPTH_MAX: usize = 4;

/// Most entries that are looked at for the list, folders included. Stops a package of empty folders.
const LISTED_ENTRIES_MAX: usize = 4096;

/// The files in the folders of an Agent Skill. The host lists them and never runs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFiles {
    /// Paths inside the package, sorted, at most [`LISTED_FILES_MAX`].
    pub paths: Vec<String>,
    /// True if there is more: more files, deeper ones, or a link.
    pub is_cut_short: bool,
}

/// Returns true for a package that is a plain Agent Skill. A package with components has lost its manifest instead: its
/// author wants to know, and its prompt tells of scripts that no plan could use.
pub(super) fn is_agent_skill(package: &PackageFiles) -> bool {
    !package.has(MANIFEST_FILE) && agent_skill_file(package).is_some() && !has_components(package)
}

/// The file that is a plain Agent Skill.
pub(super) fn agent_skill_file(package: &PackageFiles) -> Option<&'static str> {
    SKILL_MD_NAMES.into_iter().find(|file| package.has(file))
}

fn has_components(package: &PackageFiles) -> bool {
    let names = package.list("scripts").unwrap_or_default();
    names.iter().any(|name| name.ends_with(".wasm"))
}

/// Reads the package that lies in the folder `name`.
pub(super) fn load_agent_skill(
    name: &str,
    package: &PackageFiles,
    origin: PackageOrigin,
    findings: &mut ProblemList,
) -> Option<Skill> {
    let name_of_file = agent_skill_file(package)?;
    let text = package.text(name_of_file, SKILL_PROMPT_BYTES_MAX, findings)?;
    let file = match parse_agent_skill(&text, name) {
        Ok(file) => file,
        Err(faults) => {
            faults.into_iter().for_each(|fault| findings.file(name_of_file, fault));
            return None;
        }
    };
    Some(Skill {
        name: name.to_owned(),
        display_name: name.to_owned(),
        description: file.description,
        version: file.version,
        author: file.author,
        license: file.license,
        prompt: file.prompt,
        capabilities: Vec::new(),
        priority: PRIORITY_DEFAULT,
        retry: RetryPolicy::default(),
        names_backoff: false,
        triggers: Vec::new(),
        examples: Vec::new(),
        scripts: Vec::new(),
        writes: Vec::new(),
        config: Object::new(),
        secrets: Vec::new(),
        setting_variables: Default::default(),
        origin,
        signer: None,
    })
}

/// The files in the folders of an Agent Skill. A link, and what lies behind one, is not listed.
pub(super) fn list_files(package: &PackageFiles) -> ListedFiles {
    let mut lister =
        FileLister { package, entries_left: LISTED_ENTRIES_MAX, listed: ListedFiles::default() };
    LISTED_FOLDERS.iter().for_each(|folder| lister.list(folder, 1));
    lister.listed.paths.sort();
    lister.listed
}

struct FileLister<'p> {
    package: &'p PackageFiles,
    entries_left: usize,
    listed: ListedFiles,
}

impl FileLister<'_> {
    fn list(&mut self, folder: &str, depth: usize) {
        let Ok(names) = self.package.list(folder) else {
            self.listed.is_cut_short = true;
            return;
        };
        for name in names.into_iter().filter(|name| !name.starts_with('.')) {
            if self.entries_left == 0 || self.listed.paths.len() == LISTED_FILES_MAX {
                self.listed.is_cut_short = true;
                return;
            }
            self.entries_left -= 1;
            let path = format!("{folder}/{name}");
            if self.package.is_file(&path) {
                self.listed.paths.push(path);
            } else if self.package.is_folder(&path) && depth < LISTED_DEPTH_MAX {
                self.list(&path, depth + 1);
            } else {
                self.listed.is_cut_short = true;
            }
        }
    }
}

#[cfg(test)]
mod tests;
