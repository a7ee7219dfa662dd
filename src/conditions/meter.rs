//! Limits the work that evaluating a condition may cost.

use std::borrow::Cow;

/// Evaluation costs one unit for each part of the condition that is visited, each value that is compared and each
/// 16 bytes of text, and 64 for a number that becomes a text or the other way round. A loop over ten thousand values fits, and evaluation reaches the limit within a fraction of a
/// second.
pub const CONDITION_COST_MAX: u64 = 1_000_000;

/// How much text costs as much as one value.
pub(crate) const TEXT_BYTES_PER_COST: usize = 16;

/// Why a part of a condition has no value.
#[derive(Debug)]
pub(crate) enum CelError {
    /// The reason, in one sentence.
    NoValue(Cow<'static, str>),
    /// The limit is reached. No operator may recover from this.
    CostExceeded,
}

/// Faults of one evaluation that get a sentence. Writing one takes as long as a hundred units of cost, and `&&`, `||` and
/// loops may pass over thousands of faults.
const SENTENCES_MAX: u32 = 4;

/// The sentence of every fault after these.
const NO_SENTENCE: &str = "many parts of it have no value";

/// Cost of converting a number to a text or back: a fraction may have hundreds of digits.
pub(crate) const CONVERSION_COST: usize = 64;

/// The cost that is left.
pub(crate) struct CostMeter {
    left: u64,
    sentences_left: u32,
}

impl CostMeter {
    pub(crate) fn new() -> CostMeter {
        CostMeter { left: CONDITION_COST_MAX, sentences_left: SENTENCES_MAX }
    }

    /// The cost so far.
    #[cfg(test)]
    pub(crate) fn spent(&self) -> u64 {
        CONDITION_COST_MAX - self.left
    }

    pub(crate) fn spend(&mut self, cost: usize) -> Result<(), CelError> {
        self.left = self.left.checked_sub(cost as u64).ok_or(CelError::CostExceeded)?;
        Ok(())
    }

    /// Returns the error for a part that has no value. `what` writes its sentence, unless the limit of sentences is
    /// reached.
    pub(crate) fn no_value<T>(&mut self, what: impl FnOnce() -> String) -> Result<T, CelError> {
        let Some(left) = self.sentences_left.checked_sub(1) else {
            return Err(CelError::NoValue(NO_SENTENCE.into()));
        };
        self.sentences_left = left;
        Err(CelError::NoValue(what().into()))
    }

    pub(crate) fn spend_text(&mut self, text: &str) -> Result<(), CelError> {
        self.spend(text.len() / TEXT_BYTES_PER_COST)
    }
}
