//! Files that work needs, in a folder that all machines of a fleet reach, by their digests. What is read is verified.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use narratoria_protocol::digest::{is_digest, sha256};
use uuid::Uuid;

/// A folder of files by their digests.
#[derive(Debug, Clone)]
pub struct BlobFolder {
    root: PathBuf,
}

/// Why a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The folder is away, or the file has not arrived. It may be there later.
    #[error("the file `{digest}` cannot be read in `{}`", root.display())]
    Away {
        root: PathBuf,
        digest: String,
        #[source]
        why: io::Error,
    },
    #[error("the file `{digest}` in `{}` has another content", root.display())]
    Differs { root: PathBuf, digest: String },
    #[error("the file `{digest}` has {found} bytes, and {limit} are allowed")]
    TooLarge { digest: String, found: u64, limit: u64 },
}

impl BlobFolder {
    pub fn new(root: PathBuf) -> BlobFolder {
        BlobFolder { root }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.root.join("sha256").join(&digest[..2]).join(digest)
    }

    /// Keeps a file and returns its digest. A file that is there is left alone.
    pub fn put(&self, bytes: &[u8]) -> io::Result<String> {
        let digest = sha256(bytes);
        let path = self.path(&digest);
        if path.is_file() {
            return Ok(digest);
        }
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        // A reader finds a whole file or none.
        let near = folder.join(format!("{}.new", Uuid::new_v4()));
        let written = fs::write(&near, bytes).and_then(|()| fs::rename(&near, &path));
        if written.is_err() {
            let _ = fs::remove_file(&near);
        }
        written.map(|()| digest)
    }

    /// Reads a file of at most that many bytes.
    pub fn get(&self, digest: &str, limit: u64) -> Result<Vec<u8>, BlobError> {
        let (root, digest) = (self.root.clone(), digest.to_owned());
        if !is_digest(&digest) {
            return Err(BlobError::Differs { root, digest });
        }
        let path = self.path(&digest);
        let away = |why| BlobError::Away { root: root.clone(), digest: digest.clone(), why };
        let found = fs::metadata(&path).map_err(away)?.len();
        if found > limit {
            return Err(BlobError::TooLarge { digest, found, limit });
        }
        let bytes = fs::read(&path).map_err(away)?;
        if sha256(&bytes) != digest {
            return Err(BlobError::Differs { root, digest });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{BlobError, BlobFolder};
    use std::fs;

    #[test]
    fn a_file_that_has_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobFolder::new(folder.path().join("blobs"));
        let digest = blobs.put(b"moon").unwrap();
        assert_eq!(blobs.put(b"moon").unwrap(), digest);
        assert_eq!(blobs.get(&digest, 4).unwrap(), b"moon");
        assert!(matches!(blobs.get(&digest, 3), Err(BlobError::TooLarge { .. })));
        fs::write(blobs.path(&digest), "noon").unwrap();
        assert!(matches!(blobs.get(&digest, 4), Err(BlobError::Differs { .. })));
        fs::remove_file(blobs.path(&digest)).unwrap();
        assert!(matches!(blobs.get(&digest, 4), Err(BlobError::Away { .. })));
        assert!(matches!(blobs.get("../../etc/passwd", 4), Err(BlobError::Differs { .. })));
    }
}
