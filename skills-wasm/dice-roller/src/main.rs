//! Rolls dice: a formula such as `2d6+3` and the request's seed become numbers.

mod formula;
mod roll;

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use formula::Formula;
use roll::{Mode, RollResult, roll};

/// What to roll.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Dice and numbers, added or subtracted: `1d20+5`, `d6`, `4d6kh3`, `1d8+1d4-2`, `d%`.
    #[schemars(length(min = 1, max = formula::FORMULA_CHARS_MAX))]
    formula: String,
    /// With advantage or disadvantage each single d20 is rolled twice and the better or worse one
    /// counts; other dice are not changed.
    #[serde(default)]
    mode: Mode,
    /// Added to the formula, from -100 to 100: what another step makes of the situation, as a number or as its output,
    /// such as `$perceive`.
    #[serde(default)]
    modifier: Option<GivenModifier>,
}

/// A number that is added to a roll.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum GivenModifier {
    /// The number.
    Number(#[schemars(range(min = -100, max = 100))] i64),
    /// An output with the number.
    Output {
        /// The number.
        #[schemars(range(min = -100, max = 100))]
        modifier: i64,
    },
}

impl GivenModifier {
    fn number(self) -> i64 {
        match self {
            GivenModifier::Number(number) | GivenModifier::Output { modifier: number } => number,
        }
    }
}

/// What was rolled.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Output {
    /// The formula in its plain form.
    formula: String,
    /// Every die as it was shown, in order.
    rolls: Vec<i64>,
    /// The dice that count, in order.
    kept: Vec<i64>,
    /// The sum of the plain numbers in the formula.
    modifier: i64,
    /// The result.
    total: i64,
    /// The lowest possible total.
    minimum: i64,
    /// The highest possible total.
    maximum: i64,
    /// The mode that was used; `normal` where the formula has no single d20.
    mode: Mode,
}

fn main() -> ExitCode {
    narratoria_sdk::run(roll_dice)
}

fn roll_dice(ctx: &mut Ctx, input: Input) -> Result<Done<Output>, SkillError> {
    let formula = Formula::parse(&input.formula)
        .map_err(|error| SkillError::new(error.code(), error.to_string()))?
        .plus(input.modifier.map_or(0, GivenModifier::number).clamp(-100, 100));
    let mode = if formula.has_single_d20() { input.mode } else { Mode::Normal };
    if mode != input.mode {
        ctx.warn(&format!("`{formula}` has no single d20, so {} changes nothing", input.mode));
    }
    let rolled = roll(&formula, mode, ctx.rng());
    let output = Output {
        formula: formula.to_string(),
        rolls: rolled.dice.iter().map(|die| die.value).collect(),
        kept: rolled.dice.iter().filter(|die| die.kept).map(|die| die.value).collect(),
        modifier: formula.modifier(),
        total: rolled.total,
        minimum: formula.minimum(),
        maximum: formula.maximum(),
        mode,
    };
    let summary = format!("rolled {formula} for {}", output.total);
    ctx.info(&format!("{summary} ({})", shown(&rolled)));
    ctx.ui_event(
        "dice_roll",
        json!({
            "formula": output.formula,
            "mode": mode,
            "dice": rolled.dice,
            "modifier": output.modifier,
            "total": output.total,
            "minimum": output.minimum,
            "maximum": output.maximum,
        }),
    );
    ctx.patch(json!({ "dice": { "last": output } }));
    Ok(Done::ok().summary(summary).output(output))
}

/// The dice for people; those that do not count are in brackets.
fn shown(rolled: &RollResult) -> String {
    let dice = rolled.dice.iter().map(|die| {
        if die.kept {
            format!("d{}: {}", die.sides, die.value)
        } else {
            format!("[d{}: {}]", die.sides, die.value)
        }
    });
    dice.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Value, testing};

    use super::*;

    fn said(input: Value, seed: u64) -> testing::CallResult {
        testing::call(roll_dice, input).seed(seed).run()
    }

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Input, Output>("package/schemas", "roll-dice");
    }

    #[test]
    fn the_examples_are_true() {
        testing::check_examples(roll_dice, "package/examples", "roll-dice");
    }

    #[test]
    fn a_roll_is_shown_logged_and_remembered() {
        let said = said(json!({ "formula": "2D6 + 3" }), 7);
        assert!(said.ok);
        assert_eq!(said.output["formula"], "2d6+3");
        assert_eq!(said.patch()["dice"]["last"], said.output);
        let event = said.ui_event("dice_roll").unwrap();
        assert_eq!(event["dice"].as_array().unwrap().len(), 2);
        assert_eq!(event["total"], said.output["total"]);
    }

    #[test]
    fn the_same_seed_gives_the_same_dice_and_another_one_others() {
        let formula = json!({ "formula": "10d1000" });
        assert_eq!(said(formula.clone(), 1), said(formula.clone(), 1));
        assert_ne!(said(formula.clone(), 1).output, said(formula, 2).output);
    }

    #[test]
    fn advantage_keeps_the_better_d20_and_disadvantage_the_worse() {
        for seed in 0..50 {
            for (mode, keeps) in [("advantage", true), ("disadvantage", false)] {
                let said = said(json!({ "formula": "1d20+2", "mode": mode }), seed);
                let rolls: Vec<i64> = said.output["rolls"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|roll| roll.as_i64().unwrap())
                    .collect();
                assert_eq!(rolls.len(), 2);
                let best = if keeps { rolls.iter().max() } else { rolls.iter().min() };
                assert_eq!(said.output["total"], best.unwrap() + 2);
                assert_eq!(said.output["mode"], mode);
            }
        }
    }

    #[test]
    fn a_mode_without_a_single_d20_is_said_and_ignored() {
        let said = said(json!({ "formula": "2d6", "mode": "advantage" }), 0);
        assert_eq!(said.output["mode"], "normal");
        assert!(said.lines.contains("has no single d20, so advantage changes nothing"));
    }

    #[test]
    fn a_modifier_of_another_step_is_added_and_shown() {
        let plain = said(json!({ "formula": "1d20+1" }), 3);
        let total = |said: &testing::CallResult| said.output["total"].as_i64().unwrap();
        for (modifier, formula) in [(-3, "1d20+1-3"), (0, "1d20+1"), (2, "1d20+1+2")] {
            let said = said(json!({ "formula": "1d20+1", "modifier": modifier }), 3);
            assert_eq!(said.output["formula"], formula);
            assert_eq!(total(&said), total(&plain) + modifier);
            assert_eq!(said.output["modifier"], 1 + modifier);
            let perceived = json!({ "perception": 20, "modifier": modifier });
            assert_eq!(
                total(&self::said(json!({ "formula": "1d20+1", "modifier": perceived }), 3)),
                total(&said)
            );
        }
    }

    #[test]
    fn a_bad_formula_is_the_scripts_own_failure() {
        let said = said(json!({ "formula": "2d6+" }), 0);
        assert_eq!((said.ok, said.error_code()), (false, Some("FORMULA_SYNTAX")));
    }
}
