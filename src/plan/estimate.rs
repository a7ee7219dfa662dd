//! Estimates how long a plan may take (S2 `estimatedDuration`), from how long its scripts took before. Pure.

use std::{collections::BTreeMap, time::Duration};

use super::{Plan, Step, StepIdx};

/// Key of `metadata`: the planner's own estimate for the whole plan, in seconds.
const ESTIMATE_KEY: &str = "estimatedDuration";

/// Most runs of one script that an estimate uses: the last ones, because a script changes.
pub const ESTIMATE_RUNS_MAX: usize = 16;

/// How long scripts took, the newest run of each first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptTimes(BTreeMap<String, Vec<Duration>>);

/// The estimate for one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DurationEstimate {
    /// In run order.
    pub steps: Vec<Duration>,
    /// True for a step whose script has never run, in run order: its time limit then stands for its time.
    pub never_ran: Vec<bool>,
    /// The time of the plan. Steps that may overlap count once.
    pub plan: Duration,
    /// True if `plan` includes a time limit, so that the plan most likely takes less.
    pub is_limit: bool,
}

impl ScriptTimes {
    /// Adds a run that is older than those before. `tool_path` is `<skill>/<script>`.
    pub fn add_older(&mut self, tool_path: String, took: Duration) {
        let runs = self.0.entry(tool_path).or_default();
        if runs.len() < ESTIMATE_RUNS_MAX {
            runs.push(took);
        }
    }

    /// Returns the median of the last runs of the script that would run first. `None` if it never ran.
    fn step(&self, step: &Step) -> Option<Duration> {
        if step.skip {
            return Some(Duration::ZERO);
        }
        let mut runs = self.0.get(&step.first_candidate().tool_path())?.clone();
        runs.sort_unstable();
        runs.get(runs.len() / 2).copied()
    }

    /// Estimates a plan: at most `limit`, which ends it. An estimate of the planner takes precedence.
    pub fn estimate(&self, plan: &Plan, limit: Duration) -> DurationEstimate {
        let known: Vec<Option<Duration>> =
            plan.steps().iter().map(|step| self.step(step)).collect();
        let never_ran: Vec<bool> = known.iter().map(Option::is_none).collect();
        let or_limit = |(took, step): (&Option<Duration>, &Step)| {
            took.unwrap_or_else(|| step.first_candidate().timeout)
        };
        let steps: Vec<Duration> = known.iter().zip(plan.steps()).map(or_limit).collect();
        let written = plan.metadata().get(ESTIMATE_KEY).and_then(serde_json::Value::as_f64);
        let written = written.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let total = written.unwrap_or_else(|| end_of_last(plan, &steps));
        let is_limit = total >= limit || (written.is_none() && never_ran.contains(&true));
        DurationEstimate { steps, never_ran, plan: total.min(limit), is_limit }
    }
}

/// Returns the end of the last step if all take as long as this, with as many slots as steps.
fn end_of_last(plan: &Plan, steps: &[Duration]) -> Duration {
    let mut ends: Vec<Duration> = Vec::new();
    let (mut last, mut barrier) = (Duration::ZERO, Duration::ZERO);
    for (step, took) in plan.steps().iter().zip(steps) {
        let end_of = |need: &StepIdx| ends.get(need.0).copied().unwrap_or_default();
        let overlaps = plan.parallel() && step.is_async;
        let start = match overlaps {
            true => step.needs.iter().map(end_of).max().unwrap_or_default().max(barrier),
            false => last,
        };
        let end = start.saturating_add(*took);
        last = last.max(end);
        if !overlaps {
            barrier = end;
        }
        ends.push(end);
    }
    last
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ScriptTimes;
    use crate::testing::{build, catalog, plan_json, skill};

    const LIMIT: Duration = Duration::from_secs(60);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// `any/thing` took 10, 30 and 20 ms.
    fn times() -> ScriptTimes {
        let mut times = ScriptTimes::default();
        for took in [10, 30, 20] {
            times.add_older("any/thing".to_owned(), ms(took));
        }
        times
    }

    fn estimate(plan: &str, parallel: bool, times: &ScriptTimes) -> (Vec<u128>, u128) {
        let mut json = plan_json(plan);
        json.parallel = parallel;
        for tool in &mut json.tools {
            tool.is_async = Some(!tool.tool_id.starts_with('s'));
        }
        let plan = build(json, &catalog([skill("any", &["thing"])])).unwrap();
        let estimate = times.estimate(&plan, LIMIT);
        (estimate.steps.iter().map(Duration::as_millis).collect(), estimate.plan.as_millis())
    }

    /// S2 `estimatedDuration`.
    #[test]
    fn a_plan_takes_as_long_as_its_scripts_took_before() {
        assert_eq!(estimate("a b<-a", false, &times()), (vec![20, 20], 40));
        assert_eq!(estimate("a b c<-a", true, &times()), (vec![20, 20, 20], 40));
        assert_eq!(estimate("a s b", true, &times()), (vec![20, 20, 20], 60));
        assert_eq!(estimate("", true, &times()), (vec![], 0));
    }

    #[test]
    fn a_script_that_never_ran_may_take_its_time_limit_and_a_plan_its_own() {
        let never = ScriptTimes::default();
        assert_eq!(estimate("a", false, &never), (vec![30_000], 30_000));
        assert_eq!(estimate("a b c", false, &never), (vec![30_000; 3], 60_000));
        let plan = |times: &ScriptTimes| {
            let skills = catalog([skill("any", &["thing"])]);
            times.estimate(&build(plan_json("a b"), &skills).unwrap(), LIMIT)
        };
        assert_eq!((plan(&never).never_ran, plan(&never).is_limit), (vec![true; 2], true));
        assert_eq!((plan(&times()).never_ran, plan(&times()).is_limit), (vec![false; 2], false));
    }

    /// A promise of `docs/limits.md`.
    #[test]
    fn an_estimate_looks_at_the_last_16_runs_of_a_script() {
        let mut times = ScriptTimes::default();
        for took in [vec![10; 8], vec![20; 8], vec![5; 40]].concat() {
            times.add_older("any/thing".to_owned(), ms(took));
        }
        assert_eq!(estimate("a", false, &times), (vec![20], 20));
    }

    #[test]
    fn the_planners_own_estimate_stands() {
        let mut json = plan_json("a b");
        json.metadata.extra.insert("estimatedDuration".to_owned(), serde_json::json!(1.5));
        let plan = build(json, &catalog([skill("any", &["thing"])])).unwrap();
        assert_eq!(times().estimate(&plan, LIMIT).plan, ms(1_500));
        assert_eq!(times().estimate(&plan, ms(900)).plan, ms(900));
    }
}
