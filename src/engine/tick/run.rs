//! Runs the actions of a plan: a chain that stops at the first error (S4 §5). The results before the error are kept for
//! the error file.

use std::collections::BTreeSet;

use narratoria_executor::{Outcome, ReusedResults, StoreSnapshots, Trace};
use narratoria_narrator::{
    Fallback,
    tick::{ActionOutput, TickAction, TickPlan, expand, tool_path},
};
use narratoria_plan::{BuildOptions, Plan, PlanErrors, PlanJson, PlanRecord, ScriptTimes, StepIdx};
use narratoria_skills::{Catalog, HealthTracker};
use narratoria_story::{PlanRow, Story};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    criteria::record_judgments,
    execution_result::execution_result,
    host_resources::HostResources,
    plan_execution::PlanExecution,
    proposal::note_planner,
    recorder::{PlanRecorder, SharedRecord, close_record},
    reporter::ReportContext,
    turn_budget::TurnBudget,
};

/// A plan whose actions have all run.
pub(super) struct ExecutedActions {
    pub(super) plan: Plan,
    pub(super) trace: Trace,
    pub(super) row: PlanRow,
    /// S4's `execution`.
    pub(super) execution: Value,
    pub(super) results: Vec<ActionOutput>,
}

/// A plan that did not run to its end.
pub(super) enum ExecutionStop {
    /// The player stopped it.
    Cancelled,
    Failed {
        message: String,
        execution: Value,
        action_idx: usize,
    },
}

/// The planner that made the plan, and the one that it replaces.
pub(super) struct PlanOrigin<'a> {
    pub(super) planner: &'a str,
    pub(super) fallback: Option<&'a Fallback>,
}

/// The resources with which the actions run.
pub(super) struct ChainRun<'a> {
    pub(super) host: HostResources<'a>,
    pub(super) story: &'a Story,
    pub(super) health: &'a mut HealthTracker,
    pub(super) tick: u64,
    pub(super) seed: u64,
    pub(super) planner: PlanOrigin<'a>,
    pub(super) cancel: &'a CancellationToken,
}

