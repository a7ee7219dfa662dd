//! The interface between a review and the person who decides, so that a terminal and a web page review plans
//! in the same way.

use std::pin::Pin;

use super::PlanDraft;
use narratoria_plan::PlanEdit;

/// Decides about plans before they run.
pub trait Reviewer: Send {
    /// Looks at one version of a draft. `refused` says why the last verdict had no effect, if it had none;
    /// the draft is then the same as before.
    fn review<'a>(&'a mut self, draft: &'a PlanDraft, refused: Option<&'a str>)
    -> ReviewFuture<'a>;
}

pub type ReviewFuture<'a> = Pin<Box<dyn Future<Output = ReviewVerdict> + Send + 'a>>;

#[derive(Debug, Clone, PartialEq)]
pub enum ReviewVerdict {
    /// Run the draft.
    Start,
    /// Run nothing; the turn ends.
    Cancel,
    /// Change the draft and show it again.
    Edit(PlanEdit),
    /// Ask the planner for another plan.
    Regenerate {
        /// The person's objection, in their own words.
        remark: String,
    },
}
