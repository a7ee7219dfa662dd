//! Texts that are formulas, and texts that are not.

use proptest::prelude::*;

use super::*;

/// The plain form of `text`, with its bounds, or the error.
fn check(text: &str) -> String {
    match Formula::parse(text) {
        Ok(formula) => format!("{formula} {}..{}", formula.minimum(), formula.maximum()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn formulas_are_read_whatever_their_case_and_blanks() {
    for (text, plain) in [
        ("1d20+5", "1d20+5 6..25"),
        ("d6", "1d6 1..6"),
        ("4d6kh3", "4d6kh3 3..18"),
        ("4D6 KL1", "4d6kl1 1..6"),
        ("4d6k3", "4d6kh3 3..18"),
        ("2d20k", "2d20kh1 1..20"),
        ("2d6-1", "2d6-1 1..11"),
        (" 1d8 + 1d4 + 2 ", "1d8+1d4+2 4..14"),
        ("d%", "1d100 1..100"),
        ("-1d4", "-1d4 -4..-1"),
        ("+d4-1d6", "1d4-1d6 -5..3"),
        ("100d1000", "100d1000 100..100000"),
        ("007+d6", "7+1d6 8..13"),
    ] {
        assert_eq!(check(text), plain, "{text}");
    }
}

#[test]
fn dice_in_words_are_read() {
    for (text, plain) in [
        ("3 dice", "3d6"),
        ("three dice", "3d6"),
        ("one die", "1d6"),
        ("a dozen dice", "12d6"),
        ("2 d20s", "2d20"),
        ("two d6", "2d6"),
        ("a d8", "1d8"),
        ("a six-sided die", "1d6"),
        ("Two Ten-Sided dice", "2d10"),
        ("4 12 sided dice", "4d12"),
        ("3d6 plus two", "3d6+2"),
        ("two dice minus 1", "2d6-1"),
        ("three coins", "3d2"),
        ("percentile", "1d100"),
    ] {
        let parsed = Formula::parse(text).map(|formula| formula.to_string());
        assert_eq!(parsed.as_deref(), Ok(plain), "{text}");
    }
    for (text, error) in [
        (
            "a thousand dice",
            "`1000d6` asks for 1000 dice, allowed are 1 to 100 in all; roll in several steps",
        ),
        (
            "1000d1000",
            "`1000d1000` asks for 1000 dice, allowed are 1 to 100 in all; roll in several steps",
        ),
        ("3", "`3` has no die; formulas look like `2d6+3`, `4d6kh3` or `d%`"),
    ] {
        assert_eq!(check(text), error, "{text}");
    }
}

#[test]
fn what_is_out_of_bounds_is_named_with_the_way_out() {
    for (text, error) in [
        ("101d6", "`101d6` asks for 101 dice, allowed are 1 to 100 in all; roll in several steps"),
        (
            "60d6+60d6",
            "`60d6+60d6` asks for 120 dice, allowed are 1 to 100 in all; roll in several steps",
        ),
        ("0d6", "`0d6` asks for 0 dice, allowed are 1 to 100 in all; roll in several steps"),
        ("1d1", "`1d1` has a die with 1 sides, allowed are 2 to 1000"),
        ("d1001", "`d1001` has a die with 1001 sides, allowed are 2 to 1000"),
        ("d6+10001", "`d6+10001` has the number 10001, allowed are 0 to 10000"),
        ("4d6kh5", "`4d6kh5` keeps 5 of 4 dice, allowed are 1 to 4"),
        ("4d6kl0", "`4d6kl0` keeps 0 of 4 dice, allowed are 1 to 4"),
        ("5+7", "`5+7` has no die; formulas look like `2d6+3`, `4d6kh3` or `d%`"),
        (
            "d99999999999999999999999",
            "`d99999999999999999999999` has a die with 18446744073709551615 sides, allowed are 2 to 1000",
        ),
    ] {
        assert_eq!(check(text), error, "{text}");
    }
    assert_eq!(
        check(&"1".repeat(101)),
        "the formula is 101 characters long, at most 100 are read; roll in several steps"
    );
}

#[test]
fn what_is_no_formula_says_what_was_expected_where() {
    for (text, expected) in [
        ("", "`` is no formula: expected a die or a number at the end"),
        ("2d", "`2d` is no formula: expected the number of sides, or `%` at the end"),
        ("2d6+", "`2d6+` is no formula: expected a die or a number at the end"),
        ("2d6*2", "`2d6*2` is no formula: expected `+`, `-` or the end before `*2`"),
        ("d6 fire", "`d6fire` is no formula: expected `+`, `-` or the end before `fire`"),
        ("--d6", "`--d6` is no formula: expected a die or a number before `-d6`"),
        ("🎲", "`🎲` is no formula: expected a die or a number before `🎲`"),
    ] {
        let error = check(text);
        assert_eq!(error.split(';').next(), Some(expected), "{text}");
    }
}

/// Any formula within the limits.
fn formulas() -> impl Strategy<Value = Formula> {
    let dice = (1..=10_u32, SIDES_MIN..=SIDES_MAX, 0..=2_u32, 1..=10_u32).prop_map(
        |(count, sides, keep, kept)| {
            let kept = kept.min(count);
            let keep = [None, Some(Keep::Highest(kept)), Some(Keep::Lowest(kept))][keep as usize];
            TermPart::Dice(DiceTerm { count, sides, keep })
        },
    );
    let part = prop_oneof![dice.clone(), (0..=CONSTANT_MAX).prop_map(TermPart::Constant)];
    let term = (any::<bool>(), part).prop_map(|(negative, part)| Term { negative, part });
    let first = (any::<bool>(), dice).prop_map(|(negative, part)| Term { negative, part });
    (first, prop::collection::vec(term, 0..5)).prop_map(|(first, mut terms)| {
        terms.insert(0, first);
        Formula { terms }
    })
}

proptest! {
    #[test]
    fn a_formula_that_is_written_is_read_as_the_same(formula in formulas()) {
        prop_assert_eq!(Formula::parse(&formula.to_string()), Ok(formula));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[0-9dkhl%+ -]{0,24}|.{0,24}") {
        // Whatever is read keeps its bounds in order.
        if let Ok(formula) = Formula::parse(&text) {
            prop_assert!(formula.minimum() <= formula.maximum());
        }
    }

    #[test]
    fn totals_stay_within_the_bounds_and_kept_dice_were_rolled(
        formula in formulas(),
        seed in any::<u64>(),
        mode in 0..3_usize,
    ) {
        use crate::roll::{Mode, roll};
        let mode = [Mode::Normal, Mode::Advantage, Mode::Disadvantage][mode];
        let rolled = roll(&formula, mode, &mut narratoria_sdk::Rng::new(seed));
        prop_assert!((formula.minimum()..=formula.maximum()).contains(&rolled.total));
        prop_assert!(rolled.dice.iter().all(|die| (1..=i64::from(die.sides)).contains(&die.value)));
        let wanted: u32 = formula.dice().map(DiceTerm::kept).sum();
        prop_assert_eq!(rolled.dice.iter().filter(|die| die.kept).count(), wanted as usize);
    }
}
