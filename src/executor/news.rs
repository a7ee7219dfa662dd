//! What happens while a plan runs, as it happens.

use std::time::Duration;

use super::{Failure, StepTrace};
use crate::{plan::StepIdx, protocol::Message, skills::Transition};

/// One piece of news. The engine turns it into updates for the front ends.
#[derive(Debug, Clone, Copy)]
pub enum News<'a> {
    /// First of all.
    PlanStarted {
        /// How many there are.
        steps: usize,
    },
    /// An attempt began.
    StepStarted {
        /// Which step.
        step: StepIdx,
        /// From 1.
        attempt: u32,
    },
    /// A script wrote an event.
    StepSaid {
        /// Which step.
        step: StepIdx,
        /// From 1.
        attempt: u32,
        /// What it said. Counts only if the attempt ends well.
        message: &'a Message,
    },
    /// An attempt failed, another will follow.
    StepRetrying {
        /// Which step.
        step: StepIdx,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Until the next one.
        delay: Duration,
        /// Why it failed.
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
        transition: Transition,
    },
    /// Last of all.
    PlanFinished {
        /// Whether every required step succeeded.
        success: bool,
        /// Whether a cancel cut it short.
        cancelled: bool,
        /// Of the whole plan.
        elapsed: Duration,
    },
}
