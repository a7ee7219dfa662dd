//! Steps of a plan that start while the rest of it is still being written (DESIGN §5).
//!
//! What is complete runs in waves: each wave is a plan of all steps that could start so far, in which those of
//! the waves before keep their results. Once the planner has ended no further wave begins, and the plan that it
//! made keeps what the waves came to, failures too. A step starts early only if nothing that is still unknown
//! could make it run otherwise: nobody looks at the plan first, the step needs no approval, and all that it
//! needs was started before it. Nothing of this is in the journal: a process that ends in the middle of a
//! generation has not begun the turn.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    future::{Future, pending},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    join, select,
    sync::{Notify, mpsc::UnboundedReceiver},
    time::Instant,
};

use super::{
    ClockAndIds, Scripts, SessionOptions, Update,
    arbiter::PlannerArbiter,
    attempts::Attempts,
    generation::stamp_lineage,
    recorder::{PlanRecorder, SharedRecord},
    reporter::ReportContext,
    reuse::PreviousResults,
    run::{RunInputs, execute},
    session::{TurnContext, UpdateSink},
};
use narratoria_executor::{
    Arbiter, PendingRequests, ReusedResults, StepTrace, StoreSnapshots, Trace,
};
use narratoria_narrator::SkillArbiter;
use narratoria_plan::{
    self as plan, BuildOptions, Plan, PlanErrors, PlanJson, PlanRecord, StepIdx, StepStatus,
    same_definition,
    wire::{MetadataJson, ToolJson},
};
use narratoria_protocol::StoryState;
use narratoria_skills::{Catalog, HealthTracker};

/// Most steps that are heard of before the plan is whole: as many as a plan may have.
const EAGER_STEPS_MAX: usize = plan::STEPS_MAX;

/// All that steps need to run while a planner thinks.
pub(super) struct EagerContext<'a> {
    pub(super) context: &'a TurnContext<'a>,
    pub(super) attempts: &'a Attempts,
    /// Of the plan that is being written.
    pub(super) plan_id: &'a str,
    /// Who writes it.
    pub(super) planner: &'a str,
    pub(super) catalog: &'a Catalog,
    pub(super) scripts: &'a Arc<Scripts>,
    pub(super) options: &'a SessionOptions,
    pub(super) clock_and_ids: &'a ClockAndIds,
    pub(super) pending: &'a PendingRequests,
    pub(super) state: &'a StoryState,
    pub(super) stores: &'a StoreSnapshots,
    pub(super) arbiter: Option<Arc<dyn SkillArbiter>>,
    /// Skills that have failed for good in this session.
    pub(super) failed_skills: BTreeSet<String>,
    /// Steps as they are written, and steps as they run, have something to tell at any time.
    pub(super) updates: Mutex<UpdateSink<'a>>,
}

/// Steps that were started, and what came of each.
pub(super) struct EagerExecution {
    /// The plan, as far as it was started.
    pub(super) json: PlanJson,
    /// The same, checked; its steps are in the order in which they were written.
    pub(super) plan: Plan,
    /// Of all waves. Times count from the first one's beginning.
    pub(super) trace: Trace,
    pub(super) record: PlanRecord,
    pub(super) started_at: Timestamp,
    started: Instant,
    time_left: Duration,
}

/// What a whole plan takes over from when it was being written.
pub(super) struct EagerHandover {
    /// `toolId`s of steps that keep their results.
    pub(super) ids: BTreeSet<String>,
    pub(super) record: PlanRecord,
    pub(super) started_at: Timestamp,
    pub(super) started: Instant,
    /// Of the plan's time.
    pub(super) time_left: Duration,
}

/// Steps that could start, between who hears of them and who runs them.
#[derive(Default)]
struct EagerQueue {
    state: Mutex<EagerQueueState>,
    /// That there is something new.
    changed: Notify,
}

#[derive(Default)]
struct EagerQueueState {
    tools: Vec<ToolJson>,
    /// Those that do not wait any more.
    started: Vec<ToolJson>,
    /// Whether nothing starts any more.
    is_closed: bool,
}

/// Everything that was written so far.
#[derive(Default)]
struct PartialPlan {
    tools: Vec<ToolJson>,
    /// `toolId`s of those that could start.
    startable: BTreeSet<String>,
    /// Whether what was written cannot be a plan, so that nothing more of it starts.
    is_invalid: bool,
}

