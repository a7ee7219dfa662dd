//! One plan or one script outside any story, and the proposals of a planner without a session.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    ClockAndIds, PlanDraft, Reviewer, Scripts, SessionOptions, TurnError, TurnErrorKind,
    execution_result::reported_result,
    host_resources::HostResources,
    plan_draft::build_given_plan,
    plan_execution::PlanExecution,
    plan_request::PREFILL_MAX,
    proposal::note_planner,
    reporter::ReportContext,
    reuse::PreviousResults,
    review::{NO_PLANNER, PlanReview, ReviewOutcome},
    turn_request::check_prompt,
    update::UpdateSink,
};
use narratoria_executor::{
    AttemptCall, PendingRequests, ReusedResults, StoreSnapshots, TurnRecordBudget,
};
use narratoria_narrator::{PlanRequest, Planner, Proposal};
use narratoria_plan::{self as plan, PlanJson, StepIdx};
use narratoria_protocol::{
    InvocationOutcome, InvocationOutputSink, MEMORY_OWNER, OPERATION_RUN, Object, Request,
    StoreMap, Stores, StoryState,
};
use narratoria_skills::{Catalog, HealthTracker, Mismatch, Skill, ToolPathError};

/// `turn` in the updates of a plan that belongs to no story.
const TURN_WITHOUT_STORY: u64 = 1;

/// One invocation of one script.
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
    /// Outputs of the steps that it would depend on.
    pub inputs: Object,
    /// The only source of chance.
    pub seed: u64,
    /// Answers to the script's questions, in order. Further questions stay without answer.
    pub answers: Vec<String>,
    /// A story's stores and memory, which the script sees and does not change.
    pub stores: Stores,
}

/// A script with the request that it reads.
pub struct ScriptRequest {
    pub skill: Arc<Skill>,
    /// Index into `skill.scripts`.
    pub script_idx: usize,
    pub request: Request,
}

/// Runs plans and scripts outside any session.
#[derive(Clone, Copy)]
pub struct StandaloneRunner<'a> {
    /// The usable skills.
    pub catalog: &'a Catalog,
    /// The components of `catalog`.
    pub scripts: &'a Arc<Scripts>,
    pub clock_and_ids: &'a ClockAndIds,
    pub options: &'a SessionOptions,
}

/// A plan to run outside any story.
pub struct StandalonePlan<'a> {
    pub json: PlanJson,
    /// The story's state at the start.
    pub state: Object,
    /// The only source of chance.
    pub seed: u64,
    /// Takes approvals and answers while the plan runs.
    pub pending: &'a PendingRequests,
    /// Reviews the plan before it runs.
    pub reviewer: Option<&'a mut dyn Reviewer>,
}

