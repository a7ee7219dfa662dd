//! Going on after a crash: the plan that a process left in the journal runs to its end, and no step that
//! had ended runs again (DESIGN §6, S3).

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    FinishedTurn, PlanDraft, Reviewer, Session, TurnError, TurnErrorKind, TurnRequest, Update,
    attempts::Attempts,
    recorder::finished_step,
    session::{FILE_PLANNER, PlanSource, PlanStart, TurnContext, UpdateSink},
};
use narratoria_executor::{Failure, Outcome, ReusedResults, StepTrace};
use narratoria_plan::{BuildOptions, Plan, PlanError, PlanErrors, PlanJson, StepIdx};
use narratoria_story::JournalContent;

/// A plan that was cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedPlan {
    /// What the player had typed.
    pub prompt: String,
    /// The plan.
    pub plan_id: String,
    /// Steps that had ended.
    pub finished: usize,
    /// Steps that there are.
    pub steps: usize,
    /// Whether the story has moved on without it. Then it can only be dropped.
    pub is_stale: bool,
}

impl Session {
    /// The plan that a process left unfinished in this story, if there is one. One that runs elsewhere right
    /// now is an error: neither it nor another can be run here.
    pub fn unfinished_plan(&self) -> Result<Option<UnfinishedPlan>, TurnError> {
        let Some(journal) = self.story.journal()? else { return Ok(None) };
        self.story.check_not_running()?;
        let (begun, is_stale) = (journal.content, journal.is_stale);
        let tools = begun.plan.plan.get("tools").and_then(Value::as_array);
        Ok(Some(UnfinishedPlan {
            prompt: begun.prompt,
            plan_id: begun.plan.id,
            finished: begun.steps.len(),
            steps: tools.map_or(0, Vec::len),
            is_stale,
        }))
    }

    /// Another turn would lose it.
    pub(super) fn check_no_unfinished_plan(&self) -> Result<(), TurnError> {
        let Some(UnfinishedPlan { prompt, finished, steps, is_stale, .. }) =
            self.unfinished_plan()?
        else {
            return Ok(());
        };
        let story = self.story.name();
        let cut_short = format!(
            "the turn `{prompt}` of the story `{story}` was cut short after {finished} of {steps} steps"
        );
        let resume = format!("narratoria plan resume --story {story}");
        let (error, hint) = match is_stale {
            true => {
                let error = format!("{cut_short}, and the story has moved on without it");
                (error, format!("`{resume} --drop` forgets it"))
            }
            false => {
                (cut_short, format!("`{resume}` goes on with it, `{resume} --drop` forgets it"))
            }
        };
        Err(TurnError::new(TurnErrorKind::Refused, error).hint(hint))
    }

    /// Forgets it; the story is as it was before that turn. Whether there was one.
    pub fn drop_unfinished(&mut self) -> Result<bool, TurnError> {
        Ok(self.story.journal_drop()?)
    }

    /// Goes on with it as the turn that it was. None when there is nothing to go on with. If it fails, it
    /// is followed by other plans, as in any turn of a sentence; `reviewer` gets to see those alone.
    pub async fn resume(
        &mut self,
        reviewer: Option<&mut dyn Reviewer>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<(FinishedTurn, Option<Value>)>, TurnError> {
        let Some(journal) = self.story.journal_resume()? else { return Ok(None) };
        let journal = journal.content;
        let prompt = journal.prompt.clone();
        let frame = TurnContext {
            seed: journal.seed,
            started_at: journal.started_at,
            ..self.turn_context(&prompt, cancel)
        };
        let (mut attempts, start) = self.restore(journal)?;
        let clock = Instant::now();
        self.report_skills(updates);
        self.report_planner(updates);
        updates(Update::TurnStarted { turn: frame.turn, prompt: prompt.clone() });
        // An edited plan of a file is the player's, but no planner's.
        let replans = attempts.first_planner() != Some(FILE_PLANNER);
        let source = PlanSource { first: Some(start), can_replan: replans, reviewer };
        let (ended, result) = self.run_attempts(&frame, source, &mut attempts, updates).await;
        let turn = self.close(&frame, ended, attempts, clock.elapsed(), updates)?;
        Ok(Some((turn, result)))
    }

    /// The plan as it stood, checked anew: skills may have changed since.
    fn restore(&self, journal: JournalContent) -> Result<(Attempts, PlanStart), TurnError> {
        let story = self.story.name().to_string();
        let gone = |what: String| {
            let error = format!("the unfinished plan cannot go on: {what}");
            TurnError::new(TurnErrorKind::BadInput, error).hint(format!(
                "bring back what it needs, or forget it with `narratoria plan resume --story {story} --drop`; \
                 the story is as it was before it"
            ))
        };
        let JournalContent { plan: row, earlier, steps, .. } = journal;
        let json: PlanJson =
            serde_json::from_value(row.plan.clone()).map_err(|error| gone(error.to_string()))?;
        let kept: BTreeSet<String> = steps.iter().map(|step| step.tool_id.clone()).collect();
        let plan =
            self.rebuild_plan(&json, kept.clone()).map_err(|errors| gone(errors.to_string()))?;
        let mut traces = HashMap::new();
        for step in steps {
            let trace = finished_step(&step.step)
                .map_err(|what| gone(format!("step `{}` in the journal: {what}", step.tool_id)))?;
            traces.insert(step.tool_id, trace);
        }
        let kept_traces: ReusedResults = plan
            .steps()
            .iter()
            .enumerate()
            .filter_map(|(idx, step)| Some((StepIdx(idx), traces.remove(&step.tool_id)?)))
            .filter(|(_, trace)| is_final(trace))
            .collect();
        let (by, version) = (row.planner.clone(), row.record.as_ref().map_or(1, |r| r.version));
        let permanent = self.health.permanent_failures();
        let attempts = Attempts::resumed(earlier, row, json.clone(), permanent);
        let draft = PlanDraft { json, plan, created_by: by, version, reused_results: kept };
        Ok((attempts, PlanStart { draft, reused_results: Some(kept_traces), eager: None }))
    }
}

impl Session {
    /// A plan that could run when it began. A step that names a disabled skill was allowed to, since it mends
    /// what that skill could not do, and still is.
    fn rebuild_plan(&self, json: &PlanJson, kept: BTreeSet<String>) -> Result<Plan, PlanErrors> {
        let options = BuildOptions { reused_results: kept, ..BuildOptions::default() };
        let errors = match Plan::build(json.clone(), &self.catalog, &options) {
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
        Plan::build(json.clone(), &self.catalog, &options)
    }
}

/// Whether a step ended by what it did or by what a person said. What was skipped because of others, or of
/// a condition, follows from those again; what was cut off by the end of the process runs again.
fn is_final(trace: &StepTrace) -> bool {
    match &trace.outcome {
        Outcome::Done { .. } => true,
        Outcome::Skipped { because } => because.is_by_player(),
        Outcome::Failed { why } | Outcome::TimedOut { why } => {
            let cut_off = Failure::Cancelled;
            let is_cut_off = why.code() == cut_off.code() && why.category() == cut_off.category();
            !trace.attempts.is_empty() && !is_cut_off
        }
    }
}

impl<'a> TurnRequest<'a> {
    /// A sentence for the planner, with nobody looking.
    pub fn sentence(prompt: &'a str) -> TurnRequest<'a> {
        TurnRequest { prompt, plan: None, reviewer: None }
    }
}
