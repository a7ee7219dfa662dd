//! A plan of a turn runs: journaled as it goes, its record written, its results kept for the next version.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use tokio::time::Instant;

use super::{
    PlanDraft, Session,
    arbiter::PlannerArbiter,
    attempts::{Attempts, ExecutionSummary as RanResult},
    eager::{EagerHandover, continue_trace},
    recorder::{PlanRecorder, SharedRecord, close_record},
    reporter::ReportContext,
    run::{RunInputs, execute, failures, reported_result, result},
    session::{ExecutedPlan, TurnContext, UpdateSink},
};
use narratoria_executor::{Arbiter, ReusedResults, StepTrace, StoreSnapshots, journal};
use narratoria_plan::{Plan, StepIdx};
use narratoria_story::{JournalContent, JournalStep, PlanRow, Story};

impl Session {
    /// Runs a draft. `kept` are results that it need not run again; of those, what it has `begun` itself is
    /// as if it had run now.
    pub(super) async fn run_plan(
        &mut self,
        frame: &TurnContext<'_>,
        draft: PlanDraft,
        kept: ReusedResults,
        begun: Option<EagerHandover>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> (ExecutedPlan, Value) {
        let PlanDraft { json, plan, .. } = draft;
        let (now, at) = (Instant::now(), (self.clock_and_ids.clock)());
        let row = attempts.record_start(&json, &plan, &kept, begun.as_ref(), at).cloned();
        let record = row.as_ref().and_then(|row| row.record.clone());
        let record = SharedRecord::new(record.expect("a draft was written down with its record"));
        let journaled = match row {
            Some(row) => self.begin_journal(frame, row, attempts.earlier(), &plan, &kept),
            None => false,
        };
        let stores = load_stores(&self.story);
        let state = self.story.state().clone();
        let judge = self.planner.arbiter();
        let arbiter = judge.map(|judge| -> Arc<dyn Arbiter> {
            Arc::new(PlannerArbiter { arbiter: judge, record: record.clone() })
        });
        let journal = journaled.then_some(&mut self.story);
        let mut recorder =
            PlanRecorder::new(&plan, record.clone(), journal, &self.clock_and_ids, frame.cancel);
        let (known, ended) = eager_steps(begun.as_ref(), &plan, &kept);
        let (since, started_at, time) = match &begun {
            Some(begun) => (begun.started, begun.started_at, begun.time_left),
            None => (now, at, self.options.plan_timeout),
        };
        let told = frame.narration.start_plan(&plan);
        told.into_updates(frame.turn).for_each(&mut *updates);
        let (turn, teller) = (frame.turn, Some(&frame.narration));
        let performance = RunInputs {
            report: ReportContext {
                turn,
                plan: &plan,
                reported: &known,
                is_growing: false,
                narration: teller,
            },
            time_left: time,
            state: &state,
            stores: &stores,
            seed: frame.seed,
            reused_results: kept,
            pending: &self.pending,
            arbiter,
            cancel: frame.cancel,
        };
        let (scripts, health, options) = (&self.scripts, &mut self.health, &self.options);
        let (mut trace, _) =
            execute(performance, scripts, health, options, Some(&mut recorder), updates).await;
        continue_trace(&mut trace, now - since, |idx| ended.get(&idx).cloned());
        let result = result(&plan, &trace, started_at);
        let told_result = reported_result(&plan, &trace, started_at, &self.options);
        let errors = failures(&plan, &trace);
        tracing::info!(plan_id = plan.id(), success = trace.success, ?errors, "plan finished");
        let mut record = record.lock().clone();
        close_record(&mut record, &trace, (self.clock_and_ids.clock)());
        attempts.record_execution(&plan, &trace, record, RanResult { result, errors });
        (ExecutedPlan { plan, trace }, told_result)
    }

    /// Whether what follows can be journaled. A story that cannot be written fails the turn when it is
    /// kept; until then the player sees what happens.
    fn begin_journal(
        &mut self,
        frame: &TurnContext<'_>,
        row: PlanRow,
        earlier: &[PlanRow],
        plan: &Plan,
        kept: &ReusedResults,
    ) -> bool {
        let step = |(idx, trace): (&StepIdx, &StepTrace)| JournalStep {
            tool_id: plan.step(*idx).tool_id.clone(),
            step: journal::to_value(trace),
        };
        let begun = self.story.journal_begin(&JournalContent {
            prompt: frame.prompt.to_owned(),
            seed: frame.seed,
            plan: row,
            earlier: earlier.to_vec(),
            steps: kept.iter().map(step).collect(),
            started_at: frame.started_at,
            extra: Value::Null,
        });
        match begun {
            Ok(begun) => {
                begun.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
                true
            }
            Err(error) => {
                tracing::warn!("no journal is kept: {error}");
                false
            }
        }
    }
}

/// What the skills have kept in this story so far.
pub(super) fn load_stores(story: &Story) -> StoreSnapshots {
    match story.stores() {
        Ok(stores) => stores.into_iter().map(|(skill, store)| (skill, Arc::new(store))).collect(),
        Err(error) => {
            // Committing will fail as well, and say why; nothing is lost meanwhile.
            tracing::warn!("the skills' stores cannot be read: {error}");
            StoreSnapshots::default()
        }
    }
}

/// Which steps were told of while the plan was being written, and what came of them then.
fn eager_steps(
    begun: Option<&EagerHandover>,
    plan: &Plan,
    kept: &ReusedResults,
) -> (BTreeSet<String>, ReusedResults) {
    let known = begun.map(|begun| begun.ids.clone()).unwrap_or_default();
    let is_known = |(idx, _): &(&StepIdx, &StepTrace)| known.contains(&plan.step(**idx).tool_id);
    let ended = kept.iter().filter(is_known).map(|(idx, trace)| (*idx, trace.clone())).collect();
    (known, ended)
}
