//! Resumes the journal's plan after a crash. It runs to its end, and no step that had ended runs again
//! (docs/plans.md, "After a crash").

use std::collections::{BTreeSet, HashMap};

use super::{
    PlanDraft, TurnError, TurnErrorKind,
    attempt_log::{AttemptLog, planner_skips},
    plan_draft::PlanStart,
    recorder::finished_step,
};
use narratoria_executor::{Failure, Outcome, ReusedResults, StepTrace};
use narratoria_plan::{BuildOptions, Plan, PlanError, PlanErrors, PlanJson, StepIdx};
use narratoria_skills::{Catalog, HealthTracker};
use narratoria_story::{JournalContent, JournalStep, JournalSummary, Story};

/// A plan that was interrupted by the end of its process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedPlan {
    /// The player's sentence.
    pub prompt: String,
    pub plan_id: String,
    /// Steps that had ended.
    pub finished: usize,
    /// All steps of the plan.
    pub steps: usize,
    /// True if the story has moved on without the plan, which can then only be dropped.
    pub is_stale: bool,
}

/// Returns the unfinished plan in the story's journal. Returns an error if the plan runs in another process, because no
/// plan can run here meanwhile.
pub(crate) fn unfinished_plan(story: &Story) -> Result<Option<UnfinishedPlan>, TurnError> {
    let Some(journal) = story.journal_summary()? else { return Ok(None) };
    story.check_not_running()?;
    let JournalSummary { prompt, plan_id, finished, steps, is_stale } = journal;
    Ok(Some(UnfinishedPlan { prompt, plan_id, finished, steps, is_stale }))
}

/// Refuses another turn while there is an unfinished plan, because that turn would overwrite it.
pub(crate) fn check_no_unfinished_plan(story: &Story) -> Result<(), TurnError> {
    let Some(unfinished) = unfinished_plan(story)? else { return Ok(()) };
    let UnfinishedPlan { prompt, finished, steps, is_stale, .. } = unfinished;
    let story = story.name();
    let cut_short = format!(
        "the turn `{prompt}` of the story `{story}` was cut short after {finished} of {steps} steps"
    );
    let resume = format!("narratoria plan resume --story {story}");
    let (error, hint) = match is_stale {
        true => {
            let error = format!("{cut_short}, and the story has moved on without it");
            (error, format!("`{resume} --drop` forgets it"))
        }
        false => (cut_short, format!("`{resume}` goes on with it, `{resume} --drop` forgets it")),
    };
    Err(TurnError::new(TurnErrorKind::Refused, error).hint(hint))
}

/// Rebuilds the journal's plan and its finished steps. The plan is checked again, since skills may have changed.
pub(crate) fn restore(
    journal: JournalContent,
    story: &Story,
    catalog: &Catalog,
    health: &HealthTracker,
) -> Result<(AttemptLog, PlanStart), TurnError> {
    let cannot_resume = |what: String| {
        let (error, story) = (format!("the unfinished plan cannot go on: {what}"), story.name());
        TurnError::new(TurnErrorKind::BadInput, error).hint(format!(
            "bring back what it needs, or forget it with `narratoria plan resume --story {story} --drop`; \
             the story is as it was before it"
        ))
    };
    let JournalContent { plan: row, earlier, steps, .. } = journal;
    if let Some(JournalSummary { finished, .. }) = story.journal_summary()?
        && finished > steps.len()
    {
        let again = finished - steps.len();
        tracing::warn!(
            "{again} finished steps are too long to be read from the journal, so they run again"
        );
    }
    let json: PlanJson = serde_json::from_value(row.plan.clone())
        .map_err(|error| cannot_resume(error.to_string()))?;
    let ids: BTreeSet<String> = steps.iter().map(|step| step.tool_id.clone()).collect();
    let skipped = planner_skips(earlier.iter().chain([&row]));
    let created_by = row.planner.clone();
    let version = row.record.as_ref().map_or(1, |record| record.version);
    let attempts = AttemptLog::resumed(earlier, row, json.clone(), health.permanent_failures());
    let options = BuildOptions {
        disabled_skills: attempts.disabled().clone(),
        reused_results: ids.clone(),
        skipped_by_planner: skipped,
        state_values: Some(catalog.state_values(story.state().as_object())),
        ..BuildOptions::default()
    };
    let plan = rebuild_plan(&json, catalog, options)
        .map_err(|errors| cannot_resume(errors.to_string()))?;
    let results = finished_steps(&plan, steps).map_err(cannot_resume)?;
    let reused_results = ids;
    let draft = PlanDraft { json, plan, created_by, version, reused_results, estimate: None };
    Ok((attempts, PlanStart { draft, reused_results: Some(results), eager: None }))
}

