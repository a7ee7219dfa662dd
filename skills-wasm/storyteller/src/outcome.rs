//! Dice → what they mean.

use narratoria_sdk::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an attempt went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DiceOutcome {
    CriticalFailure,
    Failure,
    Partial,
    Success,
    CriticalSuccess,
}

impl DiceOutcome {
    /// Every one, the worst first.
    #[cfg(test)]
    pub(crate) const ALL: [DiceOutcome; 5] = [
        DiceOutcome::CriticalFailure,
        DiceOutcome::Failure,
        DiceOutcome::Partial,
        DiceOutcome::Success,
        DiceOutcome::CriticalSuccess,
    ];

    pub(crate) fn is_failure(self) -> bool {
        matches!(self, DiceOutcome::CriticalFailure | DiceOutcome::Failure)
    }
}

/// A roll among the outputs of earlier steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DiceResult {
    pub(crate) total: i64,
    pub(crate) outcome: DiceOutcome,
}

#[derive(Deserialize)]
struct RollOutput {
    total: f64,
    minimum: f64,
    maximum: f64,
    #[serde(default)]
    formula: Option<String>,
    #[serde(default)]
    kept: Option<Vec<i64>>,
}

impl DiceResult {
    /// Reads an output that has `total`, `minimum` and `maximum`; anything else is no roll.
    pub(crate) fn from_output(output: &Value) -> Option<DiceResult> {
        let rolled: RollOutput = RollOutput::deserialize(output).ok()?;
        // A single d20 has its own law: what it shows decides at both ends.
        let natural = match (&rolled.formula, rolled.kept.as_deref()) {
            (Some(formula), Some([shown])) if is_d20(formula) => Some(*shown),
            _ => None,
        };
        let outcome = match natural {
            Some(1) => DiceOutcome::CriticalFailure,
            Some(20) => DiceOutcome::CriticalSuccess,
            Some(_) => by_position(&rolled, false),
            None => by_position(&rolled, true),
        };
        Some(DiceResult { total: rolled.total as i64, outcome })
    }
}

/// Where the total lies between the lowest and the highest possible one. Both ends are critical only
/// where no natural number decides.
fn by_position(rolled: &RollOutput, ends_are_critical: bool) -> DiceOutcome {
    let range = rolled.maximum - rolled.minimum;
    if range <= 0.0 {
        return DiceOutcome::Success;
    }
    let position = (rolled.total - rolled.minimum) / range;
    match position {
        p if ends_are_critical && p <= 0.0 => DiceOutcome::CriticalFailure,
        p if ends_are_critical && p >= 1.0 => DiceOutcome::CriticalSuccess,
        p if p < 0.4 => DiceOutcome::Failure,
        p if p < 0.55 => DiceOutcome::Partial,
        _ => DiceOutcome::Success,
    }
}

fn is_d20(formula: &str) -> bool {
    formula
        .split(['+', '-'])
        .any(|term| matches!(term.trim(), "1d20" | "d20" | "2d20kh1" | "2d20kl1"))
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::json;

    use super::*;

    fn check(formula: &str, kept: &[i64], total: i64, minimum: i64, maximum: i64) -> DiceOutcome {
        let output = json!({
            "formula": formula, "kept": kept, "total": total, "minimum": minimum, "maximum": maximum,
        });
        DiceResult::from_output(&output).unwrap().outcome
    }

    #[test]
    fn a_natural_one_and_twenty_decide() {
        assert_eq!(check("1d20+9", &[1], 10, 10, 29), DiceOutcome::CriticalFailure);
        assert_eq!(check("1d20-5", &[20], 15, -4, 15), DiceOutcome::CriticalSuccess);
        assert_eq!(check("1d20", &[2], 2, 1, 20), DiceOutcome::Failure);
        assert_eq!(check("1d20", &[10], 10, 1, 20), DiceOutcome::Partial);
        assert_eq!(check("1d20", &[19], 19, 1, 20), DiceOutcome::Success);
    }

    #[test]
    fn other_dice_count_by_their_place_in_the_range() {
        assert_eq!(check("2d6", &[1, 1], 2, 2, 12), DiceOutcome::CriticalFailure);
        assert_eq!(check("2d6", &[1, 3], 4, 2, 12), DiceOutcome::Failure);
        assert_eq!(check("2d6", &[3, 4], 7, 2, 12), DiceOutcome::Partial);
        assert_eq!(check("2d6", &[6, 6], 12, 2, 12), DiceOutcome::CriticalSuccess);
        assert_eq!(check("d2-d2", &[1, 1], 0, 0, 0), DiceOutcome::Success);
    }

    #[test]
    fn what_is_no_roll_is_none() {
        for output in [json!({}), json!({ "total": 3 }), json!([1]), json!({ "total": "x" })] {
            assert_eq!(DiceResult::from_output(&output), None);
        }
    }
}
