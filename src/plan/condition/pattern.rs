//! The pattern of a `matches`, compiled when the condition is checked.

use regex::{Regex, RegexBuilder};

use narratoria_conditions::TextPattern;
use narratoria_skills::{PATTERN_BYTES_MAX, PatternSize};

/// States of a pattern that cost as much as one value on each byte.
const STATES_PER_COST: usize = 64;

/// A pattern that was measured before it was compiled.
#[derive(Debug)]
pub(super) struct ConditionPattern {
    regex: Regex,
    cost_per_byte: usize,
}

impl ConditionPattern {
    pub(super) fn build(pattern: &str, size: &PatternSize) -> Result<ConditionPattern, String> {
        let regex = RegexBuilder::new(pattern)
            .size_limit(8 * PATTERN_BYTES_MAX)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(ConditionPattern { regex, cost_per_byte: 1 + size.states / STATES_PER_COST })
    }
}

impl TextPattern for ConditionPattern {
    fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    fn cost_per_byte(&self) -> usize {
        self.cost_per_byte
    }
}
