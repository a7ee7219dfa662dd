//! `door?&@2%lock<-key,lamp:f10/d5` reads: step `door` is optional, async, has 2 retries, is run by the
//! skill `lock` (else by one of its own name), needs `key` and `lamp`; its first attempt gives up after
//! 10 ms, and those after it are done after 5 ms.
//!
//! `door%lock|crowbar:f1|d2` has two candidates, each with its own attempts. What else a plan may say about
//! a step is in [`Setup::more`], as JSON.
//!
//! An attempt is `d` done, `f` gives up, `x` traps, `a` is done but used an asset's id twice, `t` keeps
//! within its limit but needs more than that, `h` hangs and heeds no limit, `p` panics,
//! `q` asks a person after so many milliseconds, and is done as long after the answer, `b` uses up all that
//! the runtime lets a task do at once and is done, `s` speaks to the player and is done, `w` speaks and gives up.
//!
//! Each attempt first says `{"last": <step>, "steps": {<step>: <attempt>}}` as a patch; its output says
//! which `last` it saw and which of its dependencies gave something, and what else it was told.

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
    executor::{
        Approvals, Arbiter, Call, Desk, Execution, Kept, News, Options, Outcome, Questions, Runner,
        SkipReason, Stores, Trace, execute,
    },
    plan::{
        Plan,
        testing::{PLAN_ID, build, catalog, skill},
    },
    protocol::{EVENT_ASK, Event, Level, Message, Object, Request},
    sandbox::{Ending, EventSink, Invocation, Owner, Refusal, Said, StoreWrite, Usage},
    skills::{HealthBook, Schema},
    story::State,
};

/// What a person does at some moment.
pub(super) type Act = (u64, fn(&Desk));

pub(super) struct Setup {
    /// Fields of tools, by `toolId`.
    pub(super) more: Value,
    /// Attempts that may overlap get tasks of their own.
    pub(super) busy: bool,
    /// Input schema of every script.
    pub(super) schema: Option<Value>,
    /// Skills that are granted the store.
    pub(super) keepers: Vec<&'static str>,
    pub(super) people: Vec<Act>,
    pub(super) approvals: Approvals,
    pub(super) questions: Questions,
    pub(super) kept: Kept,
    pub(super) arbiter: Option<Arc<dyn Arbiter>>,
    pub(super) parallel: bool,
    pub(super) slots: usize,
    pub(super) stop: bool,
    pub(super) plan_timeout_ms: u64,
    pub(super) step_timeout_ms: u64,
    pub(super) cancel_at_ms: Option<u64>,
    pub(super) health: HealthBook,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            more: json!({}),
            busy: false,
            schema: None,
            keepers: Vec::new(),
            people: Vec::new(),
            approvals: Approvals::Ask,
            questions: Questions::Ask,
            kept: Kept::new(),
            arbiter: None,
            parallel: false,
            slots: 8,
            stop: false,
            plan_timeout_ms: 60_000,
            step_timeout_ms: 30_000,
            cancel_at_ms: None,
            health: HealthBook::default(),
        }
    }
}

pub(super) fn parallel() -> Setup {
    Setup { parallel: true, ..Setup::default() }
}

/// What came of it, and the news with the milliseconds at which they came.
pub(super) struct Ran {
    pub(super) plan: Plan,
    pub(super) trace: Trace,
    pub(super) timeline: String,
    pub(super) health: HealthBook,
    /// Of all attempts, in the order in which they began.
    pub(super) requests: Vec<Request>,
}

pub(super) async fn run(text: &str, setup: Setup) -> Ran {
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
    let slots = NonZeroUsize::new(setup.slots).unwrap();
    let desk = Desk::new();
    for (at, act) in setup.people {
        let desk = desk.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(at)).await;
            act(&desk);
        });
    }
    let options = Options {
        approvals: setup.approvals,
        questions: setup.questions,
        plan_timeout: Duration::from_millis(setup.plan_timeout_ms),
        ..Options::new(slots, 7)
    };
    let mut timeline = Timeline { plan: plan.clone(), begun: Instant::now(), text: String::new() };
    let mut health = setup.health;
    let (requests, sent) = std::sync::mpsc::channel();
    let execution = Execution {
        plan: &plan,
        start: &start(),
        stores: &Stores::new(),
        kept: setup.kept,
        runner: Arc::new(Scripted { acts, requests, busy: setup.busy }),
        health: &mut health,
        cancel,
        options: &options,
        desk: &desk,
        arbiter: setup.arbiter,
    };
    let trace = execute(execution, &mut |news| timeline.note(news)).await;
    Ran { plan, trace, timeline: timeline.text, health, requests: sent.try_iter().collect() }
}

