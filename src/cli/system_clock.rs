//! The clock of this machine.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the time. A clock beyond the year 9999, which no format here can write, gives the end of that year.
pub(crate) fn now() -> Timestamp {
    timestamp_of(SystemTime::now())
}

fn timestamp_of(time: SystemTime) -> Timestamp {
    let is_early = time < SystemTime::UNIX_EPOCH;
    let end = if is_early { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::timestamp_of;

    #[test]
    fn a_clock_that_is_far_off_still_tells_a_time() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let year = |time| timestamp_of(time).strftime("%Y").to_string();
        assert_eq!(
            [0, 1_800_000_000, 300_000_000_000].map(|it| year(at(it))),
            ["1970", "2027", "9999"]
        );
    }
}
