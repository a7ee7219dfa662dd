//! Compiled components on disk. Only this host writes and reads them: a compiled component is native code, so one
//! from a package would break out of the sandbox.
//!
//! The host maps a cached component instead of reading it, so a start costs only the file system's lookup. Mapping is
//! safe, because the folder is closed to other users, and a program that can write there as this user can replace this
//! program as well. So the cache guards only against damage. Each code file has a seal beside it, with the digest
//! of the code and the stamp that the file had when the digest was right: size, inode, modification time and
//! change time. Only the kernel sets the change time. An equal stamp means that no program has written to the
//! file; if the stamp differs (a restored backup), the host computes the digest again. Files are never written
//! in place, so mapped code does not change while it runs.
//!
//! A new file has no stamp, so that the player's first turn does not wait for the disk as well. The next start computes
//! the digest, forces the file to the disk, and stamps it. So a crash of the machine cannot leave a file with a valid
//! stamp and lost content.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

use wasmtime::{Engine, component::Component};

use narratoria_protocol::{JsonBounds, digest::sha256, read_json_as};
use narratoria_skills::{open_outside, read_outside};

use crate::compile::CompileRefusal;

/// Largest file that is mapped; a component with a larger one is compiled again.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// Most bytes of the whole folder. A component of 300 KB has 1 MB of code, one with a whole Python inside 60 MB;
/// an author who rebuilds all evening leaves about a hundred behind. The oldest files are removed first.
const FOLDER_BYTES_MAX: u64 = 4 << 30;

/// Longest seal: a digest and five numbers.
const SEAL_BYTES_MAX: u64 = 256;

/// The ending of a file that records why a component has no code.
const REFUSAL_ENDING: &str = "refused";

/// Longest refusal that is read: a number, or the compiler's message.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;

/// The time after which a refused component is tried again, because a busy or hot machine takes longer.
const REFUSAL_AGE: Duration = Duration::from_secs(24 * 3600);

/// The age at which no process can still be writing a file.
const UNFINISHED_AGE: Duration = Duration::from_secs(3600);

/// A folder of `<sha256 of the wasm>-<hash of engine and settings>.cwasm`, each with a `.seal`, and a `.refused` for each
/// component that cannot be compiled.
pub(crate) struct CompiledCache {
    folder: PathBuf,
    /// Differs between wasmtime versions, settings and CPUs; files with another hash are stale.
    engine_hash: u64,
}

impl CompiledCache {
    /// Creates the folder, closed to other users: a user who can write there can run code as this user.
    pub(crate) fn open(folder: &Path, engine_hash: u64) -> io::Result<CompiledCache> {
        fs::create_dir_all(folder)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Only the owner may do this, so success also proves that the folder belongs to this user.
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
        remove_unfinished(folder);
        Ok(CompiledCache { folder: folder.to_owned(), engine_hash })
    }

    /// Returns the component that this engine compiled earlier from this wasm; `None` if there is none or the file is
    /// damaged.
    pub(crate) fn load(&self, engine: &Engine, wasm_digest: &str) -> Option<Component> {
        map(engine, &self.verified_path(wasm_digest)?)
    }

    /// Stores the code with its SHA-256 and maps it from its file, which takes no memory until it is used. Returns
    /// `None` if the code does not fit this engine.
    pub(crate) fn put_and_load(
        &self,
        engine: &Engine,
        wasm_digest: &str,
        code: &[u8],
        code_digest: &str,
    ) -> io::Result<Option<Component>> {
        self.put(wasm_digest, code, code_digest)?;
        Ok(map(engine, &self.path(wasm_digest)))
    }

