//! Detects that a package has changed on disk from the names, sizes and times of its files, without reading them.
//! Cheap enough to run before every turn.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, Metadata};

use super::{
    catalog::PackageOrigin,
    config::SettingsFolder,
    discover::{PackageRoot, find_packages},
    package::{AUTHOR_FOLDERS, entry_names},
};

/// Most files of one package in its fingerprint. A package has about ten; a build folder in it may have a million, and
/// the host takes the fingerprint before every turn.
const FINGERPRINT_FILES_MAX: usize = 1_024;

/// Deepest folder below a package in its fingerprint. The loader reads one folder deep, and the paths of the manifest.
const FOLDERS_DEEP_MAX: usize = 4;

/// Endings of files beside the manifest that are part of a package; other files are an author's sources.
const PACKAGE_FILES: [&str; 2] = [".json", ".md"];

/// Name and fingerprint of each package, by folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFingerprints(BTreeMap<PathBuf, (String, u64)>);

/// Takes the fingerprint of every package of these roots and of the player's settings for it. A package that cannot be
/// opened has none.
pub fn package_fingerprints(
    roots: &[PackageRoot],
    settings: &SettingsFolder,
) -> PackageFingerprints {
    let mut prints = BTreeMap::new();
    for root in roots {
        let PackageRoot::Folder(path) = root else { continue };
        for (name, folder, dir) in find_packages(path) {
            let origin = PackageOrigin::Folder(folder);
            let file = settings.file(&name, &origin);
            let print = package_fingerprint(&dir, file.as_deref());
            let PackageOrigin::Folder(folder) = origin else { continue };
            prints.insert(folder, (name, print));
        }
    }
    PackageFingerprints(prints)
}

impl PackageFingerprints {
    /// The fingerprint of the package that a skill came from; `None` for a built-in one.
    pub fn of_origin(&self, origin: &PackageOrigin) -> Option<u64> {
        match origin {
            PackageOrigin::BuiltIn => None,
            PackageOrigin::Folder(path) => self.0.get(path).map(|(_, print)| *print),
        }
    }

    /// Names of the packages that are new, gone or different.
    pub fn changed_since(&self, before: &PackageFingerprints) -> BTreeSet<String> {
        let differs = |path: &PathBuf| self.0.get(path) != before.0.get(path);
        let all = self.0.iter().chain(&before.0);
        all.filter(|(path, _)| differs(path)).map(|(_, (name, _))| name.clone()).collect()
    }
}

fn package_fingerprint(package: &Dir, settings_file: Option<&Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(Ok(metadata)) = settings_file.map(std::fs::metadata) {
        hash_metadata(&Metadata::from_just_metadata(metadata), &mut hasher);
    }
    let mut left = FINGERPRINT_FILES_MAX;
    walk(package, Path::new(""), &mut left, &mut hasher);
    hasher.finish()
}

fn walk(dir: &Dir, at: &Path, left: &mut usize, hasher: &mut DefaultHasher) {
    let Ok(mut names) = entry_names(dir) else { return };
    names.sort();
    let is_top = at.as_os_str().is_empty();
    for name in names {
        if *left == 0 {
            return;
        }
        if name.starts_with('.') || (is_top && AUTHOR_FOLDERS.contains(&name.as_str())) {
            continue;
        }
        let path = at.join(&name);
        let Ok(metadata) = dir.metadata(&name) else { continue };
        if metadata.is_dir() {
            if at.components().count() < FOLDERS_DEEP_MAX
                && let Ok(inner) = dir.open_dir(&name)
            {
                walk(&inner, &path, left, hasher);
            }
        } else if !is_top || PACKAGE_FILES.iter().any(|end| name.ends_with(end)) {
            *left -= 1;
            path.hash(hasher);
            hash_metadata(&metadata, hasher);
        }
    }
}

/// A file that replaces another of equal size and time has another inode, and a file written in place has another time
/// of change, which no program can set.
fn hash_metadata(metadata: &Metadata, hasher: &mut DefaultHasher) {
    (metadata.is_file(), metadata.len()).hash(hasher);
    if let Ok(modified) = metadata.modified() {
        modified.into_std().hash(hasher);
    }
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        (metadata.ino(), metadata.ctime(), metadata.ctime_nsec()).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        time::{Duration, Instant},
    };

    use super::{PackageFingerprints, package_fingerprints};
    use crate::{PackageRoot, SettingsFolder};

    fn look(folder: &std::path::Path) -> PackageFingerprints {
        package_fingerprints(&[PackageRoot::Folder(folder.to_owned())], &SettingsFolder::none())
    }

    fn changed(folder: &std::path::Path, before: &PackageFingerprints) -> Vec<String> {
        look(folder).changed_since(before).into_iter().collect()
    }

    #[test]
    fn every_change_of_a_package_shows_and_a_change_of_its_sources_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["dice/scripts", "dice/src", "song/schemas", "dice/target"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at("dice/skill.json"), "{}").unwrap();
        fs::write(at("dice/scripts/roll.wasm"), "one").unwrap();
        let before = look(folder.path());
        assert_eq!(changed(folder.path(), &before), [""; 0]);

        for source in ["dice/src/lib.rs", "dice/Cargo.toml", "dice/.git", "dice/target/x.wasm"] {
            fs::write(at(source), "fn").unwrap();
        }
        fs::write(at("read-me.txt"), "no package").unwrap();
        assert_eq!(changed(folder.path(), &before), [""; 0]);

        // Equal size, other content: the clock of a file system moves on within some milliseconds.
        let late = Instant::now() + Duration::from_secs(10);
        while changed(folder.path(), &before).is_empty() && Instant::now() < late {
            fs::write(at("dice/scripts/roll.wasm"), "two").unwrap();
        }
        assert_eq!(changed(folder.path(), &before), ["dice"]);
        let before = look(folder.path());
        fs::write(at("song/schemas/any.json"), "{}").unwrap();
        fs::create_dir(at("map")).unwrap();
        assert_eq!(changed(folder.path(), &before), ["map", "song"]);
        fs::remove_dir_all(at("map")).unwrap();
        fs::remove_file(at("song/schemas/any.json")).unwrap();
        fs::remove_dir_all(at("dice")).unwrap();
        assert_eq!(changed(folder.path(), &before), ["dice"]);
    }

    #[test]
    fn a_replaced_file_shows_even_if_size_and_time_are_equal() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir(at("dice")).unwrap();
        fs::write(at("dice/skill.json"), "{1}").unwrap();
        let modified = fs::metadata(at("dice/skill.json")).unwrap().modified().unwrap();
        let before = look(folder.path());
        fs::write(at("new"), "{2}").unwrap();
        fs::File::options().write(true).open(at("new")).unwrap().set_modified(modified).unwrap();
        fs::rename(at("new"), at("dice/skill.json")).unwrap();
        assert_eq!(changed(folder.path(), &before), ["dice"]);
    }

    #[test]
    fn a_root_that_is_a_package_itself_counts_as_one_and_a_missing_one_as_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(look(&folder.path().join("nowhere")), PackageFingerprints::default());
        let dice = folder.path().join("dice");
        fs::create_dir(&dice).unwrap();
        fs::write(dice.join("skill.json"), "{}").unwrap();
        assert_eq!(changed(&dice, &PackageFingerprints::default()), ["dice"]);
    }
}
