//! What people decide while a plan runs: approvals, and answers to questions that scripts ask.

use std::collections::VecDeque;

use tokio::sync::mpsc::UnboundedSender;

use super::{
    ExecutionEvent, PendingRequestKind, QuestionPolicy,
    pending::Decision,
    run::{Run, RunningAttempt, StepActivity},
};
use narratoria_plan::StepIdx;
use narratoria_protocol::Question;

/// The questions of one attempt. The sandbox bounds how many there are.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    /// Not answered yet; the first is the one on the desk.
    open: VecDeque<Question>,
    /// None when nobody will answer.
    answers: Option<UnboundedSender<String>>,
}

impl OpenQuestions {
    pub(super) fn new(answers: Option<UnboundedSender<String>>) -> OpenQuestions {
        OpenQuestions { answers, ..OpenQuestions::default() }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

impl Run<'_> {
    /// Everything that was decided since the last time.
    pub(super) fn take_decisions(&mut self) {
        while let Some(order) = self.pending.take_decision() {
            match order {
                Decision::Approve(idx) if self.awaiting_approval.remove(&idx) => {
                    self.apply_approval(idx, true, true)
                }
                Decision::Deny(idx) if self.awaiting_approval.remove(&idx) => {
                    self.apply_approval(idx, false, true)
                }
                Decision::Answer(idx, text) => self.answer(idx, &text),
                Decision::LeaveUnanswered(idx) => self.leave_unanswered(idx),
                // Decided, but the plan went on in between.
                Decision::Approve(_) | Decision::Deny(_) => {}
            }
        }
    }

    /// A script that runs has asked something: a person is to answer.
    pub(super) fn handle_question(&mut self, idx: StepIdx, question: Question) {
        if self.options.questions == QuestionPolicy::Unanswered {
            return;
        }
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        if running.questions.answers.is_none() {
            return;
        }
        let asked = &mut running.questions;
        asked.open.push_back(question);
        if asked.open.len() == 1 {
            self.open_questions += 1;
            self.publish_question(idx);
        }
    }

    fn publish_question(&mut self, idx: StepIdx) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        let Some(question) = running.questions.open.front() else { return };
        running.guard.set_running(false, now);
        let tool_id = &self.plan.step(idx).tool_id;
        self.pending.add(tool_id, PendingRequestKind::Question(question.clone()));
        (self.on_event)(ExecutionEvent::StepAsked { step: idx, question });
    }

    fn answer(&mut self, idx: StepIdx, text: &str) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        let asked = &mut running.questions;
        if asked.open.pop_front().is_none() {
            return;
        }
        let is_open = asked.is_open();
        if let Some(answers) = &asked.answers {
            // A script that does not read any more is about to end.
            let _ = answers.send(text.to_owned());
        }
        if !is_open {
            running.guard.set_running(true, now);
            self.open_questions -= 1;
        }
        (self.on_event)(ExecutionEvent::StepAnswered { step: idx, text });
        if is_open {
            self.publish_question(idx);
        }
    }

    /// This question and all that the attempt has asked since. It reads the end of its input.
    fn leave_unanswered(&mut self, idx: StepIdx) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        if !running.questions.is_open() {
            return;
        }
        running.questions.open.clear();
        running.questions.answers = None;
        running.guard.set_running(true, now);
        self.open_questions -= 1;
        (self.on_event)(ExecutionEvent::StepUnanswered { step: idx });
    }

    /// Nobody will answer an attempt any more, because it is over or because the plan is.
    pub(super) fn withdraw_questions(&mut self, idx: StepIdx, running: &mut RunningAttempt) {
        running.questions.answers = None;
        if running.questions.is_open() {
            running.questions.open.clear();
            running.guard.set_running(true, self.now());
            self.open_questions -= 1;
            self.pending.withdraw(&self.plan.step(idx).tool_id);
        }
    }
}
