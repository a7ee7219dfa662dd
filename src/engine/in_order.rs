//! News of steps that run at the same time, put into plan order: what a step has to say is held back until
//! all before it are over. So the same is told however long each of them takes. Pure.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use crate::{
    executor::{Failure, News, StepTrace, Who},
    plan::StepIdx,
    protocol::{Message, Question},
};

/// Invariant: all steps before `open` are settled, and nothing of them or of `open` itself is held.
#[derive(Default)]
pub(super) struct InOrder {
    /// How many steps are settled, which is the index of the one whose news are told as they come.
    open: usize,
    held: BTreeMap<StepIdx, Vec<Held>>,
}

/// What is held of one step. The sandbox bounds how much one attempt says.
enum Held {
    Waiting { input: Value },
    Decided { granted: bool, asked: bool },
    Started { item: Option<usize>, attempt: u32, by: Who },
    Said { item: Option<usize>, attempt: u32, message: Message },
    Spoke { attempt: u32, text: String },
    Asked { question: Question },
    Answered { text: String },
    Unanswered,
    Retrying { item: Option<usize>, attempt: u32, delay: Duration, why: Failure },
    TakenOver { from: Who, to: Who, why: Failure },
    Finished { trace: Box<StepTrace> },
}

impl InOrder {
    /// Tells what can be told by now.
    pub(super) fn hear(&mut self, news: News<'_>, tell: &mut dyn FnMut(News<'_>)) {
        if let News::StepSettled { step } = news {
            self.open = step.0 + 1;
            let next = StepIdx(self.open);
            for held in self.held.remove(&next).unwrap_or_default() {
                tell(held.news(next));
            }
            return;
        }
        match held(news) {
            Some((step, held)) if step.0 > self.open => {
                self.held.entry(step).or_default().push(held);
            }
            _ => tell(news),
        }
    }
}

/// News that belong to one step. What was kept from before the plan is told before anything runs, and is in
/// order already.
fn held(news: News<'_>) -> Option<(StepIdx, Held)> {
    Some(match news {
        News::StepWaiting { step, input } => (step, Held::Waiting { input: input.clone() }),
        News::StepDecided { step, granted, asked } => (step, Held::Decided { granted, asked }),
        News::StepStarted { step, item, attempt, by } => {
            (step, Held::Started { item, attempt, by: by.clone() })
        }
        News::StepSaid { step, item, attempt, message } => {
            (step, Held::Said { item, attempt, message: message.clone() })
        }
        News::StepSpoke { step, attempt, text } => {
            (step, Held::Spoke { attempt, text: text.to_owned() })
        }
        News::StepAsked { step, question } => (step, Held::Asked { question: question.clone() }),
        News::StepAnswered { step, text } => (step, Held::Answered { text: text.to_owned() }),
        News::StepUnanswered { step } => (step, Held::Unanswered),
        News::StepRetrying { step, item, attempt, delay, why } => {
            (step, Held::Retrying { item, attempt, delay, why: why.clone() })
        }
        News::StepTakenOver { step, from, to, why } => {
            (step, Held::TakenOver { from: from.clone(), to: to.clone(), why: why.clone() })
        }
        News::StepFinished { step, trace } => {
            (step, Held::Finished { trace: Box::new(trace.clone()) })
        }
        News::PlanStarted { .. }
        | News::StepKept { .. }
        | News::HealthChanged { .. }
        | News::StepSettled { .. }
        | News::PlanFinished { .. } => return None,
    })
}

impl Held {
    fn news(&self, step: StepIdx) -> News<'_> {
        match self {
            Held::Waiting { input } => News::StepWaiting { step, input },
            Held::Decided { granted, asked } => {
                News::StepDecided { step, granted: *granted, asked: *asked }
            }
            Held::Started { item, attempt, by } => {
                News::StepStarted { step, item: *item, attempt: *attempt, by }
            }
            Held::Said { item, attempt, message } => {
                News::StepSaid { step, item: *item, attempt: *attempt, message }
            }
            Held::Spoke { attempt, text } => News::StepSpoke { step, attempt: *attempt, text },
            Held::Asked { question } => News::StepAsked { step, question },
            Held::Answered { text } => News::StepAnswered { step, text },
            Held::Unanswered => News::StepUnanswered { step },
            Held::Retrying { item, attempt, delay, why } => {
                News::StepRetrying { step, item: *item, attempt: *attempt, delay: *delay, why }
            }
            Held::TakenOver { from, to, why } => News::StepTakenOver { step, from, to, why },
            Held::Finished { trace } => News::StepFinished { step, trace },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::InOrder;
    use crate::{
        executor::{News, Outcome, StepTrace},
        plan::StepIdx,
        skills::{Health, Transition},
    };

    /// What a player is told of three steps, each of which says something and is over, after which its skill
    /// is worse. `order` is whose turn it is, six times.
    fn told(order: &[usize]) -> Vec<String> {
        let trace = StepTrace {
            outcome: Outcome::Done { summary: None, output: serde_json::Value::Null },
            attempts: Vec::new(),
            approval: None,
            arbitration: None,
            items: None,
            kept: false,
        };
        let (mut in_order, mut told) = (InOrder::default(), Vec::new());
        let mut done = [0, 0, 0];
        let mut settled = 0;
        let mut hear = |news: News<'_>| {
            in_order.hear(news, &mut |news| {
                told.push(match news {
                    News::StepSpoke { step, text, .. } => format!("{} says {text}", step.0),
                    News::StepFinished { step, .. } => format!("{} is over", step.0),
                    News::HealthChanged { skill, .. } => format!("{skill} is worse"),
                    news => panic!("nobody said {news:?}"),
                });
            });
        };
        let transition = Transition { from: Health::Healthy, to: Health::Degraded };
        for step in order {
            done[*step] += 1;
            match done[*step] {
                1 => hear(News::StepSpoke { step: StepIdx(*step), attempt: 1, text: "a" }),
                _ => hear(News::StepFinished { step: StepIdx(*step), trace: &trace }),
            }
            while settled < 3 && done[settled] == 2 {
                hear(News::HealthChanged { skill: &settled.to_string(), transition });
                hear(News::StepSettled { step: StepIdx(settled) });
                settled += 1;
            }
        }
        told
    }

    proptest! {
        #[test]
        fn whoever_is_faster_the_same_is_told(order in Just(vec![0, 0, 1, 1, 2, 2]).prop_shuffle()) {
            prop_assert_eq!(told(&order), told(&[0, 0, 1, 1, 2, 2]));
        }
    }

    #[test]
    fn the_first_step_that_is_not_over_is_heard_at_once() {
        assert_eq!(told(&[1, 1, 0]), ["0 says a"]);
        assert_eq!(
            told(&[1, 2, 1, 0, 0]),
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
