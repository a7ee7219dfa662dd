//! Limits how much all scripts of a turn may record and write together.

use narratoria_executor::TurnRecordBudget;
use narratoria_sandbox::TurnDisk;

/// The rest of a turn's budgets. Its plans share it.
#[derive(Debug, Clone)]
pub(crate) struct TurnBudget {
    pub(crate) record: TurnRecordBudget,
    pub(crate) disk: TurnDisk,
}

impl TurnBudget {
    /// Returns the budget of a turn that has not begun.
    pub(crate) fn whole() -> TurnBudget {
        TurnBudget { record: TurnRecordBudget::whole(), disk: TurnDisk::default() }
    }
}
