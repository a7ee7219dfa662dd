//! Past turns, their assets, and the state after any of them.

use std::collections::BTreeSet;

use crate::{
    AssetRow, Story, StoryError, TurnId, TurnOutcome, TurnSummary,
    columns::{json, json_or_null, parsed, word},
};
use narratoria_protocol::{Object, StoryState};

impl Story {
    /// The last `n` turns before the head and the head itself, oldest first.
    pub fn recent_turns(&self, n: usize) -> Result<Vec<TurnSummary>, StoryError> {
        // Each step of the recursion goes one level up, so it ends even in a damaged file.
        let sql = "
            WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                LIMIT ?2
            )
            SELECT turns.id, prompt, narration, outcome, choices, finished_at
            FROM line JOIN turns USING (id) ORDER BY line.depth";
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        self.rows("`turns`", sql, (self.head().map(TurnId::get), n), |row| {
            Ok(TurnSummary {
                id: TurnId(row.get("id")?),
                prompt: row.get("prompt")?,
                narration: row.get("narration")?,
                outcome: word(row, "outcome", TurnOutcome::parse)?,
                choices: json(row, "choices")?,
                finished_at: parsed(row, "finished_at", str::parse)?,
            })
        })
    }

    /// The files that a turn created, in the order of its record. Empty for an unknown turn.
    pub fn assets_of_turn(&self, turn: TurnId) -> Result<Vec<AssetRow>, StoryError> {
        let sql = "
            SELECT plan, tool_id, asset_id, kind, media_type, path, metadata
            FROM assets WHERE turn = ?1 ORDER BY rowid";
        self.rows("`assets`", sql, [turn.get()], |row| {
            Ok(AssetRow {
                plan: row.get("plan")?,
                tool_id: row.get("tool_id")?,
                asset_id: row.get("asset_id")?,
                kind: row.get("kind")?,
                media_type: row.get("media_type")?,
                path: row.get("path")?,
                metadata: json_or_null(row, "metadata")?,
            })
        })
    }

    /// Ids of the plans that have files in the story's folder: those of which a turn lists a file, and those of the turn
    /// that is not over.
    pub fn plans_with_files(&self) -> Result<BTreeSet<String>, StoryError> {
        let sql = "SELECT plan FROM assets UNION SELECT id FROM journal_plans";
        Ok(self.rows("`assets`", sql, [], |row| row.get(0))?.into_iter().collect())
    }

    /// The state right after `turn`: the nearest snapshot at or above it, with the patches since.
    pub fn state_at(&self, turn: TurnId) -> Result<StoryState, StoryError> {
        let sql = "
            WITH RECURSIVE line (id, parent, depth, patch, state) AS (
                SELECT id, parent, depth, patch, state
                FROM turns LEFT JOIN snapshots ON snapshots.turn = id WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth, turns.patch, snapshots.state
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                LEFT JOIN snapshots ON snapshots.turn = turns.id
                WHERE line.state IS NULL
            )
            SELECT depth, patch, state FROM line ORDER BY depth";
        let rows = self.rows("`turns`", sql, [turn.get()], |row| {
            let snapshot = json_or_null::<Object>(row, "state")?.map(StoryState::new);
            Ok((row.get("depth")?, json::<Vec<Object>>(row, "patch")?, snapshot))
        })?;
        let mut rows = rows.into_iter();
        let mut state = match rows.next() {
            None => return Err(self.unknown_turn(turn)),
            // A snapshot includes the patches of its own turn.
            Some((_, _, Some(snapshot))) => snapshot,
            Some((1, patches, None)) => fold(StoryState::default(), &patches),
            Some((depth, ..)) => {
                let what = format!("nothing leads to turn {turn} before its depth {depth}");
                return Err(self.damaged(what));
            }
        };
        for (_, patches, _) in rows {
            state = fold(state, &patches);
        }
        Ok(state)
    }
}

fn fold(mut state: StoryState, patches: &[Object]) -> StoryState {
    patches.iter().for_each(|patch| state.apply(patch));
    state
}
