//! Ranges of numbers: the bounds that several schemas set together, and the part of the range that can be written.

use narratoria_skills::schema_view::SchemaKeywords;
use serde_json::{Number, Value};

use super::error::LoweringError;
use crate::llama::grammar_type::{GrammarType, from_hundredths};

/// The bound of numbers for which the schema sets none.
const NUMBER_MAX: i64 = 9_999;
/// Beyond it a double is no longer exact, and neither is any comparison.
const EXACT_MAX: i64 = (1 << 53) - 1;
/// Hundredths must be exact too.
const DECIMAL_MAX: i64 = EXACT_MAX / 100;
/// Greatest `multipleOf`: the grammar keeps a state for each remainder.
const STEP_MAX: i64 = 10_000;
/// Up to this many multiples the grammar lists each one.
const MULTIPLES_LISTED_MAX: i64 = 64;

/// One bound of a range.
#[derive(Debug, Clone, Copy)]
struct RangeEnd {
    value: f64,
    is_exclusive: bool,
}

/// All bounds of a number.
#[derive(Debug, Clone)]
pub(super) struct NumberRange {
    low: Option<RangeEnd>,
    high: Option<RangeEnd>,
    step: i64,
    is_whole: bool,
}

impl Default for NumberRange {
    fn default() -> NumberRange {
        NumberRange { low: None, high: None, step: 1, is_whole: false }
    }
}

impl NumberRange {
    /// Adds the bounds of one more schema object.
    pub(super) fn narrow(&mut self, keywords: SchemaKeywords<'_>) -> Result<(), LoweringError> {
        for (word, is_low, is_exclusive) in [
            ("minimum", true, false),
            ("exclusiveMinimum", true, true),
            ("maximum", false, false),
            ("exclusiveMaximum", false, true),
        ] {
            let Some(value) = keywords.get(word) else { continue };
            let at = value.as_f64().filter(|at| at.is_finite());
            let at = at.ok_or_else(|| format!("has the `{word}` {value}"))?;
            let end = RangeEnd { value: at, is_exclusive };
            let current = if is_low { &mut self.low } else { &mut self.high };
            let is_tighter = current.is_none_or(|old| match is_low {
                true => at > old.value || (at == old.value && is_exclusive),
                false => at < old.value || (at == old.value && is_exclusive),
            });
            if is_tighter {
                *current = Some(end);
            }
        }
        match keywords.get("multipleOf") {
            None => Ok(()),
            Some(step) => self.narrow_to_multiples(step),
        }
    }

    /// Every whole number is a multiple of a step of 1/2, 1/4, 1/8 and so on, however the validator divides. For
    /// other fractions the answer depends on rounding.
    fn narrow_to_multiples(&mut self, of: &Value) -> Result<(), LoweringError> {
        self.is_whole = true;
        let refused = || format!("has the `multipleOf` {of}");
        let step = of.as_f64().filter(|step| *step > 0.0).ok_or_else(refused)?;
        if step < 1.0 {
            let parts = 1.0 / step;
            let is_power =
                parts <= 1024.0 && parts.fract() == 0.0 && (parts as u64).is_power_of_two();
            return if is_power { Ok(()) } else { Err(refused()) };
        }
        if step.fract() != 0.0 || step > STEP_MAX as f64 {
            return Err(refused());
        }
        let step = step as i64;
        self.step = self.step / gcd(self.step, step) * step;
        if self.step > STEP_MAX { Err(refused()) } else { Ok(()) }
    }

    /// Returns true if a number of an `enum` is in the range.
    pub(super) fn admits(&self, number: f64) -> bool {
        self.is_above(number)
            && self.is_below(number)
            && (!self.is_whole || (number.fract() == 0.0 && number % self.step as f64 == 0.0))
    }

    fn is_above(&self, number: f64) -> bool {
        self.low.is_none_or(
            |low| if low.is_exclusive { number > low.value } else { number >= low.value },
        )
    }

    fn is_below(&self, number: f64) -> bool {
        self.high.is_none_or(|high| {
            if high.is_exclusive { number < high.value } else { number <= high.value }
        })
    }

    /// The numbers of the range that a model may write: whole numbers, or numbers of two decimals.
    pub(super) fn grammar_type(&self, is_whole: bool) -> Result<GrammarType, LoweringError> {
        let none = || "accepts no number that can be written".to_owned();
        if !is_whole && !self.is_whole {
            let (min, max) = self.writable_bounds(100, DECIMAL_MAX).ok_or_else(none)?;
            return Ok(GrammarType::Decimal { min, max });
        }
        let (low, high) = self.writable_bounds(1, EXACT_MAX).ok_or_else(none)?;
        let step = self.step;
        let min = low.div_euclid(step) * step;
        let min = if min < low { min + step } else { min };
        let max = high.div_euclid(step) * step;
        if min > max {
            return Err(none());
        }
        if step > 1 && (max - min) / step < MULTIPLES_LISTED_MAX {
            let multiples = (0..=(max - min) / step).map(|count| Value::from(min + count * step));
            return Ok(GrammarType::Enum(multiples.collect()));
        }
        Ok(GrammarType::Integer { min, max, step })
    }

    /// The least and the greatest number of the range, counted in parts of one; none if the range has no such number.
    fn writable_bounds(&self, parts: i64, whole_max: i64) -> Option<(i64, i64)> {
        let clamp = |at: f64| at.clamp(-(whole_max as f64), whole_max as f64);
        let low = self.low.map(|end| clamp(end.value));
        let high = self.high.map(|end| clamp(end.value));
        let usual = NUMBER_MAX as f64;
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, clamp(usual.max(low + usual))),
            (None, Some(high)) => (clamp((-usual).min(high - usual)), high),
            (None, None) => (-usual, usual),
        };
        let value = |count: i64| match parts {
            1 => count as f64,
            _ => from_hundredths(count),
        };
        let mut min = (low * parts as f64).ceil() as i64;
        let mut max = (high * parts as f64).floor() as i64;
        // Rounding moves each product above by less than one.
        for _ in 0..2 {
            if !self.is_above(value(min)) {
                min += 1;
            }
            if !self.is_below(value(max)) {
                max -= 1;
            }
        }
        let fits = min <= max && self.is_above(value(min)) && self.is_below(value(max));
        fits.then_some((min, max))
    }
}

/// Returns true if a number of an `enum` is written exactly and parsed exactly.
pub(super) fn is_exact(number: &Number) -> bool {
    if let Some(whole) = number.as_i64() {
        return whole.abs() <= EXACT_MAX;
    }
    let Some(double) = number.as_f64() else { return false };
    let text = double.to_string();
    double.is_finite() && !(double == 0.0 && double.is_sign_negative()) && text.len() <= 24
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
