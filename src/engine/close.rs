//! The end of a turn: told, and kept in one transaction.

use std::time::Duration;

use jiff::Timestamp;

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
    story::{AssetRow, TurnOutcome, TurnRecord},
};

impl Session {
    /// Tells the end and keeps the turn, in one transaction.
    pub(super) fn close(
        &mut self,
        frame: &Frame<'_>,
        ended: Ended,
        attempts: Attempts,
        started_at: Timestamp,
        elapsed: Duration,
        updates: UpdateSink<'_>,
    ) -> Result<Turn, TurnError> {
        let made = attempts.made();
        let (outcome, narration, choices, patches, assets) = match ended {
            Ended::Told(Ran { plan, trace }) => {
                let assets = self.keep_assets(frame.turn, &plan, &trace, updates);
                let patches = trace.patches().cloned().collect();
                let narration = turn::narration(&plan, &trace);
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
        self.story
            .commit(&TurnRecord {
                prompt: frame.prompt.to_owned(),
                narration: narration.clone(),
                outcome,
                choices: choices.iter().map(turn::choice_value).collect(),
                patches,
                plans: attempts.into_rows(),
                assets,
                started_at,
                finished_at: (self.world.clock)(),
            })
            .map_err(TurnError::from)?;
        let turn = Turn { turn: frame.turn, outcome, narration, choices, attempts: made };
        if !turn.narration.is_empty() {
            updates(Update::NarrationDelta { turn: turn.turn, text: turn.narration.clone() });
        }
        updates(finished(&turn, elapsed));
        Ok(turn)
    }

    fn keep_assets(
        &self,
        turn: u64,
        plan: &Plan,
        trace: &Trace,
        updates: UpdateSink<'_>,
    ) -> Vec<AssetRow> {
        let (kept, warnings) = kept_assets(turn, plan, trace, self.story.folder());
        warnings.into_iter().for_each(&mut *updates);
        kept.into_iter()
            .map(|(row, update)| {
                updates(update);
                row
            })
            .collect()
    }
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
