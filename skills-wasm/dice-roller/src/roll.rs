//! [`Formula`] and chance → dice. Knows nothing of text and requests.

use std::fmt;

use narratoria_sdk::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formula::{DiceTerm, Formula, Keep, TermPart};

// The variants have comments, not docs: with docs the schema is a list of objects, which the small
// models that fill it read badly.
/// How single d20s are rolled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    // Once.
    #[default]
    Normal,
    // Twice, the higher one counts.
    Advantage,
    // Twice, the lower one counts.
    Disadvantage,
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Mode::Normal => "normal",
            Mode::Advantage => "advantage",
            Mode::Disadvantage => "disadvantage",
        })
    }
}

/// Dice on the table.
#[derive(Debug)]
pub(crate) struct RollResult {
    pub(crate) dice: Vec<Die>,
    pub(crate) total: i64,
}

/// One die on the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Die {
    pub(crate) sides: u32,
    pub(crate) value: i64,
    /// True if it counts.
    pub(crate) kept: bool,
}

/// Rolls every die of the formula, in its order.
pub(crate) fn roll(formula: &Formula, mode: Mode, rng: &mut Rng) -> RollResult {
    let mut rolled = RollResult { dice: Vec::new(), total: 0 };
    for term in formula.terms() {
        let value = match term.part {
            TermPart::Constant(number) => i64::from(number),
            TermPart::Dice(dice) => {
                let thrown = throw(with_mode(dice, mode), rng);
                let sum = thrown.iter().filter(|die| die.kept).map(|die| die.value).sum();
                rolled.dice.extend(thrown);
                sum
            }
        };
        rolled.total += if term.negative { -value } else { value };
    }
    rolled
}

/// A single d20 becomes two, of which one counts.
fn with_mode(dice: DiceTerm, mode: Mode) -> DiceTerm {
    let keep = match mode {
        _ if !dice.is_single_d20() => return dice,
        Mode::Normal => return dice,
        Mode::Advantage => Keep::Highest(1),
        Mode::Disadvantage => Keep::Lowest(1),
    };
    DiceTerm { count: 2, sides: dice.sides, keep: Some(keep) }
}

fn throw(dice: DiceTerm, rng: &mut Rng) -> Vec<Die> {
    let DiceTerm { count, sides, keep } = dice;
    let mut thrown: Vec<Die> = (0..count)
        .map(|_| Die { sides, value: rng.range(1..=i64::from(sides)), kept: keep.is_none() })
        .collect();
    // The order of value; the earlier one of equals comes first.
    let mut order: Vec<usize> = (0..thrown.len()).collect();
    match keep {
        Some(Keep::Highest(_)) => order.sort_by_key(|idx| -thrown[*idx].value),
        Some(Keep::Lowest(_)) => order.sort_by_key(|idx| thrown[*idx].value),
        None => {}
    }
    for idx in order.into_iter().take(dice.kept() as usize) {
        thrown[idx].kept = true;
    }
    thrown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(formula: &str, mode: Mode) -> Vec<i64> {
        let formula = Formula::parse(formula).unwrap();
        let mut rng = Rng::new(1);
        (0..20_000).map(|_| roll(&formula, mode, &mut rng).total).collect()
    }

    fn mean(formula: &str, mode: Mode) -> f64 {
        let totals = totals(formula, mode);
        totals.iter().sum::<i64>() as f64 / totals.len() as f64
    }

    #[test]
    fn every_side_comes_up_as_often_as_the_others() {
        let totals = totals("d20", Mode::Normal);
        for side in 1..=20 {
            let count = totals.iter().filter(|total| **total == side).count();
            assert!((880..1120).contains(&count), "{side} came up {count} times");
        }
    }

    #[test]
    fn the_means_are_those_of_the_textbooks() {
        for (formula, mode, expected) in [
            ("2d6+3", Mode::Normal, 10.0),
            ("4d6kh3", Mode::Normal, 12.24),
            ("2d20kl1", Mode::Normal, 7.175),
            ("1d20", Mode::Advantage, 13.825),
            ("1d20", Mode::Disadvantage, 7.175),
            ("1d8-1d4", Mode::Normal, 2.0),
        ] {
            let mean = mean(formula, mode);
            assert!((mean - expected).abs() < 0.15, "{formula} {mode}: {mean}, not {expected}");
        }
    }
}
