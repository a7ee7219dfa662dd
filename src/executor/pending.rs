//! The requests of a running plan that wait for a person: approvals and questions, by their step's `toolId`.
//!
//! The front end, which asks the person, and the executor's loop, which takes the decisions, share one
//! [`PendingRequests`]. Knows ids and texts; knows nothing of plans, of skills or of the front end.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use tokio::sync::Notify;

use narratoria_plan::{StepIdx, quote};
use narratoria_protocol::{ANSWER_BYTES_MAX, Question};

/// A handle; clones share the same requests. Serves one plan at a time.
#[derive(Debug, Clone, Default)]
pub struct PendingRequests(Arc<SharedRequests>);

#[derive(Debug, Default)]
struct SharedRequests {
    table: Mutex<RequestTable>,
    /// Wakes the loop.
    decided: Notify,
}

#[derive(Debug, Default)]
struct RequestTable {
    is_open: bool,
    /// Every step of the plan. A step without a request so far is `NotAsked`.
    steps: HashMap<String, (StepIdx, RequestState)>,
    decisions: VecDeque<Decision>,
}

#[derive(Debug, Clone, PartialEq)]
enum RequestState {
    NotAsked,
    Pending(PendingRequestKind),
    Decided {
        how: &'static str,
    },
    /// The plan continued without a decision.
    Withdrawn,
}

/// A request that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingRequest {
    pub tool_id: String,
    pub kind: PendingRequestKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PendingRequestKind {
    /// A yes or no before it starts.
    Approval {
        /// The script's input, with references filled in; for a loop an array of the inputs of all items.
        input: Value,
    },
    /// An answer for the running script.
    Question(Question),
}

/// A person's decision on its way to the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Approve(StepIdx),
    Deny(StepIdx),
    Answer(StepIdx, String),
    LeaveUnanswered(StepIdx),
}

/// A decision that fits no pending request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    #[error("the plan has no step `{tool_id}`{}", waiting_now(waiting))]
    UnknownStep {
        /// As given, cut short.
        tool_id: String,
        /// Ids of the steps with a pending request.
        waiting: Vec<String>,
    },
    #[error("step `{tool_id}` is not waiting for a decision yet{}", waiting_now(waiting))]
    NotAsked {
        tool_id: String,
        /// Ids of the steps with a pending request.
        waiting: Vec<String>,
    },
    #[error("step `{tool_id}` was {how} already")]
    AlreadyDecided {
        tool_id: String,
        /// `approved`, `denied`, `answered` or `left unanswered`.
        how: &'static str,
    },
    #[error("step `{tool_id}` is not waiting any more: the plan went on without an answer")]
    Withdrawn { tool_id: String },
    #[error("step `{tool_id}` waits for an answer to its question, not for an approval")]
    NeedsAnswer { tool_id: String },
    #[error("step `{tool_id}` waits to be approved or denied, not for an answer")]
    NeedsApproval { tool_id: String },
    /// [`ANSWER_BYTES_MAX`].
    #[error("the answer for step `{tool_id}` has {bytes} bytes, {limit} are allowed")]
    AnswerTooLong { tool_id: String, bytes: usize, limit: usize },
    #[error("no plan is running, so nothing waits for step `{tool_id}`")]
    PlanOver {
        /// As given, cut short.
        tool_id: String,
    },
}

fn waiting_now(waiting: &[String]) -> String {
    match waiting {
        [] => "; nothing waits now".to_owned(),
        ids => format!("; waiting now: `{}`", ids.join("`, `")),
    }
}

impl PendingRequests {
    pub fn new() -> PendingRequests {
        PendingRequests::default()
    }

    /// Lets a waiting step start.
    pub fn approve(&self, tool_id: &str) -> Result<(), DecisionError> {
        self.decide(tool_id, "approved", Decision::Approve)
    }

    /// Keeps a waiting step from starting.
    pub fn deny(&self, tool_id: &str) -> Result<(), DecisionError> {
        self.decide(tool_id, "denied", Decision::Deny)
    }

    /// Approves all steps that wait for approval now. Returns their ids.
    pub fn approve_all(&self) -> Vec<String> {
        self.decide_all("approved", Decision::Approve)
    }

    /// Denies all steps that wait for approval now. Returns their ids.
    pub fn deny_all(&self) -> Vec<String> {
        self.decide_all("denied", Decision::Deny)
    }

    /// Answers the step's open question.
    pub fn answer(&self, tool_id: &str, text: impl Into<String>) -> Result<(), DecisionError> {
        let text = text.into();
        let mut table = self.lock();
        let step = table.find(tool_id, |kind| matches!(kind, PendingRequestKind::Question(_)))?;
        if text.len() > ANSWER_BYTES_MAX {
            let (tool_id, bytes) = (tool_id.to_owned(), text.len());
            return Err(DecisionError::AnswerTooLong { tool_id, bytes, limit: ANSWER_BYTES_MAX });
        }
        table.record_decision(tool_id, "answered", Decision::Answer(step, text));
        self.0.decided.notify_one();
        Ok(())
    }

    /// Leaves the step's question unanswered: the script reads the end of its input.
    pub fn leave_unanswered(&self, tool_id: &str) -> Result<(), DecisionError> {
        let mut table = self.lock();
        let step = table.find(tool_id, |kind| matches!(kind, PendingRequestKind::Question(_)))?;
        table.record_decision(tool_id, "left unanswered", Decision::LeaveUnanswered(step));
        self.0.decided.notify_one();
        Ok(())
    }

