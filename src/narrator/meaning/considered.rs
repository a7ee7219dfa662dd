//! The scripts that were considered for the parts of a sentence, for who asks why a plan has them or not. Pure.

use serde_json::{Value, json};

use super::{NearScript, SentencePart, SentenceParts, head::probability};
use crate::plan_step::tool_path;

/// `metadata.considered` of a plan.
pub(crate) const CONSIDERED_KEY: &str = "considered";

/// Scripts in the list, the most probable ones.
const CONSIDERED_MAX: usize = 6;

/// A script with a lower probability is not worth a line.
const PROBABILITY_MIN: f64 = 0.05;

/// The scripts that parts of the sentence may ask for, the most probable first: `tool`, `probability` with two digits, `by`
/// (`vectors`, or `model` if one was asked too), and whether it is `chosen` ([`SentenceParts::chosen`]).
pub(crate) fn considered(
    parts: &SentenceParts,
    chosen: &[(&SentencePart, &NearScript)],
) -> Option<Value> {
    let path = |near: &NearScript| tool_path(&near.skill, near.script());
    let chosen: Vec<String> = chosen.iter().map(|(_, near)| path(near)).collect();
    let all = parts.whole.iter().chain(&parts.clauses).flat_map(|part| &part.near);
    let mut near: Vec<&NearScript> = all.collect();
    near.sort_by(|one, other| other.log_odds.total_cmp(&one.log_odds));
    let mut listed: Vec<(String, Value)> = Vec::new();
    for near in near {
        let likely = probability(near.log_odds);
        let tool = path(near);
        if likely < PROBABILITY_MIN || listed.len() == CONSIDERED_MAX {
            break;
        }
        if listed.iter().all(|(other, _)| *other != tool) {
            let by = if near.model_was_asked { "model" } else { "vectors" };
            let rounded = (likely * 100.0).round() / 100.0;
            let is_chosen = chosen.contains(&tool);
            let row = json!({"tool": tool, "probability": rounded, "by": by, "chosen": is_chosen});
            listed.push((tool, row));
        }
    }
    (!listed.is_empty()).then(|| listed.into_iter().map(|(_, row)| row).collect())
}
