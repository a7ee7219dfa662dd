//! The rules about names, links and native code, which need no manifest.

use std::collections::BTreeMap;

use super::{
    finding::{FindingCollector, FindingLocation},
    rules,
    tree::PackageTree,
};
use narratoria_skills::{self as skills, ForbiddenFile};

/// Files that the host reads.
const KNOWN: [&str; 5] =
    ["skill.json", "SKILL.md", "prompt.md", "config-schema.json", "config.json"];
/// Folders that the host reads.
const KNOWN_FOLDERS: [&str; 3] = ["scripts", "schemas", "examples"];

/// Checks files by their names and first bytes.
pub(super) fn check(tree: &PackageTree, findings: &mut FindingCollector<'_>) {
    // The host's own rule: what is an error here is not loaded by a player.
    let package = skills::open_package_folder(&tree.root);
    for (path, fault) in package.map(|it| it.forbidden_files()).unwrap_or_default() {
        let rule = match fault {
            ForbiddenFile::LinkOut => &rules::FILES_LINK_OUT,
            ForbiddenFile::Special => &rules::FILES_ODD,
            ForbiddenFile::Native => &rules::FILES_NATIVE,
            ForbiddenFile::SystemScript => &rules::FILES_SCRIPT,
            ForbiddenFile::Name(_) => &rules::FILES_NAME,
            ForbiddenFile::TooMany => &rules::FILES_TOO_MANY,
        };
        let place = match path.as_str() {
            "" => FindingLocation::whole(),
            path => FindingLocation::file(path),
        };
        findings.add(rule, place, fault.to_string());
    }
    for path in tree.links.iter().filter_map(|(path, stays)| stays.then_some(path)) {
        findings.add(&rules::FILES_LINK, FindingLocation::file(path), "is a link");
    }
    check_names(tree, findings);
}

fn check_names(tree: &PackageTree, findings: &mut FindingCollector<'_>) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let folders = tree.folders.iter().map(|path| (path, &KNOWN_FOLDERS[..]));
    for (path, known) in tree.files.keys().map(|path| (path, &KNOWN[..])).chain(folders) {
        let lower = path.to_lowercase();
        let meant = known.iter().find(|known| known.to_lowercase() == lower);
        // In a plain Agent Skill either name will do.
        let is_read = path == "skill.md" && !tree.has("skill.json") && !tree.has("SKILL.md");
        if let Some(meant) = meant
            && meant != path
            && !is_read
        {
            let what = format!("is not read: the name that the host reads is `{meant}`");
            findings.add(&rules::FILES_MISNAMED, FindingLocation::file(path), what);
        }
        if let Some(other) = seen.insert(lower, path) {
            let what = format!("differs from `{other}` by case alone");
            findings.add(&rules::FILES_CASE, FindingLocation::file(path), what);
        }
    }
}
