//! Puts the events of steps that run at the same time into plan order, so that the order of the updates does not
//! depend on timing: the events of a step wait until every step before it is settled. Pure.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use narratoria_executor::{ExecutedBy, ExecutionEvent, Failure, StepTrace};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Message, Question};

/// Buffers the events of steps. Invariant: all steps before `open_step` are settled, and no event of them or of
/// `open_step` is buffered.
#[derive(Default)]
pub(super) struct PlanOrderBuffer {
    /// The number of settled steps, which is the index of the step whose events are passed on at once.
    open_step: usize,
    buffered: BTreeMap<StepIdx, Vec<BufferedEvent>>,
}

/// An event of a step that must wait. The sandbox bounds the output of an attempt, and so the buffer.
enum BufferedEvent {
    Waiting { input: Value },
    Decided { granted: bool, asked: bool },
    Started { item: Option<usize>, attempt: u32, executed_by: ExecutedBy },
    Emitted { item: Option<usize>, attempt: u32, message: Message },
    Narrated { attempt: u32, text: String },
    Asked { question: Question },
    Answered { text: String },
    Unanswered,
    Retrying { item: Option<usize>, attempt: u32, delay: Duration, why: Failure },
    TakenOver { from: ExecutedBy, to: ExecutedBy, why: Failure },
    Finished { trace: Box<StepTrace> },
}

