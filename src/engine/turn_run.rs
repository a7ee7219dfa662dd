//! A turn that is being played. It owns the turn's attempts and updates, and borrows from the session what the turn
//! changes.
//!
//! The stages `plan_request`, `generation`, `review`, `execution` and `close` form a sequence: each takes the
//! run and the value that the stage before it returned. `replan_loop` calls them; this module knows none of
//! them.

use std::{collections::BTreeSet, sync::Arc};

use tokio::time::Instant;

use super::{
    Update,
    attempt_log::{AttemptLog, PlanVersion},
    host_resources::HostResources,
    proposal::stamp_lineage,
    reuse::PreviousResults,
    turn_context::TurnContext,
    update::UpdateSink,
};
use narratoria_executor::StoreSnapshots;
use narratoria_narrator::Planner;
use narratoria_plan::{BuildOptions, DurationEstimate, Plan, PlanJson, ScriptTimes};
use narratoria_skills::HealthTracker;
use narratoria_story::Story;

pub(crate) struct TurnRun<'a> {
    pub(crate) host: HostResources<'a>,
    pub(crate) planner: &'a mut dyn Planner,
    pub(crate) story: &'a mut Story,
    pub(crate) health: &'a mut HealthTracker,
    pub(crate) context: TurnContext<'a>,
    pub(crate) attempts: AttemptLog,
    pub(crate) updates: UpdateSink<'a>,
    pub(crate) started: Instant,
}

impl TurnRun<'_> {
    pub(crate) fn update(&mut self, update: Update) {
        (self.updates)(update);
    }

    /// Returns the skills that failed permanently in this session (S1 §3.1).
    pub(crate) fn failed_skills(&self) -> BTreeSet<String> {
        self.health.permanent_failures().map(str::to_owned).collect()
    }

    /// The rules for a plan of this turn. It may reuse results of earlier plans and, if there are any, of its
    /// own `eager` steps.
    pub(crate) fn build_options(
        &self,
        json: &PlanJson,
        eager: Option<&PreviousResults>,
    ) -> BuildOptions {
        let results = self.attempts.results();
        let mut reused_results = results.reusable_ids(json);
        reused_results.extend(eager.map(|eager| eager.reusable_ids(json)).unwrap_or_default());
        BuildOptions {
            disabled_skills: self.attempts.disabled().clone(),
            reused_results,
            repaired_steps: results.repaired_ids(json, &self.failed_skills()),
            skipped_by_planner: self.attempts.planner_skips(),
            state_values: Some(self.host.catalog.state_values(self.story.state().as_object())),
            ..BuildOptions::default()
        }
    }

    /// Overwrites the lineage of a plan of this turn.
    pub(crate) fn stamp_lineage(&self, json: &mut PlanJson, plan_id: &str) {
        stamp_lineage(json, plan_id, &self.attempts);
        let options = self.build_options(json, None);
        json.disabled_skills = options.disabled_skills_of(json, self.host.catalog);
    }

    /// Records a plan as the next version and reports it, whether it can run or not.
    pub(crate) fn record_proposal(&mut self, planner: &str, json: &PlanJson) {
        let (attempt, plan_id) = (self.attempts.next_number(), json.request_id.clone());
        let parent = self.attempts.parent_id().map(str::to_owned);
        let (task, created_at) = (self.context.prompt, self.host.clock_and_ids.now());
        self.attempts.record_proposal(PlanVersion::of(json, planner, task, created_at));
        let turn = self.context.turn;
        self.update(Update::PlanProposed {
            turn,
            attempt,
            planner: planner.to_owned(),
            plan: Box::new(json.clone()),
        });
        let record = self.attempts.current().and_then(|row| row.record.as_ref());
        let changes = record.and_then(|record| record.changes.clone());
        if let (Some(parent_plan_id), Some(changes)) = (parent, changes) {
            let version = self.attempts.version_count();
            let plan = None;
            self.update(Update::PlanRevised {
                turn,
                plan_id,
                parent_plan_id,
                version,
                changes,
                plan,
            });
        }
    }

    /// Estimates how long a plan may take, by how long its scripts took in the story so far (S2).
    pub(crate) fn estimate(&self, plan: &Plan) -> DurationEstimate {
        self.script_times().estimate(plan, self.host.options.plan_timeout)
    }

    /// How long the scripts took in the story so far.
    pub(crate) fn script_times(&self) -> ScriptTimes {
        self.story.script_times().unwrap_or_else(|error| {
            // A missing estimate must not cost a turn.
            tracing::warn!("the times of earlier runs cannot be read: {error}");
            ScriptTimes::default()
        })
    }

    /// The stores of all skills as they are before the turn.
    pub(crate) fn load_stores(&self) -> StoreSnapshots {
        match self.story.stores() {
            Ok(stores) => {
                stores.into_iter().map(|(skill, store)| (skill, Arc::new(store))).collect()
            }
            Err(error) => {
                // Committing the turn will fail as well and report why; nothing is lost until then.
                tracing::warn!("the skills' stores cannot be read: {error}");
                StoreSnapshots::default()
            }
        }
    }
}
