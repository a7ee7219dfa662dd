//! Row 4: which models there are, where their files lie, and how they come here. Alone names the hub's
//! client; knows nothing of what is in a file beyond its first four bytes, its size and its digest.
//!
//! A model is named [`ModelName`]: `owner/repo/file.gguf` on the hub, or a path. What comes from the hub lies in
//! `<folder>/<owner>/<repo>/<file>`, with what was checked in `<file>.json` beside it. A half download is
//! `<file>.part`, and `<file>.part.json` says of what. A file stands under its own name only after its size and
//! its SHA-256 were compared with what the hub says of them.
//!
//! Sources: `docs/models.md` says the same for players.

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
pub use known::{KNOWN, KnownModel, default_model};
pub use model_dir::{DownloadState, ModelDir, ModelFile, VerifyResult};
pub use name::{HubName, ModelName, NameError};
pub use progress::{DownloadProgress, size_text};

/// Bytes of a file that are read at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Largest model file. The largest that anybody runs on one machine has some 50 GB; this stops a hub, or
/// whoever plays one, from filling the disk.
pub const MODEL_BYTES_MAX: u64 = 64 << 30;

/// How a GGUF file begins.
const MAGIC: &[u8] = b"GGUF";
