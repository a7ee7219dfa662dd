//! Running one plan or one script through everything below, with or without a story around it.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    ClockAndIds, PlanDraft, Reviewer, Scripts, SessionOptions, TurnError, TurnErrorKind,
    generation::note_planner,
    plan_request::PREFILL_MAX,
    recorder::PlanRecorder,
    reporter::{ReportContext, Reporter},
    reuse::PreviousResults,
    review::{NO_PLANNER, PlanReview, ReviewOutcome},
    scripts::SandboxRunner,
    session::{FILE_PLANNER, UpdateSink, build, check_prompt},
};
use narratoria_executor::{
    self as executor, Arbiter, AttemptCall, ExecutedBy, Execution, ExecutionEvent, Outcome,
    PendingRequests, ReusedResults, StepTrace, StoreSnapshots, Trace, wire::ExecutionResultJson,
};
use narratoria_narrator::{PlanRequest, Planner, Proposal};
use narratoria_plan::{self as plan, Plan, PlanJson, Step, StepIdx};
use narratoria_protocol::StoryState;
use narratoria_protocol::{InvocationOutcome, InvocationOutputSink};
use narratoria_protocol::{OPERATION_RUN, Object, Request};
use narratoria_skills::{Catalog, HealthTracker, Mismatch, Skill, ToolPathError};

/// Number of the turn in updates of a plan that belongs to no story.
const NO_STORY: u64 = 1;

/// A plan to run, and what it starts from.
pub(super) struct RunInputs<'a> {
    pub(super) report: ReportContext<'a>,
    /// What is left of the plan's time.
    pub(super) time_left: Duration,
    pub(super) state: &'a StoryState,
    pub(super) stores: &'a StoreSnapshots,
    pub(super) seed: u64,
    pub(super) reused_results: ReusedResults,
    pub(super) pending: &'a PendingRequests,
    pub(super) arbiter: Option<Arc<dyn Arbiter>>,
    pub(super) cancel: &'a CancellationToken,
}

/// One script to be invoked by hand.
#[derive(Debug, Clone)]
pub struct ScriptCall<'a> {
    /// `<skill>/<script>`.
    pub tool_path: &'a str,
    /// [`OPERATION_RUN`] or [`narratoria_protocol::OPERATION_DESCRIBE`].
    pub operation: &'a str,
    /// Checked against the script's schema when the operation is to run.
    pub input: Object,
    /// The story's state; the script sees the slices that it reads.
    pub state: Object,
    /// Outputs of the steps it would depend on.
    pub inputs: Object,
    /// The only source of chance.
    pub seed: u64,
    /// To the questions that it asks, in order. After the last one nobody answers.
    pub answers: Vec<String>,
}

/// What a script that is invoked by hand reads.
pub struct ScriptRequest {
    /// Whose script it is.
    pub skill: Arc<Skill>,
    /// Index into its scripts.
    pub script_idx: usize,
    /// The whole of it.
    pub request: Request,
}

/// Runs a checked plan, writes down what happens, and then tells it. Also gives what is left of the plan's
/// time.
pub(super) async fn execute(
    performance: RunInputs<'_>,
    scripts: &Arc<Scripts>,
    health: &mut HealthTracker,
    options: &SessionOptions,
    mut recorder: Option<&mut PlanRecorder<'_>>,
    updates: UpdateSink<'_>,
) -> (Trace, Duration) {
    let RunInputs {
        report: told,
        time_left: time,
        state,
        stores,
        seed,
        reused_results: kept,
        pending: desk,
        arbiter,
        cancel,
    } = performance;
    let mut reporter = Reporter::new(told, updates).repeatable(options.repeatable);
    let mut executor_options =
        executor::ExecutionOptions { plan_timeout: time, ..options.executor(seed) };
    if options.repeatable && depends_on_timing(told.plan) {
        executor_options.slots = NonZeroUsize::MIN;
    }
    let execution = Execution {
        plan: told.plan,
        start: state,
        stores,
        reused_results: kept,
        runner: Arc::new(SandboxRunner(Arc::clone(scripts))),
        health,
        cancel: cancel.clone(),
        options: &executor_options,
        pending: desk,
        arbiter,
    };
    let mut left = time;
    let trace = executor::execute(execution, &mut |news| {
        if let Some(recorder) = &mut recorder {
            recorder.record_event(&news);
        }
        if let ExecutionEvent::PlanFinished { time_left, .. } = news {
            left = time_left;
        }
        reporter.handle(news);
    })
    .await;
    reporter.report_finished(&trace);
    (trace, left)
}

/// Whether more than the order of the news hangs on which of two steps is faster: what still starts after a
/// failure that stops the plan, and what two scripts of a skill find in the folder that they share. Where it
/// must not, they run one after the other.
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

/// What is told of a result: as it is, or without the times that are different each time.
pub(super) fn reported_result(
    plan: &Plan,
    trace: &Trace,
    started_at: Timestamp,
    options: &SessionOptions,
) -> Value {
    if !options.repeatable {
        return result(plan, trace, started_at);
    }
    result(plan, &trace.clone().without_times(), Timestamp::UNIX_EPOCH)
}

