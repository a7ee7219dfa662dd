//! What waits for a person while a plan runs: approvals and questions, each by its step's `toolId`.
//!
//! The one desk is shared by whoever asks the person and by the executor's loop, which takes what was
//! decided from it. Knows ids and texts; knows nothing of plans, skills or how a person is asked.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use tokio::sync::Notify;

use narratoria_plan::{StepIdx, quote};
use narratoria_protocol::{ANSWER_BYTES_MAX, Question};

/// A handle; clones are the same desk. One plan at a time lies on it.
#[derive(Debug, Clone, Default)]
pub struct PendingRequests(Arc<SharedRequests>);

#[derive(Debug, Default)]
struct SharedRequests {
    table: Mutex<RequestTable>,
    /// The loop waits for this.
    decided: Notify,
}

#[derive(Debug, Default)]
struct RequestTable {
    is_open: bool,
    /// Every step of the plan. Those that never waited for anybody are `NotYet`.
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
    /// The plan went on without an answer.
    Withdrawn,
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingRequest {
    /// The step.
    pub tool_id: String,
    /// What it waits for.
    pub kind: PendingRequestKind,
}

/// What a step waits for.
#[derive(Debug, Clone, PartialEq)]
pub enum PendingRequestKind {
    /// A yes or no before it starts.
    Approval {
        /// What the script will get, references filled in; for a loop an array of these, one for each item.
        input: Value,
    },
    /// An answer for the script that runs.
    Question(Question),
}

/// What a person has decided, on its way to the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Approve(StepIdx),
    Deny(StepIdx),
    Answer(StepIdx, String),
    LeaveUnanswered(StepIdx),
}

