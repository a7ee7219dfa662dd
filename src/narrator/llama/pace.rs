//! How fast a model reads, so that it is only asked for what it can answer in time. Pure.

use std::time::{Duration, Instant};

use narratoria_model::llm::GenerateUsage;

/// How much the newest measurement counts. Other work on the machine comes and goes.
const NEWEST_SHARE: f64 = 0.5;

/// Fewer new tokens say little about the speed.
const TOKENS_MIN: usize = 8;

/// The measured speed of a model.
#[derive(Debug, Default)]
pub(super) struct Pace {
    read_per_second: Option<f64>,
    written_per_second: Option<f64>,
}

impl Pace {
    /// Takes note of an answer.
    pub(super) fn add(&mut self, usage: &GenerateUsage) {
        let read = usage.prompt.saturating_sub(usage.reused);
        note(&mut self.read_per_second, read, usage.prefill);
        note(&mut self.written_per_second, usage.sampled, usage.decode);
    }

    /// Returns true if this many tokens are probably read and written before the deadline, or if nothing is known.
    pub(super) fn has_time_for(&self, read: usize, written: usize, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let seconds =
            |tokens: usize, speed: Option<f64>| speed.map_or(0.0, |it| tokens as f64 / it);
        let needed =
            seconds(read, self.read_per_second) + seconds(written, self.written_per_second);
        !left.is_zero() && needed <= left.as_secs_f64()
    }
}

/// `None` for too few tokens.
pub(super) fn per_second(tokens: usize, took: Duration) -> Option<f64> {
    (tokens >= TOKENS_MIN && !took.is_zero()).then(|| tokens as f64 / took.as_secs_f64())
}

fn note(speed: &mut Option<f64>, tokens: usize, took: Duration) {
    let Some(newest) = per_second(tokens, took) else { return };
    let before = speed.unwrap_or(newest);
    *speed = Some(before + (newest - before) * NEWEST_SHARE);
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Pace;
    use narratoria_model::llm::GenerateUsage;

    #[test]
    fn a_question_is_asked_only_if_its_tokens_can_be_read_in_time() {
        let mut pace = Pace::default();
        let in_two_seconds = Instant::now() + Duration::from_secs(2);
        assert!(pace.has_time_for(10_000, 100, in_two_seconds), "nothing is known yet");
        let prefill = Duration::from_secs(1);
        pace.add(&GenerateUsage { prompt: 150, reused: 50, prefill, ..GenerateUsage::default() });
        assert!(pace.has_time_for(150, 0, in_two_seconds));
        assert!(!pace.has_time_for(250, 0, in_two_seconds));
        assert!(!pace.has_time_for(1, 0, Instant::now()));
        let decode = Duration::from_secs(1);
        pace.add(&GenerateUsage { sampled: 20, decode, ..GenerateUsage::default() });
        assert!(pace.has_time_for(100, 15, in_two_seconds));
        assert!(!pace.has_time_for(100, 25, in_two_seconds));
        // A slower machine is noticed.
        pace.add(&GenerateUsage { prompt: 20, reused: 0, prefill, ..GenerateUsage::default() });
        assert!(!pace.has_time_for(150, 0, in_two_seconds));
    }
}
