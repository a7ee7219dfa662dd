//! Finishes a step if its patches fit into the state, and its writes into the stores and the entities: see
//! [`StateGate`](crate::state_gate::StateGate) and [`WriteGate`](crate::write_gate::WriteGate). Everything that the
//! story would refuse at the commit of the turn, one of these refuses before, so that a step fails and never the turn.

use crate::{
    Attempt, Failure, Outcome, StateRefusal,
    run::Run,
    state_gate::{GateVerdict, attempt_patches},
    step_run::{RunningAttempt, StepActivity},
    write_gate::attempt_writes,
};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Event, Message};

impl Run<'_> {
    /// Checks the patches of a successful attempt on their own.
    pub(crate) fn check_patches<'r>(
        &self,
        running: &'r RunningAttempt,
    ) -> Result<(), StateRefusal> {
        let skill = running.executed_by.skill.as_str();
        let patch = |message: &'r Message| match &message.event {
            Event::StatePatch { patch } => Some((skill, patch)),
            _ => None,
        };
        let patches: Vec<_> = running.events.iter().filter_map(patch).collect();
        self.gate.check_attempt(&patches)
    }

    /// Finishes a successful step if its patches and writes fit. If that depends on an earlier step, the step gives up
    /// its slot and waits, and its dependents wait too.
    pub(crate) fn finish_accepted(&mut self, idx: StepIdx, outcome: Outcome) {
        let steps = &self.steps;
        let finished = |idx: StepIdx| steps.get(idx.0).and_then(|step| step.trace.as_ref());
        let patches = attempt_patches(&steps[idx.0].attempts);
        let writes = attempt_writes(self.plan.step(idx), &steps[idx.0].attempts);
        if !patches.is_empty() {
            self.gate.settle(finished);
        }
        if !writes.is_empty() {
            self.store_gate.settle(finished);
            self.entity_gate.settle(finished);
        }
        let verdict = match self.store_gate.judge(idx, &writes) {
            GateVerdict::Accepted => self.entity_gate.judge(idx, &writes),
            other => other,
        };
        let verdict = match verdict {
            GateVerdict::Accepted => self.gate.judge(idx, &patches, finished),
            other => other,
        };
        if verdict == GateVerdict::Accepted {
            self.store_gate.accept(idx, &writes);
            self.entity_gate.accept(idx, &writes);
        }
        match verdict {
            GateVerdict::Accepted => self.finish_step(idx, outcome),
            GateVerdict::Refused(why) => self.finish_refused(idx, why),
            GateVerdict::Undecided => {
                let step_run = &mut self.steps[idx.0];
                step_run.activity = StepActivity::Held(Box::new(outcome));
                if std::mem::take(&mut step_run.has_slot) {
                    self.schedule.release(self.plan, idx);
                }
            }
        }
    }

    /// Finishes the steps that wait for an earlier one, as soon as everything before them has finished. Returns
    /// true if there was one.
    pub(crate) fn settle_state(&mut self) -> bool {
        let mut has_finished = false;
        loop {
            let steps = &self.steps;
            self.gate.settle(|idx| steps[idx.0].trace.as_ref());
            self.store_gate.settle(|idx| steps.get(idx.0).and_then(|step| step.trace.as_ref()));
            self.entity_gate.settle(|idx| steps.get(idx.0).and_then(|step| step.trace.as_ref()));
            let next = self.gate.settled();
            let Some(step_run) = self.steps.get_mut(next.0) else { return has_finished };
            match std::mem::take(&mut step_run.activity) {
                StepActivity::Held(outcome) => {
                    has_finished = true;
                    self.finish_accepted(next, *outcome);
                }
                other => {
                    step_run.activity = other;
                    return has_finished;
                }
            }
        }
    }

    /// Fails the step. No other skill takes over, because the sums count for every skill.
    fn finish_refused(&mut self, idx: StepIdx, why: StateRefusal) {
        let why = Failure::State(why);
        let attempts = self.steps[idx.0].attempts.iter_mut().rev();
        let mut successful = attempts.filter(|attempt| attempt.failure.is_none());
        if let Some(attempt) = successful.find(|attempt| has_changes(attempt)) {
            attempt.failure = Some(why.clone());
        }
        self.finish_step(idx, Outcome::failed(why));
    }
}

/// Returns true if an attempt changes the state or a store.
fn has_changes(attempt: &Attempt) -> bool {
    attempt.patches().next().is_some() || !attempt.writes.is_empty()
}
