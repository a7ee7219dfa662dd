//! The request for a turn: the player's sentence, its limits, and a plan or a reviewer if there is one.

use super::{Reviewer, TurnError, TurnErrorKind};
use narratoria_plan::PlanJson;

/// Longest sentence a player may type. A page of prose is about 3 KiB.
pub const PROMPT_BYTES_MAX: usize = 64 << 10;

/// A turn to be played.
pub struct TurnRequest<'a> {
    /// The player's sentence.
    pub prompt: &'a str,
    /// A plan from a file, in place of the planner's. It is tried once: if it fails, the turn ends in
    /// fallback narration.
    pub plan: Option<PlanJson>,
    /// Reviews each plan before it runs.
    pub reviewer: Option<&'a mut dyn Reviewer>,
}

impl<'a> TurnRequest<'a> {
    /// Creates a request with a sentence for the planner, without review.
    pub fn sentence(prompt: &'a str) -> TurnRequest<'a> {
        TurnRequest { prompt, plan: None, reviewer: None }
    }
}

/// Trims a sentence, and refuses one that is empty or too long.
pub(crate) fn check_prompt(prompt: &str) -> Result<&str, TurnError> {
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return Err(TurnError::new(TurnErrorKind::BadInput, "the sentence is empty")
            .hint("type what you want to do, for example `I look around`"));
    }
    if prompt.len() > PROMPT_BYTES_MAX {
        let error =
            format!("the sentence has {} bytes, the limit is {PROMPT_BYTES_MAX}", prompt.len());
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("say it in fewer words"));
    }
    Ok(prompt)
}
