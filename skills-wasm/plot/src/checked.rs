//! The record of the storylets that did not fire in a turn: every one of them, in groups by the condition that failed first.

use std::{cmp::Reverse, collections::BTreeMap};

use narratoria_sdk::json;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{document::StoryletGate, gate::GateFailure};

/// Bytes of ids and conditions in the record of a turn. A script writes lines of 1 MiB at most, and `STORYLETS_MAX` storylets
/// with names of usual length take a tenth of this.
pub const CHECKED_BYTES_MAX: usize = 512 << 10;

/// The quotes and the comma around a text in JSON.
const MARKS_BYTES: usize = 3;

/// Storylets that did not fire for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckedStorylets {
    /// The first condition that failed: `once`, `cooldown`, `linked`, `place`, `present`, `on`, `when: TEXT`, `chance`,
    /// `claims` or `per-turn`.
    pub failed: String,
    /// Their ids, in the order of the campaign.
    pub storylets: Vec<String>,
}

/// The storylets that did not fire, the nearest first.
#[derive(Debug, Default)]
pub(crate) struct CheckedRecord {
    pub(crate) groups: Vec<CheckedStorylets>,
    /// Storylets for which the record has no room.
    pub(crate) left_off: usize,
}

/// Groups what did not fire. `failed` has the indices of the storylets.
pub(crate) fn record(
    gates: &[StoryletGate],
    mut failed: Vec<(usize, GateFailure)>,
    bytes_max: usize,
) -> CheckedRecord {
    failed.sort_by_key(|(at, failure)| (Reverse(failure.nearness()), *at));
    let mut record = CheckedRecord::default();
    let mut group_of = BTreeMap::new();
    let mut bytes = 0;
    for (at, failure) in &failed {
        let Some(gate) = gates.get(*at) else { continue };
        let known = group_of.get(failure).copied();
        let text = if known.is_none() { failure.to_string() } else { String::new() };
        bytes += gate.id.len() + MARKS_BYTES;
        if known.is_none() {
            bytes += json!(text).to_string().len() + CheckedStorylets::EMPTY_BYTES;
        }
        if bytes > bytes_max {
            record.left_off += 1;
            continue;
        }
        let group = known.unwrap_or_else(|| {
            record.groups.push(CheckedStorylets { failed: text, storylets: Vec::new() });
            record.groups.len() - 1
        });
        group_of.insert(failure, group);
        record.groups[group].storylets.push(gate.id.clone());
    }
    record
}

impl CheckedStorylets {
    /// The names of the fields and the marks around them in JSON.
    const EMPTY_BYTES: usize = r#"{"failed":,"storylets":[]},"#.len();
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::json;

    use super::{CHECKED_BYTES_MAX, CheckedStorylets, record};
    use crate::{definition::STORYLETS_MAX, document::StoryletGate, gate::GateFailure};

    fn gates(count: usize, id: impl Fn(usize) -> String) -> Vec<StoryletGate> {
        (0..count).map(|at| StoryletGate { id: id(at), ..StoryletGate::default() }).collect()
    }

    fn group(failed: &str, storylets: &[&str]) -> CheckedStorylets {
        let storylets = storylets.iter().map(|id| (*id).to_owned()).collect();
        CheckedStorylets { failed: failed.to_owned(), storylets }
    }

    #[test]
    fn each_reason_is_a_group_and_the_nearest_comes_first() {
        let gates = gates(5, |at| format!("s{at}"));
        let failures = [
            GateFailure::Place,
            GateFailure::When("debt == 'resolved'".to_owned()),
            GateFailure::Place,
            GateFailure::Once,
            GateFailure::When("hour > 6".to_owned()),
        ];
        let record = record(&gates, failures.into_iter().enumerate().collect(), CHECKED_BYTES_MAX);
        assert_eq!(record.left_off, 0);
        let groups = [
            group("when: debt == 'resolved'", &["s1"]),
            group("when: hour > 6", &["s4"]),
            group("place", &["s0", "s2"]),
            group("once", &["s3"]),
        ];
        assert_eq!(record.groups, groups);
    }

    #[test]
    fn the_most_storylets_with_long_names_fit_in() {
        let gates = gates(STORYLETS_MAX, |at| format!("{at:0>60}"));
        let failed = (0..STORYLETS_MAX).map(|at| (at, GateFailure::Place)).collect();
        let record = record(&gates, failed, CHECKED_BYTES_MAX);
        assert_eq!((record.groups[0].storylets.len(), record.left_off), (STORYLETS_MAX, 0));
    }

    #[test]
    fn what_has_no_room_is_counted_and_the_record_stays_below_its_limit() {
        let gates = gates(STORYLETS_MAX, |at| format!("s{at}"));
        let when =
            |at: usize| GateFailure::When(format!("a == \"{}\" && b < {at}", "x\"".repeat(90)));
        let failed = (0..STORYLETS_MAX).map(|at| (at, when(at))).collect();
        let record = record(&gates, failed, CHECKED_BYTES_MAX);
        let listed: usize = record.groups.iter().map(|group| group.storylets.len()).sum();
        assert!(listed > 1_000 && record.left_off > 0, "{listed}");
        assert_eq!(listed + record.left_off, STORYLETS_MAX);
        let bytes = json!(record.groups).to_string().len();
        assert!(bytes <= CHECKED_BYTES_MAX + 2, "{bytes}");
    }
}