/// The trace in the form of `contracts/execution-result.schema.json`.
pub(super) fn result(plan: &Plan, trace: &Trace, started_at: Timestamp) -> Value {
    serde_json::to_value(ExecutionResultJson::new(plan, trace, started_at))
        .expect("a result holds only JSON values")
}

/// Why a plan failed, a sentence for each step that did: specific enough for a planner to act on
/// (S0 FR-027).
pub(super) fn failures(plan: &Plan, trace: &Trace) -> Vec<String> {
    let sentence = |idx: StepIdx| {
        let (step, trace) = (plan.step(idx), trace.step(idx));
        let by = trace
            .executed_by()
            .map_or_else(|| step.first_candidate().tool_path(), ExecutedBy::tool_path);
        let when = match trace.attempts.len() {
            0 => "failed before its first attempt".to_owned(),
            1 => "failed after 1 attempt".to_owned(),
            attempts => format!("failed after {attempts} attempts"),
        };
        let why = trace.outcome.failure().map(ToString::to_string).unwrap_or_default();
        let cut = if is_cut_by_plan(step, trace) { CUT_BY_PLAN } else { "" };
        format!("step `{}` (`{by}`) {when}: {why}{cut}", step.tool_id)
    };
    let failed: Vec<String> = trace.failed_steps().map(sentence).collect();
    match failed.is_empty() && !trace.success {
        true => vec!["the plan's time was over before every required step had run".to_owned()],
        false => failed,
    }
}

/// Follows the message of an attempt that the plan's own time limit has cut short.
const CUT_BY_PLAN: &str = ", which was all that was left of the plan's time";

fn is_cut_by_plan(step: &Step, trace: &StepTrace) -> bool {
    let Some(last) = trace.attempts.last() else { return false };
    matches!(trace.outcome, Outcome::TimedOut { .. })
        && last.executed_by.candidate_in(step).is_some_and(|by| last.limit < by.timeout)
}

/// What running something outside a session needs.
#[derive(Clone, Copy)]
pub struct StandaloneRunner<'a> {
    /// The usable skills.
    pub catalog: &'a Catalog,
    /// Their components.
    pub scripts: &'a Arc<Scripts>,
    /// Clock and ids.
    pub clock_and_ids: &'a ClockAndIds,
    /// Bounds.
    pub options: &'a SessionOptions,
}

/// A plan to run outside any story.
pub struct StandalonePlan<'a> {
    /// The plan.
    pub json: PlanJson,
    /// What it starts from.
    pub state: Object,
    /// The only source of chance.
    pub seed: u64,
    /// Where approvals and answers are given while it runs.
    pub pending: &'a PendingRequests,
    /// Who looks at it before it runs.
    pub reviewer: Option<&'a mut dyn Reviewer>,
}

