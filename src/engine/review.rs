//! A person looks at a plan before it runs (S2 "Plan Review"): as library calls, so that a terminal and a
//! web page do the same thing. Each edit makes a new version with lineage; a refused one changes nothing.

use std::{collections::BTreeSet, pin::Pin};

use tokio_util::sync::CancellationToken;

use super::{ClockAndIds, Update, reuse::PreviousResults, session::UpdateSink};
use narratoria_plan::{
    BuildOptions, Plan, PlanEdit, PlanEditError, PlanJson, PlanRevision, apply_edit,
};
use narratoria_skills::Catalog;

/// Most edits of one draft. A person makes a few; a program that edits for ever must come to an end.
pub const EDITS_MAX: usize = 1_000;

/// A plan before it runs. Nothing of it has run, except what an earlier plan of the turn had done.
#[derive(Debug, Clone)]
pub struct PlanDraft {
    /// As it would be written.
    pub json: PlanJson,
    /// The same, checked.
    pub plan: Plan,
    /// Who made it: a voice, or `player` after an edit.
    pub created_by: String,
    /// Counted from 1 within the turn.
    pub version: u32,
    /// Steps that are done already, or that a person has denied, and would not run again; by `toolId`.
    pub reused_results: BTreeSet<String>,
}

/// What a person makes of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewVerdict {
    /// Run it.
    Start,
    /// Run nothing; the turn ends.
    Cancel,
    /// Change it and show it again.
    Edit(PlanEdit),
    /// Ask the planner for another.
    Regenerate {
        /// What is wrong with this one, in the person's words.
        remark: String,
    },
}

/// A verdict on its way.
pub type ReviewFuture<'a> = Pin<Box<dyn Future<Output = ReviewVerdict> + Send + 'a>>;

/// Somebody who looks at plans before they run.
pub trait Reviewer: Send {
    /// Looks at one version of a draft. `refused` says why the last verdict came to nothing, if it did: the
    /// draft is then the same as before.
    fn review<'a>(&'a mut self, draft: &'a PlanDraft, refused: Option<&'a str>)
    -> ReviewFuture<'a>;
}

/// How a review ended.
pub(super) enum ReviewOutcome {
    Start(Box<PlanDraft>),
    Cancelled,
    Regenerate(String),
}

/// What a review needs besides the draft.
pub(super) struct PlanReview<'a> {
    pub(super) turn: u64,
    pub(super) catalog: &'a Catalog,
    pub(super) disabled: &'a BTreeSet<String>,
    pub(super) results: &'a PreviousResults,
    /// Skills that have failed for good in this session.
    pub(super) failed_skills: &'a BTreeSet<String>,
    /// Why nobody can be asked for another, if so.
    pub(super) can_regenerate: Result<(), &'static str>,
    pub(super) clock_and_ids: &'a ClockAndIds,
    pub(super) cancel: &'a CancellationToken,
    pub(super) reviewer: &'a mut dyn Reviewer,
}

impl PlanReview<'_> {
    /// Shows the draft until it is started, cancelled or sent back. Also gives each new version and what
    /// changed, in order.
    pub(super) async fn run(
        &mut self,
        mut draft: PlanDraft,
        updates: UpdateSink<'_>,
    ) -> (ReviewOutcome, Vec<(PlanDraft, String)>) {
        let (mut refused, mut versions) = (None::<String>, Vec::new());
        for _ in 0..EDITS_MAX {
            let verdict = tokio::select! {
                biased;
                () = self.cancel.cancelled() => ReviewVerdict::Cancel,
                verdict = self.reviewer.review(&draft, refused.as_deref()) => verdict,
            };
            self.report_verdict(&draft, &verdict, updates);
            refused = None;
            match verdict {
                ReviewVerdict::Start => return (ReviewOutcome::Start(Box::new(draft)), versions),
                ReviewVerdict::Cancel => return (ReviewOutcome::Cancelled, versions),
                ReviewVerdict::Regenerate { remark } => match self.can_regenerate {
                    Ok(()) => return (ReviewOutcome::Regenerate(remark), versions),
                    Err(why) => refused = Some(why.to_owned()),
                },
                ReviewVerdict::Edit(change) => match self.apply_edit(&draft, &change) {
                    Ok((next, changes)) => {
                        updates(Update::PlanRevised {
                            turn: self.turn,
                            plan_id: next.json.request_id.clone(),
                            parent_plan_id: draft.json.request_id.clone(),
                            version: next.version,
                            changes: changes.clone(),
                        });
                        versions.push((next.clone(), changes));
                        draft = next;
                    }
                    Err(why) => refused = Some(why),
                },
            }
        }
        (ReviewOutcome::Cancelled, versions)
    }

    fn apply_edit(
        &self,
        draft: &PlanDraft,
        change: &PlanEdit,
    ) -> Result<(PlanDraft, String), String> {
        let options = |kept: &BTreeSet<String>, mended: BTreeSet<String>| BuildOptions {
            disabled_skills: self.disabled.clone(),
            reused_results: kept.clone(),
            repaired_steps: mended,
            ..BuildOptions::default()
        };
        let id = (self.clock_and_ids.ids)().to_string();
        let lenient =
            options(&draft.reused_results, self.results.repairable_ids(self.failed_skills));
        let PlanRevision { json, changes, .. } =
            apply_edit(&draft.json, change, self.catalog, &lenient, id)
                .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        let (by, version) = (PLAYER.to_owned(), draft.version + 1);
        // A step that was changed runs again, so its skill must be one that may run.
        let kept = self.results.reusable_ids(&json);
        let strict = options(&kept, self.results.repaired_ids(&json, self.failed_skills));
        let plan = Plan::build(json.clone(), self.catalog, &strict)
            .map_err(PlanEditError::InvalidPlan)
            .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        Ok((PlanDraft { json, plan, created_by: by, version, reused_results: kept }, changes))
    }

    fn report_verdict(&self, draft: &PlanDraft, verdict: &ReviewVerdict, updates: UpdateSink<'_>) {
        let decision = match verdict {
            ReviewVerdict::Start => "start",
            ReviewVerdict::Cancel => "cancel",
            ReviewVerdict::Edit(_) => "edit",
            ReviewVerdict::Regenerate { .. } => "regenerate",
        };
        updates(Update::PlanReviewed {
            turn: self.turn,
            plan_id: draft.json.request_id.clone(),
            decision: decision.to_owned(),
        });
    }
}

fn with_hints(error: &str, hints: Vec<String>) -> String {
    match hints.is_empty() {
        true => error.to_owned(),
        false => format!("{error} ({})", hints.join("; ")),
    }
}

/// Where a plan comes from a file, nobody can be asked for another.
pub(super) const NO_PLANNER: &str = "there is no sentence that another plan could be made of; `narratoria plan new` \
    makes a plan of one, `narratoria run --review` reviews it";

/// There is an end to it.
pub(super) const TOO_MANY_REGENERATIONS: &str = "no other plan is made in this turn, so many were sent back \
    already; start this one, change it yourself, or cancel";

/// Who makes an edited plan.
pub(super) const PLAYER: &str = "player";
