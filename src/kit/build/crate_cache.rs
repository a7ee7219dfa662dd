//! The compiled crates that packages in Rust depend on, kept for the next package: one folder for each toolchain and set of
//! locked crates.
//!
//! A package builds in a target folder of its own. A new one begins with a copy of the kept crates, and the first build
//! of a set leaves a copy behind. So two builds never write the same folder, and a folder that is there is complete:
//! it was moved into place in one step. Cargo judges each copied crate by its own fingerprints. Crates of the package
//! itself are never kept: cargo knows them by times, which say nothing in another folder.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use narratoria_protocol::digest::sha256;

/// Sets of crates that stay: the newest ones. A set of the SDK's crates has about 60 MB.
const SETS_KEPT: usize = 4;

/// The parts of a target folder that hold compiled crates: for this machine (macros, build scripts) and for scripts.
const PARTS: [&str; 2] = ["release", "wasm32-wasip2/release"];
const PART_FOLDERS: [&str; 3] = [".fingerprint", "build", "deps"];

/// The folder whose paths the crates may contain, beside `release`.
const ORIGIN: &str = "origin";

/// The kept crates of one toolchain and one set of locked crates.
pub(super) struct CrateCache {
    root: PathBuf,
    set: PathBuf,
}

impl CrateCache {
    /// The set for a package; `None` if it locks no crates. `compiler` says everything about compiler and flags.
    pub(super) fn open(root: &Path, folder: &Path, compiler: &str) -> Option<CrateCache> {
        let lock = fs::read_to_string(folder.join("Cargo.lock")).ok()?;
        // The crates of the package itself differ in each package, and have no `source`.
        let crates: Vec<&str> =
            lock.split("[[package]]").filter(|one| one.contains("\nsource = ")).collect();
        if crates.is_empty() {
            return None;
        }
        let set = sha256(format!("{compiler}\n{}", crates.concat()).as_bytes());
        Some(CrateCache { root: root.to_owned(), set: root.join(set) })
    }

    /// Begins a target folder that does not exist yet with the kept crates. A copy that fails is no copy: the crates are
    /// compiled.
    pub(super) fn seed(&self, target: &Path) {
        if target.exists() || !self.set.is_dir() {
            return;
        }
        let Ok(scratch) = fresh_folder(target) else { return };
        let fresh = scratch.path().join("target");
        if copy_tree(&self.set, &fresh, &|_| true).is_ok() {
            let _ = fs::rename(fresh, target);
        }
    }

    /// The folder in which the kept crates were compiled: its path may be in them.
    pub(super) fn origin(&self) -> Option<PathBuf> {
        fs::read_to_string(self.set.join(ORIGIN)).ok().map(PathBuf::from)
    }

    /// Keeps the crates of a target folder, unless they are kept already. `own` are the names of the package's crates.
    pub(super) fn keep(
        &self,
        folder: &Path,
        target: &Path,
        own: &BTreeSet<String>,
    ) -> io::Result<()> {
        if self.set.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(&self.root)?;
        let scratch = fresh_folder(&self.set)?;
        let fresh = scratch.path().join("set");
        let is_wanted = |name: &str| {
            let name = name.strip_prefix("lib").unwrap_or(name);
            !own.iter().any(|own| {
                name.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with(['-', '.']))
            })
        };
        for part in
            PARTS.iter().flat_map(|part| PART_FOLDERS.map(|inner| format!("{part}/{inner}")))
        {
            copy_tree(&target.join(&part), &fresh.join(&part), &is_wanted)?;
        }
        fs::write(fresh.join(ORIGIN), folder.to_string_lossy().as_bytes())?;
        // Another build may have been faster; its set is as good.
        match fs::rename(&fresh, &self.set) {
            Err(error) if !self.set.is_dir() => Err(error),
            _ => self.prune(),
        }
    }

    /// Deletes all sets but the newest.
    fn prune(&self) -> io::Result<()> {
        let mut sets: Vec<_> = fs::read_dir(&self.root)?
            .flatten()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        sets.sort();
        let old = sets.len().saturating_sub(SETS_KEPT);
        for (_, set) in sets.drain(..old).filter(|(_, set)| *set != self.set) {
            fs::remove_dir_all(set)?;
        }
        Ok(())
    }
}

/// A temporary folder beside a path, on the same disk.
fn fresh_folder(beside: &Path) -> io::Result<tempfile::TempDir> {
    let within = beside.parent().unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".narratoria-crates-").tempdir_in(within)
}