    /// Returns the path of the file, if its content is unchanged since it was written.
    fn verified_path(&self, wasm_digest: &str) -> Option<PathBuf> {
        let path = self.path(wasm_digest);
        let seal = path.with_extension("seal");
        let metadata = fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return None;
        }
        let sealed = String::from_utf8(read_outside(&seal, SEAL_BYTES_MAX).ok()?).ok()?;
        let (code_digest, stamped) = sealed.split_once('\n')?;
        if stamp(&metadata).is_some_and(|stamp| stamp == stamped) {
            return Some(path);
        }
        if sha256(&read_outside(&path, FILE_BYTES_MAX).ok()?) != code_digest {
            tracing::warn!("{} is damaged, its component is compiled again", path.display());
            return None;
        }
        // The content is unchanged; the new stamp makes the next check cheap.
        if let Err(error) = self.stamp(&path, code_digest) {
            tracing::debug!("{} cannot be stamped: {error}", path.display());
        }
        Some(path)
    }

    /// Stores the code with its SHA-256, and removes files that other engines compiled from the same wasm. A reader
    /// sees the old file or the new one, never a part of it.
    fn put(&self, wasm_digest: &str, code: &[u8], code_digest: &str) -> io::Result<()> {
        let path = self.path(wasm_digest);
        self.replace(&path, code)?;
        self.seal(&path, code_digest, "")?;
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let same_wasm = entry.file_name().to_string_lossy().starts_with(wasm_digest);
            if same_wasm && entry.path().with_extension("") != path.with_extension("") {
                fs::remove_file(entry.path())?;
            }
        }
        self.evict_oldest(&path, FOLDER_BYTES_MAX)
    }

    /// Returns the reason why this engine did not compile this wasm, if it has tried lately.
    pub(crate) fn refusal(&self, wasm_digest: &str) -> Option<CompileRefusal> {
        let path = self.path(wasm_digest).with_extension(REFUSAL_ENDING);
        let metadata = fs::symlink_metadata(&path).ok()?;
        let age = metadata.modified().ok()?.elapsed().unwrap_or_default();
        if !metadata.is_file() || metadata.len() > REFUSAL_BYTES_MAX || age > REFUSAL_AGE {
            return None;
        }
        let bounds = JsonBounds::of_bytes(REFUSAL_BYTES_MAX as usize);
        read_json_as(&read_outside(&path, REFUSAL_BYTES_MAX).ok()?, bounds).ok()
    }

    pub(crate) fn put_refusal(
        &self,
        wasm_digest: &str,
        refusal: &CompileRefusal,
    ) -> io::Result<()> {
        let path = self.path(wasm_digest).with_extension(REFUSAL_ENDING);
        self.replace(&path, &serde_json::to_vec(refusal)?)?;
        self.evict_oldest(&path, FOLDER_BYTES_MAX)
    }

    /// Stamps the file: after it has its final name, because renaming changes the stamp, and once its content is on the
    /// disk.
    fn stamp(&self, path: &Path, code_digest: &str) -> io::Result<()> {
        open_outside(path)?.sync_all()?;
        self.seal(path, code_digest, &stamp(&fs::symlink_metadata(path)?).unwrap_or_default())
    }

    fn seal(&self, path: &Path, code_digest: &str, stamp: &str) -> io::Result<()> {
        self.replace(&path.with_extension("seal"), format!("{code_digest}\n{stamp}").as_bytes())
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let write_no = WRITES.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!(".{}-{write_no}.tmp", std::process::id()));
        let written = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path));
        // On a full disk, an unfinished file must not keep its space.
        written.inspect_err(|_| _ = fs::remove_file(&unfinished))
    }

    /// Removes the oldest files until the folder has at most `bytes_max`; never removes `newest`.
    fn evict_oldest(&self, newest: &Path, bytes_max: u64) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)?.flatten() {
            if let Ok(metadata) = entry.metadata() {
                files.push((metadata.modified()?, metadata.len(), entry.path()));
            }
        }
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        files.sort();
        for (_, len, path) in files {
            if bytes <= bytes_max {
                break;
            }
            if path.with_extension("") != newest.with_extension("") {
                fs::remove_file(path)?;
                bytes -= len;
            }
        }
        Ok(())
    }

    fn path(&self, wasm_digest: &str) -> PathBuf {
        self.folder.join(format!("{wasm_digest}{}", code_ending(self.engine_hash)))
    }
}

/// How the names of code end that the engine with these settings can use.
pub(crate) fn code_ending(engine_hash: u64) -> String {
    format!("-{engine_hash:016x}.cwasm")
}

