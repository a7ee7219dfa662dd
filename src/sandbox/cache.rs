//! Compiled components on disk. Written and read by this host alone: a compiled component is native
//! code, so one that came with a package would be a hole in the sandbox.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest, Sha256};

/// Largest file that is read back; a larger one is recompiled instead.
const FILE_BYTES_MAX: u64 = 512 << 20;
const DIGEST_BYTES: usize = 32;

/// A folder of `<sha256 of the wasm>-<hash of engine and settings>.cwasm`, each the digest of the code
/// followed by the code.
pub(super) struct CompiledCache {
    folder: PathBuf,
    /// Differs between wasmtime versions, settings and CPUs; what it does not match is stale.
    engine_hash: u64,
}

impl CompiledCache {
    /// Creates the folder, closed to other users: whoever can write there can run code as us.
    pub(super) fn open(folder: &Path, engine_hash: u64) -> io::Result<CompiledCache> {
        fs::create_dir_all(folder)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
        Ok(CompiledCache { folder: folder.to_owned(), engine_hash })
    }

    /// The code compiled earlier from this very wasm by this very engine; `None` when there is none or
    /// the file is damaged.
    pub(super) fn get(&self, wasm_digest: &str) -> Option<Vec<u8>> {
        let path = self.path(wasm_digest);
        if fs::metadata(&path).ok()?.len() > FILE_BYTES_MAX {
            return None;
        }
        let mut bytes = fs::read(&path).ok()?;
        if bytes.len() < DIGEST_BYTES {
            return None;
        }
        let code = bytes.split_off(DIGEST_BYTES);
        (Sha256::digest(&code)[..] == bytes[..]).then_some(code)
    }

    /// Keeps the code for next time and drops what older engines made of the same wasm. A reader sees
    /// the old file or the new one, never half of it.
    pub(super) fn put(&self, wasm_digest: &str, code: &[u8]) -> io::Result<()> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let write_no = WRITES.fetch_add(1, Ordering::Relaxed);
        let path = self.path(wasm_digest);
        let unfinished = self.folder.join(format!(".{}-{write_no}.tmp", std::process::id()));
        let mut bytes = Sha256::digest(code).to_vec();
        bytes.extend_from_slice(code);
        fs::write(&unfinished, bytes)?;
        fs::rename(&unfinished, &path)?;
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let same_wasm = entry.file_name().to_string_lossy().starts_with(wasm_digest);
            if same_wasm && entry.path() != path {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn path(&self, wasm_digest: &str) -> PathBuf {
        self.folder.join(format!("{wasm_digest}-{:016x}.cwasm", self.engine_hash))
    }
}

/// SHA-256 in hex.
pub(super) fn digest_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        hex
    })
}
