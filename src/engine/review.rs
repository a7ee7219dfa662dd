//! Stage 3 of a turn: a person reviews the draft before it runs (S2 "Plan Review UI"). Each edit makes a new
//! version with lineage; a refused edit changes nothing.

use std::collections::BTreeSet;

use tokio_util::sync::CancellationToken;

use super::{
    ClockAndIds, PlanDraft, ReviewDecision, ReviewVerdict, Reviewer, SessionOptions, Update,
    attempt_log::PlanVersion,
    plan_draft::{PLAYER, PlanStart},
    plan_source::PlanSource,
    reuse::PreviousResults,
    turn_run::TurnRun,
    update::UpdateSink,
};
use narratoria_plan::{
    BuildOptions, Plan, PlanEdit, PlanEditError, PlanRevision, ScriptTimes, apply_edit,
};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// Most edits of one draft. A person makes a few; a program that always edits must come to an end.
pub(crate) const EDITS_MAX: usize = 1_000;

/// How often a player may send a draft back in one turn. Generations that are sent back do not count as
/// attempts, so they need a limit of their own.
pub const REGENERATIONS_MAX: u32 = 32;

/// The refusal of [`ReviewVerdict::Regenerate`] for a plan from a file.
pub(crate) const NO_PLANNER: &str = "there is no sentence that another plan could be made of; `narratoria plan new` \
    makes a plan of one, `narratoria run --review` reviews it";

/// The refusal of [`ReviewVerdict::Regenerate`] after [`REGENERATIONS_MAX`] of them.
const TOO_MANY_REGENERATIONS: &str = "no other plan is made in this turn, so many were sent back \
    already; start this one, change it yourself, or cancel";

pub(crate) enum ReviewOutcome {
    Start(Box<PlanStart>),
    Cancelled,
    /// The person wants another plan. Holds their remark.
    Regenerate(String),
}

/// Has a draft reviewed, if the turn has a reviewer, and records each edit as a version. A plan that has run in
/// part goes on without review.
pub(crate) async fn review(
    turn: &mut TurnRun<'_>,
    start: PlanStart,
    source: &mut PlanSource<'_>,
) -> ReviewOutcome {
    let can_regenerate = match source.can_replan {
        false => Err(NO_PLANNER),
        true if source.regenerations == REGENERATIONS_MAX => Err(TOO_MANY_REGENERATIONS),
        true => Ok(()),
    };
    let reviewer = match &mut source.reviewer {
        Some(reviewer) if start.reused_results.is_none() => &mut **reviewer,
        _ => return ReviewOutcome::Start(Box::new(start)),
    };
    let (failed_skills, planner_skips) = (turn.failed_skills(), turn.attempts.planner_skips());
    let script_times = turn.script_times();
    let TurnRun { host, story, context, attempts, updates, .. } = turn;
    let mut review = PlanReview {
        turn: context.turn,
        catalog: host.catalog,
        state: story.state().as_object(),
        disabled: attempts.disabled(),
        results: attempts.results(),
        failed_skills: &failed_skills,
        planner_skips: &planner_skips,
        can_regenerate,
        script_times: &script_times,
        options: host.options,
        clock_and_ids: host.clock_and_ids,
        cancel: context.cancel,
        reviewer,
    };
    let (outcome, versions) = review.run(start.draft, updates).await;
    for (draft, changes) in versions {
        let (task, created_at) = (context.prompt, host.clock_and_ids.now());
        let version = PlanVersion::of(&draft.json, &draft.created_by, task, created_at);
        attempts.record_edit(version, &changes);
    }
    outcome
}

/// A review, inside a turn or of a plan that belongs to no story.
pub(crate) struct PlanReview<'a> {
    pub(crate) turn: u64,
    pub(crate) catalog: &'a Catalog,
    /// The state at the start of the turn.
    pub(crate) state: &'a Object,
    pub(crate) disabled: &'a BTreeSet<String>,
    pub(crate) results: &'a PreviousResults,
    /// Skills that failed permanently in this session.
    pub(crate) failed_skills: &'a BTreeSet<String>,
    /// `toolId`s of the steps that the planner left out.
    pub(crate) planner_skips: &'a BTreeSet<String>,
    /// Why the planner cannot be asked for another plan, if it cannot.
    pub(crate) can_regenerate: Result<(), &'static str>,
    pub(crate) script_times: &'a ScriptTimes,
    pub(crate) options: &'a SessionOptions,
    pub(crate) clock_and_ids: &'a ClockAndIds,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) reviewer: &'a mut dyn Reviewer,
}

