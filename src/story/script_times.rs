//! How long scripts took in the plans of a story, for estimates.

use crate::{
    Story, StoryError,
    columns::{number, text},
    recent_runs::{TIMED_PLANS_MAX, TIMED_RESULT_BYTES_MAX},
};
use narratoria_plan::ScriptTimes;

impl Story {
    /// Returns the times of the scripts that succeeded in the newest plans; for a loop, the mean of its items.
    pub fn script_times(&self) -> Result<ScriptTimes, StoryError> {
        let mut times = ScriptTimes::default();
        self.recent_runs().each(|| self.read_results(), &mut |tool_path, took| {
            times.add_older(tool_path.to_owned(), took)
        })?;
        Ok(times)
    }

    fn read_results(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT result, rowid AS place FROM plans
                   WHERE result IS NOT NULL AND octet_length(result) <= ?2
                   ORDER BY rowid DESC LIMIT ?1";
        let limits = [TIMED_PLANS_MAX, TIMED_RESULT_BYTES_MAX].map(|limit| limit as i64);
        self.rows("`plans`", sql, limits, |row| {
            number::<u64>(row, "place")?;
            text(row, "result")
        })
    }
}
