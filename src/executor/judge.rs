//! What an attempt that is over counts as.

use std::collections::HashSet;

use serde_json::Value;

use super::Failure;
use crate::{
    plan::quote,
    protocol::{Event, Message},
    sandbox::{Ending, Invocation, StoreWrite, Usage},
    skills::Schema,
};

/// An attempt's verdict.
pub(super) struct Judged {
    /// Summary and output, or why it failed.
    pub(super) ended: Result<(Option<String>, Value), Failure>,
    pub(super) usage: Usage,
    pub(super) stderr_tail: String,
    pub(super) writes: Vec<StoreWrite>,
}

impl Judged {
    /// `expect` is what the plan wants of an output.
    pub(super) fn of(
        invocation: Invocation,
        events: &[Message],
        expect: Option<&Schema>,
    ) -> Judged {
        let Invocation { ending, usage, stderr_tail, writes } = invocation;
        let ended = match ending {
            Ending::Done { summary, output } => match asset_used_twice(events) {
                None => met(expect, Value::Object(output)).map(|output| (summary, output)),
                Some(id) => Err(Failure::DuplicateAsset { asset_id: quote(id) }),
            },
            Ending::GaveUp { summary, error_code, output } => {
                Err(Failure::GaveUp { summary, error_code, output })
            }
            Ending::Refused(refusal) => Err(Failure::Refused(refusal)),
        };
        Judged { ended, usage, stderr_tail, writes }
    }

    pub(super) fn abandoned(why: Failure) -> Judged {
        Judged {
            ended: Err(why),
            usage: Usage::default(),
            stderr_tail: String::new(),
            writes: Vec::new(),
        }
    }
}

fn met(expect: Option<&Schema>, output: Value) -> Result<Value, Failure> {
    let mismatch = expect.and_then(|schema| schema.mismatches(&output).into_iter().next());
    match mismatch {
        None => Ok(output),
        Some(first) => Err(Failure::Unexpected { pointer: first.pointer, what: first.what }),
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
