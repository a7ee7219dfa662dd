//! Past turns, their assets, and the state after each.

use std::collections::BTreeSet;

use crate::{
    AssetRow, Story, StoryError, TurnId, TurnOutcome, TurnSummary,
    columns::{json, json_or_null, parsed, word},
    fold::StateFold,
};
use narratoria_protocol::StoryState;

impl Story {
    /// The last `n` turns before the head and the head itself, oldest first.
    pub fn recent_turns(&self, n: usize) -> Result<Vec<TurnSummary>, StoryError> {
        self.turns_up_to(self.head(), n)
    }

    /// The last `n` turns of the line that ends with `tip`, oldest first.
    pub fn turns_up_to(
        &self,
        tip: Option<TurnId>,
        n: usize,
    ) -> Result<Vec<TurnSummary>, StoryError> {
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
        self.rows("`turns`", sql, (tip.map(TurnId::get), n), |row| {
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

    /// Returns the turn that was recorded last, which may be beside the head. `None` before the first.
    pub fn newest_turn(&self) -> Result<Option<TurnId>, StoryError> {
        let ids = self.rows("`turns`", "SELECT max(id) FROM turns", [], |row| row.get(0))?;
        Ok(ids.into_iter().next().flatten().map(TurnId))
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

    /// Returns the media type of a file that a turn lists under this path. `None` if no turn does.
    pub fn media_type_of(&self, path: &str) -> Result<Option<String>, StoryError> {
        let sql = "SELECT media_type FROM assets WHERE path = ?1 LIMIT 1";
        Ok(self.rows("`assets`", sql, [path], |row| row.get(0))?.into_iter().next())
    }

    /// Returns the ids of the plans whose folders in `assets` are needed: those of the unfinished turn, and those with
    /// a file that could not be stored by its content.
    pub fn plans_with_files(&self) -> Result<BTreeSet<String>, StoryError> {
        let sql = "SELECT plan FROM assets WHERE path LIKE 'assets/%/%'
                   UNION SELECT id FROM journal_plans";
        Ok(self.rows("`assets`", sql, [], |row| row.get(0))?.into_iter().collect())
    }

    /// Returns the state right after `turn`.
    pub fn state_at(&self, turn: TurnId) -> Result<StoryState, StoryError> {
        let fold = StateFold::read(self.conn(), self.db(), Some(turn))?;
        let fold = fold.ok_or_else(|| self.unknown_turn(turn))?;
        fold.state().map_err(|fault| self.unreadable(fault.what))
    }
}
