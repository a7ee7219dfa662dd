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

use crate::{
    plan::{StepIdx, quote},
    protocol::{ANSWER_BYTES_MAX, Question},
};

/// A handle; clones are the same desk. One plan at a time lies on it.
#[derive(Debug, Clone, Default)]
pub struct Desk(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    papers: Mutex<Papers>,
    /// The loop waits for this.
    decided: Notify,
}

#[derive(Debug, Default)]
struct Papers {
    is_open: bool,
    /// Every step of the plan. Those that never waited for anybody are `NotYet`.
    steps: HashMap<String, (StepIdx, Paper)>,
    orders: VecDeque<Order>,
}

#[derive(Debug, Clone, PartialEq)]
enum Paper {
    NotYet,
    Open(WaitingFor),
    Done {
        how: &'static str,
    },
    /// The plan went on without an answer.
    Withdrawn,
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The step.
    pub tool_id: String,
    /// What it waits for.
    pub kind: WaitingFor,
}

/// What a step waits for.
#[derive(Debug, Clone, PartialEq)]
pub enum WaitingFor {
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
pub(super) enum Order {
    Approve(StepIdx),
    Deny(StepIdx),
    Answer(StepIdx, String),
    LeaveUnanswered(StepIdx),
}

/// A decision that fits nothing that waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeskError {
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
    NotYet {
        /// Which step.
        tool_id: String,
        /// Those that do wait.
        waiting: Vec<String>,
    },
    /// Somebody was faster.
    #[error("step `{tool_id}` was {how} already")]
    Already {
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
    WantsAnswer {
        /// Which step.
        tool_id: String,
    },
    /// It asked something else.
    #[error("step `{tool_id}` waits to be approved or denied, not for an answer")]
    WantsDecision {
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

impl Desk {
    /// An empty one.
    pub fn new() -> Desk {
        Desk::default()
    }

    /// Lets the step start.
    pub fn approve(&self, tool_id: &str) -> Result<(), DeskError> {
        self.decide(tool_id, "approved", Order::Approve)
    }

    /// Lets the step not start.
    pub fn deny(&self, tool_id: &str) -> Result<(), DeskError> {
        self.decide(tool_id, "denied", Order::Deny)
    }

    /// Lets every step start that waits for it now; gives their ids.
    pub fn approve_all(&self) -> Vec<String> {
        self.decide_all("approved", Order::Approve)
    }

    /// Lets no step start that waits for it now; gives their ids.
    pub fn deny_all(&self) -> Vec<String> {
        self.decide_all("denied", Order::Deny)
    }

    /// Answers the step's question.
    pub fn answer(&self, tool_id: &str, text: impl Into<String>) -> Result<(), DeskError> {
        let text = text.into();
        let mut papers = self.papers();
        let step = papers.find(tool_id, |kind| matches!(kind, WaitingFor::Question(_)))?;
        if text.len() > ANSWER_BYTES_MAX {
            let (tool_id, bytes) = (tool_id.to_owned(), text.len());
            return Err(DeskError::AnswerTooLong { tool_id, bytes, limit: ANSWER_BYTES_MAX });
        }
        papers.done(tool_id, "answered", Order::Answer(step, text));
        self.0.decided.notify_one();
        Ok(())
    }

    /// Says that nobody will answer the step's question: the script reads the end of its input.
    pub fn leave_unanswered(&self, tool_id: &str) -> Result<(), DeskError> {
        let mut papers = self.papers();
        let step = papers.find(tool_id, |kind| matches!(kind, WaitingFor::Question(_)))?;
        papers.done(tool_id, "left unanswered", Order::LeaveUnanswered(step));
        self.0.decided.notify_one();
        Ok(())
    }

    /// Everything that waits for a person now, in plan order.
    pub fn waiting(&self) -> Vec<Waiting> {
        let papers = self.papers();
        let mut waiting: Vec<(StepIdx, Waiting)> = papers
            .steps
            .iter()
            .filter_map(|(tool_id, (step, paper))| match paper {
                Paper::Open(kind) => {
                    Some((*step, Waiting { tool_id: tool_id.clone(), kind: kind.clone() }))
                }
                Paper::NotYet | Paper::Done { .. } | Paper::Withdrawn => None,
            })
            .collect();
        waiting.sort_by_key(|(step, _)| *step);
        waiting.into_iter().map(|(_, waiting)| waiting).collect()
    }

    fn decide(
        &self,
        tool_id: &str,
        how: &'static str,
        order: impl Fn(StepIdx) -> Order,
    ) -> Result<(), DeskError> {
        let mut papers = self.papers();
        let step = papers.find(tool_id, |kind| matches!(kind, WaitingFor::Approval { .. }))?;
        papers.done(tool_id, how, order(step));
        self.0.decided.notify_one();
        Ok(())
    }

    fn decide_all(&self, how: &'static str, order: impl Fn(StepIdx) -> Order) -> Vec<String> {
        let mut ids = Vec::new();
        for waiting in self.waiting() {
            // Whoever was faster in between has decided it.
            if self.decide(&waiting.tool_id, how, &order).is_ok() {
                ids.push(waiting.tool_id);
            }
        }
        ids
    }

    fn papers(&self) -> MutexGuard<'_, Papers> {
        // Nothing in here panics half-way through a change.
        self.0.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes away what lay on it and makes room for a plan.
    pub(super) fn open<'a>(&self, tool_ids: impl Iterator<Item = &'a str>) {
        let steps = tool_ids
            .enumerate()
            .map(|(idx, tool_id)| (tool_id.to_owned(), (StepIdx(idx), Paper::NotYet)))
            .collect();
        *self.papers() = Papers { is_open: true, steps, orders: VecDeque::new() };
    }

    /// The plan is over.
    pub(super) fn close(&self) {
        *self.papers() = Papers::default();
    }

    pub(super) fn put(&self, tool_id: &str, kind: WaitingFor) {
        self.set(tool_id, Paper::Open(kind));
    }

    /// Takes back what is still open. Decisions that the loop has not taken yet are void.
    pub(super) fn withdraw(&self, tool_id: &str) {
        let mut papers = self.papers();
        if let Some((_, paper)) = papers.steps.get_mut(tool_id)
            && matches!(paper, Paper::Open(_))
        {
            *paper = Paper::Withdrawn;
        }
    }

    fn set(&self, tool_id: &str, to: Paper) {
        if let Some((_, paper)) = self.papers().steps.get_mut(tool_id) {
            *paper = to;
        }
    }

    pub(super) fn take_order(&self) -> Option<Order> {
        self.papers().orders.pop_front()
    }

    /// Ready once something was decided since it last was. Made anew for each wait.
    pub(super) async fn decided(&self) {
        self.0.decided.notified().await;
    }
}

impl Papers {
    fn find(
        &self,
        tool_id: &str,
        fits: impl Fn(&WaitingFor) -> bool,
    ) -> Result<StepIdx, DeskError> {
        let short = || quote(tool_id);
        if !self.is_open {
            return Err(DeskError::PlanOver { tool_id: short() });
        }
        let Some((step, paper)) = self.steps.get(tool_id) else {
            return Err(DeskError::UnknownStep { tool_id: short(), waiting: self.waiting() });
        };
        match paper {
            Paper::Open(kind) if fits(kind) => Ok(*step),
            Paper::Open(WaitingFor::Question(_)) => {
                Err(DeskError::WantsAnswer { tool_id: short() })
            }
            Paper::Open(WaitingFor::Approval { .. }) => {
                Err(DeskError::WantsDecision { tool_id: short() })
            }
            Paper::Done { how } => Err(DeskError::Already { tool_id: short(), how }),
            Paper::Withdrawn => Err(DeskError::Withdrawn { tool_id: short() }),
            Paper::NotYet => Err(DeskError::NotYet { tool_id: short(), waiting: self.waiting() }),
        }
    }

    fn waiting(&self) -> Vec<String> {
        let mut open: Vec<(StepIdx, &String)> = self
            .steps
            .iter()
            .filter(|(_, (_, paper))| matches!(paper, Paper::Open(_)))
            .map(|(tool_id, (step, _))| (*step, tool_id))
            .collect();
        open.sort();
        open.into_iter().map(|(_, tool_id)| tool_id.clone()).collect()
    }

    fn done(&mut self, tool_id: &str, how: &'static str, order: Order) {
        if let Some((_, paper)) = self.steps.get_mut(tool_id) {
            *paper = Paper::Done { how };
        }
        self.orders.push_back(order);
    }
}