/// Copies folders and regular files with their times, by which cargo judges what is fresh. `is_wanted` decides on the
/// names at the top.
fn copy_tree(from: &Path, to: &Path, is_wanted: &dyn Fn(&str) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let mut waiting = vec![(from.to_owned(), to.to_owned(), true)];
    while let Some((from, to, is_top)) = waiting.pop() {
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let (found, name) = (entry.metadata()?, entry.file_name());
            if is_top && !is_wanted(&name.to_string_lossy()) {
                continue;
            }
            let to = to.join(&name);
            if found.is_dir() {
                fs::create_dir_all(&to)?;
                waiting.push((entry.path(), to, false));
            } else if found.is_file() {
                fs::copy(entry.path(), &to)?;
                fs::File::options().append(true).open(&to)?.set_modified(found.modified()?)?;
            }
        }
    }
    Ok(())
}

/// The name of a crate of the package itself; `None` for a crate from elsewhere.
pub(super) fn own_crate(package_id: &str) -> Option<String> {
    let path = package_id.strip_prefix("path+file://")?;
    let (path, version) = path.split_once('#')?;
    let named = version.split_once('@').map(|(name, _)| name);
    Some(named.or_else(|| path.rsplit('/').next()).unwrap_or(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"skill-NAME\"\n\n[[package]]\nname = \"serde\"\n\
                        source = \"registry+x\"\nchecksum = \"SUM\"\n";

    fn package(dir: &Path, name: &str, sum: &str) -> PathBuf {
        let folder = dir.join(name);
        write(&folder, "Cargo.lock", &LOCK.replace("NAME", name).replace("SUM", sum));
        for part in ["release/deps", "wasm32-wasip2/release/deps"] {
            write(&folder, &format!("target/{part}/libserde-1.rlib"), name);
            write(&folder, &format!("target/{part}/libnarratoria_sdk-1.rlib"), name);
            write(&folder, &format!("target/{part}/tell-1.wasm"), name);
        }
        for inner in [".fingerprint/serde-1/lib", "build/serde-1/output"] {
            write(&folder, &format!("target/release/{inner}"), name);
            write(&folder, &format!("target/wasm32-wasip2/release/{inner}"), name);
        }
        folder
    }

    #[test]
    fn the_next_package_begins_with_the_crates_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("cache");
        let first = package(dir.path(), "first", "1");
        let own = ["narratoria_sdk", "tell"].map(str::to_owned).into_iter().collect();
        let cache = CrateCache::open(&root, &first, "rustc 1").unwrap();
        cache.keep(&first, &first.join("target"), &own).unwrap();
        assert_eq!(cache.origin(), Some(first.clone()));

        let second = package(dir.path(), "second", "1");
        let target = second.join("target");
        fs::remove_dir_all(&target).unwrap();
        let cache = CrateCache::open(&root, &second, "rustc 1").unwrap();
        cache.seed(&target);
        let kept = target.join("release/deps/libserde-1.rlib");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "first");
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(time(&kept), time(&first.join("target/release/deps/libserde-1.rlib")));
        assert!(target.join("wasm32-wasip2/release/build/serde-1/output").exists());
        for own in ["libnarratoria_sdk-1.rlib", "tell-1.wasm"] {
            assert!(!target.join("release/deps").join(own).exists(), "{own}");
        }

        // A target folder that is there stays as it is, and other crates or another compiler are another set.
        write(&target, "mine", "");
        fs::remove_file(&kept).unwrap();
        cache.seed(&target);
        assert!(!kept.exists());
        let other = package(dir.path(), "other", "2");
        assert!(!CrateCache::open(&root, &other, "rustc 1").unwrap().set.exists());
        assert!(!CrateCache::open(&root, &second, "rustc 2").unwrap().set.exists());
    }

    #[test]
    fn only_the_newest_sets_stay() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("cache");
        let folder = package(dir.path(), "first", "1");
        for compiler in 0..SETS_KEPT + 2 {
            let cache = CrateCache::open(&root, &folder, &compiler.to_string()).unwrap();
            cache.keep(&folder, &folder.join("target"), &BTreeSet::new()).unwrap();
            assert!(cache.set.is_dir());
        }
        assert_eq!(fs::read_dir(&root).unwrap().count(), SETS_KEPT);
    }

    #[test]
    fn a_crate_of_the_package_is_known_by_its_id() {
        assert_eq!(
            own_crate("path+file:///p/demo#skill-demo@0.1.0").as_deref(),
            Some("skill-demo")
        );
        assert_eq!(
            own_crate("path+file:///p/vendor/narratoria-sdk#0.1.0").as_deref(),
            Some("narratoria-sdk")
        );
        assert_eq!(own_crate("registry+https://github.com/x#serde@1.0.0"), None);
    }
}
