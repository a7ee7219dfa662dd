//! Text → [`Formula`] and back. Knows notation and limits, not chance.

mod spoken;

use std::fmt;

/// Longest formula, in characters. Players roll formulas of about 30 at most.
pub(crate) const FORMULA_CHARS_MAX: usize = 100;
/// Most dice of one formula. Each is shown to the player.
pub(crate) const DICE_MAX: u32 = 100;
/// Fewest sides of a die: a coin.
pub(crate) const SIDES_MIN: u32 = 2;
/// Most sides of a die.
pub(crate) const SIDES_MAX: u32 = 1000;
/// Largest plain number in a formula.
pub(crate) const CONSTANT_MAX: u32 = 10_000;

/// Dice and numbers that are added up. Within the limits, with at least one die.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Formula {
    terms: Vec<Term>,
}

/// One part of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) negative: bool,
    pub(crate) part: TermPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermPart {
    Dice(DiceTerm),
    Constant(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiceTerm {
    pub(crate) count: u32,
    pub(crate) sides: u32,
    pub(crate) keep: Option<Keep>,
}

/// Which of several dice count; at least one and at most all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Highest(u32),
    Lowest(u32),
}

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormulaError {
    #[error(
        "the formula is {chars} characters long, at most {FORMULA_CHARS_MAX} are read; roll in several steps"
    )]
    TooLong { chars: usize },
    #[error(
        "`{formula}` is no formula: expected {expected} {place}; formulas look like `2d6+3`, `4d6kh3` or `d%`"
    )]
    Syntax { formula: String, place: String, expected: &'static str },
    #[error("`{formula}` has no die; formulas look like `2d6+3`, `4d6kh3` or `d%`")]
    NoDice { formula: String },
    #[error(
        "`{formula}` asks for {count} dice, allowed are 1 to {DICE_MAX} in all; roll in several steps"
    )]
    DiceCount { formula: String, count: u64 },
    #[error("`{formula}` has a die with {sides} sides, allowed are {SIDES_MIN} to {SIDES_MAX}")]
    Sides { formula: String, sides: u64 },
    #[error("`{formula}` has the number {number}, allowed are 0 to {CONSTANT_MAX}")]
    Constant { formula: String, number: u64 },
    #[error("`{formula}` keeps {keep} of {count} dice, allowed are 1 to {count}")]
    Keep { formula: String, keep: u64, count: u32 },
}

impl FormulaError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            FormulaError::TooLong { .. } => "FORMULA_TOO_LONG",
            FormulaError::Syntax { .. } => "FORMULA_SYNTAX",
            FormulaError::NoDice { .. } => "FORMULA_WITHOUT_DICE",
            FormulaError::DiceCount { .. } => "DICE_COUNT",
            FormulaError::Sides { .. } => "DIE_SIDES",
            FormulaError::Constant { .. } => "CONSTANT_RANGE",
            FormulaError::Keep { .. } => "KEEP_COUNT",
        }
    }
}

impl Formula {
    /// Returns the formula with a number added to it, or subtracted from it. Adding 0 changes nothing.
    pub(crate) fn plus(mut self, modifier: i64) -> Formula {
        let number =
            u32::try_from(modifier.unsigned_abs()).unwrap_or(CONSTANT_MAX).min(CONSTANT_MAX);
        if number > 0 {
            self.terms.push(Term { negative: modifier < 0, part: TermPart::Constant(number) });
        }
        self
    }

