//! `door?&@2%lock<-key,lamp:f10/d5` reads: step `door` is optional, async, has 2 retries, is run by the
//! skill `lock` (else by one of its own name), needs `key` and `lamp`; its first attempt gives up after
//! 10 ms, and the later ones are done after 5 ms.
//!
//! `door%lock|crowbar:f1|d2` has two candidates, each with its own attempts. [`ExecutionSetup::tool_fields`]
//! adds other fields of a tool, as JSON.
//!
//! An attempt is one of: `d` is done; `f` gives up; `i` gives up over its input; `x` traps; `a` is done but used an asset's id twice;
//! `t` runs into its limit and respects it; `h` hangs and ignores its limit; `p` panics; `q` asks a person
//! after so many milliseconds, and is done as long after the answer; `u` gives up then if there is none; `v`
//! does not wait for it; `b` uses up its task's budget and is done; `s` narrates and is done; `w` narrates
//! and gives up.
//!
//! Each attempt first writes the patch `{"last": <step>, "steps": {<step>: <attempt>}}`. Its output reports
//! the `last` that it read, the dependencies that gave an output, and its input, store and answer.

use std::{
    collections::{BTreeMap, HashMap},
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    task::coop::{consume_budget, has_budget_remaining},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    ApprovalPolicy, AttemptCall, Execution, ExecutionEvent, ExecutionOptions, Outcome,
    PendingRequests, PlanArbiter, QuestionPolicy, ReusedResults, Runner, SkipReason, StateRules,
    StoreSnapshots, Trace, execute,
};
use narratoria_plan::{
    Plan,
    testing::{PLAN_ID, build, catalog, skill},
};
use narratoria_protocol::StoryState;
use narratoria_protocol::{EVENT_ASK, Event, LogLevel, Message, Object, Request};
use narratoria_protocol::{
    InvocationEnding, InvocationError, InvocationOutcome, InvocationOutput, InvocationOutputSink,
    Owner, ResourceUsage, StoreWrite,
};
use narratoria_skills::{HealthTracker, Schema};

/// An action of a person, and the millisecond at which it happens.
pub(super) type PersonAction = (u64, fn(&PendingRequests));

pub(super) struct ExecutionSetup {
    /// Fields of tools, by `toolId`.
    pub(super) tool_fields: Value,
    /// True if attempts that may overlap get tasks of their own.
    pub(super) cpu_bound: bool,
    /// Input schema of every script.
    pub(super) schema: Option<Value>,
    /// Skills that are granted the store.
    pub(super) store_skills: Vec<&'static str>,
    pub(super) person_actions: Vec<PersonAction>,
    pub(super) approvals: ApprovalPolicy,
    pub(super) questions: QuestionPolicy,
    pub(super) reused_results: ReusedResults,
    pub(super) arbiter: Option<PlanArbiter>,
    pub(super) parallel: bool,
    pub(super) slots: usize,
    pub(super) stop: bool,
    pub(super) plan_timeout_ms: u64,
    pub(super) step_timeout_ms: u64,
    pub(super) cancel_at_ms: Option<u64>,
    /// When the grace is cut, if it is.
    pub(super) cut_at_ms: Option<u64>,
    pub(super) health: HealthTracker,
    pub(super) rules: StateRules,
    pub(super) start: StoryState,
    /// Patches of steps by `toolId`, in place of the one that every attempt writes.
    pub(super) patches: Value,
}

impl Default for ExecutionSetup {
    fn default() -> ExecutionSetup {
        ExecutionSetup {
            tool_fields: json!({}),
            cpu_bound: false,
            schema: None,
            store_skills: Vec::new(),
            person_actions: Vec::new(),
            approvals: ApprovalPolicy::Ask,
            questions: QuestionPolicy::Ask,
            reused_results: ReusedResults::new(),
            arbiter: None,
            parallel: false,
            slots: 8,
            stop: false,
            plan_timeout_ms: 60_000,
            step_timeout_ms: 30_000,
            cancel_at_ms: None,
            cut_at_ms: None,
            health: HealthTracker::default(),
            rules: StateRules::default(),
            start: start(),
            patches: json!({}),
        }
    }
}

