//! A trace as JSON (`contracts/execution-result.schema.json`, S0 §5.4). Version 1.
//!
//! Readers ignore unknown fields, so fields may be added; no field may change its meaning.

use std::{collections::BTreeSet, time::Duration};

use serde::Serialize;
use serde_json::Value;

use crate::{Arbitration, Attempt, ExecutedBy, Failure, Outcome, StepTrace, Trace};
use narratoria_plan::{Plan, Step};
use narratoria_protocol::{Event, Message, Object, WIRE_VERSION, merge, millis};

/// The result of one plan.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionResultJson<'a> {
    plan_id: &'a str,
    success: bool,
    can_replan: bool,
    failed_tools: Vec<&'a str>,
    disabled_skills: &'a BTreeSet<String>,
    tool_results: Vec<ToolResultJson<'a>>,
    /// All patches merged in plan order into an empty object: this plan's changes without the rest of the
    /// state, and without deleted members.
    aggregated_state: Object,
    aggregated_assets: Vec<AssetJson<'a>>,
    execution_time_ms: u64,
    attempt_number: u32,
}

/// The result of one tool.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultJson<'a> {
    tool_id: &'a str,
    tool_path: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<OutputJson<'a>>,
    events: Vec<MessageJson<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    events_left_off: usize,
    execution_time_ms: u64,
    retry_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorJson>,
    attempts: Vec<AttemptJson<'a>>,
    fuel_consumed: u64,
    peak_memory_bytes: u64,
    stdout_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    executed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arbitration: Option<ArbitrationJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    kept: bool,
}

/// S0's contract requires an object, so the outputs of a loop are wrapped in one: `{"items": […]}`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum OutputJson<'a> {
    Done(&'a Value),
    Items { items: &'a [Value] },
    GaveUp(&'a Object),
}

/// How a skill was chosen for a tool with several candidates.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArbitrationJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    why: &'static str,
    reason: &'static str,
    passed_over: Vec<PassedOverCandidateJson<'a>>,
    takeovers: Vec<TakeoverJson<'a>>,
}

/// A candidate that was not chosen.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOverCandidateJson<'a> {
    tool_path: String,
    why: &'a str,
}

/// The last retry of one candidate failed, and the next candidate went on.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakeoverJson<'a> {
    from: String,
    to: String,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptJson<'a> {
    attempt: usize,
    executed_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorJson>,
    execution_time_ms: u64,
    fuel_consumed: u64,
    peak_memory_bytes: u64,
    stdout_bytes: u64,
    events: Vec<MessageJson<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    events_left_off: usize,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorJson {
    /// Stable, for programs.
    pub code: String,
    /// For people and planners.
    pub message: String,
    /// S0 FR-027.
    pub category: &'static str,
    /// Details of the script's last `error` event, or the end of its stderr.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Object>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssetJson<'a> {
    tool_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    asset_id: &'a str,
    kind: &'a str,
    media_type: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Object>,
}

/// One event as the script wrote it: a line of the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageJson<'a> {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(flatten)]
    event: EventJson<'a>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum EventJson<'a> {
    Log {
        level: &'static str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        fields: Option<&'a Object>,
    },
    StatePatch {
        patch: &'a Object,
    },
    Asset {
        asset_id: &'a str,
        kind: &'a str,
        media_type: &'a str,
        path: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<&'a Object>,
    },
    UiEvent {
        event: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<&'a Value>,
    },
    Error {
        error_code: &'a str,
        error_message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<&'a Value>,
    },
    Done {
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<&'a Object>,
    },
}