    /// Reads a formula in notation or in words; case and blanks do not matter.
    pub(crate) fn parse(text: &str) -> Result<Formula, FormulaError> {
        let chars = text.chars().count();
        if chars > FORMULA_CHARS_MAX {
            return Err(FormulaError::TooLong { chars });
        }
        let formula = spoken::to_notation(text);
        let mut reader = FormulaReader { formula: &formula, rest: &formula };
        let mut terms = Vec::new();
        let mut negative = reader.eat("-");
        if !negative {
            reader.eat("+");
        }
        loop {
            terms.push(Term { negative, part: reader.part()? });
            if reader.rest.is_empty() {
                break;
            }
            negative = reader.eat("-");
            if !negative && !reader.eat("+") {
                return Err(reader.expected("`+`, `-` or the end"));
            }
        }
        let parsed = Formula { terms };
        let count: u64 = parsed.dice().map(|dice| u64::from(dice.count)).sum();
        if count == 0 {
            return Err(FormulaError::NoDice { formula });
        }
        if count > u64::from(DICE_MAX) {
            return Err(FormulaError::DiceCount { formula, count });
        }
        Ok(parsed)
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// True if advantage has a meaning here.
    pub(crate) fn has_single_d20(&self) -> bool {
        self.dice().any(DiceTerm::is_single_d20)
    }

    /// The sum of the plain numbers.
    pub(crate) fn modifier(&self) -> i64 {
        self.sum(|part| match part {
            TermPart::Constant(number) => (i64::from(number), i64::from(number)),
            TermPart::Dice(_) => (0, 0),
        })
    }

    /// The lowest possible total.
    pub(crate) fn minimum(&self) -> i64 {
        self.sum(TermPart::range)
    }

    /// The highest possible total.
    pub(crate) fn maximum(&self) -> i64 {
        self.sum(|part| {
            let (low, high) = part.range();
            (high, low)
        })
    }

    /// Adds up the first value of each positive term and takes off the second of each negative one.
    fn sum(&self, values: impl Fn(TermPart) -> (i64, i64)) -> i64 {
        let signed = self.terms.iter().map(|term| match values(term.part) {
            (_, value) if term.negative => -value,
            (value, _) => value,
        });
        signed.sum()
    }

    fn dice(&self) -> impl Iterator<Item = &DiceTerm> {
        self.terms.iter().filter_map(|term| match &term.part {
            TermPart::Dice(dice) => Some(dice),
            TermPart::Constant(_) => None,
        })
    }
}

impl TermPart {
    /// Its lowest and its highest value.
    fn range(self) -> (i64, i64) {
        match self {
            TermPart::Constant(number) => (i64::from(number), i64::from(number)),
            TermPart::Dice(dice) => {
                let kept = i64::from(dice.kept());
                (kept, kept * i64::from(dice.sides))
            }
        }
    }
}

impl DiceTerm {
    pub(crate) fn is_single_d20(&self) -> bool {
        self.count == 1 && self.sides == 20
    }

    /// How many count.
    pub(crate) fn kept(&self) -> u32 {
        match self.keep {
            Some(Keep::Highest(kept) | Keep::Lowest(kept)) => kept,
            None => self.count,
        }
    }
}

/// The rest of a formula without blanks, in lower case.
struct FormulaReader<'a> {
    formula: &'a str,
    rest: &'a str,
}

impl FormulaReader<'_> {
    fn part(&mut self) -> Result<TermPart, FormulaError> {
        let number = self.number();
        if !self.eat("d") {
            let number = number.ok_or_else(|| self.expected("a die or a number"))?;
            return match u32::try_from(number) {
                Ok(constant) if constant <= CONSTANT_MAX => Ok(TermPart::Constant(constant)),
                _ => Err(FormulaError::Constant { formula: self.formula.to_owned(), number }),
            };
        }
        let count = number.unwrap_or(1);
        let Some(count) = u32::try_from(count).ok().filter(|count| (1..=DICE_MAX).contains(count))
        else {
            return Err(FormulaError::DiceCount { formula: self.formula.to_owned(), count });
        };
        let sides = if self.eat("%") { Some(100) } else { self.number() };
        let sides = sides.ok_or_else(|| self.expected("the number of sides, or `%`"))?;
        let Some(sides) =
            u32::try_from(sides).ok().filter(|sides| (SIDES_MIN..=SIDES_MAX).contains(sides))
        else {
            return Err(FormulaError::Sides { formula: self.formula.to_owned(), sides });
        };
        Ok(TermPart::Dice(DiceTerm { count, sides, keep: self.keep(count)? }))
    }

    /// `kh3`, `kl1`, or `k3`, which keeps the highest; without a number it keeps one.
    fn keep(&mut self, count: u32) -> Result<Option<Keep>, FormulaError> {
        if !self.eat("k") {
            return Ok(None);
        }
        let lowest = self.eat("l");
        if !lowest {
            self.eat("h");
        }
        let keep = self.number().unwrap_or(1);
        let Some(kept) = u32::try_from(keep).ok().filter(|kept| (1..=count).contains(kept)) else {
            return Err(FormulaError::Keep { formula: self.formula.to_owned(), keep, count });
        };
        Ok(Some(if lowest { Keep::Lowest(kept) } else { Keep::Highest(kept) }))
    }

    /// Digits; one with more than fit counts as the largest number, which is above every limit.
    fn number(&mut self) -> Option<u64> {
        let end = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expected(&self, expected: &'static str) -> FormulaError {
        let place = match self.rest {
            "" => "at the end".to_owned(),
            rest => format!("before `{rest}`"),
        };
        FormulaError::Syntax { formula: self.formula.to_owned(), place, expected }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, term) in self.terms.iter().enumerate() {
            match (term.negative, idx) {
                (true, _) => out.write_str("-")?,
                (false, 0) => {}
                (false, _) => out.write_str("+")?,
            }
            match term.part {
                TermPart::Constant(number) => write!(out, "{number}")?,
                TermPart::Dice(DiceTerm { count, sides, keep }) => {
                    write!(out, "{count}d{sides}")?;
                    match keep {
                        Some(Keep::Highest(kept)) => write!(out, "kh{kept}")?,
                        Some(Keep::Lowest(kept)) => write!(out, "kl{kept}")?,
                        None => {}
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