/// What the story knows before the plan.
pub(super) fn start() -> State {
    State::new(object(json!({"last": "nobody", "secret": "not read"})))
}

pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// Of each step, for each candidate.
type Acts = HashMap<String, Vec<Vec<(char, u64)>>>;

fn read(text: &str, setup: &Setup) -> (Plan, Acts) {
    let (mut tools, mut acts, mut skills) = (Vec::new(), Acts::new(), BTreeMap::new());
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
                skill.scripts[0].grants.store = setup.keepers.contains(&name);
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
        let more = setup.more.get(&id).and_then(Value::as_object).into_iter().flatten();
        more.for_each(|(key, value)| tool[key] = value.clone());
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

struct Scripted {
    acts: Acts,
    requests: std::sync::mpsc::Sender<Request>,
    busy: bool,
}

impl Runner for Scripted {
    /// Not as a rule, so that what ends at the same moment is seen at the same moment.
    fn is_busy(&self) -> bool {
        self.busy
    }

    fn run(
        &self,
        mut call: Call,
        mut sink: EventSink,
    ) -> Pin<Box<dyn Future<Output = Invocation> + Send>> {
        self.requests.send(call.request.clone()).unwrap();
        let acts = &self.acts[&call.request.tool];
        let acts = &acts[call.candidate.min(acts.len() - 1)];
        let turn = call.item.unwrap_or(0) + call.attempt as usize - 1;
        let (act, ms) = acts[turn.min(acts.len() - 1)];
        Box::pin(async move {
            for event in words(&call, act) {
                sink(Said::Event(Message { request_id: None, timestamp: None, event }));
            }
            if matches!(act, 's' | 'w') {
                aloud(&call).into_iter().for_each(&mut sink);
            }
            let begun = Instant::now();
            let mut told = None;
            match act {
                't' => sleep(call.timeout).await,
                'h' => std::future::pending().await,
                'p' => panic!("the runner fell over"),
                'b' => {
                    while has_budget_remaining() {
                        consume_budget().await;
                    }
                }
                'q' => {
                    sleep(Duration::from_millis(ms)).await;
                    sink(Said::Event(question(&call)));
                    told = match &mut call.answers {
                        Some(answers) => answers.recv().await,
                        None => None,
                    };
                    sleep(Duration::from_millis(ms)).await;
                }
                _ => sleep(Duration::from_millis(ms).min(call.timeout)).await,
            }
            let late = act == 't' || Duration::from_millis(ms) > call.timeout;
            let usage = Usage {
                fuel: 100,
                memory_bytes_peak: 10,
                stdout_bytes: 1,
                elapsed: begun.elapsed(),
            };
            let ending = if late {
                Ending::Refused(Refusal::TimedOut { limit: call.timeout })
            } else {
                ending(&call, act, told)
            };
            let seen = call.store.as_ref().and_then(|store| store.get("by").cloned());
            let write = |_| StoreWrite {
                owner: Owner::Skill,
                key: "by".to_owned(),
                value: Some(seen.unwrap_or_default() + &call.request.tool),
            };
            let writes = call.store.as_ref().map(write).into_iter().collect();
            Invocation { ending, usage, stderr_tail: String::new(), writes }
        })
    }
}

fn words(call: &Call, act: char) -> Vec<Event> {
    let id = &call.request.tool;
    let asset = || Event::Asset {
        asset_id: "map".to_owned(),
        kind: "image".to_owned(),
        media_type: "image/png".to_owned(),
        path: "map.png".to_owned(),
        metadata: None,
    };
    let patch = object(json!({"last": id, "steps": {id: call.attempt}}));
    let mut words = vec![
        Event::Log { level: Level::Info, message: format!("{id} is at it"), fields: None },
        Event::StatePatch { patch },
    ];
    match act {
        'f' => words.push(Event::Error {
            error_code: "STUCK".to_owned(),
            error_message: "the door is stuck".to_owned(),
            details: Some(json!({"force": 3})),
        }),
        'a' => words.extend([asset(), asset()]),
        _ => words.push(asset()),
    }
    words
}

fn aloud(call: &Call) -> [Said; 2] {
    let Call { attempt, skill, .. } = call;
    [Said::Aloud(format!("{} tells", skill.name)), Said::Aloud(format!(" tale {attempt}"))]
}

fn question(call: &Call) -> Message {
    let payload = json!({"question": format!("{} or not?", call.request.tool), "choices": ["yes"]});
    let event = Event::UiEvent { event: EVENT_ASK.to_owned(), payload: Some(payload) };
    Message { request_id: None, timestamp: None, event }
}

fn ending(call: &Call, act: char, told: Option<String>) -> Ending {
    match act {
        'f' | 'w' => Ending::GaveUp {
            summary: Some("the door is stuck".to_owned()),
            error_code: Some("STUCK".to_owned()),
            output: Object::new(),
        },
        'x' => Ending::Refused(Refusal::Trapped { what: "unreachable".to_owned() }),
        _ => {
            let inputs = call.request.inputs.iter();
            let gave: Vec<&String> =
                inputs.filter(|(_, v)| !v.is_null()).map(|(id, _)| id).collect();
            let mut output = json!({"saw": call.request.state["last"], "got": gave});
            if !call.request.input.is_empty() {
                output["in"] = call.request.input.clone().into();
            }
            if let Some(store) = &call.store {
                output["kept"] = json!(store.get("by"));
            }
            if act == 'q' {
                output["told"] = told.into();
            }
            Ending::Done { summary: None, output: object(output) }
        }
    }
}

struct Timeline {
    plan: Plan,
    begun: Instant,
    text: String,
}

impl Timeline {
    fn note(&mut self, news: News<'_>) {
        let name = |idx| self.plan.step(idx).tool_id.as_str();
        let line = match news {
            News::PlanStarted { .. } | News::StepSaid { .. } | News::StepSettled { .. } => return,
            News::StepSpoke { step, attempt, text } => {
                format!("{} speaks, try {attempt}: {text}", name(step))
            }
            News::StepKept { step, .. } => format!("{} kept", name(step)),
            News::StepWaiting { step, input } => format!("{} waits: {input}", name(step)),
            News::StepDecided { step, granted, asked } => format!(
                "{} {}{}",
                name(step),
                if granted { "granted" } else { "denied" },
                if asked { "" } else { " unasked" }
            ),
            News::StepAsked { step, question } => {
                format!("{} asks: {} {:?}", name(step), question.question, question.choices)
            }
            News::StepAnswered { step, text } => format!("{} is told: {text}", name(step)),
            News::StepUnanswered { step } => format!("{} is told nothing", name(step)),
            News::StepTakenOver { step, from, to, why } => {
                format!("{} {why}; {} takes over from {}", name(step), to.skill, from.skill)
            }
            News::StepStarted { step, attempt: 1, .. } => format!("{} starts", name(step)),
            News::StepStarted { step, attempt, .. } => {
                format!("{} starts, try {attempt}", name(step))
            }
            News::StepRetrying { step, delay, why, .. } => {
                format!("{} {why}; again in {} ms", name(step), delay.as_millis())
            }
            News::StepFinished { step, trace } => {
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
            News::HealthChanged { skill, transition } => {
                format!("skill {skill}: {} -> {}", transition.from.as_str(), transition.to.as_str())
            }
            News::PlanFinished { success, cancelled, .. } => {
                let end = if success { "success" } else { "failure" };
                format!("plan {end}{}", if cancelled { ", cancelled" } else { "" })
            }
        };
        self.text.push_str(&format!("{:>6} {line}\n", self.begun.elapsed().as_millis()));
    }
}

/// One line for each step: how it ended, what it put out, and how often it was tried.
pub(super) fn results(ran: &Ran) -> String {
    let line = |(step, trace): (&crate::plan::Step, &crate::executor::StepTrace)| {
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
