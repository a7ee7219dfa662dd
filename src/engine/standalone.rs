//! Runs a plan or a script outside any story, and asks a planner for a plan without a session.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    ClockAndIds, PlanDraft, Reviewer, Scripts, SessionOptions, TurnError, TurnErrorKind,
    criteria::record_judgments,
    execution_result::{execution_result, failure_sentences, repeatable_result},
    host_resources::HostResources,
    plan_draft::build_given_plan,
    plan_execution::PlanExecution,
    plan_request::PREFILL_MAX,
    proposal::note_planner,
    recorder::{PlanRecorder, SharedRecord, close_record},
    reporter::ReportContext,
    reuse::PreviousResults,
    review::{NO_PLANNER, PlanReview, ReviewOutcome},
    scripts::ScriptTurn,
    turn_budget::TurnBudget,
    turn_context::recent_turns,
    turn_request::check_prompt,
    update::UpdateSink,
};
use narratoria_executor::{AttemptCall, PendingRequests, ReusedResults, StoreSnapshots};
use narratoria_narrator::{PlanRequest, Planner, PlannerDecision, RecentTurn, request_answer};
use narratoria_plan::{
    self as plan, Candidate, Plan, PlanJson, PlanRecord, ScriptTimes, Step, StepIdx,
};
use narratoria_protocol::{
    InvocationOutcome, InvocationOutputSink, MEMORY_OWNER, OPERATION_RUN, Object, Request,
    StoreMap, Stores, StoryState,
};
use narratoria_sandbox::{EntityInput, MemoryAuthor};
use narratoria_skills::{Catalog, HealthTracker, Mismatch, Skill, StateValueLists, ToolPathError};
use narratoria_story::{PlanRow, Story, export_plan};

/// `turn` in the updates of a plan that belongs to no story.
const TURN_WITHOUT_STORY: u64 = 1;

/// One invocation of one script.
#[derive(Debug, Clone)]
pub struct ScriptCall<'a> {
    /// `<skill>/<script>`.
    pub tool_path: &'a str,
    /// [`OPERATION_RUN`] or [`narratoria_protocol::OPERATION_DESCRIBE`].
    pub operation: &'a str,
    /// Checked against the script's schema if the operation is `run`.
    pub input: Object,
    /// The story's state; the script sees the slices that it reads.
    pub state: Object,
    /// Outputs of the steps that it would depend on.
    pub inputs: Object,
    /// The only source of chance.
    pub seed: u64,
    /// Answers to the script's questions, in order. Further questions stay without answer.
    pub answers: Vec<String>,
    /// A story's stores and memory, which the script sees but does not change.
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

/// The context that a planner has beside the sentence.
struct PlanningGround<'a> {
    state: &'a Object,
    recent_turns: &'a [RecentTurn],
}

/// A plan that has run outside any story.
pub struct StandaloneOutcome {
    /// The result of a repeatable session, which has no times.
    repeatable: Option<Value>,
    /// The plan with its record and its result, as `narratoria plan show` has it for a plan of a story.
    pub record: Value,
}

impl StandaloneOutcome {
    /// Returns the result, as in `contracts/execution-result.schema.json`. Moves a long one out of the record instead
    /// of copying it.
    pub fn into_result(mut self) -> Value {
        self.repeatable.unwrap_or_else(|| self.record["result"].take())
    }
}

