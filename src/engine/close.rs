//! The end of a turn: told, and kept in one transaction.

use std::time::Duration;

use super::{
    Session, Turn, TurnError, Update,
    assets::kept_assets,
    replan::Attempts,
    session::{Ended, Frame, Ran, UpdateSink},
    turn,
};
use crate::{
    executor::{Trace, wire::millis},
    narrator::fallback,
    plan::Plan,
    sandbox::StoreWrite,
    story::{AssetRow, StoreRow, TurnOutcome, TurnRecord},
};

impl Session {
    /// Tells the end and keeps the turn, in one transaction.
    pub(super) fn close(
        &mut self,
        frame: &Frame<'_>,
        ended: Ended,
        attempts: Attempts,
        elapsed: Duration,
        updates: UpdateSink<'_>,
    ) -> Result<Turn, TurnError> {
        let made = attempts.made();
        let mut store_writes = Vec::new();
        let (outcome, narration, choices, patches, assets) = match ended {
            Ended::Told(Ran { plan, trace }) => {
                let versions: Vec<&str> = attempts.ids().collect();
                let assets = self.keep_assets(frame.turn, &plan, &trace, &versions, updates);
                let patches = trace.patches().cloned().collect();
                store_writes = store_rows(&trace);
                let narration = turn::narration_or(&plan, &trace, frame.prompt, frame.seed);
                (TurnOutcome::Told, narration, turn::choices(&trace), patches, assets)
            }
            Ended::GivenUp(ran) => {
                // What did succeed is told (S0 FR-022), but changes nothing: the turn did not happen.
                let partial = ran.map(|ran| turn::narration(&ran.plan, &ran.trace));
                let narration = fallback::narration(frame.prompt, frame.seed);
                let parts = [partial.unwrap_or_default(), narration, fallback::NOTICE.to_owned()];
                let narration = parts.into_iter().filter(|part| !part.is_empty());
                let narration = narration.collect::<Vec<_>>().join("\n\n");
                (TurnOutcome::Fallback, narration, Vec::new(), Vec::new(), Vec::new())
            }
            Ended::Cancelled => {
                (TurnOutcome::Cancelled, String::new(), Vec::new(), Vec::new(), Vec::new())
            }
        };
        let kept = self
            .story
            .commit(&TurnRecord {
                prompt: frame.prompt.to_owned(),
                narration: narration.clone(),
                outcome,
                choices: choices.iter().map(turn::choice_value).collect(),
                patches,
                plans: attempts.into_rows(),
                assets,
                store_writes,
                started_at: frame.started_at,
                finished_at: (self.world.clock)(),
            })
            .map_err(TurnError::from)?;
        kept.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        let turn = Turn { turn: frame.turn, outcome, narration, choices, attempts: made };
        let rest = frame.teller.lock().end(&turn.narration);
        rest.into_updates(turn.turn).for_each(&mut *updates);
        let elapsed = if self.options.repeatable { Duration::ZERO } else { elapsed };
        updates(finished(&turn, elapsed));
        Ok(turn)
    }

    fn keep_assets(
        &self,
        turn: u64,
        plan: &Plan,
        trace: &Trace,
        versions: &[&str],
        updates: UpdateSink<'_>,
    ) -> Vec<AssetRow> {
        let (kept, warnings) = kept_assets(turn, plan, trace, versions, self.story.folder());
        warnings.into_iter().for_each(&mut *updates);
        kept.into_iter()
            .map(|(row, update)| {
                updates(update);
                row
            })
            .collect()
    }
}

/// What the skills keep, in plan order.
fn store_rows(trace: &Trace) -> Vec<StoreRow> {
    let row = |(skill, write): (&str, &StoreWrite)| StoreRow {
        skill: skill.to_owned(),
        key: write.key.clone(),
        value: write.value.clone(),
    };
    trace.writes().map(row).collect()
}

fn finished(turn: &Turn, elapsed: Duration) -> Update {
    Update::TurnFinished {
        turn: turn.turn,
        outcome: turn.outcome.as_str().to_owned(),
        narration: turn.narration.clone(),
        choices: turn.choices.clone(),
        attempts: turn.attempts,
        elapsed_ms: millis(elapsed),
    }
}