impl<'a> ExecutionResultJson<'a> {
    /// `trace` is the result of `plan`, whose execution began at `started_at`.
    pub fn new(plan: &'a Plan, trace: &'a Trace, started_at: jiff::Timestamp) -> Self {
        let mut aggregated_state = Object::new();
        for patch in trace.patches() {
            merge(&mut aggregated_state, patch);
        }
        ExecutionResultJson {
            plan_id: plan.id(),
            success: trace.success,
            can_replan: trace.can_replan(),
            failed_tools: trace.failed_steps().map(|idx| plan.step(idx).tool_id.as_str()).collect(),
            disabled_skills: &trace.disabled_skills,
            tool_results: plan
                .steps()
                .iter()
                .zip(&trace.steps)
                .map(|(step, trace)| ToolResultJson::new(step, trace, started_at))
                .collect(),
            aggregated_state,
            aggregated_assets: trace
                .assets()
                .map(|asset| AssetJson {
                    tool_id: &plan.step(asset.step).tool_id,
                    item: asset.item,
                    asset_id: asset.asset_id,
                    kind: asset.kind,
                    media_type: asset.media_type,
                    path: asset.path,
                    metadata: asset.metadata,
                })
                .collect(),
            execution_time_ms: millis(trace.elapsed),
            attempt_number: plan.attempt(),
        }
    }
}

impl<'a> ToolResultJson<'a> {
    fn new(step: &'a Step, trace: &'a StepTrace, started_at: jiff::Timestamp) -> Self {
        let usage = trace.usage();
        // A reused step ran in another plan, with another start.
        let at = |offset: Option<Duration>| {
            offset.filter(|_| !trace.reused).map(|offset| rfc3339(started_at, offset))
        };
        ToolResultJson {
            tool_id: &step.tool_id,
            tool_path: trace
                .executed_by()
                .map_or_else(|| step.first_candidate().tool_path(), ExecutedBy::tool_path),
            state: trace.outcome.as_str(),
            reason: match &trace.outcome {
                Outcome::Skipped { because } => Some(because.as_str()),
                _ => None,
            },
            output: match &trace.outcome {
                Outcome::Done { output: Value::Array(items), .. } => {
                    Some(OutputJson::Items { items })
                }
                Outcome::Done { output, .. } => Some(OutputJson::Done(output)),
                Outcome::Failed { why: Failure::GaveUp { output, .. } } if !output.is_empty() => {
                    Some(OutputJson::GaveUp(output))
                }
                _ => None,
            },
            events: trace.events().map(MessageJson::from).collect(),
            events_left_off: trace.events_left_off(),
            execution_time_ms: millis(trace.elapsed()),
            retry_count: trace.retry_count(),
            error: trace.outcome.failure().map(|why| match trace.attempts.last() {
                Some(last) => ErrorJson::with(why, last),
                None => ErrorJson::from(why),
            }),
            attempts: trace
                .attempts
                .iter()
                .enumerate()
                .map(|(idx, attempt)| AttemptJson::new(idx + 1, attempt))
                .collect(),
            fuel_consumed: usage.fuel,
            peak_memory_bytes: usage.memory_bytes_peak,
            stdout_bytes: usage.stdout_bytes,
            executed_by: trace.executed_by().map(ExecutedBy::to_string),
            started_at: at(trace.started()),
            completed_at: at(trace.completed()),
            condition: step.when.as_ref().map(|when| when.text()),
            approval: trace.approval.map(|approval| approval.as_str()),
            items: trace.items,
            arbitration: trace.arbitration.as_ref().map(ArbitrationJson::from),
            kept: trace.reused,
        }
    }
}

impl<'a> AttemptJson<'a> {
    fn new(attempt_no: usize, attempt: &'a Attempt) -> Self {
        AttemptJson {
            attempt: attempt_no,
            executed_by: attempt.executed_by.to_string(),
            item: attempt.item,
            state: match &attempt.failure {
                None => "success",
                Some(why) if why.is_timeout() => "timeout",
                Some(_) => "failed",
            },
            error: ErrorJson::of(attempt),
            execution_time_ms: millis(attempt.elapsed),
            fuel_consumed: attempt.usage.fuel,
            peak_memory_bytes: attempt.usage.memory_bytes_peak,
            stdout_bytes: attempt.usage.stdout_bytes,
            events: attempt.events.iter().map(MessageJson::from).collect(),
            events_left_off: attempt.events_left_off,
        }
    }
}

