//! A countdown that can stand still. Pure: the caller passes the current time.

use std::time::Duration;

use tokio::time::Instant;

/// Stands for "never", because tokio's clock has no such instant. No game lasts as long.
pub(crate) const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// A time that runs down, except while it stands still.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Countdown {
    /// The time that was left when it last began or stopped running.
    left: Duration,
    /// `None` while it stands still.
    since: Option<Instant>,
}

impl Countdown {
    /// Creates a countdown that runs from `now` on.
    pub(crate) fn new(left: Duration, now: Instant) -> Countdown {
        Countdown { left: left.min(NEVER), since: Some(now) }
    }

    pub(crate) fn left(&self, now: Instant) -> Duration {
        match self.since {
            Some(since) => self.left.saturating_sub(now.saturating_duration_since(since)),
            None => self.left,
        }
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.left(now).is_zero()
    }

    /// Returns when it ends, if nothing stops it before; `None` while it stands still.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.since.map(|since| after(since, self.left))
    }

    /// Makes it run or stand still from `now` on.
    pub(crate) fn set_running(&mut self, runs: bool, now: Instant) {
        if runs != self.since.is_some() {
            self.left = self.left(now);
            self.since = runs.then_some(now);
        }
    }

    /// Cuts the rest to at most `most`.
    pub(crate) fn cap(&mut self, most: Duration, now: Instant) {
        if self.left(now) > most {
            self.left = most;
            self.since = self.since.map(|_| now);
        }
    }
}

pub(crate) fn after(instant: Instant, delay: Duration) -> Instant {
    instant.checked_add(delay.min(NEVER)).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Countdown;

    #[test]
    fn time_that_stands_still_is_not_lost() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut countdown = Countdown::new(Duration::from_secs(10), start);
        countdown.set_running(false, at(4));
        assert_eq!((countdown.left(at(100)), countdown.deadline()), (Duration::from_secs(6), None));
        countdown.set_running(true, at(100));
        countdown.set_running(true, at(101));
        assert_eq!(countdown.deadline(), Some(at(106)));
        assert!(!countdown.is_over(at(105)) && countdown.is_over(at(106)));
        countdown.cap(Duration::from_secs(1), at(103));
        assert_eq!(countdown.deadline(), Some(at(104)));
    }
}