impl StandaloneRunner<'_> {
    /// Runs a plan that belongs to no story, and stores nothing. Returns the execution result
    /// (`contracts/execution-result.schema.json`), or `None` when the reviewer cancelled.
    pub async fn execute_plan(
        &self,
        run: StandalonePlan<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<Value>, TurnError> {
        let StandalonePlan { json, state, seed, pending, reviewer } = run;
        let mut draft = PlanDraft::from_file(json, self.catalog, BTreeSet::new())?;
        if let Some(reviewer) = reviewer {
            let mut review = PlanReview {
                turn: TURN_WITHOUT_STORY,
                catalog: self.catalog,
                disabled: &BTreeSet::new(),
                results: &PreviousResults::default(),
                failed_skills: &BTreeSet::new(),
                can_regenerate: Err(NO_PLANNER),
                clock_and_ids: self.clock_and_ids,
                cancel,
                reviewer,
            };
            draft = match review.run(draft, updates).await.0 {
                ReviewOutcome::Start(start) => start.draft,
                ReviewOutcome::Cancelled | ReviewOutcome::Regenerate(_) => return Ok(None),
            };
        }
        let (plan, started_at) = (draft.plan, self.clock_and_ids.now());
        let execution = PlanExecution {
            report: ReportContext {
                turn: TURN_WITHOUT_STORY,
                plan: &plan,
                reported: &BTreeSet::new(),
                is_growing: false,
                narration: None,
            },
            host: HostResources {
                catalog: self.catalog,
                scripts: self.scripts,
                options: self.options,
                clock_and_ids: self.clock_and_ids,
                pending,
            },
            time_left: self.options.plan_timeout,
            state: &StoryState::new(state),
            stores: &StoreSnapshots::default(),
            seed,
            record: TurnRecordBudget::whole(),
            reused_results: ReusedResults::default(),
            arbiter: None,
            cancel,
        };
        let (trace, _) = execution.run(&mut HealthTracker::default(), None, updates).await;
        Ok(Some(reported_result(&plan, &trace, started_at, self.options)))
    }

    /// Asks a planner for one plan and checks that it could run. Runs nothing.
    pub async fn propose_plan(
        &self,
        planner: &mut dyn Planner,
        state: &Object,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        let request = PlanRequest {
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
            plan_id: self.clock_and_ids.new_id(),
            seed,
            budget: self.options.generation_timeout,
            eager_steps: None,
        };
        planner.prefill(PlanRequest { sentence: "", budget: PREFILL_MAX, ..request.clone() }).await;
        let response = timeout(self.options.generation_timeout, planner.propose(request))
            .await
            .map_err(|elapsed| TurnError::new(TurnErrorKind::Failed, elapsed))?
            .map_err(|error| TurnError::new(TurnErrorKind::Failed, error))?;
        let mut json = match response.proposal {
            Proposal::Plan(json) => json,
            Proposal::Text(text) => plan::parse(text.as_bytes())
                .map_err(|errors| TurnError::new(TurnErrorKind::Failed, errors))?,
            Proposal::Abort { reason } => {
                let error = format!("the planner gave up: {reason}");
                return Err(TurnError::new(TurnErrorKind::Failed, error));
            }
        };
        note_planner(&mut json, response.fallback.as_ref(), response.tokens);
        build_given_plan(json.clone(), self.catalog, BTreeSet::new())
            .map_err(|error| TurnError { kind: TurnErrorKind::Failed, ..error })?;
        Ok(json)
    }

    /// Finds a script: its skill, and its index there.
    pub fn script(&self, tool_path: &str) -> Result<(Arc<Skill>, usize), TurnError> {
        let found = self.catalog.resolve(tool_path);
        found.map(|(skill, script_idx)| (Arc::clone(skill), script_idx)).map_err(tool_path_error)
    }

    /// The request of a call. Fails if there is no such script or the input does not fit it.
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
            request_id: self.clock_and_ids.new_id(),
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

    /// Invokes one script once.
    pub async fn run_script(
        &self,
        mut call: ScriptCall<'_>,
        sink: InvocationOutputSink,
    ) -> Result<InvocationOutcome, TurnError> {
        let answers = std::mem::take(&mut call.answers);
        let mut stores = std::mem::take(&mut call.stores);
        let ScriptRequest { skill, script_idx, request } = self.script_request(call)?;
        let script = &skill.scripts[script_idx];
        let (sender, receiver) = mpsc::unbounded_channel();
        for answer in answers {
            // The receiver is open: it is in this function.
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
            store: script.grants.store.then(|| snapshot(&mut stores, &skill.name)),
            memory: script.grants.memory.then(|| snapshot(&mut stores, MEMORY_OWNER)),
            answers: Some(receiver),
        };
        Ok(self.scripts.run(call, sink).await)
    }
}

/// The entries of one owner; none without a story.
fn snapshot(stores: &mut Stores, owner: &str) -> Arc<StoreMap> {
    Arc::new(stores.remove(owner).unwrap_or_default())
}

fn tool_path_error(error: ToolPathError) -> TurnError {
    let hint = match &error {
        ToolPathError::Malformed { .. } => {
            Some("write it as `<skill>/<script>`, for example `dice-roller/roll-dice`".to_owned())
        }
        ToolPathError::UnknownSkill { near: Some(near), .. } => {
            Some(format!("did you mean `{near}`?"))
        }
        ToolPathError::UnknownScript { has, .. } if has.is_empty() => {
            Some("it is a prompt alone, for planner and storyteller".to_owned())
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
    let sentences = mismatches.iter().map(|mismatch| match mismatch.pointer.as_str() {
        "" => mismatch.what.clone(),
        pointer => format!("{pointer}: {}", mismatch.what),
    });
    let sentences = sentences.collect::<Vec<_>>().join("; ");
    let error = format!("the input does not fit `{tool_path}`: {sentences}");
    TurnError::new(TurnErrorKind::BadInput, error)
        .hint("`narratoria skill list --format json` shows each script's input schema")
}
