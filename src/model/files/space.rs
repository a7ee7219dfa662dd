//! How much room there is.

use std::path::Path;

/// What must be left when a file is there: a story has to be saved, too.
pub(super) const SPARE_BYTES: u64 = 64 << 20;

/// Bytes that may still be written where this folder is; none where the system does not say.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub(super) fn free(_: &Path) -> Option<u64> {
    None
}

/// What is missing, if anything is.
pub(super) fn shortfall(free: Option<u64>, bytes: u64) -> Option<u64> {
    let needed = bytes.saturating_add(SPARE_BYTES);
    free.and_then(|free| needed.checked_sub(free)).filter(|missing| *missing > 0)
}

#[cfg(test)]
mod tests {
    use super::{SPARE_BYTES, free_bytes, shortfall};

    #[test]
    fn some_room_must_be_left() {
        assert_eq!(shortfall(None, u64::MAX), None);
        assert_eq!(shortfall(Some(SPARE_BYTES + 10), 10), None);
        assert_eq!(shortfall(Some(SPARE_BYTES + 9), 10), Some(1));
        assert_eq!(shortfall(Some(0), u64::MAX), Some(u64::MAX));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_has_some_room_and_one_that_is_not_there_says_nothing() {
        assert!(free_bytes(&std::env::temp_dir()).is_some());
        assert_eq!(free_bytes(std::path::Path::new("/nowhere/at/all")), None);
    }
}
