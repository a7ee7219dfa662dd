//! Writes each enum of the stream as its word in JSON.

use narratoria_executor::SkipReason;
use narratoria_protocol::LogLevel;
use narratoria_skills::Health;
use narratoria_story::TurnOutcome;
use serde::{Serialize, Serializer};

use super::vocabulary::{DecidedBy, MoveKind, RetryDice, ReviewDecision, StepState};
use crate::error::TurnErrorKind;

pub(super) fn decided_by<S: Serializer>(by: &DecidedBy, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(by.as_str())
}

pub(super) fn health<S: Serializer>(health: &Health, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(health.as_str())
}

pub(super) fn log_level<S: Serializer>(level: &LogLevel, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(level.as_str())
}

pub(super) fn move_kind<S: Serializer>(kind: &MoveKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.as_str())
}

pub(super) fn retry_dice<S: Serializer>(
    dice: &Option<RetryDice>,
    to: S,
) -> Result<S::Ok, S::Error> {
    match dice {
        Some(dice) => to.serialize_str(dice.as_str()),
        None => to.serialize_none(),
    }
}

pub(super) fn review_decision<S: Serializer>(
    decision: &ReviewDecision,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.serialize_str(decision.as_str())
}

pub(super) fn skip_reason<S: Serializer>(
    reason: &Option<SkipReason>,
    to: S,
) -> Result<S::Ok, S::Error> {
    reason.map(SkipReason::as_str).serialize(to)
}

pub(super) fn step_state<S: Serializer>(state: &StepState, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(state.as_str())
}

pub(super) fn turn_error_kind<S: Serializer>(
    kind: &TurnErrorKind,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.as_str())
}

pub(super) fn turn_outcome<S: Serializer>(outcome: &TurnOutcome, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(outcome.as_str())
}