impl PlanOrderBuffer {
    /// Buffers the event, or passes it on with those that waited for it.
    pub(super) fn push(
        &mut self,
        event: ExecutionEvent<'_>,
        emit: &mut dyn FnMut(ExecutionEvent<'_>),
    ) {
        if let ExecutionEvent::StepSettled { step } = event {
            self.open_step = step.0 + 1;
            let next = StepIdx(self.open_step);
            for buffered in self.buffered.remove(&next).unwrap_or_default() {
                emit(buffered.as_event(next));
            }
            return;
        }
        // Most events pass on at once and need no copy.
        let must_wait = step_of(&event).is_some_and(|step| step.0 > self.open_step);
        match must_wait.then(|| buffered_event(event)).flatten() {
            Some((step, buffered)) => self.buffered.entry(step).or_default().push(buffered),
            None => emit(event),
        }
    }
}

/// Returns the step of an event that may have to wait.
fn step_of(event: &ExecutionEvent<'_>) -> Option<StepIdx> {
    match event {
        ExecutionEvent::StepWaiting { step, .. }
        | ExecutionEvent::StepDecided { step, .. }
        | ExecutionEvent::StepStarted { step, .. }
        | ExecutionEvent::StepEmitted { step, .. }
        | ExecutionEvent::StepNarrated { step, .. }
        | ExecutionEvent::StepAsked { step, .. }
        | ExecutionEvent::StepAnswered { step, .. }
        | ExecutionEvent::StepUnanswered { step }
        | ExecutionEvent::StepRetrying { step, .. }
        | ExecutionEvent::StepTakenOver { step, .. }
        | ExecutionEvent::StepFinished { step, .. } => Some(*step),
        ExecutionEvent::PlanStarted { .. }
        | ExecutionEvent::StepReused { .. }
        | ExecutionEvent::HealthChanged { .. }
        | ExecutionEvent::StepSettled { .. }
        | ExecutionEvent::PlanFinished { .. } => None,
    }
}

/// The event of one step in owned form; `None` for others. Reused results are reported before anything runs, so
/// they are in order already.
fn buffered_event(event: ExecutionEvent<'_>) -> Option<(StepIdx, BufferedEvent)> {
    Some(match event {
        ExecutionEvent::StepWaiting { step, input } => {
            (step, BufferedEvent::Waiting { input: input.clone() })
        }
        ExecutionEvent::StepDecided { step, granted, asked } => {
            (step, BufferedEvent::Decided { granted, asked })
        }
        ExecutionEvent::StepStarted { step, item, attempt, executed_by } => {
            (step, BufferedEvent::Started { item, attempt, executed_by: executed_by.clone() })
        }
        ExecutionEvent::StepEmitted { step, item, attempt, message } => {
            (step, BufferedEvent::Emitted { item, attempt, message: message.clone() })
        }
        ExecutionEvent::StepNarrated { step, attempt, text } => {
            (step, BufferedEvent::Narrated { attempt, text: text.to_owned() })
        }
        ExecutionEvent::StepAsked { step, question } => {
            (step, BufferedEvent::Asked { question: question.clone() })
        }
        ExecutionEvent::StepAnswered { step, text } => {
            (step, BufferedEvent::Answered { text: text.to_owned() })
        }
        ExecutionEvent::StepUnanswered { step } => (step, BufferedEvent::Unanswered),
        ExecutionEvent::StepRetrying { step, item, attempt, delay, why } => {
            (step, BufferedEvent::Retrying { item, attempt, delay, why: why.clone() })
        }
        ExecutionEvent::StepTakenOver { step, from, to, why } => (
            step,
            BufferedEvent::TakenOver { from: from.clone(), to: to.clone(), why: why.clone() },
        ),
        ExecutionEvent::StepFinished { step, trace } => {
            (step, BufferedEvent::Finished { trace: Box::new(trace.clone()) })
        }
        ExecutionEvent::PlanStarted { .. }
        | ExecutionEvent::StepReused { .. }
        | ExecutionEvent::HealthChanged { .. }
        | ExecutionEvent::StepSettled { .. }
        | ExecutionEvent::PlanFinished { .. } => return None,
    })
}

impl BufferedEvent {
    fn as_event(&self, step: StepIdx) -> ExecutionEvent<'_> {
        match self {
            BufferedEvent::Waiting { input } => ExecutionEvent::StepWaiting { step, input },
            BufferedEvent::Decided { granted, asked } => {
                ExecutionEvent::StepDecided { step, granted: *granted, asked: *asked }
            }
            BufferedEvent::Started { item, attempt, executed_by } => {
                ExecutionEvent::StepStarted { step, item: *item, attempt: *attempt, executed_by }
            }
            BufferedEvent::Emitted { item, attempt, message } => {
                ExecutionEvent::StepEmitted { step, item: *item, attempt: *attempt, message }
            }
            BufferedEvent::Narrated { attempt, text } => {
                ExecutionEvent::StepNarrated { step, attempt: *attempt, text }
            }
            BufferedEvent::Asked { question } => ExecutionEvent::StepAsked { step, question },
            BufferedEvent::Answered { text } => ExecutionEvent::StepAnswered { step, text },
            BufferedEvent::Unanswered => ExecutionEvent::StepUnanswered { step },
            BufferedEvent::Retrying { item, attempt, delay, why } => ExecutionEvent::StepRetrying {
                step,
                item: *item,
                attempt: *attempt,
                delay: *delay,
                why,
            },
            BufferedEvent::TakenOver { from, to, why } => {
                ExecutionEvent::StepTakenOver { step, from, to, why }
            }
            BufferedEvent::Finished { trace } => ExecutionEvent::StepFinished { step, trace },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PlanOrderBuffer;
    use narratoria_executor::{ExecutionEvent, Outcome, StepTrace};
    use narratoria_plan::StepIdx;
    use narratoria_skills::{Health, HealthTransition};

    /// The events of three steps after buffering. Each step narrates something, finishes, and degrades its
    /// skill. `order` names the step of each of the six first events.
    fn reported_lines(order: &[usize]) -> Vec<String> {
        let trace = StepTrace {
            outcome: Outcome::Done { summary: None, output: serde_json::Value::Null },
            attempts: Vec::new(),
            approval: None,
            arbitration: None,
            items: None,
            reused: false,
        };
        let (mut buffer, mut lines) = (PlanOrderBuffer::default(), Vec::new());
        let mut done = [0, 0, 0];
        let mut settled = 0;
        let mut push = |event: ExecutionEvent<'_>| {
            buffer.push(event, &mut |event| {
                lines.push(match event {
                    ExecutionEvent::StepNarrated { step, text, .. } => {
                        format!("{} says {text}", step.0)
                    }
                    ExecutionEvent::StepFinished { step, .. } => format!("{} is over", step.0),
                    ExecutionEvent::HealthChanged { skill, .. } => format!("{skill} is worse"),
                    event => panic!("no step sent {event:?}"),
                });
            });
        };
        let transition = HealthTransition { from: Health::Healthy, to: Health::Degraded };
        for step in order {
            done[*step] += 1;
            match done[*step] {
                1 => push(ExecutionEvent::StepNarrated {
                    step: StepIdx(*step),
                    attempt: 1,
                    text: "a",
                }),
                _ => push(ExecutionEvent::StepFinished { step: StepIdx(*step), trace: &trace }),
            }
            while settled < 3 && done[settled] == 2 {
                push(ExecutionEvent::HealthChanged { skill: &settled.to_string(), transition });
                push(ExecutionEvent::StepSettled { step: StepIdx(settled) });
                settled += 1;
            }
        }
        lines
    }

    proptest! {
        #[test]
        fn the_lines_do_not_depend_on_which_step_is_faster(order in Just(vec![0, 0, 1, 1, 2, 2]).prop_shuffle()) {
            prop_assert_eq!(reported_lines(&order), reported_lines(&[0, 0, 1, 1, 2, 2]));
        }
    }

    #[test]
    fn the_first_unsettled_step_is_reported_at_once() {
        assert_eq!(reported_lines(&[1, 1, 0]), ["0 says a"]);
        assert_eq!(
            reported_lines(&[1, 2, 1, 0, 0]),
            [
                "0 says a",
                "0 is over",
                "0 is worse",
                "1 says a",
                "1 is over",
                "1 is worse",
                "2 says a"
            ]
        );
    }
}
