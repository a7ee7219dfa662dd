//! The rules about names, links and native code, which need no manifest.

use std::{collections::BTreeMap, fs, io};

use super::{
    finding::{FindingCollector, FindingLocation},
    rules,
    tree::{FILES_MAX, FOLDERS_DEEP_MAX, PackageTree},
};
use narratoria_skills::NATIVE_MAGICS;

/// Files that the host reads.
const KNOWN: [&str; 5] =
    ["skill.json", "SKILL.md", "prompt.md", "config-schema.json", "config.json"];
/// Folders that the host reads.
const KNOWN_FOLDERS: [&str; 3] = ["scripts", "schemas", "examples"];

/// Checks files by their names and first bytes.
pub(super) fn check(tree: &PackageTree, findings: &mut FindingCollector<'_>) {
    if tree.is_cut_short {
        let what = format!(
            "has more than {FILES_MAX} files and folders, or nests deeper than {FOLDERS_DEEP_MAX} folders"
        );
        findings.add(&rules::FILES_TOO_MANY, FindingLocation::whole(), what);
    }
    for (path, stays) in &tree.links {
        match stays {
            true => findings.add(&rules::FILES_LINK, FindingLocation::file(path), "is a link"),
            false => findings.add(
                &rules::FILES_LINK_OUT,
                FindingLocation::file(path),
                "is a link that leads out of the package, or nowhere",
            ),
        }
    }
    for path in &tree.special {
        let what = "is neither a file nor a folder, or has a name that is not UTF-8";
        findings.add(&rules::FILES_ODD, FindingLocation::file(path), what);
    }
    for path in tree.files.keys().filter(|path| is_native(tree, path)) {
        findings.add(&rules::FILES_NATIVE, FindingLocation::file(path), "is native code");
    }
    check_names(tree, findings);
}

fn check_names(tree: &PackageTree, findings: &mut FindingCollector<'_>) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let folders = tree.folders.iter().map(|path| (path, &KNOWN_FOLDERS[..]));
    for (path, known) in tree.files.keys().map(|path| (path, &KNOWN[..])).chain(folders) {
        let lower = path.to_lowercase();
        let meant = known.iter().find(|known| known.to_lowercase() == lower);
        if let Some(meant) = meant
            && meant != path
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

/// Native code in a `.wasm` file counts as a faulty component instead.
fn is_native(tree: &PackageTree, path: &str) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(tree.root.join(path))
        .and_then(|mut file| io::Read::read(&mut file, &mut head));
    let head = &head[..read.unwrap_or(0)];
    !path.ends_with(".wasm") && NATIVE_MAGICS.iter().any(|magic| head.starts_with(magic))
}
