//! Times in seconds, as options have them.

use std::time::Duration;

use narratoria_hosting::limits::{LEASE_TIME_DEFAULT, LEASE_TIME_MAX, LEASE_TIME_MIN};
use narratoria_kit::check::TIME_BUDGET_DEFAULT;

/// Longest time of an option: a day.
const TIME_BUDGET_MAX: Duration = Duration::from_secs(86_400);

/// A positive time, at most a day; fractions of a second are allowed.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let most = TIME_BUDGET_MAX.as_secs();
    let seconds: Option<f64> = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| (Duration::from_millis(1)..=TIME_BUDGET_MAX).contains(time)).ok_or_else(
        || {
            format!(
                "it must be a number of seconds above 0, at most {most}; {} is usual",
                TIME_BUDGET_DEFAULT.as_secs()
            )
        },
    )
}

/// The time of a server's lease on a story.
pub(super) fn parse_story_lease(text: &str) -> Result<Duration, String> {
    let time = parse_seconds(text).ok();
    time.filter(|time| (LEASE_TIME_MIN..=LEASE_TIME_MAX).contains(time)).ok_or_else(|| {
        let [least, most, usual] =
            [LEASE_TIME_MIN, LEASE_TIME_MAX, LEASE_TIME_DEFAULT].map(|time| time.as_secs());
        format!("it must be a number of seconds from {least} to {most}; {usual} is usual")
    })
}

#[cfg(test)]
mod tests {
    use super::{LEASE_TIME_DEFAULT, TIME_BUDGET_DEFAULT, parse_seconds, parse_story_lease};

    #[test]
    fn a_time_budget_is_a_positive_number_of_seconds() {
        assert_eq!(parse_seconds("60"), Ok(TIME_BUDGET_DEFAULT));
        assert_eq!(parse_seconds("0.5").unwrap().as_millis(), 500);
        for wrong in ["", "0", "-1", "nan", "inf", "1e300", "86401", "1m"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_lease_is_neither_too_short_for_a_network_nor_longer_than_a_player_waits() {
        assert_eq!(parse_story_lease("30"), Ok(LEASE_TIME_DEFAULT));
        assert_eq!(parse_story_lease("1.5").unwrap().as_millis(), 1500);
        for wrong in ["", "0", "0.9", "601", "nan", "30s"] {
            let error = parse_story_lease(wrong).unwrap_err();
            assert_eq!(error, "it must be a number of seconds from 1 to 600; 30 is usual");
        }
    }
}
