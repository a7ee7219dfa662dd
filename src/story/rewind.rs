//! Undo, redo and switch: the head moves to another turn of the tree, and everything goes with it.
//!
//! The state is the fold of the turns before the head, the skills' stores change by the values that each turn has
//! logged, and texts, plans and assets are rows of their turns. So a move writes only the differences between the two
//! turns, and going there and back changes no byte.

use crate::{
    BranchName, Story, StoryError, TurnId,
    branch::Branch,
    entities,
    fold::StateFold,
    format::{self, Durability},
    journal, skill_store, tree,
};

/// A move of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadMove {
    pub from: Option<TurnId>,
    pub to: Option<TurnId>,
    /// Turns that leave the story as it is played, and turns that enter it again.
    pub left: u64,
    pub entered: u64,
}

/// The target of a move.
struct HeadTarget<'a> {
    branch: &'a BranchName,
    turn: Option<TurnId>,
    /// The last turn that can be redone from there.
    redo: Option<TurnId>,
}

impl Story {
    /// Goes back by this many turns. They stay in the tree, and [`Story::redo`] brings them back until another turn is
    /// played.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::NothingToUndo`] if there are not so many; [`StoryError::PlanUnfinished`] and
    /// [`StoryError::PlanRunning`] while a turn is unfinished; [`StoryError::HeadMoved`].
    pub fn undo(&mut self, turns: u64) -> Result<HeadMove, StoryError> {
        if turns == 0 || turns > self.turns() {
            let (name, there) = (self.name().clone(), self.turns());
            return Err(StoryError::NothingToUndo { name, turns, there });
        }
        let branch = self.find_branch(&self.branch().clone())?;
        let redo = self.redo_tip(&branch)?.or(self.head());
        let to = self.ancestor(turns)?;
        self.move_head(&HeadTarget { branch: &branch.name, turn: to, redo })
    }

    /// Redoes this many of the undone turns.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::NothingToRedo`] if there are not so many, and the errors of [`Story::undo`].
    pub fn redo(&mut self, turns: u64) -> Result<HeadMove, StoryError> {
        let branch = self.find_branch(&self.branch().clone())?;
        let tip = self.redo_tip(&branch)?;
        let forth = match tip {
            Some(tip) => tree::path(self.conn(), self.db(), self.head(), Some(tip))?,
            None => tree::TreePath::default(),
        };
        let there = if forth.back.is_empty() { forth.forth.len() as u64 } else { 0 };
        if turns == 0 || turns > there {
            return Err(StoryError::NothingToRedo { name: self.name().clone(), turns, there });
        }
        let at = usize::try_from(turns - 1).unwrap_or(usize::MAX);
        let turn = forth.forth.get(at).copied();
        let redo = tip.filter(|tip| Some(*tip) != turn);
        self.move_head(&HeadTarget { branch: &branch.name, turn, redo })
    }

    /// Switches to another branch.
    pub fn switch(&mut self, name: &BranchName) -> Result<HeadMove, StoryError> {
        let branch = self.find_branch(name)?;
        let redo = self.redo_tip(&branch)?;
        self.move_head(&HeadTarget { branch: &branch.name, turn: branch.turn, redo })
    }

    /// Counts the turns that [`Story::redo`] can bring back.
    pub fn redoable(&self) -> Result<u64, StoryError> {
        self.find_branch(self.branch()).map(|branch| branch.redoable)
    }

    /// Returns the turn this many turns before the head; `None` for the beginning.
    fn ancestor(&self, turns: u64) -> Result<Option<TurnId>, StoryError> {
        let sql = "
            WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
                WHERE line.depth > ?2
            )
            SELECT parent FROM line WHERE depth = ?2";
        // The query finds the turn after it, which names it as its parent, so that the beginning is no special case.
        let next = self.turns().saturating_sub(turns) + 1;
        let values = (self.head().map(TurnId::get), i64::try_from(next).unwrap_or(i64::MAX));
        let found = self.rows("`turns`", sql, values, |row| {
            Ok(row.get::<_, Option<i64>>("parent")?.map(TurnId))
        })?;
        let missing = || self.damaged(format!("nothing leads to the head from its turn {next}"));
        found.into_iter().next().ok_or_else(missing)
    }

    fn redo_tip(&self, branch: &Branch) -> Result<Option<TurnId>, StoryError> {
        let sql = "SELECT redo FROM branches WHERE name = ?1";
        let found = self.rows("`branches`", sql, [branch.name.as_str()], |row| {
            Ok(row.get::<_, Option<i64>>("redo")?.map(TurnId))
        })?;
        Ok(found.into_iter().next().flatten())
    }

    fn move_head(&mut self, target: &HeadTarget<'_>) -> Result<HeadMove, StoryError> {
        let (from, to) = (self.head(), target.turn);
        let path = tree::path(self.conn(), self.db(), from, to)?;
        let turns = tree::depth(self.conn(), self.db(), to)?;
        let fold = StateFold::read(self.conn(), self.db(), to)?;
        let fold = fold.ok_or_else(|| self.damaged("the turn to go to is missing".to_owned()))?;
        let state = fold.state().map_err(|fault| self.unreadable(fault.what))?;
        self.write(Durability::Disk, |story| {
            let failed = |source| story.failed(source);
            let head = story.check_head()?;
            journal::check_no_unfinished_plan(story, head)?;
            skill_store::move_stores(story, &path)?;
            entities::move_entities(story, &path)?;
            let row = (target.branch.as_str(), to.map(TurnId::get), target.redo.map(TurnId::get));
            let sql = "UPDATE branches SET turn = ?2, redo = ?3 WHERE name = ?1";
            story.tx.execute(sql, row).map_err(failed)?;
            let sql = "UPDATE meta SET value = ?1 WHERE key = 'branch'";
            story.tx.execute(sql, [target.branch.as_str()]).map_err(failed)?;
            Ok(())
        })?;
        format::checkpoint(self.conn());
        self.set_branch(target.branch.clone());
        self.set_head(to, turns, state);
        let (left, entered) = (path.back.len() as u64, path.forth.len() as u64);
        Ok(HeadMove { from, to, left, entered })
    }
}
