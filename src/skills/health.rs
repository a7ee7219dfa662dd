//! The health of each skill in this session: the state machine of S1 §3.1. Pure.

use std::collections::BTreeMap;

/// Failures in a row after which a skill moves down one state (S1 §3.1).
const FAILURES_IN_A_ROW: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Health {
    /// Select normally.
    #[default]
    Healthy,
    /// Slow or unreliable: select with caution.
    Degraded,
    /// A timeout or the like; may recover on a retry.
    TemporaryFailure,
    /// Unrecoverable in this session: never select.
    PermanentFailure,
}

/// The ending of an attempt, or of the step as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthSignal {
    Succeeded,
    Failed,
    TimedOut,
    /// The script failed after a request of its own had failed on the way.
    NetworkFailed,
    /// The step has no retries left.
    RetriesExhausted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthTransition {
    pub from: Health,
    pub to: Health,
}

/// Health of every skill used in this session. A new session starts with an empty tracker.
#[derive(Debug, Clone, Default)]
pub struct HealthTracker {
    entries: BTreeMap<String, SkillHealth>,
}

#[derive(Debug, Clone, Copy, Default)]
struct SkillHealth {
    health: Health,
    failures_in_a_row: u32,
}

impl Health {
    /// The state's name in S1.
    pub fn as_str(self) -> &'static str {
        match self {
            Health::Healthy => "healthy",
            Health::Degraded => "degraded",
            Health::TemporaryFailure => "temporaryFailure",
            Health::PermanentFailure => "permanentFailure",
        }
    }
}

impl HealthTracker {
    /// The health of `skill`; unknown skills are healthy.
    pub fn health(&self, skill: &str) -> Health {
        self.entries.get(skill).map(|entry| entry.health).unwrap_or_default()
    }

    /// Applies one signal; `Some` if the state changed.
    pub fn record(&mut self, skill: &str, signal: HealthSignal) -> Option<HealthTransition> {
        let entry = self.entries.entry(skill.to_owned()).or_default();
        let from = entry.health;
        match signal {
            HealthSignal::Succeeded => entry.failures_in_a_row = 0,
            HealthSignal::Failed | HealthSignal::TimedOut | HealthSignal::NetworkFailed => {
                entry.failures_in_a_row += 1;
            }
            HealthSignal::RetriesExhausted => {}
        }
        let fails_often = entry.failures_in_a_row >= FAILURES_IN_A_ROW;
        entry.health = match (from, signal) {
            (Health::PermanentFailure, _) => Health::PermanentFailure,
            (_, HealthSignal::Succeeded) => Health::Healthy,
            (Health::TemporaryFailure, HealthSignal::RetriesExhausted) => Health::PermanentFailure,
            (Health::Healthy, HealthSignal::TimedOut | HealthSignal::NetworkFailed) => {
                Health::TemporaryFailure
            }
            (Health::Healthy, HealthSignal::Failed) if fails_often => Health::Degraded,
            (
                Health::Degraded,
                HealthSignal::Failed | HealthSignal::TimedOut | HealthSignal::NetworkFailed,
            ) if fails_often => Health::PermanentFailure,
            (same, _) => same,
        };
        if entry.health == from {
            return None;
        }
        if entry.health == Health::Degraded {
            // "3 more failures" (S1 §3.1) are counted from here.
            entry.failures_in_a_row = 0;
        }
        Some(HealthTransition { from, to: entry.health })
    }

    /// Forgets everything about a skill: it was loaded again, or the player wants it back. `Some` if its state changed.
    pub fn reset(&mut self, skill: &str) -> Option<HealthTransition> {
        let from = self.entries.remove(skill)?.health;
        (from != Health::Healthy).then_some(HealthTransition { from, to: Health::Healthy })
    }

    /// Skills that plans use with caution, in name order.
    pub fn unreliable(&self) -> impl Iterator<Item = (&str, Health)> {
        let is_unreliable =
            |health: Health| matches!(health, Health::Degraded | Health::TemporaryFailure);
        let skills = self.entries.iter().map(|(name, entry)| (name.as_str(), entry.health));
        skills.filter(move |(_, health)| is_unreliable(*health))
    }

    /// Skills that plans must not use any more, in name order.
    pub fn permanent_failures(&self) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter(|(_, entry)| entry.health == Health::PermanentFailure)
            .map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, HealthSignal, HealthTracker};

    /// `f` failed, `t` timed out, `n` failed on the network, `s` succeeded, `x` retries exhausted.
    #[track_caller]
    fn check(signals: &str, expect: Health) {
        let mut tracker = HealthTracker::default();
        for letter in signals.chars() {
            let signal = match letter {
                'f' => HealthSignal::Failed,
                't' => HealthSignal::TimedOut,
                'n' => HealthSignal::NetworkFailed,
                's' => HealthSignal::Succeeded,
                'x' => HealthSignal::RetriesExhausted,
                other => panic!("no signal `{other}`"),
            };
            tracker.record("dice", signal);
        }
        assert_eq!(tracker.health("dice"), expect, "after `{signals}`");
    }

    /// S1 "§3.1".
    #[test]
    fn every_arrow_of_s1_3_1_is_taken() {
        check("", Health::Healthy);
        check("t", Health::TemporaryFailure);
        check("n", Health::TemporaryFailure);
        check("ns", Health::Healthy);
        check("nx", Health::PermanentFailure);
        check("fffn", Health::Degraded);
        check("fffnnn", Health::PermanentFailure);
        check("ff", Health::Healthy);
        check("fff", Health::Degraded);
        check("fffs", Health::Healthy);
        check("fffff", Health::Degraded);
        check("ffffff", Health::PermanentFailure);
        check("ts", Health::Healthy);
        check("tx", Health::PermanentFailure);
        check("txs", Health::PermanentFailure);
    }

    #[test]
    fn a_success_starts_the_count_again() {
        check("ffsff", Health::Healthy);
        check("fffffsff", Health::Healthy);
    }

    #[test]
    fn retries_exhausted_alone_do_not_condemn_a_skill_that_never_timed_out() {
        check("ffffx", Health::Degraded);
    }

    /// S0 FR-028.
    #[test]
    fn a_reset_brings_a_skill_back_and_its_count_starts_again() {
        let mut tracker = HealthTracker::default();
        assert_eq!(tracker.reset("dice"), None);
        for _ in 0..6 {
            tracker.record("dice", HealthSignal::Failed);
        }
        let back = tracker.reset("dice").map(|change| (change.from, change.to));
        assert_eq!(back, Some((Health::PermanentFailure, Health::Healthy)));
        assert_eq!(tracker.permanent_failures().count(), 0);
        for _ in 0..2 {
            tracker.record("dice", HealthSignal::Failed);
        }
        assert_eq!(tracker.reset("dice"), None, "two failures leave it healthy");
    }

    #[test]
    fn a_permanent_failure_is_listed() {
        let mut tracker = HealthTracker::default();
        tracker.record("dice", HealthSignal::TimedOut);
        assert_eq!(tracker.permanent_failures().count(), 0, "it may recover");
        tracker.record("dice", HealthSignal::RetriesExhausted);
        assert_eq!(tracker.permanent_failures().collect::<Vec<_>>(), ["dice"]);
    }
}