pub(super) fn parallel() -> ExecutionSetup {
    ExecutionSetup { parallel: true, ..ExecutionSetup::default() }
}

/// The result of a plan, and its events with their times in milliseconds.
pub(super) struct ExecutorTestRun {
    pub(super) plan: Plan,
    pub(super) trace: Trace,
    pub(super) timeline: String,
    pub(super) health: HealthTracker,
    /// Requests of all attempts, in the order in which they began.
    pub(super) requests: Vec<Request>,
}

pub(super) async fn run(text: &str, setup: ExecutionSetup) -> ExecutorTestRun {
    let (plan, acts) = read(text, &setup);
    let cancel = CancellationToken::new();
    if let Some(at) = setup.cancel_at_ms {
        let late = cancel.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(at)).await;
            late.cancel();
        });
        if at == 0 {
            cancel.cancel();
        }
    }
    let grace_cut = CancellationToken::new();
    if let Some(at) = setup.cut_at_ms {
        let late = grace_cut.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(at)).await;
            late.cancel();
        });
    }
    let slots = NonZeroUsize::new(setup.slots).unwrap();
    let pending = PendingRequests::new();
    for (at, action) in setup.person_actions {
        let pending = pending.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(at)).await;
            action(&pending);
        });
    }
    let options = ExecutionOptions {
        approvals: setup.approvals,
        questions: setup.questions,
        plan_timeout: Duration::from_millis(setup.plan_timeout_ms),
        grace_cut,
        ..ExecutionOptions::new(slots, 7)
    };
    let mut timeline =
        Timeline { plan: plan.clone(), started: Instant::now(), text: String::new() };
    let mut health = setup.health;
    let (requests, sent) = std::sync::mpsc::channel();
    let execution = Execution {
        plan: &plan,
        start: &setup.start,
        rules: &setup.rules,
        stores: &StoreSnapshots::new(),
        entities: Arc::new(narratoria_protocol::NoEntities),
        reused_results: setup.reused_results,
        runner: Arc::new(ScriptedRunner {
            acts,
            patches: setup.patches,
            requests,
            cpu_bound: setup.cpu_bound,
        }),
        health: &mut health,
        cancel,
        options: &options,
        pending: &pending,
        arbiter: setup.arbiter,
    };
    let trace = execute(execution, &mut |event| timeline.note(event)).await;
    ExecutorTestRun {
        plan,
        trace,
        timeline: timeline.text,
        health,
        requests: sent.try_iter().collect(),
    }
}

/// The story's state before the plan.
pub(super) fn start() -> StoryState {
    StoryState::new(object(json!({"last": "nobody", "secret": "not read"})))
}

pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// By `toolId`; one list of attempts for each candidate.
type ScriptedActs = HashMap<String, Vec<Vec<(char, u64)>>>;

