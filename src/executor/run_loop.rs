//! The loop of a running plan: it waits for the next event and starts what may start.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::{Context, Poll},
};

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::{
    ExecutionEvent, Failure, Outcome,
    clock::{NEVER, after},
    run::Run,
    skip::HaltReason,
    step_run::StepActivity,
};
use narratoria_plan::StepIdx;

impl Run<'_> {
    /// Runs the loop. Handles everything that can happen, in one list.
    pub(crate) async fn drive(&mut self, cancel: &CancellationToken) {
        self.pending.open(self.plan.steps().iter().map(|step| step.tool_id.as_str()));
        (self.on_event)(ExecutionEvent::PlanStarted { steps: self.plan.steps().len() });
        self.init_steps();
        let mut is_cancelled = cancel.is_cancelled();
        if is_cancelled {
            self.cancel();
        }
        let pending = self.pending;
        let mut cancelled = pin!(cancel.cancelled());
        let mut is_cut = false;
        let mut cut = pin!(self.options.grace_cut.cancelled());
        let mut decided = pin!(pending.decision_made());
        let mut alarm = pin!(sleep_until(after(self.started, NEVER)));
        loop {
            self.start_ready();
            while self.settle_state() {
                self.start_ready();
            }
            if self.steps_left == 0 {
                return;
            }
            let due = self.next_deadline().unwrap_or(after(self.started, NEVER));
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            // The loop handles everything that falls due at one moment before it starts anything new.
            poll_fn(|context| {
                let mut happened = false;
                if !is_cancelled && cancelled.as_mut().poll(context).is_ready() {
                    is_cancelled = true;
                    happened = true;
                    self.cancel();
                }
                if is_cancelled && !is_cut && cut.as_mut().poll(context).is_ready() {
                    is_cut = true;
                    happened = true;
                    self.cut_grace();
                }
                if decided.as_mut().poll(context).is_ready() {
                    decided.set(pending.decision_made());
                    happened = true;
                    self.take_decisions();
                }
                // A decision may have made something fall due at this very moment.
                if alarm.as_mut().poll(context).is_ready() || happened {
                    happened = true;
                    self.handle_timers();
                }
                happened |= self.poll_active(context);
                if happened { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    /// Closes the steps that are decided before anything runs: reused results, and first steps that a person
    /// took out.
    fn init_steps(&mut self) {
        let mut reused = Vec::new();
        self.gate.admit_reused(&mut self.reused_results);
        self.store_gate.admit_reused(&mut self.reused_results);
        self.entity_gate.admit_reused(&mut self.reused_results);
        for (idx, mut trace) in std::mem::take(&mut self.reused_results) {
            let Some(step_run) = self.steps.get_mut(idx.0) else { continue };
            trace.reused = true;
            let trace = step_run.trace.insert(trace);
            self.steps_left -= 1;
            (self.on_event)(ExecutionEvent::StepReused { step: idx, trace });
            reused.push(idx);
        }
        reused.into_iter().for_each(|idx| self.notify_dependents(idx));
        for idx in (0..self.steps.len()).map(StepIdx) {
            if !self.plan.step(idx).needs.is_empty() || self.trace_of(idx).is_some() {
                continue;
            }
            match self.block_reason(idx) {
                Some(because) => self.finish_step(idx, Outcome::Skipped { because }),
                None => _ = self.unblocked.insert(idx),
            }
        }
        self.settle_health();
        let failed = |idx: StepIdx| {
            self.trace_of(idx).is_some_and(|trace| trace.outcome.failure().is_some())
        };
        let has_required_failure = (0..self.steps.len())
            .map(StepIdx)
            .any(|idx| self.plan.step(idx).required && failed(idx));
        if self.plan.stop_on_failure() && has_required_failure {
            self.halt(HaltReason::Stopped);
        }
    }

    fn start_ready(&mut self) {
        // After the deadline the alarm fires next, so nothing starts.
        while self.halted.is_none() && !self.clock.is_over(self.now()) {
            if let Some(idx) = self.unblocked.pop_first() {
                self.handle_unblocked(idx);
                continue;
            }
            let waiting = &self.awaiting_approval;
            let Some(idx) = self.schedule.take_next(self.plan, |idx| waiting.contains(&idx)) else {
                return;
            };
            self.begin_step(idx);
        }
    }

    /// Returns when the next timer falls due.
    fn next_deadline(&mut self) -> Option<Instant> {
        let people = self.open_questions + self.awaiting_approval.len();
        let only_people = people > 0 && self.schedule.running() == self.open_questions;
        self.clock.set_running(!only_people, self.now());
        let plan = match self.halted < Some(HaltReason::PlanTimeout) {
            true => self.clock.deadline(),
            false => None,
        };
        let retry = self.retries.first().map(|(due, _)| *due);
        let guard = self.active.iter().filter_map(|idx| match &self.steps[idx.0].activity {
            StepActivity::Running(running) => running.guard.deadline(),
            StepActivity::Arbitrating(_)
            | StepActivity::BackingOff
            | StepActivity::Held(_)
            | StepActivity::Idle => None,
        });
        [plan, retry, self.grace_over].into_iter().flatten().chain(guard).min()
    }

    fn handle_timers(&mut self) {
        let now = self.now();
        if self.halted < Some(HaltReason::PlanTimeout) && self.clock.is_over(now) {
            self.halt(HaltReason::PlanTimeout);
        }
        while let Some((due, idx)) = self.retries.first().copied()
            && due <= now
        {
            self.retries.pop_first();
            self.start_attempt(idx);
        }
        for idx in self.active.clone() {
            if let StepActivity::Running(running) = &self.steps[idx.0].activity
                && running.guard.is_over(now)
            {
                self.abandon(idx, |limit| Failure::Unresponsive { limit });
            }
        }
        if self.grace_over.is_some_and(|due| due <= now) {
            self.grace_over = None;
            for idx in self.active.clone() {
                self.abandon(idx, |_| Failure::Cancelled);
            }
        }
    }

    /// Polls the active steps. Returns true if anything happened.
    fn poll_active(&mut self, context: &mut Context<'_>) -> bool {
        let mut ended = Vec::new();
        let mut chosen = Vec::new();
        let is_alone = self.active.len() == 1;
        for idx in &self.active {
            match &mut self.steps[idx.0].activity {
                StepActivity::Running(running) => {
                    if let Poll::Ready(end) = running.task.poll(is_alone, context) {
                        ended.push((*idx, running.serial, end));
                    }
                }
                StepActivity::Arbitrating(arbitration) => {
                    if let Poll::Ready(choice) = arbitration.task.poll(is_alone, context) {
                        chosen.push((*idx, arbitration.healthy, choice));
                    }
                }
                StepActivity::Idle | StepActivity::BackingOff | StepActivity::Held(_) => {}
            }
        }
        let mut happened = !ended.is_empty() || !chosen.is_empty();
        while let Poll::Ready(Some(output)) = self.inbox.poll_recv(context) {
            happened = true;
            self.handle_output(output);
        }
        if !ended.is_empty() {
            // A task sends all its output before it ends, so the output is there. But `poll_recv` finds
            // nothing while another thread is sending, or once this task has used up its budget.
            while let Ok(output) = self.inbox.try_recv() {
                self.handle_output(output);
            }
        }
        for (idx, healthy, choice) in chosen {
            self.steps[idx.0].activity = StepActivity::Idle;
            self.active.remove(&idx);
            self.handle_arbitration(idx, healthy, choice);
        }
        for (idx, serial, end) in ended {
            match &self.steps[idx.0].activity {
                StepActivity::Running(running) if running.serial == serial => {
                    self.task_ended(idx, end)
                }
                _ => {}
            }
        }
        happened
    }
}
