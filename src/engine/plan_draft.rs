//! A checked plan before it runs, made by a planner, by the player, or from a file.

use std::collections::BTreeSet;

use super::{TurnError, TurnErrorKind, eager_execution::EagerHandover};
use narratoria_executor::ReusedResults;
use narratoria_plan::{BuildOptions, DurationEstimate, Plan, PlanJson};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// `createdBy` of a plan that came with the request. The turn then has no planner to ask for another plan.
pub(crate) const FILE_PLANNER: &str = "file";

/// `createdBy` of an edited plan.
pub(crate) const PLAYER: &str = "player";

/// A plan before it runs. None of its steps has run, except in an earlier plan of the turn.
#[derive(Debug, Clone)]
pub struct PlanDraft {
    pub json: PlanJson,
    /// Built from `json`.
    pub plan: Plan,
    /// A planner's name, or `player` after an edit.
    pub created_by: String,
    /// Counted from 1 within the turn.
    pub version: u32,
    /// `toolId`s of the steps that would not run again, because they are done or a person denied them.
    pub reused_results: BTreeSet<String>,
    /// How long it may take, for its reviewer. `None` without a review, and in a repeatable session.
    pub estimate: Option<DurationEstimate>,
}

/// A draft with the results that it starts from.
pub(crate) struct PlanStart {
    pub(crate) draft: PlanDraft,
    /// `None` for a draft that has not started; its `reused_results` then name results of earlier plans.
    pub(crate) reused_results: Option<ReusedResults>,
    /// The results of steps that ran while this plan was being written.
    pub(crate) eager: Option<EagerHandover>,
}

impl PlanDraft {
    /// Creates the first version of a plan from a file.
    pub(crate) fn from_file(
        json: PlanJson,
        catalog: &Catalog,
        disabled_skills: BTreeSet<String>,
        state: &Object,
    ) -> Result<PlanDraft, TurnError> {
        Ok(PlanDraft {
            plan: build_given_plan(json.clone(), catalog, disabled_skills, state)?,
            json,
            created_by: FILE_PLANNER.to_owned(),
            version: 1,
            reused_results: BTreeSet::new(),
            estimate: None,
        })
    }

    /// Returns true if the player has edited it, so that no planner made it as it is.
    pub fn is_edited(&self) -> bool {
        self.created_by == PLAYER
    }
}

impl From<PlanDraft> for PlanStart {
    fn from(draft: PlanDraft) -> PlanStart {
        PlanStart { draft, reused_results: None, eager: None }
    }
}

/// Checks a plan that does not come from the turn's planner. The errors go to the person who gave it.
pub(crate) fn build_given_plan(
    json: PlanJson,
    catalog: &Catalog,
    disabled_skills: BTreeSet<String>,
    state: &Object,
) -> Result<Plan, TurnError> {
    let state_values = Some(catalog.state_values(state));
    let options = BuildOptions { disabled_skills, state_values, ..BuildOptions::default() };
    Plan::build(json, catalog, &options).map_err(|errors| {
        let hints = errors.hints();
        TurnError { hints, ..TurnError::new(TurnErrorKind::BadInput, errors) }
    })
}