fn read(text: &str, setup: &ExecutionSetup) -> (Plan, ScriptedActs) {
    let (mut tools, mut acts, mut skills) = (Vec::new(), ScriptedActs::new(), BTreeMap::new());
    for word in text.split_whitespace() {
        let (head, script) = word.split_once(':').unwrap_or((word, "d0"));
        let (name, needs) = head.split_once("<-").unwrap_or((head, ""));
        let needs: Vec<&str> = needs.split(',').filter(|need| !need.is_empty()).collect();
        let id: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
        let flags = &name[id.len()..];
        let by = flags.split_once('%').map_or(id.as_str(), |(_, skill)| skill).to_lowercase();
        let retries: u64 = flags.split_once('@').map_or(0, |(_, n)| n[..1].parse().unwrap());
        for name in by.split('|') {
            let skill = skills.entry(name.to_owned()).or_insert_with(|| {
                let mut skill = skill(name, &["run"]);
                skill.scripts[0].reads = vec!["/last".to_owned()];
                skill.scripts[0].timeout = Duration::from_millis(setup.step_timeout_ms);
                if let Some(schema) = &setup.schema {
                    skill.scripts[0].input_schema = Schema::build(schema.clone()).unwrap();
                }
                skill.scripts[0].input_errors = vec![BAD_INPUT.to_owned()];
                skill.scripts[0].grants.store = setup.store_skills.contains(&name);
                skill
            });
            skill.capabilities.push(id.to_lowercase());
        }
        let path = match by.contains('|') {
            true => format!("capability:{}", id.to_lowercase()),
            false => format!("{by}/run"),
        };
        let mut tool = json!({
            "toolId": id, "toolPath": path, "dependencies": needs,
            "required": !flags.contains('?'), "async": flags.contains('&'),
            "retryPolicy": {"maxRetries": retries},
        });
        let fields = setup.tool_fields.get(&id).and_then(Value::as_object).into_iter().flatten();
        fields.for_each(|(key, value)| tool[key] = value.clone());
        tools.push(tool);
        let act = |act: &str| (act.chars().next().unwrap(), act[1..].parse().unwrap_or(0));
        let acts_of = |script: &str| script.split('/').map(act).collect();
        acts.insert(id, script.split('|').map(acts_of).collect());
    }
    let json = json!({
        "requestId": PLAN_ID, "tools": tools, "parallel": setup.parallel,
        "onFailure": if setup.stop { "stop" } else { "continue" },
    });
    let plan =
        build(serde_json::from_value(json).unwrap(), &catalog(skills.into_values())).unwrap();
    (plan, acts)
}

/// The code with which every script says that its input is at fault.
const BAD_INPUT: &str = "BAD_INPUT";

struct ScriptedRunner {
    acts: ScriptedActs,
    patches: Value,
    requests: std::sync::mpsc::Sender<Request>,
    cpu_bound: bool,
}

impl Runner for ScriptedRunner {
    /// False by default, so that the loop sees attempts that end at the same moment together.
    fn is_cpu_bound(&self) -> bool {
        self.cpu_bound
    }

    fn run(
        &self,
        mut call: AttemptCall,
        mut sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        self.requests.send(call.request.clone()).unwrap();
        let acts = &self.acts[&call.request.tool];
        let acts = &acts[call.candidate.min(acts.len() - 1)];
        let turn = call.item.unwrap_or(0) + call.attempt as usize - 1;
        let (act, ms) = acts[turn.min(acts.len() - 1)];
        let patch = self.patches.get(&call.request.tool).cloned();
        Box::pin(async move {
            for event in scripted_events(&call, act, patch) {
                sink(InvocationOutput::Event(Message { request_id: None, timestamp: None, event }));
            }
            if matches!(act, 's' | 'w') {
                narration_output(&call).into_iter().for_each(&mut sink);
            }
            let started = Instant::now();
            let mut answer = None;
            match act {
                't' => sleep(call.timeout).await,
                'h' => std::future::pending().await,
                'p' => panic!("the runner fell over"),
                'b' => {
                    while has_budget_remaining() {
                        consume_budget().await;
                    }
                }
                'q' | 'u' | 'v' => {
                    sleep(Duration::from_millis(ms)).await;
                    sink(InvocationOutput::Event(question(&call)));
                    answer = match &mut call.answers {
                        Some(answers) if act != 'v' => answers.recv().await,
                        _ => None,
                    };
                    sleep(Duration::from_millis(ms)).await;
                }
                _ => sleep(Duration::from_millis(ms).min(call.timeout)).await,
            }
            let late = act == 't' || Duration::from_millis(ms) > call.timeout;
            let usage = ResourceUsage {
                fuel: 100,
                memory_bytes_peak: 10,
                stdout_bytes: 1,
                elapsed: started.elapsed(),
                network_failures: u32::from(act == 'n'),
            };
            let ending = if late {
                InvocationEnding::Aborted(InvocationError::TimedOut { limit: call.timeout })
            } else {
                ending(&call, act, answer)
            };
            let seen = call.store.as_ref().and_then(|store| store.get("by").cloned());
            let write = |_| StoreWrite {
                owner: Owner::Skill,
                key: "by".to_owned(),
                value: Some(seen.unwrap_or_default() + &call.request.tool),
            };
            let writes = call.store.as_ref().map(write).into_iter().collect();
            let (stderr_tail, files) = (String::new(), Vec::new());
            InvocationOutcome { ending, usage, stderr_tail, writes, files }
        })
    }
}

