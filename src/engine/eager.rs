//! Eager execution: steps of a plan start while the planner still writes the rest (docs/turns.md, "Eager
//! execution").
//!
//! Complete steps run in batches. A batch is a plan of all steps that could start so far, in which the steps of
//! earlier batches keep their results. When the planner has answered, no further batch starts, and its complete plan
//! takes over the results of all batches, including failures. A step starts early only if nothing that is still
//! unknown could change its run: the plan is not reviewed, the step needs no approval, and every step that it needs
//! has started before it. Nothing of this is in the journal: for a process that ends during a generation, the turn
//! has not started.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    future::{Future, pending},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    join, select,
    sync::{Notify, mpsc::UnboundedReceiver},
    time::Instant,
};

use super::{
    Update,
    attempt_log::AttemptLog,
    eager_execution::{EagerExecution, continue_trace},
    host_resources::HostResources,
    plan_execution::PlanExecution,
    proposal::stamp_lineage,
    recorder::{PlanRecorder, SharedRecord},
    reporter::ReportContext,
    turn_context::TurnContext,
    update::UpdateSink,
};
use narratoria_executor::{ReusedResults, StoreSnapshots};
use narratoria_plan::{
    self as plan, BuildOptions, Plan, PlanErrors, PlanJson, PlanRecord, StepIdx, StepRecord,
    same_definition, wire::ToolJson,
};
use narratoria_protocol::StoryState;
use narratoria_skills::HealthTracker;

/// Most steps that are received before the plan is complete: as many as a plan may have.
const EAGER_STEPS_MAX: usize = plan::STEPS_MAX;

/// Everything that steps need to run while their plan is being written.
pub(super) struct EagerContext<'a> {
    pub(super) context: &'a TurnContext<'a>,
    pub(super) attempts: &'a AttemptLog,
    /// The id of the plan that is being written.
    pub(super) plan_id: &'a str,
    /// The name of the planner that writes it.
    pub(super) planner: &'a str,
    pub(super) host: HostResources<'a>,
    pub(super) state: &'a StoryState,
    pub(super) stores: &'a StoreSnapshots,
    /// Skills that failed permanently in this session.
    pub(super) failed_skills: BTreeSet<String>,
    /// Shared by the steps that are being written and those that run; both report at any time.
    pub(super) updates: Mutex<UpdateSink<'a>>,
}

/// Steps that can start, from the receiver of steps to the runner of batches.
#[derive(Default)]
struct EagerQueue {
    state: Mutex<EagerQueueState>,
    /// Notified when the state changes.
    changed: Notify,
}

#[derive(Default)]
struct EagerQueueState {
    waiting: Vec<ToolJson>,
    /// Steps of batches that have started.
    started: Vec<ToolJson>,
    is_closed: bool,
}

/// The steps that were written so far.
#[derive(Default)]
struct PartialPlan {
    tools: Vec<ToolJson>,
    /// `toolId`s of the steps that can start early.
    startable: BTreeSet<String>,
    /// True if the steps cannot be a plan, so that no more of them start.
    is_invalid: bool,
}