/// Returns an error if an unfinished step needs an approval.
pub(crate) fn check_nothing_awaits_approval(
    start: &PlanStart,
    prompt: &str,
    story: &Story,
) -> Result<(), TurnError> {
    let is_finished = |at: usize| {
        start.reused_results.as_ref().is_some_and(|results| results.contains_key(&StepIdx(at)))
    };
    let steps = start.draft.plan.steps().iter().enumerate();
    let waiting = steps.filter(|(at, step)| step.requires_approval && !is_finished(*at));
    let waiting: Vec<String> = waiting.map(|(_, step)| format!("`{}`", step.tool_id)).collect();
    if waiting.is_empty() {
        return Ok(());
    }
    let story = story.name();
    let error = format!(
        "the turn `{prompt}` of the story `{story}` is still open: {} needs an approval, and nobody is there to be asked",
        waiting.join(", ")
    );
    Err(TurnError::new(TurnErrorKind::Refused, error).hint(format!(
        "`narratoria run --story {story}` on a terminal asks, `narratoria plan resume --story {story} --yes` approves, \
         `narratoria plan resume --story {story} --drop` forgets the turn"
    )))
}

/// Builds a plan that could run when it started. A step that names a disabled skill could run then because it
/// repairs a step of that skill, so it still can.
fn rebuild_plan(
    json: &PlanJson,
    catalog: &Catalog,
    options: BuildOptions,
) -> Result<Plan, PlanErrors> {
    let errors = match Plan::build(json.clone(), catalog, &options) {
        Ok(plan) => return Ok(plan),
        Err(errors) => errors,
    };
    let disabled = errors.iter().filter_map(|error| match error {
        PlanError::SkillDisabled { step, .. } | PlanError::CapabilityDisabled { step, .. } => {
            Some(step.clone())
        }
        _ => None,
    });
    let options = BuildOptions { repaired_steps: disabled.collect(), ..options };
    Plan::build(json.clone(), catalog, &options)
}

/// Returns the journal's steps by their index in the plan. The error names a step that cannot be read.
fn finished_steps(plan: &Plan, steps: Vec<JournalStep>) -> Result<ReusedResults, String> {
    let mut traces = HashMap::new();
    for JournalStep { tool_id, step } in steps {
        let trace = finished_step(&step)
            .map_err(|what| format!("step `{tool_id}` in the journal: {what}"))?;
        traces.insert(tool_id, trace);
    }
    let steps = plan.steps().iter().enumerate();
    Ok(steps
        .filter_map(|(idx, step)| Some((StepIdx(idx), traces.remove(&step.tool_id)?)))
        .filter(|(_, trace)| is_final(trace))
        .collect())
}

/// Returns true if a step ended by its own result or by a person's decision. A skip because of other steps or of a
/// condition follows from those again; a step that the end of the process interrupted runs again.
fn is_final(trace: &StepTrace) -> bool {
    match &trace.outcome {
        Outcome::Done { .. } => true,
        Outcome::Skipped { because } => because.is_decision(),
        Outcome::Failed { why } | Outcome::TimedOut { why } => {
            let cut_off = Failure::Cancelled;
            let is_cut_off = why.code() == cut_off.code() && why.category() == cut_off.category();
            !trace.attempts.is_empty() && !is_cut_off
        }
    }
}
