//! What an attempt that is over counts as.

use std::collections::HashSet;

use tokio::task::JoinError;

use super::Failure;
use crate::{
    plan::quote,
    protocol::{Event, Message, Object},
    sandbox::{Ending, Invocation, Usage},
};

/// An attempt's verdict.
pub(super) struct Judged {
    /// Summary and output, or why it failed.
    pub(super) ended: Result<(Option<String>, Object), Failure>,
    pub(super) usage: Usage,
    pub(super) stderr_tail: String,
}

impl Judged {
    pub(super) fn of(invocation: Invocation, events: &[Message]) -> Judged {
        let ended = match invocation.ending {
            Ending::Done { summary, output } => match asset_used_twice(events) {
                None => Ok((summary, output)),
                Some(id) => Err(Failure::DuplicateAsset { asset_id: quote(id) }),
            },
            Ending::GaveUp { summary, error_code, output } => {
                Err(Failure::GaveUp { summary, error_code, output })
            }
            Ending::Refused(refusal) => Err(Failure::Refused(refusal)),
        };
        Judged { ended, usage: invocation.usage, stderr_tail: invocation.stderr_tail }
    }

    pub(super) fn abandoned(why: Failure) -> Judged {
        Judged { ended: Err(why), usage: Usage::default(), stderr_tail: String::new() }
    }

    pub(super) fn crashed(error: JoinError) -> Judged {
        let what = match error.try_into_panic() {
            Ok(panic) => match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
                (Some(text), _) => quote(text),
                (_, Some(text)) => quote(text),
                _ => "a panic without a text".to_owned(),
            },
            Err(error) => quote(&error.to_string()),
        };
        Judged::abandoned(Failure::HostCrashed { what })
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