impl PlanReview<'_> {
    /// Shows the draft until the person starts it, cancels it or sends it back. Also returns each new version
    /// with its changes, in order.
    pub(crate) async fn run(
        &mut self,
        mut draft: PlanDraft,
        updates: UpdateSink<'_>,
    ) -> (ReviewOutcome, Vec<(PlanDraft, String)>) {
        let (mut refused, mut versions) = (None::<String>, Vec::new());
        for _ in 0..EDITS_MAX {
            let estimate = || self.script_times.estimate(&draft.plan, self.options.plan_timeout);
            draft.estimate = (!self.options.repeatable).then(estimate);
            let verdict = tokio::select! {
                biased;
                () = self.cancel.cancelled() => ReviewVerdict::Cancel,
                verdict = self.reviewer.review(&draft, refused.as_deref()) => verdict,
            };
            self.report_verdict(&draft, &verdict, updates);
            refused = None;
            match verdict {
                ReviewVerdict::Start => {
                    return (ReviewOutcome::Start(Box::new(draft.into())), versions);
                }
                ReviewVerdict::Cancel => return (ReviewOutcome::Cancelled, versions),
                ReviewVerdict::Regenerate { remark } => match self.can_regenerate {
                    Ok(()) => return (ReviewOutcome::Regenerate(remark), versions),
                    Err(why) => refused = Some(why.to_owned()),
                },
                ReviewVerdict::Edit(edit) => match self.apply_edit(&draft, &edit) {
                    Ok((next, changes)) => {
                        updates(Update::PlanRevised {
                            turn: self.turn,
                            plan_id: next.json.request_id.clone(),
                            parent_plan_id: draft.json.request_id.clone(),
                            version: next.version,
                            changes: changes.clone(),
                            plan: Some(Box::new(next.json.clone())),
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
        edit: &PlanEdit,
    ) -> Result<(PlanDraft, String), String> {
        let options =
            |reused_results: &BTreeSet<String>, repaired_steps: BTreeSet<String>| BuildOptions {
                disabled_skills: self.disabled.clone(),
                reused_results: reused_results.clone(),
                repaired_steps,
                skipped_by_planner: self.planner_skips.clone(),
                state_values: Some(self.catalog.state_values(self.state)),
                ..BuildOptions::default()
            };
        let id = self.clock_and_ids.new_id();
        let lenient =
            options(&draft.reused_results, self.results.repairable_ids(self.failed_skills));
        let PlanRevision { mut json, changes, .. } =
            apply_edit(&draft.json, edit, self.catalog, &lenient, id)
                .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        let (created_by, version) = (PLAYER.to_owned(), draft.version + 1);
        // A changed step runs again, so its skill must be allowed to run.
        let reused_results = self.results.reusable_ids(&json);
        let strict = options(&reused_results, self.results.repaired_ids(&json, self.failed_skills));
        json.disabled_skills = strict.disabled_skills_of(&json, self.catalog);
        let plan = Plan::build(json.clone(), self.catalog, &strict)
            .map_err(PlanEditError::InvalidPlan)
            .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        let estimate = None;
        Ok((PlanDraft { json, plan, created_by, version, reused_results, estimate }, changes))
    }

    fn report_verdict(&self, draft: &PlanDraft, verdict: &ReviewVerdict, updates: UpdateSink<'_>) {
        let decision = match verdict {
            ReviewVerdict::Start => ReviewDecision::Start,
            ReviewVerdict::Cancel => ReviewDecision::Cancel,
            ReviewVerdict::Edit(_) => ReviewDecision::Edit,
            ReviewVerdict::Regenerate { .. } => ReviewDecision::Regenerate,
        };
        updates(Update::PlanReviewed {
            turn: self.turn,
            plan_id: draft.json.request_id.clone(),
            decision,
        });
    }
}

fn with_hints(error: &str, hints: Vec<String>) -> String {
    match hints.is_empty() {
        true => error.to_owned(),
        false => format!("{error} ({})", hints.join("; ")),
    }
}
