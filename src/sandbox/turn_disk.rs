//! Counts the bytes that the scripts of one turn write to the player's disk, over all attempts. [`crate::disk_quota`]
//! counts those of one invocation.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use narratoria_protocol::InvocationError;

/// Most bytes that the scripts of a turn write into their folders, including overwritten bytes and failed attempts. A
/// turn keeps half of that as assets.
pub const TURN_DISK_BYTES_MAX: u64 = 256 << 20;

/// The part of these bytes that only the built-in skills may write.
pub const TURN_DISK_BUILT_IN_BYTES_MAX: u64 = 16 << 20;

/// Bytes that the scripts of a turn have written. All invocations of its plans share it.
#[derive(Debug, Clone, Default)]
pub struct TurnDisk(Arc<AtomicU64>);

/// The share of one script in the writes of its turn.
#[derive(Debug, Clone)]
pub struct TurnDiskShare {
    /// The bytes that all scripts have written.
    pub turn: TurnDisk,
    /// `<skill>/<script>`, named in the error.
    pub script: String,
    /// True if its skill is built in.
    pub is_built_in: bool,
}

impl TurnDiskShare {
    /// Counts bytes that are about to be written.
    pub(crate) fn count(&self, bytes: u64) -> Result<(), InvocationError> {
        let limit = match self.is_built_in {
            true => TURN_DISK_BYTES_MAX,
            false => TURN_DISK_BYTES_MAX - TURN_DISK_BUILT_IN_BYTES_MAX,
        };
        let written = &self.turn.0;
        let add = |sum: u64| sum.checked_add(bytes).filter(|sum| *sum <= limit);
        match written.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Ok(()),
            Err(sum) => {
                let (script, bytes) = (self.script.clone(), sum.saturating_add(bytes));
                Err(InvocationError::TurnDiskFull { script, bytes, limit })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// This holds for all writes of attempts, whether they count in the end or not.
        #[test]
        fn the_attempts_of_a_turn_never_write_more_than_its_sum(
            writes in prop::collection::vec((any::<bool>(), 0..96_u64 << 20), 1..24),
        ) {
            let turn = TurnDisk::default();
            let (mut sum, mut others) = (0, 0);
            for (is_built_in, bytes) in writes {
                let share =
                    TurnDiskShare { turn: turn.clone(), script: "a/b".to_owned(), is_built_in };
                let free = if is_built_in { 0 } else { TURN_DISK_BUILT_IN_BYTES_MAX };
                let fits = sum + bytes + free <= TURN_DISK_BYTES_MAX;
                prop_assert_eq!(share.count(bytes).is_ok(), fits);
                if fits {
                    sum += bytes;
                    others += if is_built_in { 0 } else { bytes };
                }
            }
            prop_assert!(sum <= TURN_DISK_BYTES_MAX);
            prop_assert!(others <= TURN_DISK_BYTES_MAX - TURN_DISK_BUILT_IN_BYTES_MAX);
        }
    }

    #[test]
    fn the_error_names_the_script_the_sum_and_the_limit() {
        let share = |is_built_in| TurnDiskShare {
            turn: TurnDisk(Arc::new(AtomicU64::new(251_658_000))),
            script: "hoard/write".to_owned(),
            is_built_in,
        };
        insta::assert_snapshot!(share(false).count(1_000).unwrap_err(), @"would raise the bytes that the scripts of this turn have written to disk to 251659000; `hoard/write` may raise them to 251658240");
        assert_eq!(share(true).count(1_000), Ok(()));
        assert_eq!(share(true).count(u64::MAX).unwrap_err().code(), "TURN_DISK_EXCEEDED");
    }
}