impl StandaloneRunner<'_> {
    /// Runs a plan that belongs to no story, and keeps nothing. Returns the execution result
    /// (`contracts/execution-result.schema.json`); none when the reviewer cancelled it.
    pub async fn execute_plan(
        &self,
        run: StandalonePlan<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<Value>, TurnError> {
        let StandalonePlan { json, state, seed, pending: desk, reviewer } = run;
        let mut plan = build(json.clone(), self.catalog, BTreeSet::new())?;
        if let Some(reviewer) = reviewer {
            let mut review = PlanReview {
                turn: NO_STORY,
                catalog: self.catalog,
                disabled: &BTreeSet::new(),
                results: &PreviousResults::default(),
                failed_skills: &BTreeSet::new(),
                can_regenerate: Err(NO_PLANNER),
                clock_and_ids: self.clock_and_ids,
                cancel,
                reviewer,
            };
            let (by, kept) = (FILE_PLANNER.to_owned(), BTreeSet::new());
            let draft = PlanDraft { json, plan, created_by: by, version: 1, reused_results: kept };
            plan = match review.run(draft, updates).await.0 {
                ReviewOutcome::Start(draft) => draft.plan,
                ReviewOutcome::Cancelled | ReviewOutcome::Regenerate(_) => return Ok(None),
            };
        }
        let started_at = (self.clock_and_ids.clock)();
        let known = BTreeSet::new();
        let (turn, teller) = (NO_STORY, None);
        let performance = RunInputs {
            report: ReportContext {
                turn,
                plan: &plan,
                reported: &known,
                is_growing: false,
                narration: teller,
            },
            time_left: self.options.plan_timeout,
            state: &StoryState::new(state),
            stores: &StoreSnapshots::default(),
            seed,
            reused_results: ReusedResults::default(),
            pending: desk,
            arbiter: None,
            cancel,
        };
        let mut health = HealthTracker::default();
        let (scripts, options) = (self.scripts, self.options);
        let (trace, _) = execute(performance, scripts, &mut health, options, None, updates).await;
        Ok(Some(reported_result(&plan, &trace, started_at, options)))
    }

    /// Asks a planner for one plan and checks that it could run; runs nothing.
    pub async fn propose_plan(
        &self,
        planner: &mut dyn Planner,
        state: &Object,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        let ask = PlanRequest {
            sentence: check_prompt(prompt)?,
            catalog: self.catalog,
            disabled_skills: &[],
            state,
            recent_turns: &[],
            attempt: 1,
            parent_plan_id: None,
            last_failure: None,
            previous_plan: None,
            feedback: None,
            plan_id: (self.clock_and_ids.ids)().to_string(),
            seed,
            budget: self.options.generation_timeout,
            eager_steps: None,
        };
        planner.prefill(PlanRequest { sentence: "", budget: PREFILL_MAX, ..ask.clone() }).await;
        let proposal = timeout(self.options.generation_timeout, planner.propose(ask))
            .await
            .map_err(|elapsed| TurnError::new(TurnErrorKind::Failed, elapsed))?
            .map_err(|error| TurnError::new(TurnErrorKind::Failed, error))?;
        let mut json = match proposal.proposal {
            Proposal::Plan(json) => json,
            Proposal::Text(text) => plan::parse(text.as_bytes())
                .map_err(|errors| TurnError::new(TurnErrorKind::Failed, errors))?,
            Proposal::Abort { reason } => {
                let error = format!("the planner gave up: {reason}");
                return Err(TurnError::new(TurnErrorKind::Failed, error));
            }
        };
        note_planner(&mut json, proposal.fallback.as_ref(), proposal.tokens);
        build(json.clone(), self.catalog, BTreeSet::new())
            .map_err(|error| TurnError { kind: TurnErrorKind::Failed, ..error })?;
        Ok(json)
    }

    /// Whose script that is, and which.
    pub fn script(&self, tool_path: &str) -> Result<(Arc<Skill>, usize), TurnError> {
        let found = self.catalog.resolve(tool_path);
        found.map(|(skill, script_idx)| (Arc::clone(skill), script_idx)).map_err(tool_path_error)
    }

    /// What a script that is called by hand reads, if it is there and takes its input.
    pub fn script_request(&self, call: ScriptCall<'_>) -> Result<ScriptRequest, TurnError> {
        let (skill, script_idx) = self.script(call.tool_path)?;
        let script = &skill.scripts[script_idx];
        if call.operation == OPERATION_RUN {
            let mismatches = script.input_schema.mismatches(&Value::Object(call.input.clone()));
            if !mismatches.is_empty() {
                return Err(input_error(call.tool_path, &mismatches));
            }
        }
        let request = Request {
            request_id: (self.clock_and_ids.ids)().to_string(),
            tool: script.name.clone(),
            operation: call.operation.to_owned(),
            input: call.input,
            config: skill.config.clone(),
            state: StoryState::new(call.state).slice(&script.reads),
            inputs: call.inputs,
            seed: call.seed,
        };
        Ok(ScriptRequest { skill, script_idx, request })
    }

    /// Invokes one script once, outside any plan.
    pub async fn run_script(
        &self,
        mut call: ScriptCall<'_>,
        sink: InvocationOutputSink,
    ) -> Result<InvocationOutcome, TurnError> {
        let answers = std::mem::take(&mut call.answers);
        let ScriptRequest { skill, script_idx, request } = self.script_request(call)?;
        let script = &skill.scripts[script_idx];
        let (sender, receiver) = mpsc::unbounded_channel();
        for answer in answers {
            // It is open: the other end is in this very function.
            let _ = sender.send(answer);
        }
        drop(sender);
        let call = AttemptCall {
            skill: Arc::clone(&skill),
            script_idx,
            candidate: 0,
            request,
            timeout: script.timeout,
            step_idx: StepIdx(0),
            item: None,
            attempt: 1,
            store: script.grants.store.then(Arc::default),
            memory: script.grants.memory.then(Arc::default),
            answers: Some(receiver),
        };
        Ok(self.scripts.run(call, sink).await)
    }
}

fn tool_path_error(error: ToolPathError) -> TurnError {
    let hint = match &error {
        ToolPathError::Malformed { .. } => {
            Some("write it as `<skill>/<script>`, for example `dice-roller/roll-dice`".to_owned())
        }
        ToolPathError::UnknownSkill { near: Some(near), .. } => {
            Some(format!("did you mean `{near}`?"))
        }
        ToolPathError::UnknownScript { has, .. } => Some(format!("it has `{}`", has.join("`, `"))),
        _ => Some("`narratoria skill list` shows what there is".to_owned()),
    };
    let kind = match &error {
        ToolPathError::Malformed { .. } => TurnErrorKind::BadInput,
        _ => TurnErrorKind::NotFound,
    };
    let error = TurnError::new(kind, error);
    hint.into_iter().fold(error, |error, hint| error.hint(hint))
}

fn input_error(tool_path: &str, mismatches: &[Mismatch]) -> TurnError {
    let said = mismatches.iter().map(|mismatch| match mismatch.pointer.as_str() {
        "" => mismatch.what.clone(),
        pointer => format!("{pointer}: {}", mismatch.what),
    });
    let said = said.collect::<Vec<_>>().join("; ");
    let error = format!("the input does not fit `{tool_path}`: {said}");
    TurnError::new(TurnErrorKind::BadInput, error)
        .hint("`narratoria skill list --format json` shows each script's input schema")
}
