//! The tree of turns in the file: every turn that was ever played, each with the turn before it.

use rusqlite::Connection;
use std::path::Path;

use jiff::Timestamp;

use crate::{
    Story, StoryError, TurnId, TurnOutcome,
    columns::{number, parse_text, parsed, rows, text, text_or_null, word},
};

/// A turn as a node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnNode {
    pub id: TurnId,
    /// The turn before it; `None` for a first turn.
    pub parent: Option<TurnId>,
    /// Its number on its line, counted from 1.
    pub number: u64,
    /// The number of turns that followed the same parent before this one.
    pub take: u64,
    /// The seed of its dice; `None` for a turn of an older program.
    pub seed: Option<u64>,
    pub prompt: String,
    pub outcome: TurnOutcome,
    pub finished_at: Timestamp,
}

/// The way from one turn to another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TreePath {
    /// The turns to leave, the last one first.
    pub(crate) back: Vec<TurnId>,
    /// The turns to enter, the first one first.
    pub(crate) forth: Vec<TurnId>,
}

/// The position of a turn in the tree.
struct TreePlace {
    parent: Option<TurnId>,
    depth: u64,
}

const NODE: &str = "turns.id, turns.parent, turns.depth, turns.take, turns.seed, turns.prompt, \
                    turns.outcome, turns.finished_at";

impl Story {
    /// Returns a turn of the tree.
    pub fn turn(&self, turn: TurnId) -> Result<TurnNode, StoryError> {
        let sql = format!("SELECT {NODE} FROM turns WHERE id = ?1");
        let found = self.rows("`turns`", &sql, [turn.get()], node)?.pop();
        found.ok_or_else(|| self.unknown_turn(turn))
    }

    /// Returns the turn with this number on the way to the head.
    pub fn turn_numbered(&self, number: u64) -> Result<Option<TurnNode>, StoryError> {
        if number == 0 || number > self.turns() {
            return Ok(None);
        }
        let line = self
            .log(self.head(), usize::try_from(self.turns() - number + 1).unwrap_or(usize::MAX))?;
        Ok(line.into_iter().find(|turn| turn.number == number))
    }

    /// Returns the last `n` turns of the line that ends with `tip`, newest first.
    pub fn log(&self, tip: Option<TurnId>, n: usize) -> Result<Vec<TurnNode>, StoryError> {
        let sql = format!(
            "WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                LIMIT ?2
            )
            SELECT {NODE} FROM line JOIN turns USING (id) ORDER BY turns.depth DESC"
        );
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        self.rows("`turns`", &sql, (tip.map(TurnId::get), n), node)
    }

    /// Returns the last `n` turns that were played on any branch, newest first.
    pub fn all_turns(&self, n: usize) -> Result<Vec<TurnNode>, StoryError> {
        let sql = format!("SELECT {NODE} FROM turns ORDER BY id DESC LIMIT ?1");
        self.rows("`turns`", &sql, [i64::try_from(n).unwrap_or(i64::MAX)], node)
    }

    /// Counts the turns that were ever played, including undone ones. Never decreases.
    pub fn turns_ever(&self) -> Result<u64, StoryError> {
        let sql = "SELECT coalesce(max(id), 0) AS last FROM turns";
        let last = self.rows("`turns`", sql, [], |row| number(row, "last"))?;
        Ok(last.into_iter().next().unwrap_or_default())
    }

    /// Counts the turns that have followed the head already: the next one is another take of the same moment.
    pub fn next_take(&self) -> Result<u64, StoryError> {
        let found = self.rows(
            "`turns`",
            "SELECT count(*) AS takes FROM turns WHERE parent IS ?1",
            [self.head().map(TurnId::get)],
            |row| number(row, "takes"),
        )?;
        Ok(found.into_iter().next().unwrap_or_default())
    }
}

/// Returns the path between two turns of the tree. Its cost depends only on their distance.
pub(crate) fn path(
    conn: &Connection,
    db: &Path,
    from: Option<TurnId>,
    to: Option<TurnId>,
) -> Result<TreePath, StoryError> {
    let mut path = TreePath::default();
    let (mut from, mut to) = (from, to);
    // Go up from both turns until they meet. Each step goes one level up, so the loop ends.
    while from != to {
        let (left, right) = (place(conn, db, from)?, place(conn, db, to)?);
        if left.depth >= right.depth {
            path.back.extend(from);
            from = left.parent;
        } else {
            path.forth.extend(to);
            to = right.parent;
        }
    }
    path.forth.reverse();
    Ok(path)
}

/// Returns the number of a turn on its line; 0 for the beginning.
pub(crate) fn depth(conn: &Connection, db: &Path, turn: Option<TurnId>) -> Result<u64, StoryError> {
    place(conn, db, turn).map(|place| place.depth)
}

fn place(conn: &Connection, db: &Path, turn: Option<TurnId>) -> Result<TreePlace, StoryError> {
    let Some(turn) = turn else { return Ok(TreePlace { parent: None, depth: 0 }) };
    let damaged = |what| StoryError::Damaged { path: db.to_owned(), what };
    let sql = "
        SELECT turns.parent, turns.depth, coalesce(above.depth, 0) AS depth_above
        FROM turns LEFT JOIN turns AS above ON above.id = turns.parent WHERE turns.id = ?1";
    let found = rows(conn, db, "`turns`", sql, [turn.get()], |row| {
        let parent = row.get::<_, Option<i64>>("parent")?.map(TurnId);
        Ok((parent, number::<u64>(row, "depth")?, number::<u64>(row, "depth_above")?))
    })?;
    match found.into_iter().next() {
        None => Err(damaged(format!("there is no turn {turn}"))),
        Some((parent, depth, above)) if above.checked_add(1) == Some(depth) => {
            Ok(TreePlace { parent, depth })
        }
        Some((_, depth, _)) => {
            Err(damaged(format!("nothing leads to turn {turn} before its depth {depth}")))
        }
    }
}

fn node(row: &rusqlite::Row<'_>) -> rusqlite::Result<TurnNode> {
    let seed = text_or_null(row, "seed")?;
    Ok(TurnNode {
        id: TurnId(row.get("id")?),
        parent: row.get::<_, Option<i64>>("parent")?.map(TurnId),
        number: number(row, "depth")?,
        take: number(row, "take")?,
        seed: seed.map(|seed| parse_text("seed", &seed, str::parse)).transpose()?,
        prompt: text(row, "prompt")?,
        outcome: word(row, "outcome", TurnOutcome::parse)?,
        finished_at: parsed(row, "finished_at", str::parse)?,
    })
}