impl EagerExecution {
    /// What a whole plan may keep of it.
    pub(super) fn results(&self) -> PreviousResults {
        PreviousResults::of_eager_steps(&self.json, &self.plan, &self.trace)
    }

    /// For a whole plan that keeps the results of `ids`.
    pub(super) fn into_handover(self, ids: BTreeSet<String>) -> EagerHandover {
        let EagerExecution { record, started_at, started: begun, time_left, .. } = self;
        EagerHandover { ids, record, started_at, started: begun, time_left }
    }
}

impl EagerContext<'_> {
    /// Lets a planner think, and starts what it has written meanwhile. `heard` is told its answer at once, and
    /// which steps were started, even if some still run; they are waited for.
    pub(super) async fn run_alongside<T>(
        &self,
        thinking: impl Future<Output = T>,
        written: UnboundedReceiver<ToolJson>,
        health: &mut HealthTracker,
        heard: impl FnOnce(&T, &[ToolJson]),
    ) -> (T, Option<EagerExecution>) {
        let queue = EagerQueue::default();
        let answered = async {
            let answer = select! {
                biased;
                answer = thinking => answer,
                never = self.receive_steps(written, &queue) => match never {},
            };
            let running = queue.close();
            heard(&answer, &running);
            answer
        };
        join!(answered, self.run_batches(&queue, health))
    }

    /// Tells of each step as it is written, and queues those that can start.
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
        // Whoever writes on after that is not heard.
        drop(steps);
        pending().await
    }

    /// Whether the step that was written last can start before the plan is whole.
    fn can_start(&self, written: &mut PartialPlan) -> bool {
        let Some(last) = written.tools.last() else { return false };
        let plan = match self.build(&self.partial_json(written.tools.clone())) {
            Ok(plan) => plan,
            Err(errors) => {
                // The plan will be judged once it is whole.
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

    /// The plan as far as it goes. Nobody knows its narrative yet; who hands over steps makes plans whose async
    /// steps may overlap.
    fn partial_json(&self, tools: Vec<ToolJson>) -> PlanJson {
        let mut json = PlanJson {
            request_id: String::new(),
            narrative: None,
            tools,
            parallel: true,
            disabled_skills: Vec::new(),
            on_failure: None,
            metadata: MetadataJson::default(),
        };
        stamp_lineage(&mut json, self.plan_id, self.attempts);
        json
    }

    /// Checks it as the whole plan will be checked.
    pub(super) fn build(&self, json: &PlanJson) -> Result<Plan, PlanErrors> {
        let results = self.attempts.results();
        let options = BuildOptions {
            disabled_skills: self.attempts.disabled().clone(),
            reused_results: results.reusable_ids(json),
            repaired_steps: results.repaired_ids(json, &self.failed_skills),
            ..BuildOptions::default()
        };
        Plan::build(json.clone(), self.catalog, &options)
    }

    /// Runs what is queued, until nothing starts any more.
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
            // Its steps are some of those that were built before, with all that they need.
            let Ok(plan) = self.build(&json) else { continue };
            let time_left = started.as_ref().map_or(self.options.plan_timeout, |it| it.time_left);
            if time_left.is_zero() {
                continue;
            }
            started = Some(self.run_batch(json, plan, time_left, started, health).await);
        }
        started
    }

    /// Runs the steps that are not over.
    async fn run_batch(
        &self,
        json: PlanJson,
        plan: Plan,
        time: Duration,
        before: Option<EagerExecution>,
        health: &mut HealthTracker,
    ) -> EagerExecution {
        let (now, at) = (Instant::now(), (self.clock_and_ids.clock)());
        let kept = self.reused_results(&json, &plan, before.as_ref());
        let record = SharedRecord::new(self.record(&json, &plan, before.as_ref(), at));
        let judge = self.arbiter.clone();
        let arbiter = judge.map(|judge| -> Arc<dyn Arbiter> {
            Arc::new(PlannerArbiter { arbiter: judge, record: record.clone() })
        });
        let cancel = self.context.cancel;
        let mut recorder =
            PlanRecorder::new(&plan, record.clone(), None, self.clock_and_ids, cancel);
        let over: BTreeSet<String> = match &before {
            Some(before) => before.json.tools.iter().map(|tool| tool.tool_id.clone()).collect(),
            None => BTreeSet::new(),
        };
        let (turn, teller) = (self.context.turn, Some(&self.context.narration));
        let performance = RunInputs {
            report: ReportContext {
                turn,
                plan: &plan,
                reported: &over,
                is_growing: true,
                narration: teller,
            },
            time_left: time,
            state: self.state,
            stores: self.stores,
            seed: self.context.seed,
            reused_results: kept,
            pending: self.pending,
            arbiter,
            cancel,
        };
        tracing::debug!(steps = plan.steps().len(), over = over.len(), "steps start early");
        let (recorder, tell) = (Some(&mut recorder), &mut |update| self.send_update(update));
        let (mut trace, time_left) =
            execute(performance, self.scripts, health, self.options, recorder, tell).await;
        let record = record.lock().clone();
        let (begun, started_at) = match &before {
            Some(before) => (before.started, before.started_at),
            None => (now, at),
        };
        let earlier = before.map_or_else(Vec::new, |before| before.trace.steps);
        let earlier = |idx: StepIdx| earlier.get(idx.0).cloned();
        continue_trace(&mut trace, now - begun, earlier);
        EagerExecution { json, plan, trace, record, started_at, started: begun, time_left }
    }

    /// Results of the waves before, and of earlier versions of the plan.
    fn reused_results(
        &self,
        json: &PlanJson,
        plan: &Plan,
        before: Option<&EagerExecution>,
    ) -> ReusedResults {
        let results = self.attempts.results();
        let mut kept = results.reused(&results.reusable_ids(json), plan);
        let before = before.into_iter().flat_map(|before| before.trace.steps.iter().cloned());
        kept.extend(before.enumerate().map(|(idx, trace)| (StepIdx(idx), trace)));
        kept
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
            let over = |step: &&narratoria_plan::StepRecord| step.status != StepStatus::Pending;
            let ids = before.steps.iter().filter(over).map(|step| step.tool_id.as_str()).collect();
            record.reuse_results(before, &ids, at);
            record.created_at = before.created_at;
        }
        record
    }

    /// The whole plan is there while some of its steps may still run: what they say can be told from now on,
    /// unless it has one of them otherwise.
    pub(super) fn start_narration(&self, whole: &PlanJson, running: &[ToolJson]) {
        let is_part = |tool: &ToolJson| whole.tools.iter().any(|other| is_same(other, tool));
        if !running.iter().all(is_part) {
            return;
        }
        if let Ok(plan) = self.build(whole) {
            let told = self.context.narration.lock().set_plan(&plan);
            told.into_updates(self.context.turn).for_each(|update| self.send_update(update));
        }
    }

    fn send_update(&self, update: Update) {
        (self.updates.lock().unwrap_or_else(PoisonError::into_inner))(update);
    }
}

