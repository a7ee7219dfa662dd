//! How long scripts took in the plans of a story, for estimates.

use std::time::Duration;

use crate::{
    Story, StoryError,
    columns::{number, text},
};
use narratoria_plan::ScriptTimes;

/// Most plans that are looked at, the newest ones.
const TIMED_PLANS_MAX: u32 = 32;

/// Longest result that is looked at, in characters. Parsing a megabyte would cost more time than an estimate is worth.
const TIMED_RESULT_CHARS_MAX: u32 = 64 << 10;

impl Story {
    /// The times of the scripts that succeeded in the newest plans; of a loop the mean of its items.
    pub fn script_times(&self) -> Result<ScriptTimes, StoryError> {
        let sql = "
            SELECT tool.value ->> '$.toolPath' AS tool_path,
                   (tool.value ->> '$.executionTimeMs')
                       / max(coalesce(tool.value ->> '$.items', 1), 1) AS took_ms
            FROM (SELECT rowid AS place, result FROM plans
                  WHERE result IS NOT NULL AND length(result) <= ?2
                  ORDER BY rowid DESC LIMIT ?1) AS newest,
                 json_each(newest.result, '$.toolResults') AS tool
            WHERE tool.value ->> '$.state' = 'success' AND tool.value ->> '$.kept' IS NULL
            ORDER BY place DESC, tool.key DESC";
        let limits = (TIMED_PLANS_MAX, TIMED_RESULT_CHARS_MAX);
        let runs = self.rows("`plans`", sql, limits, |row| {
            Ok((text(row, "tool_path")?, Duration::from_millis(number(row, "took_ms")?)))
        })?;
        let mut times = ScriptTimes::default();
        for (tool_path, took) in runs {
            times.add_older(tool_path, took);
        }
        Ok(times)
    }
}
