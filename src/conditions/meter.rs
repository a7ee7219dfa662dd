//! Limits the work that evaluating a condition may cost.

/// Evaluation costs one unit for each part of the condition that is visited, each value that is compared and each
/// 16 bytes of text. A loop over ten thousand values fits, and evaluation reaches the limit within a fraction of a
/// second.
pub const CONDITION_COST_MAX: u64 = 1_000_000;

/// How much text costs as much as one value.
const TEXT_BYTES_PER_COST: usize = 16;

/// Why a part of a condition has no value.
#[derive(Debug)]
pub(crate) enum CelError {
    /// The reason, in one sentence.
    NoValue(String),
    /// The limit is reached. No operator may recover from this.
    CostExceeded,
}

pub(crate) fn no_value<T>(what: String) -> Result<T, CelError> {
    Err(CelError::NoValue(what))
}

/// The cost that is left.
pub(crate) struct CostMeter {
    left: u64,
}

impl CostMeter {
    pub(crate) fn new() -> CostMeter {
        CostMeter { left: CONDITION_COST_MAX }
    }

    pub(crate) fn spend(&mut self, cost: usize) -> Result<(), CelError> {
        self.left = self.left.checked_sub(cost as u64).ok_or(CelError::CostExceeded)?;
        Ok(())
    }

    pub(crate) fn spend_text(&mut self, text: &str) -> Result<(), CelError> {
        self.spend(text.len() / TEXT_BYTES_PER_COST)
    }
}