/// A decision that fits nothing that waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// No such step.
    #[error("the plan has no step `{tool_id}`{}", waiting_now(waiting))]
    UnknownStep {
        /// As given, cut short.
        tool_id: String,
        /// Those that do wait.
        waiting: Vec<String>,
    },
    /// The step has not asked for anything.
    #[error("step `{tool_id}` is not waiting for anybody yet{}", waiting_now(waiting))]
    NotAsked {
        /// Which step.
        tool_id: String,
        /// Those that do wait.
        waiting: Vec<String>,
    },
    /// Somebody was faster.
    #[error("step `{tool_id}` was {how} already")]
    AlreadyDecided {
        /// Which step.
        tool_id: String,
        /// `approved`, `denied` or `answered`.
        how: &'static str,
    },
    /// The plan went on without an answer.
    #[error("step `{tool_id}` is not waiting any more: the plan went on without an answer")]
    Withdrawn {
        /// Which step.
        tool_id: String,
    },
    /// It asked something else.
    #[error("step `{tool_id}` waits for an answer to its question, not for an approval")]
    NeedsAnswer {
        /// Which step.
        tool_id: String,
    },
    /// It asked something else.
    #[error("step `{tool_id}` waits to be approved or denied, not for an answer")]
    NeedsApproval {
        /// Which step.
        tool_id: String,
    },
    /// [`ANSWER_BYTES_MAX`].
    #[error("the answer for step `{tool_id}` has {bytes} bytes, {limit} are allowed")]
    AnswerTooLong {
        /// Which step.
        tool_id: String,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing is being executed.
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
    /// An empty one.
    pub fn new() -> PendingRequests {
        PendingRequests::default()
    }

    /// Lets the step start.
    pub fn approve(&self, tool_id: &str) -> Result<(), DecisionError> {
        self.decide(tool_id, "approved", Decision::Approve)
    }

    /// Lets the step not start.
    pub fn deny(&self, tool_id: &str) -> Result<(), DecisionError> {
        self.decide(tool_id, "denied", Decision::Deny)
    }

    /// Lets every step start that waits for it now; gives their ids.
    pub fn approve_all(&self) -> Vec<String> {
        self.decide_all("approved", Decision::Approve)
    }

    /// Lets no step start that waits for it now; gives their ids.
    pub fn deny_all(&self) -> Vec<String> {
        self.decide_all("denied", Decision::Deny)
    }

    /// Answers the step's question.
    pub fn answer(&self, tool_id: &str, text: impl Into<String>) -> Result<(), DecisionError> {
        let text = text.into();
        let mut papers = self.lock();
        let step = papers.find(tool_id, |kind| matches!(kind, PendingRequestKind::Question(_)))?;
        if text.len() > ANSWER_BYTES_MAX {
            let (tool_id, bytes) = (tool_id.to_owned(), text.len());
            return Err(DecisionError::AnswerTooLong { tool_id, bytes, limit: ANSWER_BYTES_MAX });
        }
        papers.record_decision(tool_id, "answered", Decision::Answer(step, text));
        self.0.decided.notify_one();
        Ok(())
    }

    /// Says that nobody will answer the step's question: the script reads the end of its input.
    pub fn leave_unanswered(&self, tool_id: &str) -> Result<(), DecisionError> {
        let mut papers = self.lock();
        let step = papers.find(tool_id, |kind| matches!(kind, PendingRequestKind::Question(_)))?;
        papers.record_decision(tool_id, "left unanswered", Decision::LeaveUnanswered(step));
        self.0.decided.notify_one();
        Ok(())
    }

    /// Everything that waits for a person now, in plan order.
    pub fn pending(&self) -> Vec<PendingRequest> {
        let papers = self.lock();
        let mut waiting: Vec<(StepIdx, PendingRequest)> = papers
            .steps
            .iter()
            .filter_map(|(tool_id, (step, paper))| match paper {
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
        order: impl Fn(StepIdx) -> Decision,
    ) -> Result<(), DecisionError> {
        let mut papers = self.lock();
        let step =
            papers.find(tool_id, |kind| matches!(kind, PendingRequestKind::Approval { .. }))?;
        papers.record_decision(tool_id, how, order(step));
        self.0.decided.notify_one();
        Ok(())
    }

    fn decide_all(&self, how: &'static str, order: impl Fn(StepIdx) -> Decision) -> Vec<String> {
        let mut ids = Vec::new();
        for waiting in self.pending() {
            // Whoever was faster in between has decided it.
            if self.decide(&waiting.tool_id, how, &order).is_ok() {
                ids.push(waiting.tool_id);
            }
        }
        ids
    }

    fn lock(&self) -> MutexGuard<'_, RequestTable> {
        // Nothing in here panics half-way through a change.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes away what lay on it and makes room for a plan.
    pub(super) fn open<'a>(&self, tool_ids: impl Iterator<Item = &'a str>) {
        let steps = tool_ids
            .enumerate()
            .map(|(idx, tool_id)| (tool_id.to_owned(), (StepIdx(idx), RequestState::NotAsked)))
            .collect();
        *self.lock() = RequestTable { is_open: true, steps, decisions: VecDeque::new() };
    }

    /// The plan is over.
    pub(super) fn close(&self) {
        *self.lock() = RequestTable::default();
    }

    pub(super) fn add(&self, tool_id: &str, kind: PendingRequestKind) {
        self.set(tool_id, RequestState::Pending(kind));
    }

    /// Takes back what is still open. Decisions that the loop has not taken yet are void.
    pub(super) fn withdraw(&self, tool_id: &str) {
        let mut papers = self.lock();
        if let Some((_, paper)) = papers.steps.get_mut(tool_id)
            && matches!(paper, RequestState::Pending(_))
        {
            *paper = RequestState::Withdrawn;
        }
    }

    fn set(&self, tool_id: &str, to: RequestState) {
        if let Some((_, paper)) = self.lock().steps.get_mut(tool_id) {
            *paper = to;
        }
    }

    pub(super) fn take_decision(&self) -> Option<Decision> {
        self.lock().decisions.pop_front()
    }

    /// Ready once something was decided since it last was. Made anew for each wait.
    pub(super) async fn decision_made(&self) {
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
        let Some((step, paper)) = self.steps.get(tool_id) else {
            return Err(DecisionError::UnknownStep {
                tool_id: short(),
                waiting: self.pending_ids(),
            });
        };
        match paper {
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
            .filter(|(_, (_, paper))| matches!(paper, RequestState::Pending(_)))
            .map(|(tool_id, (step, _))| (*step, tool_id))
            .collect();
        open.sort();
        open.into_iter().map(|(_, tool_id)| tool_id.clone()).collect()
    }

    fn record_decision(&mut self, tool_id: &str, how: &'static str, order: Decision) {
        if let Some((_, paper)) = self.steps.get_mut(tool_id) {
            *paper = RequestState::Decided { how };
        }
        self.decisions.push_back(order);
    }
}
