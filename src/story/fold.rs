//! Folds the state after a turn: the nearest snapshot at or above the turn, with the patches since.

use rusqlite::{Connection, Transaction, params};
use std::path::Path;

use crate::{
    StoryError, TurnId,
    columns::{number, parse_json, rows, text, text_or_null},
};
use narratoria_protocol::{Object, StoryState};

/// A small state gets a snapshot after this many turns. A large one waits until the turns since the last snapshot weigh
/// as much as the state itself, so that all snapshots together take no more space than the turns, and a fold reads no
/// more than twice the state.
pub const SNAPSHOT_EVERY: u64 = 32;

/// The weight of a turn without its patches: its row and those of its plan, which are read and written with it.
const TURN_WEIGHT: u64 = 4096;

/// The texts from which a state folds.
#[derive(Debug, Default)]
pub(crate) struct StateFold {
    /// The state right after some turn; `None` at the beginning of the story.
    pub(crate) snapshot: Option<String>,
    /// The patches of the turns after it, in order.
    pub(crate) patches: Vec<(TurnId, String)>,
}

/// A text that cannot be folded.
#[derive(Debug)]
pub(crate) struct FoldFault {
    pub(crate) what: String,
}

impl StateFold {
    /// Reads the texts for the state right after `turn`, or at the beginning. Returns `None` if there is no such turn.
    pub(crate) fn read(
        conn: &Connection,
        db: &Path,
        turn: Option<TurnId>,
    ) -> Result<Option<StateFold>, StoryError> {
        let Some(turn) = turn else { return Ok(Some(StateFold::default())) };
        // The line has only the positions of its turns: a state in it would be copied at each of its steps.
        let sql = "
            WITH RECURSIVE line (id, parent, depth, kept) AS (
                SELECT id, parent, depth, EXISTS (SELECT 1 FROM snapshots WHERE turn = id)
                FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth,
                       EXISTS (SELECT 1 FROM snapshots WHERE snapshots.turn = turns.id)
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                WHERE NOT line.kept
            )
            SELECT line.id, line.depth,
                   CASE WHEN kept THEN '' ELSE turns.patch END AS patch, snapshots.state
            FROM line JOIN turns ON turns.id = line.id
            LEFT JOIN snapshots ON snapshots.turn = line.id";
        let mut found = rows(conn, db, "`turns`", sql, [turn.get()], |row| {
            let id = TurnId(row.get("id")?);
            Ok((id, number::<u64>(row, "depth")?, text(row, "patch")?, text_or_null(row, "state")?))
        })?;
        found.sort_by_key(|(_, depth, ..)| *depth);
        let mut found = found.into_iter();
        let mut fold = StateFold::default();
        match found.next() {
            None => return Ok(None),
            // A snapshot includes the patches of its own turn.
            Some((_, _, _, Some(snapshot))) => fold.snapshot = Some(snapshot),
            Some((id, 1, patch, None)) => fold.patches.push((id, patch)),
            Some((_, depth, ..)) => {
                let what = format!("nothing leads to turn {turn} before its depth {depth}");
                return Err(StoryError::Damaged { path: db.to_owned(), what });
            }
        }
        fold.patches.extend(found.map(|(id, _, patch, _)| (id, patch)));
        Ok(Some(fold))
    }

    /// Returns the state, or the first text that cannot be read.
    pub(crate) fn state(&self) -> Result<StoryState, FoldFault> {
        let mut state = match &self.snapshot {
            None => StoryState::default(),
            Some(text) => {
                StoryState::parse(text).map_err(|error| FoldFault { what: error.to_string() })?
            }
        };
        for (turn, text) in &self.patches {
            let patches = parse_patches(text)
                .map_err(|what| FoldFault { what: format!("the patch of turn {turn}: {what}") })?;
            patches.iter().for_each(|patch| state.apply(patch));
        }
        Ok(state)
    }
}

/// Parses the patches of one turn.
pub(crate) fn parse_patches(text: &str) -> Result<Vec<Object>, String> {
    parse_json(text).map_err(|error| error.to_string())
}

/// Stores how much a fold reads for the state after a new turn, and a snapshot if that is too much. Only then
/// `state_text` is called, which serialises the state of `state_bytes` bytes.
pub(crate) fn weigh_turn(
    tx: &Transaction<'_>,
    turn: TurnId,
    patch_bytes: usize,
    state_bytes: usize,
    state_text: impl FnOnce() -> String,
) -> rusqlite::Result<()> {
    let sql = "SELECT coalesce(above.since_snapshot, 0) FROM turns
               LEFT JOIN turns AS above ON above.id = turns.parent WHERE turns.id = ?1";
    let above: i64 = tx.prepare_cached(sql)?.query_one([turn.get()], |row| row.get(0))?;
    let weight = u64::try_from(above).unwrap_or_default() + TURN_WEIGHT + patch_bytes as u64;
    if weight < (state_bytes as u64).max(SNAPSHOT_EVERY * TURN_WEIGHT) {
        let sql = "UPDATE turns SET since_snapshot = ?2 WHERE id = ?1";
        tx.prepare_cached(sql)?.execute(params![turn.get(), weight.cast_signed()])?;
        return Ok(());
    }
    put_snapshot(tx, turn, &state_text())
}

/// Stores the whole state after a turn.
pub(crate) fn put_snapshot(
    tx: &Transaction<'_>,
    turn: TurnId,
    state_text: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO snapshots (turn, state) VALUES (?1, ?2)
               ON CONFLICT (turn) DO UPDATE SET state = excluded.state";
    tx.prepare_cached(sql)?.execute(params![turn.get(), state_text])?;
    tx.prepare_cached("UPDATE turns SET since_snapshot = 0 WHERE id = ?1")?
        .execute([turn.get()])?;
    Ok(())
}
