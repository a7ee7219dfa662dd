//! The arguments of `narratoria eval`.

use std::path::PathBuf;

use clap::Args;

use super::options::{CommonArgs, PlannerArgs};

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// File with one case a line (`contracts/eval.schema.json`), `-` for stdin
    pub(crate) file: PathBuf,
    /// Milliseconds for one plan
    #[arg(long, value_name = "MS", default_value_t = 5000,
        value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) timeout: u64,
    /// Milliseconds that the player is taken to type before each sentence; the planner may read ahead
    /// meanwhile [default: as many as it needs]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub(crate) typing: Option<u64>,
    /// Most misses to show [default: 20, and all with `--format json`]
    #[arg(long, value_name = "N")]
    pub(crate) misses: Option<usize>,
    /// Fail when fewer plans than this part, such as 0.95, are valid and in time by the planner itself
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) require_valid: Option<f64>,
    /// Fail when fewer plans than this part, such as 0.9, use the right skills by the planner itself
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) require_accuracy: Option<f64>,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A part of a whole.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| "it must be a number from 0 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_goes_from_0_to_1() {
        assert_eq!(rate("0.95"), Ok(0.95));
        for wrong in ["", "95", "95%", "-0.1", "1.01", "NaN", "inf"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
