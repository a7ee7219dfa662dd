//! What happens while a plan runs, as it happens.

use std::time::Duration;

use serde_json::Value;

use super::{ExecutedBy, Failure, StepTrace};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Message, Question};
use narratoria_skills::HealthTransition;

/// One piece of news. The engine turns it into updates for the front ends.
#[derive(Debug, Clone, Copy)]
pub enum ExecutionEvent<'a> {
    /// First of all.
    PlanStarted {
        /// How many there are.
        steps: usize,
    },
    /// A step was over before the plan began: its result was kept from an earlier version of the plan.
    StepReused {
        /// Which step.
        step: StepIdx,
        /// All of it.
        trace: &'a StepTrace,
    },
    /// A step could start, and waits on the desk for a person who approves or denies it.
    StepWaiting {
        /// Which step.
        step: StepIdx,
        /// What its script will get; for a loop an array of these, one for each item.
        input: &'a Value,
    },
    /// It was decided whether a step that needs approval may start.
    StepDecided {
        /// Which step.
        step: StepIdx,
        /// Whether it may.
        granted: bool,
        /// Whether a person was asked; else the options say so for all steps.
        asked: bool,
    },
    /// An attempt began.
    StepStarted {
        /// Which step.
        step: StepIdx,
        /// Index of the item in a loop.
        item: Option<usize>,
        /// From 1, for each item anew.
        attempt: u32,
        /// Who runs it.
        executed_by: &'a ExecutedBy,
    },
    /// A script wrote an event.
    StepEmitted {
        /// Which step.
        step: StepIdx,
        /// Index of the item in a loop.
        item: Option<usize>,
        /// From 1.
        attempt: u32,
        /// What it said. Counts only if the attempt ends well.
        message: &'a Message,
    },
    /// A script has a model write for the player, who may read it as it comes. Counts only if the attempt ends
    /// well, and then as part of its output.
    StepNarrated {
        /// Which step.
        step: StepIdx,
        /// From 1.
        attempt: u32,
        /// To be appended.
        text: &'a str,
    },
    /// A script asked something; it waits on the desk for a person's answer.
    StepAsked {
        /// Which step.
        step: StepIdx,
        /// What it asked.
        question: &'a Question,
    },
    /// A script's question was answered.
    StepAnswered {
        /// Which step.
        step: StepIdx,
        /// The answer.
        text: &'a str,
    },
    /// Nobody will answer a script's question; it reads the end of its input.
    StepUnanswered {
        /// Which step.
        step: StepIdx,
    },
    /// An attempt failed, another will follow.
    StepRetrying {
        /// Which step.
        step: StepIdx,
        /// Index of the item in a loop.
        item: Option<usize>,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Until the next one.
        delay: Duration,
        /// Why it failed.
        why: &'a Failure,
    },
    /// A candidate failed for good, the next goes on at once.
    StepTakenOver {
        /// Which step.
        step: StepIdx,
        /// Who failed.
        from: &'a ExecutedBy,
        /// Who goes on.
        to: &'a ExecutedBy,
        /// Why the last attempt failed.
        why: &'a Failure,
    },
    /// A step is over, be it that it never began.
    StepFinished {
        /// Which step.
        step: StepIdx,
        /// All of it.
        trace: &'a StepTrace,
    },
    /// A skill got better or worse (S1 §3.1). Told in plan order, as soon as all steps before are over.
    HealthChanged {
        /// Which skill.
        skill: &'a str,
        /// From where to where.
        transition: HealthTransition,
    },
    /// A step and all before it are over, and what that means for health is told. Comes once for each step,
    /// in plan order.
    StepSettled {
        /// Which step.
        step: StepIdx,
    },
    /// Last of all.
    PlanFinished {
        /// Whether every required step succeeded, or was left out on purpose.
        success: bool,
        /// Whether a cancel cut it short.
        cancelled: bool,
        /// Of the whole plan.
        elapsed: Duration,
        /// Of the plan's own time, which stands still while only people are waited for.
        time_left: Duration,
    },
}
