//! How long scripts took in the plans of a story, for estimates.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;

use crate::{
    Story, StoryError,
    columns::{number, parse_json, text},
    encode::PlanColumns,
};
use narratoria_plan::ScriptTimes;

/// Most plans that are looked at, the newest ones.
const TIMED_PLANS_MAX: usize = 32;

/// Longest result that is looked at, in bytes. Parsing a megabyte would cost more time than an estimate is worth.
const TIMED_RESULT_BYTES_MAX: usize = 64 << 10;

/// The scripts that succeeded in one plan, each with its time.
type PlanRuns = Vec<(String, Duration)>;

/// The runs of the newest plans, the newest plan first. They are read from the file once; commits add theirs.
#[derive(Debug, Default)]
pub(crate) struct RecentRuns(Mutex<Option<VecDeque<PlanRuns>>>);

impl RecentRuns {
    /// Adds the plans of a turn that is committed.
    pub(crate) fn add(&self, plans: &[PlanColumns]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = &mut *known else { return };
        for result in plans.iter().filter_map(|plan| plan.result.as_deref()) {
            if result.len() <= TIMED_RESULT_BYTES_MAX {
                known.push_front(runs(result));
            }
        }
        known.truncate(TIMED_PLANS_MAX);
    }
}

impl Story {
    /// The times of the scripts that succeeded in the newest plans; of a loop the mean of its items.
    pub fn script_times(&self) -> Result<ScriptTimes, StoryError> {
        let mut known = self.recent_runs().0.lock().unwrap_or_else(PoisonError::into_inner);
        let plans = match &mut *known {
            Some(plans) => plans,
            unread => unread.insert(self.read_runs()?),
        };
        let mut times = ScriptTimes::default();
        for (tool_path, took) in plans.iter().flat_map(|runs| runs.iter().rev()) {
            times.add_older(tool_path.clone(), *took);
        }
        Ok(times)
    }

    fn read_runs(&self) -> Result<VecDeque<PlanRuns>, StoryError> {
        let sql = "SELECT result, rowid AS place FROM plans
                   WHERE result IS NOT NULL AND octet_length(result) <= ?2
                   ORDER BY rowid DESC LIMIT ?1";
        let limits = [TIMED_PLANS_MAX, TIMED_RESULT_BYTES_MAX].map(|limit| limit as i64);
        let results = self.rows("`plans`", sql, limits, |row| {
            number::<u64>(row, "place")?;
            text(row, "result")
        })?;
        Ok(results.iter().map(|result| runs(result)).collect())
    }
}

/// The scripts that succeeded, in the order of the plan. A result that cannot be read has none.
fn runs(result: &str) -> PlanRuns {
    let result: Value = parse_json(result).unwrap_or_default();
    let tools = result.get("toolResults").and_then(Value::as_array);
    let run = |tool: &Value| {
        let is_timed =
            tool.get("state")? == "success" && tool.get("kept").is_none_or(Value::is_null);
        let items = tool.get("items").and_then(Value::as_u64).unwrap_or(1).max(1);
        let took = Duration::from_millis(tool.get("executionTimeMs")?.as_u64()? / items);
        is_timed.then(|| Some((tool.get("toolPath")?.as_str()?.to_owned(), took)))?
    };
    tools.into_iter().flatten().filter_map(run).collect()
}
