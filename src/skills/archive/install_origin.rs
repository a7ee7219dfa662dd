//! Records the source of an installed package, so that the host can look there for a newer version. The file lies in
//! the
//! package's folder under a name that no archive can contain.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::outside_file::read_outside;
use narratoria_protocol::{JsonBounds, digest::is_digest, read_json};

const ORIGIN_FILE: &str = ".origin.json";

/// Longest such file: a path of 4 KiB, escaped, and a digest.
const ORIGIN_BYTES_MAX: u64 = 32 << 10;

/// Version of the file. 1: the first.
const ORIGIN_VERSION: u64 = 1;

/// The archive that a package was installed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallOrigin {
    /// Its path at that time.
    pub archive: PathBuf,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// Writes the origin into a package's folder. A path that is no text is not remembered.
pub(super) fn write_origin(package: &Path, origin: &InstallOrigin) -> io::Result<()> {
    let Some(archive) = origin.archive.to_str() else { return Ok(()) };
    let document = json!({"version": ORIGIN_VERSION, "archive": archive, "sha256": origin.sha256});
    let mut file = File::create(package.join(ORIGIN_FILE))?;
    file.write_all(document.to_string().as_bytes())?;
    file.sync_all()
}

/// Reads the origin of an installed package; `None` if it remembers none that this program understands.
pub fn read_origin(package: &Path) -> Option<InstallOrigin> {
    let bytes = read_outside(&package.join(ORIGIN_FILE), ORIGIN_BYTES_MAX).ok()?;
    let document = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
    let text = |field: &str| document.get(field).and_then(Value::as_str);
    let sha256 = text("sha256").filter(|digest| is_digest(digest))?;
    let is_known = document.get("version").and_then(Value::as_u64) == Some(ORIGIN_VERSION);
    is_known
        .then_some(InstallOrigin { archive: text("archive")?.into(), sha256: sha256.to_owned() })
}
