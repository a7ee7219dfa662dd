//! The time that a whole check may take. Every part of a check asks here before it begins, and is cut short where the
//! time ends.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// Time of a check if the caller sets none, over all packages.
pub const TIME_BUDGET_DEFAULT: Duration = Duration::from_secs(60);

/// How long a check may go on after its time is over, for work that cannot be interrupted.
pub(super) const OVERTIME_MAX: Duration = Duration::from_millis(500);

/// The end of a check.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckBudget {
    deadline: Instant,
}

impl CheckBudget {
    /// The time begins now.
    pub(super) fn begin(total: Duration) -> CheckBudget {
        let now = Instant::now();
        // A budget beyond the clock's range is a year.
        let deadline = now.checked_add(total);
        CheckBudget { deadline: deadline.unwrap_or(now + Duration::from_secs(365 * 86_400)) }
    }

    pub(super) fn left(self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_spent(self) -> bool {
        self.left() == Duration::ZERO
    }

    /// Runs one part; `None` if the time ended before it did. Work that was not begun is not begun then.
    pub(super) async fn run<T>(&self, part: impl Future<Output = T>) -> Option<T> {
        if self.is_spent() {
            return None;
        }
        timeout_at(self.deadline, part).await.ok()
    }
}
