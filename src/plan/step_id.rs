//! How a step is identified: by its `toolId` in the text, by its index once the plan is built.

/// Longest `toolId`. Ids appear in every message and in references: they are names, not texts.
pub(crate) const TOOL_ID_BYTES_MAX: usize = 64;

/// Index of a step in its plan's run order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepIdx(pub usize);
