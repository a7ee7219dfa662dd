//! Model files: their names, where they are stored, and how they are downloaded. The only module that uses the hub's
//! client; knows nothing of a file's contents beyond its first four bytes, its size and its digest.
//!
//! A [`ModelName`] is `owner/repo/file.gguf` on the hub, a path, or the address of a server. A download is stored as
//! `<folder>/<owner>/<repo>/<file>`, with its [`DownloadRecord`] in `<file>.json` beside it. A partial download is
//! `<file>.part`, with its record in `<file>.part.json`. A file gets its own name only after its size and its SHA-256
//! were compared with the hub's.
//!
//! `docs/models.md` explains the same to players.

mod download_record;
mod error;
mod fetch;
mod hub;
mod known;
mod lock;
mod model_dir;
mod name;
mod partial_download;
mod progress;
mod request;
mod resume_overlap;
mod space;

#[cfg(test)]
mod tests;

pub use download_record::DownloadRecord;
pub use error::{FileError, PullError};
pub use fetch::PullEvent;
pub use hub::{Hub, HubTimeouts};
pub use known::{EMBEDDING_ALIAS, KNOWN, KnownModel};
pub use model_dir::{DownloadState, ModelDir, ModelFile, ModelRemoval, VerifyResult};
pub use name::{HubName, ModelName, NameError, default_embedding_model, default_model};
pub use progress::{DownloadProgress, size_text};

/// Bytes of a file that are read at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Largest model file. The largest models that run on one machine have some 50 GB; this stops a hub, or an impostor,
/// from filling the disk.
pub const MODEL_BYTES_MAX: u64 = 64 << 30;

/// The first bytes of a GGUF file.
const MAGIC: &[u8] = b"GGUF";
