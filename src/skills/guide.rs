//! A package with a `SKILL.md` as programs of others get it: its front matter as its author wrote it, and every file of it
//! with length and digest. Files that belong to the player or to the author are none of it.

use serde_json::Value;

use super::{
    agent_skill::agent_skill_file,
    config::CONFIG_FILE,
    discover::PackageHandle,
    forbidden::PACKAGE_FOLDERS_DEEP_MAX,
    front_matter::{SKILL_MD, SKILL_PROMPT_BYTES_MAX, read_front_matter},
    package::{AUTHOR_FOLDERS, PackageFiles, PackageReadError},
};
use narratoria_protocol::digest::sha256;

/// Most files of a skill that is given to programs of others: the limit of the Skills extension of MCP.
pub const GUIDE_FILES_MAX: usize = 512;

/// Most bytes of these files together, by the same rule.
pub const GUIDE_BYTES_MAX: u64 = 16 << 20;

/// The skill that a package is for a program that reads Agent Skills.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillGuide {
    pub name: String,
    /// As the author wrote it: unknown keys are there too.
    pub front_matter: Value,
    /// All of its files, in order.
    pub files: Vec<GuideFile>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideFile {
    /// Path inside the package.
    pub path: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

impl PackageHandle {
    /// Returns the skill with all of its files. Returns `None` if the package has no `SKILL.md` that names it, or more files
    /// or bytes than a program must be able to take.
    pub fn guide(&self) -> Option<SkillGuide> {
        let package = self.files();
        let paths = guide_paths(package)?;
        let text = package.read(SKILL_MD, SKILL_PROMPT_BYTES_MAX).ok()?;
        let front_matter = read_front_matter(str::from_utf8(&text).ok()?)?;
        let has_text = |key: &str| front_matter.get(key).is_some_and(Value::is_string);
        if front_matter.get("name")?.as_str()? != self.name() || !has_text("description") {
            return None;
        }
        let (mut files, mut left) = (Vec::new(), GUIDE_BYTES_MAX);
        for path in paths {
            let content = package.read(&path, left).ok()?;
            let bytes = content.len() as u64;
            left -= bytes;
            files.push(GuideFile { path, bytes, sha256: sha256(&content) });
        }
        Some(SkillGuide { name: self.name().to_owned(), front_matter, files })
    }

    /// Returns a file that [`PackageHandle::guide`] lists.
    pub fn guide_file(&self, path: &str) -> Option<Vec<u8>> {
        let package = self.files();
        let is_listed = guide_paths(package)?.iter().any(|listed| listed == path);
        is_listed.then(|| package.read(path, GUIDE_BYTES_MAX).ok())?
    }
}

/// The files of a package with a `SKILL.md`, in order. Returns `None` if there is none, or if not all files can be listed.
fn guide_paths(package: &PackageFiles) -> Option<Vec<String>> {
    if agent_skill_file(package)? != SKILL_MD {
        return None;
    }
    let mut paths = Vec::new();
    collect(package, "", 0, &mut paths).ok()?;
    paths.sort_unstable();
    Some(paths)
}

fn collect(
    package: &PackageFiles,
    folder: &str,
    depth: usize,
    paths: &mut Vec<String>,
) -> Result<(), PackageReadError> {
    let too_much = || PackageReadError::Io { reason: "it has too many files".to_owned() };
    if depth > PACKAGE_FOLDERS_DEEP_MAX {
        return Err(too_much());
    }
    for name in package.list(folder)? {
        let is_top = folder.is_empty();
        let is_apart = name.starts_with('.')
            || (is_top && (name == CONFIG_FILE || AUTHOR_FOLDERS.contains(&name.as_str())));
        if is_apart {
            continue;
        }
        let path = if is_top { name } else { format!("{folder}/{name}") };
        if package.is_file(&path) {
            paths.push(path);
        } else if package.is_folder(&path) {
            collect(package, &path, depth + 1, paths)?;
        }
        if paths.len() > GUIDE_FILES_MAX {
            return Err(too_much());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{GUIDE_FILES_MAX, PackageHandle};

    const SKILL: &str =
        "---\nname: omens\ndescription: Reads omens.\nx-mood: {dark: true}\n---\nRead.\n";

    fn package(files: &[(&str, &str)]) -> PackageHandle {
        let files: BTreeMap<String, Vec<u8>> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect();
        PackageHandle::in_memory("omens", files)
    }

    #[test]
    fn a_guide_has_its_front_matter_as_written_and_every_file_but_the_player_s_and_the_author_s() {
        let found = package(&[
            ("SKILL.md", SKILL),
            ("config.json", "{\"key\": \"secret\"}"),
            (".origin.json", "{}"),
            ("src/lib.rs", "fn main() {}"),
            ("references/a/moon.md", "full"),
            ("skill.json", "{}"),
        ]);
        let guide = found.guide().unwrap();
        let front_matter =
            json!({"name": "omens", "description": "Reads omens.", "x-mood": {"dark": true}});
        assert_eq!(guide.front_matter, front_matter);
        let files: Vec<(&str, u64)> =
            guide.files.iter().map(|file| (file.path.as_str(), file.bytes)).collect();
        let skill_bytes = SKILL.len() as u64;
        assert_eq!(
            files,
            [("SKILL.md", skill_bytes), ("references/a/moon.md", 4), ("skill.json", 2)]
        );
        assert_eq!(found.guide_file("references/a/moon.md").unwrap(), b"full");
        for path in ["config.json", ".origin.json", "src/lib.rs", "../SKILL.md", "references"] {
            assert_eq!(found.guide_file(path), None, "{path}");
        }
    }

    #[test]
    fn a_package_without_a_whole_guide_is_none() {
        assert_eq!(package(&[("skill.json", "{}")]).guide(), None);
        let other = SKILL.replace("name: omens", "name: others");
        assert_eq!(package(&[("SKILL.md", &other)]).guide(), None);
        let unsaid = SKILL.replace("description: Reads omens.\n", "");
        assert_eq!(package(&[("SKILL.md", &unsaid)]).guide(), None);
        let names: Vec<String> =
            (0..GUIDE_FILES_MAX).map(|nth| format!("assets/{nth:04}")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        files.push(("SKILL.md", SKILL));
        assert_eq!(package(&files).guide(), None);
        files.remove(0);
        assert_eq!(package(&files).guide().unwrap().files.len(), GUIDE_FILES_MAX);
    }
}