fn map(engine: &Engine, path: &Path) -> Option<Component> {
    #[expect(unsafe_code, reason = "native code that this host wrote, unchanged since")]
    // SAFETY: the file lies in this user's own closed folder under the name of this engine's settings, and its content
    // is what this host wrote. Nothing writes to it while it is mapped: it is only ever replaced
    // or removed as a whole, which leaves the mapping as it is.
    let component = unsafe { Component::deserialize_file(engine, path) };
    component.inspect_err(|error| tracing::debug!("{} is stale: {error:#}", path.display())).ok()
}

/// Removes files that a process left unfinished. A file younger than [`UNFINISHED_AGE`] may still be written.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(process) = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"))
        else {
            continue;
        };
        let process = process.split('-').next().unwrap_or_default();
        let written = entry.metadata().and_then(|found| found.modified());
        let age = written.ok().and_then(|written| written.elapsed().ok()).unwrap_or_default();
        if age > UNFINISHED_AGE || has_ended(process) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns true if the system knows that no process has this id.
fn has_ended(process: &str) -> bool {
    let processes = Path::new("/proc");
    let is_id = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_id && processes.join("self").exists() && !processes.join(process).exists()
}

/// Returns a stamp that changes whenever a program writes to the file or replaces it.
#[cfg(unix)]
fn stamp(metadata: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    Some(format!(
        "{} {} {}.{:09} {}.{:09}",
        metadata.len(),
        metadata.ino(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}

/// Returns `None`: without the kernel's change time, the digest is computed at each start.
#[cfg(not(unix))]
fn stamp(_: &fs::Metadata) -> Option<String> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, path::Path, time::Duration};

    use super::{CompileRefusal, CompiledCache, sha256};

    fn cache() -> (tempfile::TempDir, CompiledCache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = CompiledCache::open(folder.path(), 7).unwrap();
        (folder, cache)
    }

    fn put(cache: &CompiledCache, name: &str, code: &[u8]) -> std::io::Result<()> {
        cache.put(name, code, &sha256(code))
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_stored_component_is_found_and_no_other() {
        let (_folder, cache) = cache();
        assert_eq!(cache.verified_path("a"), None);
        put(&cache, "a", b"code").unwrap();
        let path = cache.verified_path("a").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"code");
        assert_eq!(cache.verified_path("b"), None);
    }

    #[test]
    fn the_folder_is_closed_to_other_users() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        CompiledCache::open(folder.path(), 7).unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    /// Size and modification time are as before; the change time differs.
    #[test]
    fn code_that_was_changed_in_place_is_not_run() {
        let (_folder, cache) = cache();
        put(&cache, "a", b"code").unwrap();
        let path = cache.path("a");
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        // The kernel's clock is coarse: a change within the same tick would go unseen.
        let changed_at = || {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(&path).unwrap();
            (metadata.ctime(), metadata.ctime_nsec())
        };
        let stored_at = changed_at();
        while changed_at() == stored_at {
            fs::write(&path, b"evil").unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(before).unwrap();
        }
        assert_eq!(cache.verified_path("a"), None);
        fs::write(&path, b"code").unwrap();
        assert_eq!(cache.verified_path("a"), Some(path), "its digest holds again");
    }

    /// The player's first turn does not wait for the disk.
    #[test]
    fn a_new_file_is_stamped_when_it_is_used_again() {
        let (_folder, cache) = cache();
        put(&cache, "a", b"code").unwrap();
        let seal = || fs::read_to_string(cache.path("a").with_extension("seal")).unwrap();
        assert_eq!(seal(), format!("{}\n", sha256(b"code")));
        cache.verified_path("a").unwrap();
        let metadata = fs::metadata(cache.path("a")).unwrap();
        assert_eq!(seal(), format!("{}\n{}", sha256(b"code"), super::stamp(&metadata).unwrap()));
    }

    #[test]
    fn a_file_that_was_only_touched_is_stamped_again() {
        let (_folder, cache) = cache();
        put(&cache, "a", b"code").unwrap();
        let path = cache.path("a");
        cache.verified_path("a").unwrap();
        let seal = path.with_extension("seal");
        let sealed = fs::read_to_string(&seal).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(9)).unwrap();
        assert_eq!(cache.verified_path("a"), Some(path));
        let again = fs::read_to_string(&seal).unwrap();
        assert!(sealed != again && again.starts_with(&sha256(b"code")));
    }

    #[test]
    fn half_a_file_a_missing_seal_and_a_link_are_not_used() {
        let (folder, cache) = cache();
        put(&cache, "a", b"code").unwrap();
        let path = cache.path("a");
        fs::write(&path, b"co").unwrap();
        assert_eq!(cache.verified_path("a"), None);
        put(&cache, "a", b"code").unwrap();
        fs::remove_file(path.with_extension("seal")).unwrap();
        assert_eq!(cache.verified_path("a"), None);
        put(&cache, "a", b"code").unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.verified_path("a"), None);
    }

    #[test]
    fn a_refusal_is_kept_for_its_engine_and_for_a_month() {
        let (_folder, cache) = cache();
        assert_eq!(cache.refusal("a"), None);
        let refusal = CompileRefusal::Seconds { limit: 5 };
        cache.put_refusal("a", &refusal).unwrap();
        assert_eq!(cache.refusal("a"), Some(refusal));
        assert_eq!(cache.refusal("b"), None);
        let path = cache.path("a").with_extension("refused");
        let kept = fs::File::options().write(true).open(&path).unwrap();
        kept.set_modified(std::time::SystemTime::now() - super::REFUSAL_AGE).unwrap();
        assert_eq!(cache.refusal("a"), None);
        fs::write(&path, b"no refusal").unwrap();
        assert_eq!(cache.refusal("a"), None);
    }

    /// A killed process leaves its file; one that cannot write removes it.
    #[test]
    fn files_that_were_never_finished_are_removed() {
        let (folder, cache) = cache();
        // No process has an id that long, and this one is writing.
        let own = format!(".{}-7.tmp", std::process::id());
        for name in [".4194999-0.tmp", &own, ".notes.tmp"] {
            fs::write(folder.path().join(name), b"half").unwrap();
        }
        let old = fs::File::options().write(true).open(folder.path().join(".notes.tmp")).unwrap();
        old.set_modified(std::time::SystemTime::now() - 2 * super::UNFINISHED_AGE).unwrap();
        CompiledCache::open(folder.path(), 7).unwrap();
        assert_eq!(names(folder.path()), [own.as_str()]);
        fs::remove_file(folder.path().join(&own)).unwrap();
        fs::create_dir(cache.path("a")).unwrap();
        put(&cache, "a", b"code").unwrap_err();
        assert_eq!(names(folder.path()), ["a-0000000000000007.cwasm"]);
    }

    #[test]
    fn storing_removes_the_code_of_older_engines() {
        let (folder, cache) = cache();
        put(&cache, "a", b"old").unwrap();
        put(&cache, "b", b"other").unwrap();
        let newer = CompiledCache::open(folder.path(), 8).unwrap();
        put(&newer, "a", b"new").unwrap();
        assert_eq!(
            names(folder.path()),
            [
                "a-0000000000000008.cwasm",
                "a-0000000000000008.seal",
                "b-0000000000000007.cwasm",
                "b-0000000000000007.seal"
            ]
        );
    }

    #[test]
    fn a_folder_that_is_too_large_loses_its_oldest_files() {
        let (folder, cache) = cache();
        for (name, age) in [("a", 30), ("b", 20), ("c", 10)] {
            put(&cache, name, &[0; 1_000]).unwrap();
            let path = cache.path(name);
            let made = std::time::SystemTime::now() - Duration::from_secs(age);
            for file in [path.clone(), path.with_extension("seal")] {
                fs::File::options().write(true).open(file).unwrap().set_modified(made).unwrap();
            }
        }
        cache.evict_oldest(&cache.path("c"), 2_500).unwrap();
        let left = names(folder.path());
        assert!(left.iter().all(|name| !name.starts_with('a')), "{left:?}");
        assert_eq!(cache.verified_path("c"), Some(cache.path("c")));
    }
}