impl ErrorJson {
    /// Returns `None` if the attempt succeeded.
    pub fn of(attempt: &Attempt) -> Option<ErrorJson> {
        attempt.failure.as_ref().map(|why| ErrorJson::with(why, attempt))
    }

    fn with(why: &Failure, attempt: &Attempt) -> ErrorJson {
        let failed_with = match why {
            Failure::GaveUp { error_code, .. } => error_code.as_ref(),
            _ => None,
        };
        // The last error may be among the events that were left off.
        let last_error = attempt.events.iter().rev().find_map(|message| match &message.event {
            Event::Error { error_code, details, .. } if Some(error_code) == failed_with => {
                Some(details.clone())
            }
            _ => None,
        });
        let details = match (why, last_error.flatten()) {
            (Failure::GaveUp { .. }, Some(Value::Object(details))) => Some(details),
            (Failure::GaveUp { .. }, Some(other)) => Some(single("value", other)),
            _ if attempt.stderr_tail.is_empty() => None,
            _ => Some(single("stderr", Value::from(attempt.stderr_tail.as_str()))),
        };
        ErrorJson { details, ..ErrorJson::from(why) }
    }
}

impl<'a> From<&'a Arbitration> for ArbitrationJson<'a> {
    fn from(arbitration: &'a Arbitration) -> ArbitrationJson<'a> {
        let Arbitration { chosen, why, passed_over, takeovers } = arbitration;
        ArbitrationJson {
            chosen: chosen.as_deref().map(ExecutedBy::tool_path),
            why: why.as_str(),
            reason: why.explanation(),
            passed_over: passed_over
                .iter()
                .map(|passed| PassedOverCandidateJson {
                    tool_path: passed.candidate.tool_path(),
                    why: &passed.why,
                })
                .collect(),
            takeovers: takeovers
                .iter()
                .map(|takeover| TakeoverJson {
                    from: takeover.from.tool_path(),
                    to: takeover.to.tool_path(),
                    why: &takeover.why,
                    item: takeover.item,
                })
                .collect(),
        }
    }
}

impl From<&Failure> for ErrorJson {
    fn from(why: &Failure) -> ErrorJson {
        ErrorJson {
            code: why.code(),
            message: why.to_string(),
            category: why.category().as_str(),
            details: None,
        }
    }
}

impl<'a> From<&'a Message> for MessageJson<'a> {
    fn from(message: &'a Message) -> MessageJson<'a> {
        let event = match &message.event {
            Event::Log { level, message, fields } => {
                EventJson::Log { level: level.as_str(), message, fields: fields.as_ref() }
            }
            Event::StatePatch { patch } => EventJson::StatePatch { patch },
            Event::Asset { asset_id, kind, media_type, path, metadata } => {
                EventJson::Asset { asset_id, kind, media_type, path, metadata: metadata.as_ref() }
            }
            Event::UiEvent { event, payload } => {
                EventJson::UiEvent { event, payload: payload.as_ref() }
            }
            Event::Error { error_code, error_message, details } => {
                EventJson::Error { error_code, error_message, details: details.as_ref() }
            }
            Event::Done { ok, summary, output } => {
                EventJson::Done { ok: *ok, summary: summary.as_deref(), output: output.as_ref() }
            }
        };
        let (request_id, timestamp) = (message.request_id.as_deref(), message.timestamp.as_deref());
        MessageJson { version: WIRE_VERSION, request_id, timestamp, event }
    }
}

fn single(key: &str, value: Value) -> Object {
    Object::from_iter([(key.to_owned(), value)])
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// RFC 3339 with milliseconds. Ignores an offset that leads out of the calendar.
fn rfc3339(started_at: jiff::Timestamp, offset: Duration) -> String {
    let offset = i64::try_from(offset.as_millis()).unwrap_or(i64::MAX);
    let millis = started_at.as_millisecond().saturating_add(offset);
    jiff::Timestamp::from_millisecond(millis).unwrap_or(started_at).to_string()
}