fn is_same(one: &ToolJson, other: &ToolJson) -> bool {
    one.tool_id == other.tool_id && same_definition(one, other)
}

/// A trace that goes on where others of the same plan ended: its times count from their beginning, which was
/// `later` before its own, and its steps that had `ended` are as they were.
pub(super) fn continue_trace(
    trace: &mut Trace,
    later: Duration,
    ended: impl Fn(StepIdx) -> Option<StepTrace>,
) {
    for (idx, step) in trace.steps.iter_mut().enumerate() {
        match ended(StepIdx(idx)) {
            Some(ended) => *step = ended,
            None if step.reused => {}
            None => step.attempts.iter_mut().for_each(|attempt| attempt.started += later),
        }
    }
    trace.elapsed += later;
}

impl EagerQueue {
    fn lock(&self) -> MutexGuard<'_, EagerQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, tool: Option<ToolJson>) {
        self.lock().tools.extend(tool);
        self.changed.notify_one();
    }

    /// What waits is not started any more. Gives what was.
    fn close(&self) -> Vec<ToolJson> {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        self.changed.notify_one();
        std::mem::take(&mut waiting.started)
    }

    /// What waits; none once it is closed.
    async fn take(&self) -> Option<Vec<ToolJson>> {
        loop {
            {
                let mut waiting = self.lock();
                if waiting.is_closed {
                    return None;
                }
                if !waiting.tools.is_empty() {
                    let tools = std::mem::take(&mut waiting.tools);
                    waiting.started.extend(tools.iter().cloned());
                    return Some(tools);
                }
            }
            self.changed.notified().await;
        }
    }
}
