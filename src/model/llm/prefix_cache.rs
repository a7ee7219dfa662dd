//! Prefixes of prompts on disk: the state of the context after reading them, so that the next start of the program
//! does not read them again.
//!
//! A file consists of `NARPREF1`, the SHA-256 of everything after it, its own name, and the state. The name is the
//! SHA-256 of everything that the state depends on: the model file (its length, its modification time, the SHA-256
//! of its first and last MiB), the versions of llama.cpp's crates, the size of the context, the type of its
//! numbers, flash attention, the tokens and their splits. The digest is checked before llama.cpp gets the state: a
//! damaged one can end the process. A new file gets its name when it is complete.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread::JoinHandle,
    time::{Duration, SystemTime},
};

use llama_cpp_2::token::LlamaToken;
use narratoria_skills::open_outside;
use sha2::{Digest, Sha256};

use super::hardware;

/// Most files in the folder: one prompt for each of a few sets of skills.
pub(super) const PREFIX_FILES_MAX: usize = 8;
/// Most bytes in the folder. A thousand tokens of Phi-3.5 take 400 MB.
pub(super) const PREFIX_BYTES_MAX: u64 = 2 << 30;

const MAGIC: &[u8; 8] = b"NARPREF1";
const DIGEST_BYTES: usize = 32;
const EXTENSION: &str = "prefix";
/// The extension of a file that is being written.
const UNFINISHED: &str = "prefix-part";
/// Writing takes seconds; an older unfinished file belongs to a process that died.
const UNFINISHED_AGE_MAX: Duration = Duration::from_secs(3600);
/// Everything that a state depends on besides model and prompt. Must name the versions that `Cargo.toml` pins.
pub(super) const VERSIONS: &str =
    "llama-cpp-2 0.1.160, llama-cpp-sys-2 0.1.161, kv f16, flash attention off, 64 at a time";
/// Bytes at the beginning and at the end of a model file that its fingerprint hashes.
const SAMPLE_BYTES: u64 = 1 << 20;
/// Bytes that are read between two checks for an abort.
const PIECE_BYTES: usize = 1 << 20;

/// The folder of prefixes, for one model. Files of other models may be there too.
pub(super) struct PrefixCache {
    folder: PathBuf,
    /// The fingerprint of the model file.
    model: Vec<u8>,
    writer: Option<JoinHandle<()>>,
    /// Prefixes that are not written again.
    failed: HashSet<String>,
}

impl PrefixCache {
    /// `None`, with a warning, if the model file cannot be read.
    pub(super) fn open(folder: &Path, model: &Path) -> Option<PrefixCache> {
        match fingerprint(model) {
            Ok(model) => Some(PrefixCache {
                folder: folder.to_owned(),
                model,
                writer: None,
                failed: HashSet::new(),
            }),
            Err(error) => {
                tracing::warn!(
                    "prefixes are not stored, `{}` cannot be read: {error}",
                    model.display()
                );
                None
            }
        }
    }

    pub(super) fn name(&self, tokens: &[LlamaToken], splits: &[usize], context: usize) -> String {
        let mut digest = narratoria_protocol::digest::Sha256Hasher::default();
        digest.update(&self.model);
        digest.update(VERSIONS.as_bytes());
        let mut number = |n: usize| digest.update(&(n as u64).to_le_bytes());
        number(context);
        number(splits.len());
        splits.iter().for_each(|split| number(*split));
        number(tokens.len());
        tokens.iter().for_each(|token| digest.update(&token.0.to_le_bytes()));
        digest.hex()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    /// Returns true if there is nothing to save: the file exists, or writing it has failed.
    pub(super) fn has(&self, name: &str) -> bool {
        self.failed.contains(name) || self.path(name).exists()
    }

    /// The state of a prefix. Removes a damaged file. Checks `stopped` while reading.
    pub(super) fn get(&mut self, name: &str, stopped: impl Fn() -> bool) -> Option<Vec<u8>> {
        let path = self.path(name);
        if fs::metadata(&path).is_ok_and(|metadata| !hardware::has_room_for(metadata.len())) {
            return None;
        }
        match read_checked(&path, name, stopped) {
            Ok(state) => state,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!("the prefix `{}` is not used: {error}", path.display());
                self.remove(name);
                None
            }
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Err(error) = fs::remove_file(self.path(name)) {
            tracing::warn!("`{}` cannot be removed: {error}", self.path(name).display());
            self.failed.insert(name.to_owned());
        }
    }

    /// Returns true if a state is still being written. States are large, so only one is written at a time.
    pub(super) fn is_writing(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| !writer.is_finished())
    }

