//! What people decide while a plan runs: approvals, and answers to questions that scripts ask.

use std::collections::VecDeque;

use tokio::sync::mpsc::UnboundedSender;

use super::{
    News, Questions, WaitingFor,
    desk::Order,
    run::{Active, Run, Running},
};
use crate::{plan::StepIdx, protocol::Question};

/// The questions of one attempt. The sandbox bounds how many there are.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Not answered yet; the first is the one on the desk.
    open: VecDeque<Question>,
    /// None when nobody will answer.
    answers: Option<UnboundedSender<String>>,
}

impl Asked {
    pub(super) fn new(answers: Option<UnboundedSender<String>>) -> Asked {
        Asked { answers, ..Asked::default() }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

impl Run<'_> {
    /// Everything that was decided since the last time.
    pub(super) fn take_orders(&mut self) {
        while let Some(order) = self.desk.take_order() {
            match order {
                Order::Approve(idx) if self.waiting.remove(&idx) => self.decided(idx, true, true),
                Order::Deny(idx) if self.waiting.remove(&idx) => self.decided(idx, false, true),
                Order::Answer(idx, text) => self.answer(idx, &text),
                Order::LeaveUnanswered(idx) => self.leave_unanswered(idx),
                // Decided, but the plan went on in between.
                Order::Approve(_) | Order::Deny(_) => {}
            }
        }
    }

    /// A script that runs has asked something: a person is to answer.
    pub(super) fn heed_question(&mut self, idx: StepIdx, question: Question) {
        if self.options.questions == Questions::Unanswered {
            return;
        }
        let Active::Running(running) = &mut self.steps[idx.0].active else { return };
        if running.asked.answers.is_none() {
            return;
        }
        let asked = &mut running.asked;
        asked.open.push_back(question);
        if asked.open.len() == 1 {
            self.asking += 1;
            self.show_question(idx);
        }
    }

    fn show_question(&mut self, idx: StepIdx) {
        let now = self.now();
        let Active::Running(running) = &mut self.steps[idx.0].active else { return };
        let Some(question) = running.asked.open.front() else { return };
        running.guard.run(false, now);
        let tool_id = &self.plan.step(idx).tool_id;
        self.desk.put(tool_id, WaitingFor::Question(question.clone()));
        (self.news)(News::StepAsked { step: idx, question });
    }

    fn answer(&mut self, idx: StepIdx, text: &str) {
        let now = self.now();
        let Active::Running(running) = &mut self.steps[idx.0].active else { return };
        let asked = &mut running.asked;
        if asked.open.pop_front().is_none() {
            return;
        }
        let is_open = asked.is_open();
        if let Some(answers) = &asked.answers {
            // A script that does not read any more is about to end.
            let _ = answers.send(text.to_owned());
        }
        if !is_open {
            running.guard.run(true, now);
            self.asking -= 1;
        }
        (self.news)(News::StepAnswered { step: idx, text });
        if is_open {
            self.show_question(idx);
        }
    }

    /// This question and all that the attempt has asked since. It reads the end of its input.
    fn leave_unanswered(&mut self, idx: StepIdx) {
        let now = self.now();
        let Active::Running(running) = &mut self.steps[idx.0].active else { return };
        if !running.asked.is_open() {
            return;
        }
        running.asked.open.clear();
        running.asked.answers = None;
        running.guard.run(true, now);
        self.asking -= 1;
        (self.news)(News::StepUnanswered { step: idx });
    }

    /// Nobody will answer an attempt any more, because it is over or because the plan is.
    pub(super) fn withdraw_questions(&mut self, idx: StepIdx, running: &mut Running) {
        running.asked.answers = None;
        if running.asked.is_open() {
            running.asked.open.clear();
            running.guard.run(true, self.now());
            self.asking -= 1;
            self.desk.withdraw(&self.plan.step(idx).tool_id);
        }
    }
}
