//! Free space on the disk.

use std::path::Path;

/// Free bytes that a download must leave, so that a story can still be saved.
pub(super) const SPARE_BYTES: u64 = 64 << 20;

/// Free bytes on the folder's disk; `None` if the system does not report them.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub(super) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Bytes that are missing, if any are.
pub(super) fn shortfall(free: Option<u64>, bytes: u64) -> Option<u64> {
    let needed = bytes.saturating_add(SPARE_BYTES);
    free.and_then(|free| needed.checked_sub(free)).filter(|missing| *missing > 0)
}

#[cfg(test)]
mod tests {
    use super::{SPARE_BYTES, free_bytes, shortfall};

    #[test]
    fn a_download_leaves_spare_bytes() {
        assert_eq!(shortfall(None, u64::MAX), None);
        assert_eq!(shortfall(Some(SPARE_BYTES + 10), 10), None);
        assert_eq!(shortfall(Some(SPARE_BYTES + 9), 10), Some(1));
        assert_eq!(shortfall(Some(0), u64::MAX), Some(u64::MAX));
    }

    #[cfg(unix)]
    #[test]
    fn a_missing_folder_has_no_figure() {
        assert!(free_bytes(&std::env::temp_dir()).is_some());
        assert_eq!(free_bytes(std::path::Path::new("/nowhere/at/all")), None);
    }
}