    /// Writes a state on a thread of its own, so that the model can go on.
    pub(super) fn put(&mut self, name: &str, state: Vec<u8>) {
        self.finish();
        self.failed.insert(name.to_owned());
        if state.len() as u64 > PREFIX_BYTES_MAX {
            tracing::warn!("a prefix of {} bytes is not stored, it is too large", state.len());
            return;
        }
        let (folder, path, name) = (self.folder.clone(), self.path(name), name.to_owned());
        let write = move || {
            if let Err(error) = write(&folder, &path, &name, &state) {
                tracing::warn!("a prefix cannot be stored in `{}`: {error}", folder.display());
            }
        };
        match std::thread::Builder::new().name("narratoria-prefix".to_owned()).spawn(write) {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => tracing::warn!("a prefix cannot be stored: {error}"),
        }
    }

    /// Waits for the writer.
    pub(super) fn finish(&mut self) {
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn fingerprint(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_outside(path)?;
    let metadata = file.metadata()?;
    let mut hash = Sha256::new();
    hash.update(metadata.len().to_le_bytes());
    let changed =
        metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    hash.update(changed.unwrap_or_default().as_nanos().to_le_bytes());
    for start in [0, metadata.len().saturating_sub(SAMPLE_BYTES)] {
        let mut sample = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&file).take(SAMPLE_BYTES).read_to_end(&mut sample)?;
        hash.update(&sample);
    }
    Ok(hash.finalize().to_vec())
}

/// The state in a file; `None` if `stopped`. Errors name the damage.
fn read_checked(
    path: &Path,
    name: &str,
    stopped: impl Fn() -> bool,
) -> io::Result<Option<Vec<u8>>> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut file = open_outside(path)?;
    let len = file.metadata()?.len();
    let head_bytes = MAGIC.len() + DIGEST_BYTES + name.len();
    if len <= head_bytes as u64 || len > PREFIX_BYTES_MAX + head_bytes as u64 {
        return Err(damaged("it has the wrong size"));
    }
    let mut head = vec![0; head_bytes];
    file.read_exact(&mut head)?;
    let (magic, head) = head.split_at(MAGIC.len());
    let (digest, own_name) = head.split_at(DIGEST_BYTES);
    if magic != MAGIC || own_name != name.as_bytes() {
        return Err(damaged("it is another file"));
    }
    let mut hash = Sha256::new();
    hash.update(own_name);
    let size = usize::try_from(len).map_err(|_| damaged("it is too large"))? - head_bytes;
    let mut state = Vec::with_capacity(size);
    while state.len() < size {
        if stopped() {
            return Ok(None);
        }
        let from = state.len();
        state.resize((from + PIECE_BYTES).min(size), 0);
        file.read_exact(&mut state[from..])?;
        hash.update(&state[from..]);
    }
    if hash.finalize()[..] != *digest {
        return Err(damaged("it is damaged"));
    }
    Ok(Some(state))
}

fn write(folder: &Path, path: &Path, name: &str, state: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        // A prompt contains parts of the story, which other users must not read.
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    let unfinished = folder.join(format!("{name}-{}.{UNFINISHED}", std::process::id()));
    let digest = Sha256::new().chain_update(name).chain_update(state).finalize();
    let written = File::create(&unfinished).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&digest)?;
        file.write_all(name.as_bytes())?;
        file.write_all(state)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written?;
    make_room(folder, path, PREFIX_FILES_MAX, PREFIX_BYTES_MAX)
}

/// Removes unfinished files of dead processes, and the oldest files beyond the limits; never removes `newest`.
pub(super) fn make_room(
    folder: &Path,
    newest: &Path,
    files_max: usize,
    bytes_max: u64,
) -> io::Result<()> {
    let metadata = fs::metadata(newest)?;
    let now = metadata.modified()?;
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let is_prefix =
            path.extension().is_some_and(|ending| ending == EXTENSION || ending == UNFINISHED);
        if let (true, Ok(metadata)) = (is_prefix && path != newest, entry.metadata()) {
            files.push((
                metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                metadata.len(),
                path,
            ));
        }
    }
    files.sort();
    files.reverse();
    let (mut count, mut bytes) = (1, metadata.len());
    for (written, len, path) in files {
        let is_left_over = path.extension().is_some_and(|ending| ending == UNFINISHED)
            && now.duration_since(written).is_ok_and(|age| age > UNFINISHED_AGE_MAX);
        count += usize::from(!is_left_over);
        bytes = bytes.saturating_add(if is_left_over { 0 } else { len });
        if is_left_over || count > files_max || bytes > bytes_max {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
