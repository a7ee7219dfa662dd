//! Waits between attempts: twice as long each time, up to a bound, and a random part of it, so that a hundred programs do not
//! come back in the same moment.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use crate::DatabaseError;

const FIRST_WAIT: Duration = Duration::from_millis(50);
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Attempts at one thing, within a time.
#[derive(Debug)]
pub struct Attempts {
    until: Instant,
    wait: Duration,
}

impl Attempts {
    /// The time begins now.
    pub fn within(time: Duration) -> Attempts {
        Attempts { until: Instant::now() + time, wait: FIRST_WAIT }
    }

    /// Waits and returns true if there may be another attempt; returns false at once if the time is over.
    pub async fn wait(&mut self) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        sleep(random_part(self.wait).min(left)).await;
        self.wait = (self.wait * 2).min(WAIT_MAX);
        true
    }

    /// As [`Attempts::wait`], after an error of a statement that may run twice.
    pub async fn wait_after(&mut self, error: &DatabaseError) -> bool {
        error.is_passing() && self.wait().await
    }
}

/// Between half of a time and the whole.
fn random_part(time: Duration) -> Duration {
    // Each state has keys of its own: randomness that needs no crate.
    let random = RandomState::new().hash_one(0_u8) >> 40;
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    let part = random as f64 / f64::from(1_u32 << 24);
    time.mul_f64(0.5 + part / 2.0)
}

#[cfg(test)]
mod tests {
    use super::{Attempts, Duration, Instant, random_part};

    #[tokio::test(start_paused = true)]
    async fn attempts_end_with_their_time() {
        let began = Instant::now();
        let mut attempts = Attempts::within(Duration::from_secs(10));
        let mut count = 0;
        while attempts.wait().await {
            count += 1;
        }
        assert_eq!(began.elapsed().as_secs(), 10);
        assert!((9..=16).contains(&count), "{count}");
    }

    #[test]
    fn waits_differ_within_their_bounds() {
        let whole = Duration::from_secs(1);
        let waits: Vec<Duration> = (0..100).map(|_| random_part(whole)).collect();
        assert!(waits.iter().all(|wait| (whole / 2..=whole).contains(wait)));
        assert!(waits.iter().any(|wait| wait != &waits[0]));
    }
}
