//! How a step ended.

use serde_json::Value;

use crate::{Failure, SkipReason};

/// How a step ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Its last attempt succeeded; for a loop, one attempt of each item.
    Done {
        /// One line for people; for a loop, the one of the last item that has one.
        summary: Option<String>,
        /// The value that dependents read: an object, or for a loop an array of objects.
        output: Value,
    },
    /// Its last attempt failed, or it could not begin.
    Failed { why: Failure },
    /// Its last attempt ran out of time, see [`Failure::is_timeout`].
    TimedOut { why: Failure },
    /// It never began.
    Skipped { because: SkipReason },
}

/// The decision on a step that needed approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    Granted,
    Denied,
}

impl Outcome {
    pub(crate) fn failed(why: Failure) -> Outcome {
        if why.is_timeout() { Outcome::TimedOut { why } } else { Outcome::Failed { why } }
    }

    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Failed { why } | Outcome::TimedOut { why } => Some(why),
            Outcome::Done { .. } | Outcome::Skipped { .. } => None,
        }
    }

    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Outcome::Done { .. } => "success",
            Outcome::Failed { .. } => "failed",
            Outcome::TimedOut { .. } => "timeout",
            Outcome::Skipped { .. } => "skipped",
        }
    }
}

impl Approval {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Approval::Granted => "granted",
            Approval::Denied => "denied",
        }
    }
}