fn scripted_events(call: &AttemptCall, act: char, patch: Option<Value>) -> Vec<Event> {
    let id = &call.request.tool;
    let asset = || Event::Asset {
        asset_id: "map".to_owned(),
        kind: "image".to_owned(),
        media_type: "image/png".to_owned(),
        path: "map.png".to_owned(),
        metadata: None,
    };
    let standard = || json!({"last": id, "steps": {id: call.attempt}});
    let patch = object(patch.unwrap_or_else(standard));
    let mut events = vec![
        Event::Log { level: LogLevel::Info, message: format!("{id} is at it"), fields: None },
        Event::StatePatch { patch },
    ];
    match act {
        'f' => events.push(Event::Error {
            error_code: "STUCK".to_owned(),
            error_message: "the door is stuck".to_owned(),
            details: Some(json!({"force": 3})),
        }),
        'a' => events.extend([asset(), asset()]),
        _ => events.push(asset()),
    }
    events
}

fn narration_output(call: &AttemptCall) -> [InvocationOutput; 2] {
    let AttemptCall { attempt, skill, .. } = call;
    [
        InvocationOutput::Narration(format!("{} tells", skill.name)),
        InvocationOutput::Narration(format!(" tale {attempt}")),
    ]
}

fn question(call: &AttemptCall) -> Message {
    let payload = json!({"question": format!("{} or not?", call.request.tool), "choices": ["yes"]});
    let event = Event::UiEvent { event: EVENT_ASK.to_owned(), payload: Some(payload) };
    Message { request_id: None, timestamp: None, event }
}

fn ending(call: &AttemptCall, act: char, answer: Option<String>) -> InvocationEnding {
    let gives_up = act == 'u' && answer.is_none();
    match act {
        _ if gives_up || matches!(act, 'f' | 'w' | 'n') => InvocationEnding::Failed {
            summary: Some("the door is stuck".to_owned()),
            error_code: Some("STUCK".to_owned()),
            output: Object::new(),
        },
        'i' => InvocationEnding::Failed {
            summary: Some("there is no such door".to_owned()),
            error_code: Some(BAD_INPUT.to_owned()),
            output: Object::new(),
        },
        'x' => {
            InvocationEnding::Aborted(InvocationError::Trapped { what: "unreachable".to_owned() })
        }
        _ => {
            let inputs = call.request.inputs.iter();
            let got: Vec<&String> =
                inputs.filter(|(_, v)| !v.is_null()).map(|(id, _)| id).collect();
            let mut output = json!({"saw": call.request.state["last"], "got": got});
            if !call.request.input.is_empty() {
                output["in"] = call.request.input.clone().into();
            }
            if let Some(store) = &call.store {
                output["stored"] = json!(store.get("by"));
            }
            if act == 'q' {
                output["answer"] = answer.into();
            }
            InvocationEnding::Done { summary: None, output: object(output) }
        }
    }
}

struct Timeline {
    plan: Plan,
    started: Instant,
    text: String,
}

