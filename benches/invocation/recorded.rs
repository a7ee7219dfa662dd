//! The ratios of an earlier run, which a later one is compared with. They stand in `recorded.json`; who makes an invocation
//! faster writes the new one there.

use std::collections::BTreeMap;

use crate::{median, percentile};

const RECORDED: &str = include_str!("recorded.json");

/// How the ratios of this run's batches compare with the recorded one: `as recorded`, `better` or `WORSE`. The spread of
/// a run is half of the distance between its 10th and its 90th percentile.
pub(crate) fn compare(name: &str, ratios: &[f64]) -> String {
    let recorded: BTreeMap<String, f64> =
        serde_json::from_str(RECORDED).expect("`recorded.json` has a number for each guest");
    let all = || ratios.iter().copied();
    let (now, spread) = (median(all()), (percentile(all(), 0.9) - percentile(all(), 0.1)) / 2.0);
    let Some(before) = recorded.get(name) else {
        return format!("{now:.2} is not compared, because recorded.json has no `{name}`");
    };
    let verdict = match now - before {
        worse if worse > spread => "WORSE than recorded",
        better if -better > spread => "better than recorded",
        _ => "as recorded",
    };
    format!("{now:.3}, spread {spread:.3}, recorded {before:.2}: {verdict}")
}
