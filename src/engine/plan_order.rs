//! News of steps that run at the same time, put into plan order: what a step has to say is held back until
//! all before it are over. So the same is told however long each of them takes. Pure.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use narratoria_executor::{ExecutedBy, ExecutionEvent, Failure, StepTrace};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Message, Question};

/// Invariant: all steps before `open` are settled, and nothing of them or of `open` itself is held.
#[derive(Default)]
pub(super) struct PlanOrderBuffer {
    /// How many steps are settled, which is the index of the one whose news are told as they come.
    open_step: usize,
    buffered: BTreeMap<StepIdx, Vec<BufferedEvent>>,
}

/// What is held of one step. The sandbox bounds how much one attempt says.
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
    /// Tells what can be told by now.
    pub(super) fn push(
        &mut self,
        news: ExecutionEvent<'_>,
        tell: &mut dyn FnMut(ExecutionEvent<'_>),
    ) {
        if let ExecutionEvent::StepSettled { step } = news {
            self.open_step = step.0 + 1;
            let next = StepIdx(self.open_step);
            for held in self.buffered.remove(&next).unwrap_or_default() {
                tell(held.as_event(next));
            }
            return;
        }
        match buffered_event(news) {
            Some((step, held)) if step.0 > self.open_step => {
                self.buffered.entry(step).or_default().push(held);
            }
            _ => tell(news),
        }
    }
}

/// News that belong to one step. What was kept from before the plan is told before anything runs, and is in
/// order already.
fn buffered_event(news: ExecutionEvent<'_>) -> Option<(StepIdx, BufferedEvent)> {
    Some(match news {
        ExecutionEvent::StepWaiting { step, input } => {
            (step, BufferedEvent::Waiting { input: input.clone() })
        }
        ExecutionEvent::StepDecided { step, granted, asked } => {
            (step, BufferedEvent::Decided { granted, asked })
        }
        ExecutionEvent::StepStarted { step, item, attempt, executed_by: by } => {
            (step, BufferedEvent::Started { item, attempt, executed_by: by.clone() })
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
            BufferedEvent::Started { item, attempt, executed_by: by } => {
                ExecutionEvent::StepStarted {
                    step,
                    item: *item,
                    attempt: *attempt,
                    executed_by: by,
                }
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

    /// What a player is told of three steps, each of which says something and is over, after which its skill
    /// is worse. `order` is whose turn it is, six times.
    fn reported_lines(order: &[usize]) -> Vec<String> {
        let trace = StepTrace {
            outcome: Outcome::Done { summary: None, output: serde_json::Value::Null },
            attempts: Vec::new(),
            approval: None,
            arbitration: None,
            items: None,
            reused: false,
        };
        let (mut in_order, mut told) = (PlanOrderBuffer::default(), Vec::new());
        let mut done = [0, 0, 0];
        let mut settled = 0;
        let mut hear = |news: ExecutionEvent<'_>| {
            in_order.push(news, &mut |news| {
                told.push(match news {
                    ExecutionEvent::StepNarrated { step, text, .. } => {
                        format!("{} says {text}", step.0)
                    }
                    ExecutionEvent::StepFinished { step, .. } => format!("{} is over", step.0),
                    ExecutionEvent::HealthChanged { skill, .. } => format!("{skill} is worse"),
                    news => panic!("nobody said {news:?}"),
                });
            });
        };
        let transition = HealthTransition { from: Health::Healthy, to: Health::Degraded };
        for step in order {
            done[*step] += 1;
            match done[*step] {
                1 => hear(ExecutionEvent::StepNarrated {
                    step: StepIdx(*step),
                    attempt: 1,
                    text: "a",
                }),
                _ => hear(ExecutionEvent::StepFinished { step: StepIdx(*step), trace: &trace }),
            }
            while settled < 3 && done[settled] == 2 {
                hear(ExecutionEvent::HealthChanged { skill: &settled.to_string(), transition });
                hear(ExecutionEvent::StepSettled { step: StepIdx(settled) });
                settled += 1;
            }
        }
        told
    }

    proptest! {
        #[test]
        fn whoever_is_faster_the_same_is_told(order in Just(vec![0, 0, 1, 1, 2, 2]).prop_shuffle()) {
            prop_assert_eq!(reported_lines(&order), reported_lines(&[0, 0, 1, 1, 2, 2]));
        }
    }

    #[test]
    fn the_first_step_that_is_not_over_is_heard_at_once() {
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