impl Timeline {
    fn note(&mut self, event: ExecutionEvent<'_>) {
        let name = |idx| self.plan.step(idx).tool_id.as_str();
        let line = match event {
            ExecutionEvent::PlanStarted { .. }
            | ExecutionEvent::StepEmitted { .. }
            | ExecutionEvent::StepSettled { .. } => return,
            ExecutionEvent::StepNarrated { step, attempt, text } => {
                format!("{} speaks, try {attempt}: {text}", name(step))
            }
            ExecutionEvent::StepReused { step, .. } => format!("{} reused", name(step)),
            ExecutionEvent::StepWaiting { step, input } => format!("{} waits: {input}", name(step)),
            ExecutionEvent::StepDecided { step, granted, asked } => format!(
                "{} {}{}",
                name(step),
                if granted { "granted" } else { "denied" },
                if asked { "" } else { " unasked" }
            ),
            ExecutionEvent::StepAsked { step, question } => {
                format!("{} asks: {} {:?}", name(step), question.question, question.choices)
            }
            ExecutionEvent::StepAnswered { step, text } => {
                format!("{} is answered: {text}", name(step))
            }
            ExecutionEvent::StepUnanswered { step } => format!("{} stays unanswered", name(step)),
            ExecutionEvent::StepTakenOver { step, from, to, why } => {
                format!("{} {why}; {} takes over from {}", name(step), to.skill, from.skill)
            }
            ExecutionEvent::StepStarted { step, attempt: 1, .. } => {
                format!("{} starts", name(step))
            }
            ExecutionEvent::StepStarted { step, attempt, .. } => {
                format!("{} starts, try {attempt}", name(step))
            }
            ExecutionEvent::StepRetrying { step, delay, why, .. } => {
                format!("{} {why}; again in {} ms", name(step), delay.as_millis())
            }
            ExecutionEvent::StepFinished { step, trace } => {
                let what = trace.outcome.as_str();
                match &trace.outcome {
                    Outcome::Done { .. } => format!("{} {what}", name(step)),
                    Outcome::Failed { why } | Outcome::TimedOut { why } => {
                        format!("{} {what}: {why}", name(step))
                    }
                    Outcome::Skipped { because: SkipReason::DependencyFailed(culprit) } => {
                        format!("{} {what}: {} failed", name(step), name(*culprit))
                    }
                    Outcome::Skipped { because: SkipReason::DependencyDenied(culprit) } => {
                        format!("{} {what}: {} was denied", name(step), name(*culprit))
                    }
                    Outcome::Skipped { because } => {
                        format!("{} {what}: {}", name(step), because.as_str())
                    }
                }
            }
            ExecutionEvent::HealthChanged { skill, transition } => {
                format!("skill {skill}: {} -> {}", transition.from.as_str(), transition.to.as_str())
            }
            ExecutionEvent::PlanFinished { success, cancelled, .. } => {
                let end = if success { "success" } else { "failure" };
                format!("plan {end}{}", if cancelled { ", cancelled" } else { "" })
            }
        };
        self.text.push_str(&format!("{:>6} {line}\n", self.started.elapsed().as_millis()));
    }
}

/// One line for each step: its outcome, its output and the number of its attempts.
pub(super) fn results(ran: &ExecutorTestRun) -> String {
    let line = |(step, trace): (&narratoria_plan::Step, &crate::StepTrace)| {
        let output = match &trace.outcome {
            Outcome::Done { output, .. } => output.to_string(),
            Outcome::Skipped { because } => because.as_str().to_owned(),
            outcome => outcome.failure().unwrap().to_string(),
        };
        format!(
            "{} {} {output}, {} tries\n",
            step.tool_id,
            trace.outcome.as_str(),
            trace.attempts.len()
        )
    };
    let steps: String = ran.plan.steps().iter().zip(&ran.trace.steps).map(line).collect();
    let state = Value::Object(ran.trace.state.as_object().clone());
    let disabled: Vec<&str> = ran.trace.disabled_skills.iter().map(String::as_str).collect();
    let end = if ran.trace.success { "success" } else { "failure" };
    format!("{steps}{state}\n{end}, disabled: {}", disabled.join(" "))
}