impl EagerContext<'_> {
    /// Runs the steps that are `written` until the planner's `answer` is there, and then waits for those that
    /// have started. Calls `on_answer` before that wait, with the answer and the steps that have started.
    pub(super) async fn run_alongside<T>(
        &self,
        answer: impl Future<Output = T>,
        written: UnboundedReceiver<ToolJson>,
        health: &mut HealthTracker,
        on_answer: impl FnOnce(&T, &[ToolJson]),
    ) -> (T, Option<EagerExecution>) {
        let queue = EagerQueue::default();
        let answered = async {
            let answer = select! {
                biased;
                answer = answer => answer,
                never = self.receive_steps(written, &queue) => match never {},
            };
            let started = queue.close();
            on_answer(&answer, &started);
            answer
        };
        join!(answered, self.run_batches(&queue, health))
    }

    /// Reports each step as it is written, and queues those that can start.
    async fn receive_steps(
        &self,
        mut steps: UnboundedReceiver<ToolJson>,
        queue: &EagerQueue,
    ) -> Infallible {
        let mut written = PartialPlan::default();
        while written.tools.len() < EAGER_STEPS_MAX
            && let Some(tool) = steps.recv().await
        {
            self.send_update(Update::PlanGrowing {
                turn: self.context.turn,
                attempt: self.attempts.next_number(),
                plan_id: self.plan_id.to_owned(),
                planner: self.planner.to_owned(),
                tool: Box::new(tool.clone()),
            });
            written.tools.push(tool);
            if !written.is_invalid && self.can_start(&mut written) {
                queue.put(written.tools.last().cloned());
            }
        }
        // Later steps are not received.
        drop(steps);
        pending().await
    }

    /// Returns true if the step that was written last can start before the plan is complete.
    fn can_start(&self, written: &mut PartialPlan) -> bool {
        let Some(last) = written.tools.last() else { return false };
        let plan = match self.build(&self.partial_json(written.tools.clone())) {
            Ok(plan) => plan,
            Err(errors) => {
                // If the complete plan is still invalid, it is rejected then.
                tracing::debug!(%errors, "no step starts early any more");
                written.is_invalid = true;
                return false;
            }
        };
        let Some(step) = plan.steps().iter().find(|step| step.tool_id == last.tool_id) else {
            return false;
        };
        let is_startable = |need: &StepIdx| written.startable.contains(&plan.step(*need).tool_id);
        let can_start =
            !step.requires_approval && !step.skip && step.needs.iter().all(is_startable);
        if can_start {
            written.startable.insert(step.tool_id.clone());
        }
        can_start
    }

    /// Returns the plan as far as it is written, without its narrative. Planners that report single steps make plans
    /// whose async steps may overlap.
    fn partial_json(&self, tools: Vec<ToolJson>) -> PlanJson {
        let mut json = PlanJson { parallel: true, ..PlanJson::new(String::new(), tools) };
        stamp_lineage(&mut json, self.plan_id, self.attempts);
        let options = self.build_options(&json);
        json.disabled_skills = options.disabled_skills_of(&json, self.host.catalog);
        json
    }

    /// Checks a partial plan as the complete plan will be checked.
    fn build(&self, json: &PlanJson) -> Result<Plan, PlanErrors> {
        Plan::build(json.clone(), self.host.catalog, &self.build_options(json))
    }

    fn build_options(&self, json: &PlanJson) -> BuildOptions {
        let results = self.attempts.results();
        BuildOptions {
            disabled_skills: self.attempts.disabled().clone(),
            reused_results: results.reusable_ids(json),
            repaired_steps: results.repaired_ids(json, &self.failed_skills),
            state_values: Some(self.host.catalog.state_values(self.state.as_object())),
            ..BuildOptions::default()
        }
    }

    /// Runs the queued steps, until the queue is closed.
    async fn run_batches(
        &self,
        queue: &EagerQueue,
        health: &mut HealthTracker,
    ) -> Option<EagerExecution> {
        let mut started: Option<EagerExecution> = None;
        while let Some(tools) = queue.take().await {
            let mut all = started.as_ref().map_or_else(Vec::new, |it| it.json.tools.clone());
            all.extend(tools);
            let json = self.partial_json(all);
            // Cannot fail: these steps were built before, together with all that they need.
            let Ok(plan) = self.build(&json) else { continue };
            let time_left =
                started.as_ref().map_or(self.host.options.plan_timeout, |it| it.time_left);
            if time_left.is_zero() {
                continue;
            }
            started = Some(self.run_batch(json, plan, time_left, started, health).await);
        }
        started
    }

    /// Runs the steps of a batch that earlier batches have not run.
    async fn run_batch(
        &self,
        json: PlanJson,
        plan: Plan,
        time_left: Duration,
        before: Option<EagerExecution>,
        health: &mut HealthTracker,
    ) -> EagerExecution {
        let (now, at) = (Instant::now(), self.host.clock_and_ids.now());
        let reused_results = self.reused_results(&json, &plan, before.as_ref());
        let record = SharedRecord::new(self.record(&json, &plan, before.as_ref(), at));
        let (clock_and_ids, cancel) = (self.host.clock_and_ids, self.context.cancel);
        let mut recorder = PlanRecorder::new(&plan, record.clone(), None, clock_and_ids, cancel);
        let reported: BTreeSet<String> = match &before {
            Some(before) => before.json.tools.iter().map(|tool| tool.tool_id.clone()).collect(),
            None => BTreeSet::new(),
        };
        tracing::debug!(steps = plan.steps().len(), over = reported.len(), "steps start early");
        let execution = PlanExecution {
            report: ReportContext {
                turn: self.context.turn,
                plan: &plan,
                reported: &reported,
                is_growing: true,
                estimate: None,
                narration: Some(&self.context.narration),
            },
            host: self.host,
            time_left,
            state: self.state,
            stores: self.stores,
            seed: self.context.seed,
            budget: self.context.budget.clone(),
            reused_results,
            // The planner is still writing, and an arbiter would have to wait for it.
            arbiter: None,
            cancel,
        };
        let mut send_update = |update| self.send_update(update);
        let (mut trace, time_left) =
            execution.run(health, Some(&mut recorder), &mut send_update).await;
        let record = record.lock().clone();
        let (started, started_at) = match &before {
            Some(before) => (before.started, before.started_at),
            None => (now, at),
        };
        let earlier = before.map_or_else(Vec::new, |before| before.trace.steps);
        let earlier = |idx: StepIdx| earlier.get(idx.0).cloned();
        continue_trace(&mut trace, now - started, earlier);
        EagerExecution { json, plan, trace, record, started_at, started, time_left }
    }

    /// The results of earlier batches and of earlier versions of the plan.
    fn reused_results(
        &self,
        json: &PlanJson,
        plan: &Plan,
        before: Option<&EagerExecution>,
    ) -> ReusedResults {
        let results = self.attempts.results();
        let mut reused = results.reused(&results.reusable_ids(json), plan);
        let before = before.into_iter().flat_map(|before| before.trace.steps.iter().cloned());
        reused.extend(before.enumerate().map(|(idx, trace)| (StepIdx(idx), trace)));
        reused
    }

    fn record(
        &self,
        json: &PlanJson,
        plan: &Plan,
        before: Option<&EagerExecution>,
        at: Timestamp,
    ) -> PlanRecord {
        let mut record =
            PlanRecord::from_plan_json(json, Some(plan), self.context.prompt, self.planner, at);
        if let Some(EagerExecution { record: before, .. }) = before {
            let has_run = |step: &&StepRecord| !step.is_waiting();
            let ids =
                before.steps.iter().filter(has_run).map(|step| step.tool_id.as_str()).collect();
            record.reuse_results(before, &ids, at);
            record.created_at = before.created_at;
        }
        record
    }

    /// Lets the narration of the steps start, because the plan is complete while some may still run; not if the plan
    /// has changed one of the started steps.
    pub(super) fn start_narration(&self, complete: &PlanJson, started: &[ToolJson]) {
        let is_part = |tool: &ToolJson| complete.tools.iter().any(|other| is_same(other, tool));
        if !started.iter().all(is_part) {
            return;
        }
        if let Ok(plan) = self.build(complete) {
            let narration = self.context.narration.lock().set_plan(&plan);
            narration.into_updates(self.context.turn).for_each(|update| self.send_update(update));
        }
    }

    fn send_update(&self, update: Update) {
        (self.updates.lock().unwrap_or_else(PoisonError::into_inner))(update);
    }
}

fn is_same(one: &ToolJson, other: &ToolJson) -> bool {
    one.tool_id == other.tool_id && same_definition(one, other)
}

impl EagerQueue {
    fn lock(&self) -> MutexGuard<'_, EagerQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, tool: Option<ToolJson>) {
        self.lock().waiting.extend(tool);
        self.changed.notify_one();
    }

    /// Starts no more steps, and returns those that have started.
    fn close(&self) -> Vec<ToolJson> {
        let mut state = self.lock();
        state.is_closed = true;
        self.changed.notify_one();
        std::mem::take(&mut state.started)
    }

    /// Waits for the next batch; `None` when the queue is closed.
    async fn take(&self) -> Option<Vec<ToolJson>> {
        loop {
            {
                let mut state = self.lock();
                if state.is_closed {
                    return None;
                }
                if !state.waiting.is_empty() {
                    let tools = std::mem::take(&mut state.waiting);
                    state.started.extend(tools.iter().cloned());
                    return Some(tools);
                }
            }
            self.changed.notified().await;
        }
    }
}
