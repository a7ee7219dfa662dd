//! A plan of a turn runs: journaled as it goes, its record written, its results kept for the next version.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Draft, Session,
    arbiter::Court,
    recorder::{Recorder, SharedRecord, conclude},
    replan::{Attempts, Ran as RanResult},
    run::{Performance, execute, failures, result},
    session::{Frame, Ran, UpdateSink},
};
use crate::{
    executor::{Arbiter, Kept, StepTrace, Stores, journal},
    plan::{Plan, StepIdx},
    story::{JournalBegin, JournalStep, PlanRow},
};

impl Session {
    /// Runs a draft. `kept` are results that it need not run again.
    pub(super) async fn run_plan(
        &mut self,
        frame: &Frame<'_>,
        draft: Draft,
        kept: Kept,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> (Ran, Value) {
        let Draft { json, plan, .. } = draft;
        let started_at = (self.world.clock)();
        let row = attempts.starting(&json, &plan, &kept, started_at).cloned();
        let record = row.as_ref().and_then(|row| row.record.clone());
        let record = SharedRecord::new(record.expect("a draft was written down with its record"));
        let journaled = match row {
            Some(row) => self.begin_journal(frame, row, attempts.earlier(), &plan, &kept),
            None => false,
        };
        let stores = self.stores();
        let state = self.story.state().clone();
        let judge = self.planner.judge();
        let arbiter = judge
            .map(|judge| -> Arc<dyn Arbiter> { Arc::new(Court { judge, record: record.clone() }) });
        let journal = journaled.then_some(&mut self.story);
        let mut recorder = Recorder::new(&plan, record.clone(), journal, &self.world, frame.cancel);
        let performance = Performance {
            turn: frame.turn,
            plan: &plan,
            state: &state,
            stores: &stores,
            seed: frame.seed,
            kept,
            desk: &self.desk,
            arbiter,
            cancel: frame.cancel,
        };
        let (scripts, health, options) = (&self.scripts, &mut self.health, &self.options);
        let trace =
            execute(performance, scripts, health, options, Some(&mut recorder), updates).await;
        let result = result(&plan, &trace, started_at);
        let errors = failures(&plan, &trace);
        tracing::info!(plan_id = plan.id(), success = trace.success, ?errors, "plan finished");
        let mut record = record.lock().clone();
        conclude(&mut record, &trace, (self.world.clock)());
        attempts.ran(&plan, &trace, record, RanResult { result: result.clone(), errors });
        (Ran { plan, trace }, result)
    }

    /// Whether what follows can be journaled. A story that cannot be written fails the turn when it is
    /// kept; until then the player sees what happens.
    fn begin_journal(
        &mut self,
        frame: &Frame<'_>,
        row: PlanRow,
        earlier: &[PlanRow],
        plan: &Plan,
        kept: &Kept,
    ) -> bool {
        let step = |(idx, trace): (&StepIdx, &StepTrace)| JournalStep {
            tool_id: plan.step(*idx).tool_id.clone(),
            step: journal::to_value(trace),
        };
        let begun = self.story.journal_begin(&JournalBegin {
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

    /// What the skills have kept in this story so far.
    fn stores(&self) -> Stores {
        match self.story.stores() {
            Ok(stores) => {
                stores.into_iter().map(|(skill, store)| (skill, Arc::new(store))).collect()
            }
            Err(error) => {
                // Committing will fail as well, and say why; nothing is lost meanwhile.
                tracing::warn!("the skills' stores cannot be read: {error}");
                Stores::default()
            }
        }
    }
}
