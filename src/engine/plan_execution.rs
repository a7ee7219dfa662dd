//! One execution of one plan, with or without a story around it: the executor runs it, the recorder writes it
//! down, the reporter turns it into updates.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{
    entity_place::EntityPlace,
    host_resources::HostResources,
    recorder::PlanRecorder,
    reporter::{ReportContext, Reporter},
    scripts::{SandboxRunner, ScriptTurn},
    turn_budget::TurnBudget,
    update::UpdateSink,
};
use narratoria_executor::{
    Execution, ExecutionEvent, ExecutionOptions, PlanArbiter, ReusedResults, StateRules, StepTrace,
    StoreSnapshots, Trace, execute,
};
use narratoria_plan::Plan;
use narratoria_protocol::{EntityReader, NoEntities, StoryState};
use narratoria_sandbox::EntityIds;
use narratoria_skills::HealthTracker;

/// A plan to run, and everything that it starts from.
pub(crate) struct PlanExecution<'a> {
    pub(crate) report: ReportContext<'a>,
    pub(crate) host: HostResources<'a>,
    /// The rest of the plan's time.
    pub(crate) time_left: Duration,
    pub(crate) state: &'a StoryState,
    pub(crate) stores: &'a StoreSnapshots,
    pub(crate) seed: u64,
    /// The rest of the turn's budgets.
    pub(crate) budget: TurnBudget,
    pub(crate) reused_results: ReusedResults,
    pub(crate) arbiter: Option<PlanArbiter>,
    pub(crate) cancel: &'a CancellationToken,
}

impl PlanExecution<'_> {
    /// Runs the plan. Each event is recorded before it is reported. Also returns the rest of the plan's
    /// time.
    pub(crate) async fn run(
        self,
        health: &mut HealthTracker,
        mut recorder: Option<&mut PlanRecorder<'_>>,
        updates: UpdateSink<'_>,
    ) -> (Trace, Duration) {
        let HostResources { scripts, options, pending, .. } = self.host;
        let plan = self.report.plan;
        let mut reporter = Reporter::new(self.report, updates).repeatable(options.repeatable);
        let mut execution_options = ExecutionOptions {
            plan_time_used: options.plan_timeout.saturating_sub(self.time_left),
            record: self.budget.record,
            ..options.execution_options(self.seed)
        };
        if options.repeatable && depends_on_timing(plan) {
            execution_options.slots = NonZeroUsize::MIN;
        }
        let reused_writes = self.reused_results.values().flat_map(StepTrace::writes);
        let ids = Arc::new(EntityIds::after(reused_writes.map(|(_, write)| write)));
        let rules = StateRules::of(self.host.catalog);
        let execution = Execution {
            plan,
            start: self.state,
            rules: &rules,
            stores: self.stores,
            entities: self
                .host
                .entities
                .map_or_else(|| Arc::new(NoEntities) as Arc<dyn EntityReader>, EntityPlace::reader),
            reused_results: self.reused_results,
            runner: Arc::new(SandboxRunner {
                scripts: Arc::clone(scripts),
                entities: self.host.entities.cloned(),
                turn: ScriptTurn {
                    guidance: self.host.guidance.cloned(),
                    disk: Some(self.budget.disk),
                },
                ids,
            }),
            health,
            cancel: self.cancel.clone(),
            options: &execution_options,
            pending,
            arbiter: self.arbiter,
        };
        let mut rest = self.time_left;
        let trace = execute(execution, &mut |event| {
            if let Some(recorder) = &mut recorder {
                recorder.record_event(&event);
            }
            if let ExecutionEvent::PlanFinished { time_left, .. } = event {
                rest = time_left;
            }
            reporter.handle(event);
        })
        .await;
        reporter.report_finished(&trace);
        (trace, rest)
    }
}

/// Returns true if the timing of two steps decides more than the order of their updates: which steps still start after
/// a failure that stops the plan, or what two scripts of a skill find in the folder that they share. A
/// repeatable session runs the steps of such a plan one after the other.
fn depends_on_timing(plan: &Plan) -> bool {
    let mut writers = BTreeSet::new();
    for step in plan.steps() {
        let own = step.candidates.iter().filter(|candidate| candidate.script().grants.data);
        let own: BTreeSet<&str> = own.map(|candidate| &*candidate.skill.name).collect();
        if own.into_iter().any(|skill| !writers.insert(skill)) {
            return true;
        }
    }
    plan.stop_on_failure()
}
