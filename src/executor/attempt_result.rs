//! What an attempt that is over counts as.

use std::collections::HashSet;

use serde_json::Value;

use super::Failure;
use narratoria_plan::quote;
use narratoria_protocol::{Event, Message};
use narratoria_protocol::{InvocationEnding, InvocationOutcome, ResourceUsage, StoreWrite};
use narratoria_skills::Schema;

/// An attempt's verdict.
pub(super) struct AttemptResult {
    /// Summary and output, or why it failed.
    pub(super) result: Result<(Option<String>, Value), Failure>,
    pub(super) usage: ResourceUsage,
    pub(super) stderr_tail: String,
    pub(super) writes: Vec<StoreWrite>,
}

impl AttemptResult {
    /// `expect` is what the plan wants of an output.
    pub(super) fn of(
        invocation: InvocationOutcome,
        events: &[Message],
        expect: Option<&Schema>,
    ) -> AttemptResult {
        let InvocationOutcome { ending, usage, stderr_tail, writes } = invocation;
        let ended = match ending {
            InvocationEnding::Done { summary, output } => match asset_used_twice(events) {
                None => {
                    check_expected(expect, Value::Object(output)).map(|output| (summary, output))
                }
                Some(id) => Err(Failure::DuplicateAsset { asset_id: quote(id) }),
            },
            InvocationEnding::Failed { summary, error_code, output } => {
                Err(Failure::GaveUp { summary, error_code, output })
            }
            InvocationEnding::Aborted(refusal) => Err(Failure::Refused(refusal)),
        };
        AttemptResult { result: ended, usage, stderr_tail, writes }
    }

    pub(super) fn abandoned(why: Failure) -> AttemptResult {
        AttemptResult {
            result: Err(why),
            usage: ResourceUsage::default(),
            stderr_tail: String::new(),
            writes: Vec::new(),
        }
    }
}

fn check_expected(expect: Option<&Schema>, output: Value) -> Result<Value, Failure> {
    let mismatch = expect.and_then(|schema| schema.mismatches(&output).into_iter().next());
    match mismatch {
        None => Ok(output),
        Some(first) => Err(Failure::UnexpectedOutput { pointer: first.pointer, what: first.what }),
    }
}

fn asset_used_twice(events: &[Message]) -> Option<&str> {
    let mut seen = HashSet::new();
    events
        .iter()
        .filter_map(|message| match &message.event {
            Event::Asset { asset_id, .. } => Some(asset_id.as_str()),
            _ => None,
        })
        .find(|id| !seen.insert(*id))
}
