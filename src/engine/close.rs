//! The end of a turn: told, and kept in one transaction.

use std::time::Duration;

use super::{
    FinishedTurn, Session, TurnError, Update,
    assets::collect_assets,
    attempts::Attempts,
    session::{ExecutedPlan, TurnContext, TurnEnd, UpdateSink},
    turn,
};
use narratoria_executor::{Trace, wire::millis};
use narratoria_narrator::fallback_narration;
use narratoria_plan::Plan;
use narratoria_protocol::StoreWrite;
use narratoria_story::{AssetRow, StoreRow, TurnOutcome, TurnRecord};

impl Session {
    /// Tells the end and keeps the turn, in one transaction.
    pub(super) fn close(
        &mut self,
        frame: &TurnContext<'_>,
        ended: TurnEnd,
        attempts: Attempts,
        elapsed: Duration,
        updates: UpdateSink<'_>,
    ) -> Result<FinishedTurn, TurnError> {
        let made = attempts.count();
        let mut store_writes = Vec::new();
        let (outcome, narration, choices, patches, assets) = match ended {
            TurnEnd::Succeeded(ExecutedPlan { plan, trace }) => {
                let versions: Vec<&str> = attempts.ids().collect();
                let assets = self.keep_assets(frame.turn, &plan, &trace, &versions, updates);
                let patches = trace.patches().cloned().collect();
                store_writes = store_rows(&trace);
                let narration = turn::narration_or(&plan, &trace, frame.prompt, frame.seed);
                (TurnOutcome::Narrated, narration, turn::choices(&trace), patches, assets)
            }
            TurnEnd::Failed(ran) => {
                // What did succeed is told (S0 FR-022), but changes nothing: the turn did not happen.
                let partial = ran.map(|ran| turn::narration(&ran.plan, &ran.trace));
                let narration = fallback_narration::narration(frame.prompt, frame.seed);
                let parts =
                    [partial.unwrap_or_default(), narration, fallback_narration::NOTICE.to_owned()];
                let narration = parts.into_iter().filter(|part| !part.is_empty());
                let narration = narration.collect::<Vec<_>>().join("\n\n");
                (TurnOutcome::Fallback, narration, Vec::new(), Vec::new(), Vec::new())
            }
            TurnEnd::Cancelled => {
                (TurnOutcome::Cancelled, String::new(), Vec::new(), Vec::new(), Vec::new())
            }
        };
        let kept = self
            .story
            .commit(&TurnRecord {
                prompt: frame.prompt.to_owned(),
                narration: narration.clone(),
                outcome,
                choices: choices.iter().map(turn::choice_json).collect(),
                patches,
                plans: attempts.into_rows(),
                assets,
                store_writes,
                started_at: frame.started_at,
                finished_at: (self.clock_and_ids.clock)(),
            })
            .map_err(TurnError::from)?;
        kept.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        let turn = FinishedTurn { turn: frame.turn, outcome, narration, choices, attempts: made };
        let rest = frame.narration.lock().finish(&turn.narration);
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
        let (kept, warnings) = collect_assets(turn, plan, trace, versions, self.story.folder());
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

fn finished(turn: &FinishedTurn, elapsed: Duration) -> Update {
    Update::TurnFinished {
        turn: turn.turn,
        outcome: turn.outcome.as_str().to_owned(),
        narration: turn.narration.clone(),
        choices: turn.choices.clone(),
        attempts: turn.attempts,
        elapsed_ms: millis(elapsed),
    }
}
