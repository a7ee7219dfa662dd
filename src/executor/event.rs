//! News of a running plan, as it happens.

use std::time::Duration;

use serde_json::Value;

use crate::{ExecutedBy, Failure, StepTrace};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Message, Question};
use narratoria_skills::HealthTransition;

/// News of a running plan, from which the engine makes updates for the front ends. In all of them `item` is the index
/// of the item in a loop, and `attempt` counts from 1 for each item.
#[derive(Debug, Clone, Copy)]
pub enum ExecutionEvent<'a> {
    /// The first event.
    PlanStarted { steps: usize },
    /// The step does not run: the plan reuses its result from an earlier version.
    StepReused { step: StepIdx, trace: &'a StepTrace },
    /// The step could start, but waits for a person to approve or deny it.
    StepWaiting {
        step: StepIdx,
        /// Input of its script; for a loop an array of the inputs of all items.
        input: &'a Value,
    },
    /// A step that needs approval was approved or denied.
    StepDecided {
        step: StepIdx,
        granted: bool,
        /// True if a person decided. Otherwise the options decided for all steps.
        asked: bool,
    },
    /// An attempt began.
    StepStarted { step: StepIdx, item: Option<usize>, attempt: u32, executed_by: &'a ExecutedBy },
    /// A script wrote an event, which counts only if the attempt succeeds.
    StepEmitted { step: StepIdx, item: Option<usize>, attempt: u32, message: &'a Message },
    /// A model wrote text for the player on behalf of a script. The player may read it at once. It counts
    /// only if the attempt succeeds, and then as part of the script's output.
    StepNarrated {
        step: StepIdx,
        attempt: u32,
        /// Continues the text of the events before.
        text: &'a str,
    },
    /// A script asked a question, which waits for a person's answer.
    StepAsked { step: StepIdx, question: &'a Question },
    /// A person answered a script's question.
    StepAnswered { step: StepIdx, text: &'a str },
    /// No answer will come to a script's question; the script reads the end of its input.
    StepUnanswered { step: StepIdx },
    /// An attempt failed, and another will follow after `delay`.
    StepRetrying {
        step: StepIdx,
        item: Option<usize>,
        /// The attempt that failed.
        attempt: u32,
        delay: Duration,
        why: &'a Failure,
    },
    /// The last retry of the candidate `from` failed; the candidate `to` goes on at once.
    StepTakenOver { step: StepIdx, from: &'a ExecutedBy, to: &'a ExecutedBy, why: &'a Failure },
    /// A step has ended, even if it never began.
    StepFinished { step: StepIdx, trace: &'a StepTrace },
    /// A skill's health changed (S1 §3.1). Comes in plan order, once all steps before have ended.
    HealthChanged { skill: &'a str, transition: HealthTransition },
    /// A step and all before it have ended, and their effect on health is recorded. Comes once for each step,
    /// in plan order.
    StepSettled { step: StepIdx },
    /// The last event.
    PlanFinished {
        /// True if every required step succeeded, or was left out on purpose.
        success: bool,
        /// True if a cancel ended the plan early.
        cancelled: bool,
        elapsed: Duration,
        /// The rest of the plan's own time, which stands still while only people can continue the plan.
        time_left: Duration,
    },
}