impl ChainRun<'_> {
    pub(super) async fn run(
        mut self,
        tick_plan: &TickPlan,
    ) -> Result<ExecutedActions, ExecutionStop> {
        let (built, broken) = self.build(tick_plan);
        let count = built.0.tools.len();
        let (plan, trace, row) = self.execute(built).await;
        if self.cancel.is_cancelled() && !trace.success {
            return Err(ExecutionStop::Cancelled);
        }
        let mut report = Report { tick: self.tick, plan: tick_plan, executed: Vec::new() };
        let mut results = Vec::new();
        for (idx, action) in tick_plan.actions.iter().take(count).enumerate() {
            match &trace.step(StepIdx(idx)).outcome {
                Outcome::Done { output, .. } => {
                    report.succeeded(idx, action, output);
                    results.push(ActionOutput {
                        tool: action.tool.clone(),
                        args: action.args.clone(),
                        output: output.clone(),
                    });
                }
                Outcome::Failed { why } | Outcome::TimedOut { why } => {
                    return Err(report.failed(idx, action, &why.to_string()));
                }
                Outcome::Skipped { because } => {
                    let why = format!("it was skipped ({})", because.as_str());
                    return Err(report.failed(idx, action, &why));
                }
            }
        }
        if let Some(why) = broken {
            return Err(report.failed(count, &tick_plan.actions[count], &why));
        }
        let execution = report.execution(Vec::new());
        Ok(ExecutedActions { plan, trace, row, execution, results })
    }

    /// Builds the plan of as many actions as can run. Also returns why the next one cannot.
    fn build(&self, tick_plan: &TickPlan) -> ((PlanJson, Plan), Option<String>) {
        let id = self.host.clock_and_ids.new_id();
        let build = |count: usize| {
            let mut json = expand(tick_plan, id.clone(), count);
            note_planner(&mut json, self.planner.fallback, None);
            Plan::build(json.clone(), self.host.catalog, &BuildOptions::default())
                .map(|plan| (json, plan))
        };
        let whole = match build(tick_plan.actions.len()) {
            Ok(built) => return (built, None),
            Err(errors) => errors,
        };
        // This is the first action that breaks the plan; S4 runs those before it.
        let first = (1..=tick_plan.actions.len())
            .find_map(|count| build(count).err().map(|errors| (count, errors)));
        let (count, errors) = first.unwrap_or((1, whole));
        let action = &tick_plan.actions[count - 1];
        let built = build(count - 1).expect("the plan of the actions before the first broken one");
        (built, Some(reason(self.host.catalog, action, &errors)))
    }

    async fn execute(&mut self, (json, plan): (PlanJson, Plan)) -> (Plan, Trace, PlanRow) {
        let HostResources { options, clock_and_ids, .. } = self.host;
        let created_at = clock_and_ids.now();
        let task = format!("tick {}", self.tick);
        let record =
            PlanRecord::from_plan_json(&json, Some(&plan), &task, self.planner.planner, created_at);
        let record = SharedRecord::new(record);
        let mut recorder =
            PlanRecorder::new(&plan, record.clone(), None, clock_and_ids, self.cancel);
        let stores: StoreSnapshots = self.story.stores().map_or_else(
            |error| {
                // Committing the tick will fail as well and report why.
                tracing::warn!("the skills' stores cannot be read: {error}");
                StoreSnapshots::default()
            },
            |stores| {
                stores
                    .into_iter()
                    .map(|(skill, store)| (skill, std::sync::Arc::new(store)))
                    .collect()
            },
        );
        let execution = PlanExecution {
            report: ReportContext {
                turn: self.story.turns() + 1,
                plan: &plan,
                reported: &BTreeSet::new(),
                is_growing: false,
                estimate: Some(ScriptTimes::default().estimate(&plan, options.plan_timeout).plan),
                narration: None,
            },
            host: self.host,
            time_left: options.plan_timeout,
            state: self.story.state(),
            stores: &stores,
            seed: self.seed,
            budget: TurnBudget::whole(),
            reused_results: ReusedResults::default(),
            arbiter: None,
            cancel: self.cancel,
        };
        let (trace, _) = execution.run(self.health, Some(&mut recorder), &mut |_| {}).await;
        drop(recorder);
        let mut record = record.lock().clone();
        close_record(&mut record, &trace, clock_and_ids.now());
        record_judgments(&mut record, &plan, &trace);
        let row = PlanRow {
            id: json.request_id.clone(),
            attempt: 1,
            parent_plan_id: None,
            planner: self.planner.planner.to_owned(),
            status: record.status,
            plan: serde_json::to_value(&json).expect("a plan holds only JSON values"),
            result: Some(execution_result(&plan, &trace, created_at)),
            errors: Vec::new(),
            created_at,
            record: Some(record),
            seen: None,
        };
        (plan, trace, row)
    }
}

/// Returns S4's text if the tool does not exist; otherwise the plan's own message.
fn reason(catalog: &Catalog, action: &TickAction, errors: &PlanErrors) -> String {
    let path = tool_path(&action.tool);
    match catalog.resolve(&path) {
        Err(_) if !path.starts_with("capability:") => format!("Tool not found: {}", action.tool),
        _ => errors.to_string().replace('\n', "; "),
    }
}

/// Collects S4's execution results, action by action.
struct Report<'a> {
    tick: u64,
    plan: &'a TickPlan,
    executed: Vec<Value>,
}

impl Report<'_> {
    fn succeeded(&mut self, idx: usize, action: &TickAction, output: &Value) {
        self.executed.push(json!({
            "action_index": idx,
            "tool": action.tool,
            "args": action.args,
            "result": output,
            "success": true,
        }));
    }

    fn failed(mut self, idx: usize, action: &TickAction, why: &str) -> ExecutionStop {
        let error = format!("Error executing {}: {why}", action.tool);
        self.executed.push(json!({
            "action_index": idx,
            "tool": action.tool,
            "args": action.args,
            "error": error,
            "success": false,
        }));
        let message = format!(
            "Tool execution failed at action {idx}: {error}\n\
             Plan execution halted. Check error log for details."
        );
        let execution = self.execution(vec![error]);
        ExecutionStop::Failed { message, execution, action_idx: idx }
    }

    fn execution(self, errors: Vec<String>) -> Value {
        let success = errors.is_empty();
        json!({
            "tick": self.tick,
            "plan": self.plan.document,
            "actions_executed": self.executed,
            "errors": errors,
            "success": success,
        })
    }
}
