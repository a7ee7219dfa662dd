//! Decisions of people while a plan runs: approvals, and answers to the questions of scripts.

use crate::{
    ExecutionEvent, PendingRequestKind, QuestionPolicy,
    pending::Decision,
    questions::PLAN_ASKS_MAX,
    run::Run,
    step_run::{RunningAttempt, StepActivity},
};
use narratoria_plan::StepIdx;
use narratoria_protocol::Question;

impl Run<'_> {
    /// Applies all decisions since the last call.
    pub(crate) fn take_decisions(&mut self) {
        while let Some(decision) = self.pending.take_decision() {
            match decision {
                Decision::Approve(idx) if self.awaiting_approval.remove(&idx) => {
                    self.apply_approval(idx, true, true)
                }
                Decision::Deny(idx) if self.awaiting_approval.remove(&idx) => {
                    self.apply_approval(idx, false, true)
                }
                Decision::Answer(idx, text) => self.answer(idx, &text),
                Decision::LeaveUnanswered(idx) => self.leave_unanswered(idx),
                // The plan continued before the loop saw the decision.
                Decision::Approve(_) | Decision::Deny(_) => {}
            }
        }
    }

    /// Asks a person the question of a running script. One question too many ends the input of its script.
    pub(crate) fn handle_question(&mut self, idx: StepIdx, question: Question) {
        if self.options.questions == QuestionPolicy::Unanswered {
            return;
        }
        self.questions_asked += 1;
        if self.questions_asked > PLAN_ASKS_MAX {
            self.pending.withdraw(&self.plan.step(idx).tool_id);
            return self.leave_unanswered(idx);
        }
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        if running.questions.push(question) {
            self.open_questions += 1;
            self.publish_question(idx);
        }
    }

    fn publish_question(&mut self, idx: StepIdx) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        let Some(question) = running.questions.first() else { return };
        running.guard.set_running(false, now);
        let tool_id = &self.plan.step(idx).tool_id;
        self.pending.add(tool_id, PendingRequestKind::Question(question.clone()));
        (self.on_event)(ExecutionEvent::StepAsked { step: idx, question });
    }

    fn answer(&mut self, idx: StepIdx, text: &str) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        if !running.questions.answer(text) {
            return;
        }
        let has_more = running.questions.is_open();
        if !has_more {
            running.guard.set_running(true, now);
            self.open_questions -= 1;
        }
        (self.on_event)(ExecutionEvent::StepAnswered { step: idx, text });
        if has_more {
            self.publish_question(idx);
        }
    }

    /// Leaves this question unanswered, and everything that the attempt has asked since: its input ends
    /// here.
    fn leave_unanswered(&mut self, idx: StepIdx) {
        let now = self.now();
        let StepActivity::Running(running) = &mut self.steps[idx.0].activity else { return };
        if !running.questions.close() {
            return;
        }
        running.guard.set_running(true, now);
        self.open_questions -= 1;
        (self.on_event)(ExecutionEvent::StepUnanswered { step: idx });
    }

    /// Withdraws the open questions of an attempt, because the attempt or the plan has ended.
    pub(crate) fn withdraw_questions(&mut self, idx: StepIdx, running: &mut RunningAttempt) {
        if running.questions.close() {
            running.guard.set_running(true, self.now());
            self.open_questions -= 1;
            self.pending.withdraw(&self.plan.step(idx).tool_id);
        }
    }
}