    /// All open requests, in plan order.
    pub fn pending(&self) -> Vec<PendingRequest> {
        let table = self.lock();
        let mut waiting: Vec<(StepIdx, PendingRequest)> = table
            .steps
            .iter()
            .filter_map(|(tool_id, (step, state))| match state {
                RequestState::Pending(kind) => {
                    Some((*step, PendingRequest { tool_id: tool_id.clone(), kind: kind.clone() }))
                }
                RequestState::NotAsked | RequestState::Decided { .. } | RequestState::Withdrawn => {
                    None
                }
            })
            .collect();
        waiting.sort_by_key(|(step, _)| *step);
        waiting.into_iter().map(|(_, waiting)| waiting).collect()
    }

    fn decide(
        &self,
        tool_id: &str,
        how: &'static str,
        decision: impl Fn(StepIdx) -> Decision,
    ) -> Result<(), DecisionError> {
        let mut table = self.lock();
        let step =
            table.find(tool_id, |kind| matches!(kind, PendingRequestKind::Approval { .. }))?;
        table.record_decision(tool_id, how, decision(step));
        self.0.decided.notify_one();
        Ok(())
    }

    fn decide_all(&self, how: &'static str, decision: impl Fn(StepIdx) -> Decision) -> Vec<String> {
        let mut ids = Vec::new();
        for waiting in self.pending() {
            // Another front end may have decided it meanwhile.
            if self.decide(&waiting.tool_id, how, &decision).is_ok() {
                ids.push(waiting.tool_id);
            }
        }
        ids
    }

    fn lock(&self) -> MutexGuard<'_, RequestTable> {
        // No code here panics in the middle of a change, so the table is intact.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops all old requests and expects those of a new plan.
    pub(crate) fn open<'a>(&self, tool_ids: impl Iterator<Item = &'a str>) {
        let steps = tool_ids
            .enumerate()
            .map(|(idx, tool_id)| (tool_id.to_owned(), (StepIdx(idx), RequestState::NotAsked)))
            .collect();
        *self.lock() = RequestTable { is_open: true, steps, decisions: VecDeque::new() };
    }

    /// Closes all requests, because the plan has ended.
    pub(crate) fn close(&self) {
        *self.lock() = RequestTable::default();
    }

    pub(crate) fn add(&self, tool_id: &str, kind: PendingRequestKind) {
        self.set(tool_id, RequestState::Pending(kind));
    }

    /// Withdraws the step's request if it is still open. The loop ignores decisions that it has not taken yet.
    pub(crate) fn withdraw(&self, tool_id: &str) {
        let mut table = self.lock();
        if let Some((_, state)) = table.steps.get_mut(tool_id)
            && matches!(state, RequestState::Pending(_))
        {
            *state = RequestState::Withdrawn;
        }
    }

    fn set(&self, tool_id: &str, to: RequestState) {
        if let Some((_, state)) = self.lock().steps.get_mut(tool_id) {
            *state = to;
        }
    }

    pub(crate) fn take_decision(&self) -> Option<Decision> {
        self.lock().decisions.pop_front()
    }

    /// Completes once there is a decision since the last time it completed. Each wait needs a new future.
    pub(crate) async fn decision_made(&self) {
        self.0.decided.notified().await;
    }
}

impl RequestTable {
    fn find(
        &self,
        tool_id: &str,
        fits: impl Fn(&PendingRequestKind) -> bool,
    ) -> Result<StepIdx, DecisionError> {
        let short = || quote(tool_id);
        if !self.is_open {
            return Err(DecisionError::PlanOver { tool_id: short() });
        }
        let Some((step, state)) = self.steps.get(tool_id) else {
            return Err(DecisionError::UnknownStep {
                tool_id: short(),
                waiting: self.pending_ids(),
            });
        };
        match state {
            RequestState::Pending(kind) if fits(kind) => Ok(*step),
            RequestState::Pending(PendingRequestKind::Question(_)) => {
                Err(DecisionError::NeedsAnswer { tool_id: short() })
            }
            RequestState::Pending(PendingRequestKind::Approval { .. }) => {
                Err(DecisionError::NeedsApproval { tool_id: short() })
            }
            RequestState::Decided { how } => {
                Err(DecisionError::AlreadyDecided { tool_id: short(), how })
            }
            RequestState::Withdrawn => Err(DecisionError::Withdrawn { tool_id: short() }),
            RequestState::NotAsked => {
                Err(DecisionError::NotAsked { tool_id: short(), waiting: self.pending_ids() })
            }
        }
    }

    fn pending_ids(&self) -> Vec<String> {
        let mut open: Vec<(StepIdx, &String)> = self
            .steps
            .iter()
            .filter(|(_, (_, state))| matches!(state, RequestState::Pending(_)))
            .map(|(tool_id, (step, _))| (*step, tool_id))
            .collect();
        open.sort();
        open.into_iter().map(|(_, tool_id)| tool_id.clone()).collect()
    }

    fn record_decision(&mut self, tool_id: &str, how: &'static str, decision: Decision) {
        if let Some((_, state)) = self.steps.get_mut(tool_id) {
            *state = RequestState::Decided { how };
        }
        self.decisions.push_back(decision);
    }
}
