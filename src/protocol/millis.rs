//! Lengths of time as the contracts write them.

use std::time::Duration;

/// Whole milliseconds; the most that the number holds for a longer time.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
