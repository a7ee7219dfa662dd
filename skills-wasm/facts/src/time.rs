//! Story time, and the fading of opinions with it.

use narratoria_sdk::Ctx;

use crate::clock::MINUTES_OF_A_DAY;

/// Minutes that a beat counts for in a story without a clock.
const MINUTES_OF_A_BEAT: u64 = 10;

/// Minutes since the story began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoryTime(pub u64);

impl StoryTime {
    /// The clock of the world (`/world/now/minutes`); where there is none, ten minutes for each beat of the story
    /// (`/story/beats`). A script must read both.
    pub fn read(ctx: &Ctx) -> StoryTime {
        let number = |pointer: &str| ctx.state_at::<u64>(pointer).ok().flatten();
        let beats = || number("/story/beats").map(|beats| beats.saturating_mul(MINUTES_OF_A_BEAT));
        StoryTime(number("/world/now/minutes").or_else(beats).unwrap_or(0))
    }

    /// Returns the story days since an earlier time; 0 if that time is in the future.
    pub fn days_since(self, earlier: StoryTime) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / MINUTES_OF_A_DAY as f64
    }
}

/// `value`, moved towards `base` by `points` and never beyond it.
///
/// ```
/// # use narratoria_facts::toward;
/// assert_eq!((toward(40.0, 0.0, 15.0), toward(-10.0, 0.0, 15.0)), (25.0, 0.0));
/// ```
pub fn toward(value: f64, base: f64, points: f64) -> f64 {
    let points = if points.is_finite() { points.max(0.0) } else { 0.0 };
    if value > base { (value - points).max(base) } else { (value + points).min(base) }
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Ctx, Done, SkillError, Value, json, testing};

    use super::*;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}

    fn minutes(state: Value) -> Value {
        let read = |ctx: &mut Ctx, _: Nothing| {
            Ok::<_, SkillError>(Done::ok().output(json!({ "minutes": StoryTime::read(ctx).0 })))
        };
        testing::call(read, json!({})).state(state).run().output["minutes"].clone()
    }

    #[test]
    fn the_clock_of_the_world_comes_before_the_beats_of_the_story() {
        let both = json!({ "world": { "now": { "minutes": 480 } }, "story": { "beats": 3 } });
        assert_eq!(minutes(both), 480);
        assert_eq!(minutes(json!({ "story": { "beats": 3 } })), 30);
        assert_eq!(minutes(json!({ "world": { "now": { "minutes": "noon" } } })), 0);
    }

    #[test]
    fn time_that_runs_backwards_takes_nothing() {
        assert_eq!(StoryTime(10).days_since(StoryTime(5000)), 0.0);
        assert_eq!(toward(5.0, 0.0, f64::NAN), 5.0);
        assert_eq!(toward(5.0, 5.0, 3.0), 5.0);
    }
}
