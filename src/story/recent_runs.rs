//! The scripts that ran in a story's newest plans, each with the time that it took.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;

use crate::{StoryError, columns::parse_json};

/// Most plans that are read, the newest ones.
pub(crate) const TIMED_PLANS_MAX: usize = 32;

/// Longest result that is read, in bytes. Parsing a megabyte would cost more time than an estimate is worth.
pub(crate) const TIMED_RESULT_BYTES_MAX: usize = 64 << 10;

/// The scripts that succeeded in one plan, each with its time.
type PlanRuns = Vec<(String, Duration)>;

/// The runs of the newest plans, the newest plan first. They are read from the file once; later commits add theirs.
#[derive(Debug, Default)]
pub(crate) struct RecentRuns(Mutex<Option<VecDeque<PlanRuns>>>);

impl RecentRuns {
    /// Adds the results of a committed turn, each with the bytes of its text.
    pub(crate) fn add<'a>(&self, results: impl Iterator<Item = (&'a Value, usize)>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = &mut *known else { return };
        for (result, bytes) in results {
            if bytes <= TIMED_RESULT_BYTES_MAX {
                known.push_front(runs(result));
            }
        }
        known.truncate(TIMED_PLANS_MAX);
    }

    /// Returns each script with its time, the newest first. `read` reads the results of the newest plans from the file,
    /// the newest first, if they are not known.
    pub(crate) fn each(
        &self,
        read: impl FnOnce() -> Result<Vec<String>, StoryError>,
        visit: &mut dyn FnMut(&str, Duration),
    ) -> Result<(), StoryError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let plans = match &mut *known {
            Some(plans) => plans,
            unread => unread.insert(read()?.iter().map(|result| runs_of_text(result)).collect()),
        };
        for (tool_path, took) in plans.iter().flat_map(|runs| runs.iter().rev()) {
            visit(tool_path, *took);
        }
        Ok(())
    }
}

/// Returns the scripts that succeeded in a stored result; none if it cannot be read.
fn runs_of_text(result: &str) -> PlanRuns {
    runs(&parse_json(result).unwrap_or_default())
}

/// The scripts that succeeded, in the order of the plan.
fn runs(result: &Value) -> PlanRuns {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RecentRuns;

    /// A promise of `docs/limits.md`.
    #[test]
    fn the_runs_of_the_newest_32_plans_are_known() {
        let recent = RecentRuns::default();
        recent.each(|| Ok(Vec::new()), &mut |_, _| ()).unwrap();
        for took in 0..40 {
            let result = json!({"toolResults": [
                {"toolPath": "any/thing", "state": "success", "executionTimeMs": took},
            ]});
            recent.add(std::iter::once((&result, 1)));
        }
        let mut times = Vec::new();
        recent.each(|| Ok(Vec::new()), &mut |_, took| times.push(took.as_millis())).unwrap();
        assert_eq!(times, (8..40).rev().collect::<Vec<u128>>());
    }
}
