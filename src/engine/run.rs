//! Running one plan or one script through everything below, with or without a story around it.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    ErrorKind, Options, Scripts, TurnError, World,
    news::Reporter,
    scripts::SandboxRunner,
    session::{UpdateSink, build, check_prompt},
};
use crate::{
    executor::{self, Call, Trace, wire::ExecutionResultJson},
    narrator::{Ask, Planner, Proposal},
    plan::{self, Plan, PlanJson, StepIdx},
    protocol::{OPERATION_RUN, Object, Request},
    sandbox::{EventSink, Invocation},
    skills::{Catalog, HealthBook, Mismatch, ToolPathError},
    story::State,
};

/// Number of the turn in updates of a plan that belongs to no story.
const NO_STORY: u64 = 1;

/// Where a plan starts from.
pub(super) struct Start<'a> {
    pub(super) turn: u64,
    pub(super) state: &'a State,
    pub(super) seed: u64,
}

/// One script to be invoked by hand.
#[derive(Debug, Clone)]
pub struct ScriptCall<'a> {
    /// `<skill>/<script>`.
    pub tool_path: &'a str,
    /// [`OPERATION_RUN`] or [`crate::protocol::OPERATION_DESCRIBE`].
    pub operation: &'a str,
    /// Checked against the script's schema when the operation is to run.
    pub input: Object,
    /// The story's state; the script sees the slices that it reads.
    pub state: Object,
    /// Outputs of the steps it would depend on.
    pub inputs: Object,
    /// The only source of chance.
    pub seed: u64,
}

/// Runs a checked plan and tells its news.
pub(super) async fn execute(
    plan: &Plan,
    start: Start<'_>,
    scripts: &Arc<Scripts>,
    health: &mut HealthBook,
    cancel: &CancellationToken,
    options: &Options,
    updates: UpdateSink<'_>,
) -> Trace {
    let mut reporter = Reporter::new(start.turn, plan, updates);
    let trace = executor::execute(
        plan,
        start.state,
        Arc::new(SandboxRunner(Arc::clone(scripts))),
        health,
        cancel.clone(),
        &options.executor(start.seed),
        &mut |news| reporter.tell(news),
    )
    .await;
    reporter.finished(&trace);
    trace
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
        let step = plan.step(idx);
        let why = trace.step(idx).outcome.failure().map(ToString::to_string);
        let attempts = trace.step(idx).attempts.len();
        format!(
            "step `{}` (`{}`) failed after {attempts} {}: {}",
            step.tool_id,
            step.first().tool_path(),
            if attempts == 1 { "attempt" } else { "attempts" },
            why.unwrap_or_default()
        )
    };
    let failed: Vec<String> = trace.failed().map(sentence).collect();
    match failed.is_empty() && !trace.success {
        true => vec!["the plan's time was over before every required step had run".to_owned()],
        false => failed,
    }
}

/// What running something outside a session needs.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The usable skills.
    pub catalog: &'a Catalog,
    /// Their components.
    pub scripts: &'a Arc<Scripts>,
    /// Clock and ids.
    pub world: &'a World,
    /// Bounds.
    pub options: &'a Options,
}

impl Stage<'_> {
    /// Runs a plan that belongs to no story: it starts from `state`, and nothing is kept. Returns the
    /// execution result (`contracts/execution-result.schema.json`).
    pub async fn execute_plan(
        &self,
        json: PlanJson,
        state: Object,
        seed: u64,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Value, TurnError> {
        let plan = build(json, self.catalog)?;
        let started_at = (self.world.clock)();
        let state = State::new(state);
        let start = Start { turn: NO_STORY, state: &state, seed };
        let mut health = HealthBook::default();
        let (scripts, options) = (self.scripts, self.options);
        let trace = execute(&plan, start, scripts, &mut health, cancel, options, updates).await;
        Ok(result(&plan, &trace, started_at))
    }

    /// Asks a planner for one plan and checks that it could run; runs nothing.
    pub async fn propose_plan(
        &self,
        planner: &mut dyn Planner,
        state: &Object,
        prompt: &str,
        seed: u64,
    ) -> Result<PlanJson, TurnError> {
        let ask = Ask {
            sentence: check_prompt(prompt)?,
            catalog: self.catalog,
            disabled: &[],
            state,
            recent: &[],
            attempt: 1,
            parent_plan_id: None,
            last_failure: None,
            plan_id: (self.world.ids)().to_string(),
            seed,
        };
        let proposal = timeout(self.options.generation_timeout, planner.propose(ask))
            .await
            .map_err(|elapsed| TurnError::new(ErrorKind::Failed, elapsed))?
            .map_err(|error| TurnError::new(ErrorKind::Failed, error))?;
        let json = match proposal {
            Proposal::Plan(json) => json,
            Proposal::Text(text) => plan::parse(text.as_bytes())
                .map_err(|errors| TurnError::new(ErrorKind::Failed, errors))?,
        };
        build(json.clone(), self.catalog)
            .map_err(|error| TurnError { kind: ErrorKind::Failed, ..error })?;
        Ok(json)
    }

    /// Invokes one script once, outside any plan.
    pub async fn run_script(
        &self,
        call: ScriptCall<'_>,
        on_event: EventSink,
    ) -> Result<Invocation, TurnError> {
        let (skill, script_idx) = self.catalog.resolve(call.tool_path).map_err(tool_path_error)?;
        let script = &skill.scripts[script_idx];
        if call.operation == OPERATION_RUN {
            let mismatches = script.input_schema.mismatches(&Value::Object(call.input.clone()));
            if !mismatches.is_empty() {
                return Err(input_error(call.tool_path, &mismatches));
            }
        }
        let request = Request {
            request_id: (self.world.ids)().to_string(),
            tool: script.name.clone(),
            operation: call.operation.to_owned(),
            input: call.input,
            config: skill.config.clone(),
            state: State::new(call.state).slice(&script.reads),
            inputs: call.inputs,
            seed: call.seed,
        };
        let call = Call {
            skill: Arc::clone(skill),
            script_idx,
            request,
            timeout: script.timeout,
            step_idx: StepIdx(0),
            attempt: 1,
        };
        Ok(self.scripts.run(call, on_event).await)
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
        ToolPathError::Malformed { .. } => ErrorKind::BadInput,
        _ => ErrorKind::NotFound,
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
    TurnError::new(ErrorKind::BadInput, error)
        .hint("`narratoria skill list --format json` shows each script's input schema")
}