impl StandaloneRunner<'_> {
    /// Runs a plan that belongs to no story, and stores nothing. Returns the execution result
    /// (`contracts/execution-result.schema.json`), or `None` if the reviewer cancelled.
    pub async fn execute_plan(
        &self,
        run: StandalonePlan<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<Value>, TurnError> {
        let finished = self.execute_recorded_plan(run, "", cancel, updates).await?;
        Ok(finished.map(StandaloneOutcome::into_result))
    }

    /// Runs a plan as [`StandaloneRunner::execute_plan`] does, and returns its record as well (S0 FR-029). `task` says
    /// what the plan is for.
    pub async fn execute_recorded_plan(
        &self,
        run: StandalonePlan<'_>,
        task: &str,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<StandaloneOutcome>, TurnError> {
        let StandalonePlan { json, state, seed, pending, reviewer } = run;
        let created_at = self.clock_and_ids.now();
        let draft = PlanDraft::from_file(json, self.catalog, BTreeSet::new(), &Object::new())?;
        let reviewed = match reviewer {
            Some(reviewer) => self.review(draft, reviewer, cancel, updates).await,
            None => Some((draft, None)),
        };
        let Some((draft, changes)) = reviewed else { return Ok(None) };
        let PlanDraft { json, plan, created_by, version, .. } = draft;
        self.check_folders(&plan)?;
        let mut record =
            PlanRecord::from_plan_json(&json, Some(&plan), task, &created_by, created_at);
        (record.version, record.changes) = (version, changes);
        let estimate = ScriptTimes::default().estimate(&plan, self.options.plan_timeout);
        record.set_estimate(&estimate);
        let record = SharedRecord::new(record);
        let mut recorder =
            PlanRecorder::new(&plan, record.clone(), None, self.clock_and_ids, cancel);
        let started_at = self.clock_and_ids.now();
        let execution = PlanExecution {
            report: ReportContext {
                turn: TURN_WITHOUT_STORY,
                plan: &plan,
                reported: &BTreeSet::new(),
                is_growing: false,
                estimate: Some(estimate.plan),
                narration: None,
            },
            host: HostResources {
                catalog: self.catalog,
                scripts: self.scripts,
                options: self.options,
                clock_and_ids: self.clock_and_ids,
                pending,
                entities: None,
                guidance: None,
            },
            time_left: self.options.plan_timeout,
            state: &StoryState::new(state),
            stores: &StoreSnapshots::default(),
            seed,
            budget: TurnBudget::whole(),
            reused_results: ReusedResults::default(),
            arbiter: None,
            cancel,
        };
        let mut health = HealthTracker::default();
        let (trace, _) = execution.run(&mut health, Some(&mut recorder), updates).await;
        let mut record = record.lock().clone();
        close_record(&mut record, &trace, self.clock_and_ids.now());
        record_judgments(&mut record, &plan, &trace);
        let result = execution_result(&plan, &trace, started_at);
        let errors = failure_sentences(&plan, &trace);
        let repeatable = self.options.repeatable.then(|| repeatable_result(&plan, trace));
        let row = row(&json, record, result, errors);
        Ok(Some(StandaloneOutcome { repeatable, record: export_plan(row, 1, TURN_WITHOUT_STORY) }))
    }

    /// Refuses a plan with a step that runs only in a story: each script that could run it has files in the story's folder.
    fn check_folders(&self, plan: &Plan) -> Result<(), TurnError> {
        let needs_folder = |candidate: &Candidate| candidate.script().grants.has_folder();
        let is_homeless = |step: &&Step| !step.skip && step.candidates.iter().all(needs_folder);
        let step = plan.steps().iter().find(is_homeless).filter(|_| !self.scripts.has_folder());
        let Some(Step { tool_id, tool_path, .. }) = step else { return Ok(()) };
        let error = format!(
            "step `{tool_id}` cannot run outside a story: `{tool_path}` has files in a story's folder"
        );
        Err(TurnError::new(TurnErrorKind::BadInput, error)
            .hint("`narratoria plan run FILE --story NAME` runs the plan in a story"))
    }

    /// Has a draft reviewed. Returns the draft that will run with its last changes; `None` if the reviewer cancelled.
    async fn review(
        &self,
        draft: PlanDraft,
        reviewer: &mut dyn Reviewer,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Option<(PlanDraft, Option<String>)> {
        let mut review = PlanReview {
            turn: TURN_WITHOUT_STORY,
            catalog: self.catalog,
            state: &Object::new(),
            disabled: &BTreeSet::new(),
            results: &PreviousResults::default(),
            failed_skills: &BTreeSet::new(),
            planner_skips: &BTreeSet::new(),
            can_regenerate: Err(NO_PLANNER),
            script_times: &ScriptTimes::default(),
            options: self.options,
            clock_and_ids: self.clock_and_ids,
            cancel,
            reviewer,
        };
        let (outcome, mut versions) = review.run(draft, updates).await;
        let changes = versions.pop().map(|(_, changes)| changes);
        match outcome {
            ReviewOutcome::Start(start) => Some((start.draft, changes)),
            ReviewOutcome::Cancelled | ReviewOutcome::Regenerate(_) => None,
        }
    }

    /// Asks a planner for one plan and checks that it could run. Runs nothing.
    pub async fn propose_plan(
        &self,
        planner: &mut dyn Planner,
        state: &Object,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        self.propose(planner, PlanningGround { state, recent_turns: &[] }, prompt, seed).await
    }

    /// Asks a planner for the plan of a story's next turn, as [`StandaloneRunner::propose_plan`] does. The planner sees
    /// the state and the last turns of the story, which stays as it is.
    pub async fn propose_plan_in_story(
        &self,
        planner: &mut dyn Planner,
        story: &Story,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        let recent_turns = recent_turns(story);
        let ground =
            PlanningGround { state: story.state().as_object(), recent_turns: &recent_turns };
        self.propose(planner, ground, prompt, seed).await
    }

    async fn propose(
        &self,
        planner: &mut dyn Planner,
        ground: PlanningGround<'_>,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        let PlanningGround { state, recent_turns } = ground;
        let request = PlanRequest {
            recent_turns,
            seed,
            ..PlanRequest::first(
                check_prompt(prompt)?,
                self.catalog,
                state,
                self.clock_and_ids.new_id(),
                self.options.generation_timeout,
            )
        };
        planner.prefill(PlanRequest { sentence: "", budget: PREFILL_MAX, ..request.clone() }).await;
        let answer = request_answer(planner, request).await.map_err(|no_plan| {
            TurnError::new(TurnErrorKind::Failed, no_plan.reasons().join("; "))
        })?;
        let mut json = match answer.decision {
            PlannerDecision::Plan(json) => json,
            PlannerDecision::Abort { reason } => {
                let error = format!("the planner gave up: {reason}");
                return Err(TurnError::new(TurnErrorKind::Failed, error));
            }
        };
        note_planner(&mut json, answer.fallback.as_ref(), answer.tokens);
        // The sentence is stored in the plan, so that its record can name it wherever the plan runs.
        json.metadata.extra.insert(plan::TASK_KEY.to_owned(), prompt.into());
        build_given_plan(json.clone(), self.catalog, BTreeSet::new(), state)
            .map_err(|error| TurnError { kind: TurnErrorKind::Failed, ..error })?;
        Ok(json)
    }

    /// Finds a script: its skill, and its index there.
    pub fn script(&self, tool_path: &str) -> Result<(Arc<Skill>, usize), TurnError> {
        find_script(self.catalog, tool_path)
    }

    /// The request of a call. Fails if there is no such script or the input does not fit it.
    pub fn script_request(&self, call: ScriptCall<'_>) -> Result<ScriptRequest, TurnError> {
        let (skill, script_idx) = self.script(call.tool_path)?;
        let script = &skill.scripts[script_idx];
        if call.operation == OPERATION_RUN {
            let schema = &script.input_schema;
            let lists = StateValueLists::read(schema.value_pointers(), &call.state);
            let input = Value::Object(call.input.clone());
            let mismatches = schema.mismatches_in_state(&input, &[], &lists);
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
            // The receiver is open, because this function owns it.
            let _ = sender.send(answer);
        }
        drop(sender);
        let entities = script.grants.memory.then(|| EntityInput::outside(MemoryAuthor::of(&skill)));
        let call = AttemptCall {
            skill: Arc::clone(&skill),
            script_idx,
            candidate: 0,
            request,
            timeout: script.timeout,
            step_idx: StepIdx(0),
            asked_by: None,
            item: None,
            attempt: 1,
            store: script.grants.store.then(|| snapshot(&mut stores, &skill.name)),
            memory: script.grants.memory.then(|| snapshot(&mut stores, MEMORY_OWNER)),
            entity_writes: None,
            answers: Some(receiver),
        };
        Ok(self.scripts.run(call, sink, entities, &ScriptTurn::default()).await)
    }
}

/// Creates the row that a story would have for a plan that has run.
fn row(json: &PlanJson, record: PlanRecord, result: Value, errors: Vec<String>) -> PlanRow {
    PlanRow {
        id: json.request_id.clone(),
        attempt: json.metadata.generation_attempt,
        parent_plan_id: json.metadata.parent_plan_id.clone(),
        planner: record.created_by.clone(),
        status: record.status,
        plan: serde_json::to_value(json).expect("a plan holds only JSON values"),
        result: Some(result),
        errors,
        created_at: record.created_at,
        record: Some(record),
        seen: None,
    }
}

/// Returns the entries of one owner; empty without a story.
fn snapshot(stores: &mut Stores, owner: &str) -> Arc<StoreMap> {
    Arc::new(stores.remove(owner).unwrap_or_default())
}

/// The script of this path, with the error that says what there is instead.
pub fn find_script(catalog: &Catalog, tool_path: &str) -> Result<(Arc<Skill>, usize), TurnError> {
    let found = catalog.resolve(tool_path);
    found.map(|(skill, script_idx)| (Arc::clone(skill), script_idx)).map_err(tool_path_error)
}

fn tool_path_error(error: ToolPathError) -> TurnError {
    let hint = match &error {
        ToolPathError::Malformed { path } => Some(match plan::script_of_file(path) {
            Some(script) => format!("name the script, not its file: `{script}`"),
            None => {
                "write it as `<skill>/<script>`, for example `dice-roller/roll-dice`".to_owned()
            }
        }),
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
