//! `door?&@2%lock<-key,lamp:f10/d5` reads: step `door` is optional, async, has 2 retries, is run by the
//! skill `lock` (else by one of its own name), needs `key` and `lamp`; its first attempt gives up after
//! 10 ms, and those after it are done after 5 ms.
//!
//! An attempt is `d` done, `f` gives up, `x` traps, `a` is done but used an asset's id twice, `t` keeps
//! within its limit but needs more than that, `h` hangs and heeds no limit, `p` panics.
//!
//! Each attempt first says `{"last": <step>, "steps": {<step>: <attempt>}}` as a patch; its output says
//! which `last` it saw and which of its dependencies gave something.

use std::{
    collections::{BTreeMap, HashMap},
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    executor::{Call, News, Options, Outcome, Runner, SkipReason, Trace, execute},
    plan::{
        Plan,
        testing::{PLAN_ID, build, catalog, skill},
    },
    protocol::{Event, Level, Message, Object, Request},
    sandbox::{Ending, EventSink, Invocation, Refusal, Usage},
    skills::HealthBook,
    story::State,
};

pub(super) struct Setup {
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
    let options = Options {
        plan_timeout: Duration::from_millis(setup.plan_timeout_ms),
        ..Options::new(slots, 7)
    };
    let mut timeline = Timeline { plan: plan.clone(), begun: Instant::now(), text: String::new() };
    let mut health = setup.health;
    let (requests, sent) = std::sync::mpsc::channel();
    let trace = execute(
        &plan,
        &start(),
        Arc::new(Scripted { acts, requests }),
        &mut health,
        cancel,
        &options,
        &mut |news| timeline.note(news),
    )
    .await;
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

type Acts = HashMap<String, Vec<(char, u64)>>;

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
        skills.entry(by.clone()).or_insert_with(|| {
            let mut skill = skill(&by, &["run"]);
            skill.scripts[0].reads = vec!["/last".to_owned()];
            skill.scripts[0].timeout = Duration::from_millis(setup.step_timeout_ms);
            skill
        });
        tools.push(json!({
            "toolId": id, "toolPath": format!("{by}/run"), "dependencies": needs,
            "required": !flags.contains('?'), "async": flags.contains('&'),
            "retryPolicy": {"maxRetries": retries},
        }));
        let act = |act: &str| (act.chars().next().unwrap(), act[1..].parse().unwrap_or(0));
        acts.insert(id, script.split('/').map(act).collect());
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
}

impl Runner for Scripted {
    fn run(
        &self,
        call: Call,
        mut on_event: EventSink,
    ) -> Pin<Box<dyn Future<Output = Invocation> + Send>> {
        self.requests.send(call.request.clone()).unwrap();
        let acts = &self.acts[&call.request.tool];
        let (act, ms) = acts[(call.attempt as usize - 1).min(acts.len() - 1)];
        Box::pin(async move {
            for event in words(&call, act) {
                on_event(Message { request_id: None, timestamp: None, event });
            }
            let begun = Instant::now();
            match act {
                't' => sleep(call.timeout).await,
                'h' => std::future::pending().await,
                'p' => panic!("the runner fell over"),
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
                ending(&call, act)
            };
            Invocation { ending, usage, stderr_tail: String::new(), writes: Vec::new() }
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

fn ending(call: &Call, act: char) -> Ending {
    match act {
        'f' => Ending::GaveUp {
            summary: Some("the door is stuck".to_owned()),
            error_code: Some("STUCK".to_owned()),
            output: Object::new(),
        },
        'x' => Ending::Refused(Refusal::Trapped { what: "unreachable".to_owned() }),
        _ => {
            let inputs = call.request.inputs.iter();
            let gave: Vec<&String> =
                inputs.filter(|(_, v)| !v.is_null()).map(|(id, _)| id).collect();
            let output = json!({"saw": call.request.state["last"], "got": gave});
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
            News::PlanStarted { .. } | News::StepSaid { .. } => return,
            News::StepStarted { step, attempt: 1 } => format!("{} starts", name(step)),
            News::StepStarted { step, attempt } => format!("{} starts, try {attempt}", name(step)),
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
            Outcome::Done { output, .. } => Value::Object(output.clone()).to_string(),
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
