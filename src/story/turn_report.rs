//! One turn with everything that the story has recorded of it, and the differences between two turns.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    AssetRow, PlanRow, StateDiff, Story, StoryError, TurnId, TurnNode,
    columns::{json, number, text, text_or_null},
    tree,
};
use narratoria_protocol::{MEMORY_OWNER, Stores, StoryState};

/// Most turns whose texts a comparison shows on either side.
pub const COMPARED_TURNS_MAX: usize = 100;

/// A turn with its plans, its files and its changes.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnReport {
    pub node: TurnNode,
    pub narration: String,
    pub choices: Vec<Value>,
    /// All plans that were tried, in order, each with its number in the story.
    pub plans: Vec<(u64, PlanRow)>,
    pub assets: Vec<AssetRow>,
    /// The changes that the turn made to the state.
    pub state: StateDiff,
    pub stores: Vec<StoreChange>,
}

/// A difference in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreChange {
    pub skill: String,
    pub key: String,
    /// `None` if there is no value.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The differences between two moments of a story.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnComparison {
    pub state: StateDiff,
    pub stores: Vec<StoreChange>,
    /// The last turns that only the first moment has, and that only the second one has, oldest first; at most
    /// [`COMPARED_TURNS_MAX`] each.
    pub left: Vec<(TurnNode, String)>,
    pub entered: Vec<(TurnNode, String)>,
    /// The number of all turns on either side, listed or not.
    pub left_count: usize,
    pub entered_count: usize,
}

/// A text that a skill stored in the story's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedText {
    pub key: String,
    /// JSON, as the skill's store has it.
    pub value: String,
    /// The number of the turn that wrote it; `None` if no turn of the story did.
    pub turn: Option<u64>,
}

impl Story {
    /// Returns a turn with its plans, its files and its changes.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::UnknownTurn`]; [`StoryError::StateUnreadable`] if the state before or after it does not
    /// fold.
    pub fn turn_report(&self, turn: TurnId) -> Result<TurnReport, StoryError> {
        let node = self.turn(turn)?;
        let (narration, choices) = self.text_of(turn)?;
        let before = self.state_before(&node)?;
        let after = self.state_at(turn)?;
        Ok(TurnReport {
            narration,
            choices,
            plans: self.numbered_plans(turn)?,
            assets: self.assets_of_turn(turn)?,
            state: StateDiff::of(before.as_object(), after.as_object()),
            stores: self.store_changes_of(turn)?,
            node,
        })
    }

    /// The state right before a turn.
    fn state_before(&self, node: &TurnNode) -> Result<StoryState, StoryError> {
        node.parent.map_or_else(|| Ok(StoryState::default()), |parent| self.state_at(parent))
    }

    /// Compares the story after one turn with the story after another; `None` is the beginning.
    pub fn compare(
        &self,
        from: Option<TurnId>,
        to: Option<TurnId>,
    ) -> Result<TurnComparison, StoryError> {
        let state = |turn: Option<TurnId>| {
            turn.map_or_else(|| Ok(StoryState::default()), |turn| self.state_at(turn))
        };
        let stores = |turn: Option<TurnId>| match turn {
            Some(turn) => self.stores_at(turn),
            None => Ok(Stores::new()),
        };
        let path = tree::path(self.conn(), self.db(), from, to)?;
        let texts = |turns: &mut dyn Iterator<Item = &TurnId>| -> Result<Vec<_>, StoryError> {
            let text = |turn: &TurnId| Ok((self.turn(*turn)?, self.text_of(*turn)?.0));
            let mut texts: Vec<(TurnNode, String)> =
                turns.take(COMPARED_TURNS_MAX).map(text).collect::<Result<_, StoryError>>()?;
            texts.reverse();
            Ok(texts)
        };
        Ok(TurnComparison {
            state: StateDiff::of(state(from)?.as_object(), state(to)?.as_object()),
            stores: store_diff(&stores(from)?, &stores(to)?),
            left: texts(&mut path.back.iter())?,
            entered: texts(&mut path.forth.iter().rev())?,
            left_count: path.back.len(),
            entered_count: path.forth.len(),
        })
    }

    /// Returns the texts that skills stored in the story's memory, oldest first, each with the turn that wrote it.
    pub fn remembered_texts(&self) -> Result<Vec<RememberedText>, StoryError> {
        let sql = "
            WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
            )
            SELECT store_now.key, store_now.value,
                   (SELECT max(line.depth) FROM store_log JOIN line ON line.id = store_log.turn
                    WHERE store_log.skill = store_now.skill AND store_log.key = store_now.key) AS turn
            FROM store_now WHERE store_now.skill = ?2 ORDER BY store_now.key";
        let values = (self.head().map(TurnId::get), MEMORY_OWNER);
        self.rows("`store_now`", sql, values, |row| {
            let turn = row.get::<_, Option<i64>>("turn")?.map(i64::cast_unsigned);
            Ok(RememberedText { key: text(row, "key")?, value: text(row, "value")?, turn })
        })
    }

    fn text_of(&self, turn: TurnId) -> Result<(String, Vec<Value>), StoryError> {
        let sql = "SELECT narration, choices FROM turns WHERE id = ?1";
        let found = self.rows("`turns`", sql, [turn.get()], |row| {
            Ok((text(row, "narration")?, json(row, "choices")?))
        })?;
        found.into_iter().next().ok_or_else(|| self.unknown_turn(turn))
    }

    fn numbered_plans(&self, turn: TurnId) -> Result<Vec<(u64, PlanRow)>, StoryError> {
        let sql = "SELECT ordinal FROM plans WHERE turn = ?1 ORDER BY ordinal";
        let ordinals = self.rows("`plans`", sql, [turn.get()], |row| number(row, "ordinal"))?;
        Ok(ordinals.into_iter().zip(self.plans_of_turn(turn)?).collect())
    }

    fn store_changes_of(&self, turn: TurnId) -> Result<Vec<StoreChange>, StoryError> {
        let sql = "SELECT skill, key, value_before, value_after FROM store_log
                   WHERE turn = ?1 ORDER BY skill, key";
        self.rows("`store_log`", sql, [turn.get()], |row| {
            Ok(StoreChange {
                skill: text(row, "skill")?,
                key: text(row, "key")?,
                before: text_or_null(row, "value_before")?,
                after: text_or_null(row, "value_after")?,
            })
        })
    }
}

/// A value before and after.
type ValueChange<'a> = (Option<&'a String>, Option<&'a String>);

/// Returns the values that differ between two moments.
fn store_diff(before: &Stores, after: &Stores) -> Vec<StoreChange> {
    let mut changes: BTreeMap<(&String, &String), ValueChange<'_>> = BTreeMap::new();
    for (skill, store) in before {
        store.iter().for_each(|(key, value)| {
            changes.entry((skill, key)).or_default().0 = Some(value);
        });
    }
    for (skill, store) in after {
        store.iter().for_each(|(key, value)| {
            changes.entry((skill, key)).or_default().1 = Some(value);
        });
    }
    let differing = changes.into_iter().filter(|(_, (before, after))| before != after);
    differing
        .map(|((skill, key), (before, after))| StoreChange {
            skill: skill.clone(),
            key: key.clone(),
            before: before.cloned(),
            after: after.cloned(),
        })
        .collect()
}
