//! Branches: names for turns. One of them is the current branch, and its turn is the head.

use crate::{
    BranchName, Story, StoryError, TurnId,
    columns::{number, text},
};

/// Most branches of a story. Each is a row that every list shows.
pub const BRANCHES_MAX: usize = 1_000;

/// A branch as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: BranchName,
    /// Its last turn; `None` for the beginning of the story.
    pub turn: Option<TurnId>,
    /// The number of turns from the beginning.
    pub turns: u64,
    /// How many turns can be redone.
    pub redoable: u64,
    /// True for the current branch.
    pub is_current: bool,
}

impl Story {
    /// All branches, by name.
    pub fn branches(&self) -> Result<Vec<Branch>, StoryError> {
        let sql = "
            SELECT branches.name, branches.turn, coalesce(tip.depth, 0) AS turns,
                   max(0, coalesce(undone.depth, 0) - coalesce(tip.depth, 0)) AS redoable
            FROM branches LEFT JOIN turns AS tip ON tip.id = branches.turn
            LEFT JOIN turns AS undone ON undone.id = branches.redo ORDER BY branches.name LIMIT ?1";
        let limit = i64::try_from(BRANCHES_MAX).unwrap_or(i64::MAX);
        self.rows("`branches`", sql, [limit], |row| {
            let name = BranchName::stored(text(row, "name")?);
            let turn = row.get::<_, Option<i64>>("turn")?.map(TurnId);
            let is_current = name == *self.branch();
            let redoable = number(row, "redoable")?;
            Ok(Branch { name, turn, turns: number(row, "turns")?, redoable, is_current })
        })
    }

    /// Returns one branch.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::UnknownBranch`] with the names of existing branches.
    pub fn find_branch(&self, name: &BranchName) -> Result<Branch, StoryError> {
        let mut branches = self.branches()?;
        match branches.iter().position(|branch| branch.name == *name) {
            Some(at) => Ok(branches.swap_remove(at)),
            None => {
                let known: Vec<String> =
                    branches.iter().take(8).map(|branch| format!("`{}`", branch.name)).collect();
                let (branch, known) = (name.clone(), known.join(", "));
                Err(StoryError::UnknownBranch { name: self.name().clone(), branch, known })
            }
        }
    }

    /// Names a turn; without a turn, the head. The current branch stays the same.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::BranchTaken`] or [`StoryError::TooManyBranches`].
    pub fn create_branch(
        &mut self,
        name: &BranchName,
        turn: Option<TurnId>,
    ) -> Result<(), StoryError> {
        let turn = match turn {
            Some(turn) => Some(self.turn(turn)?.id),
            None => self.head(),
        };
        let branches = self.branches()?;
        if branches.iter().any(|branch| branch.name == *name) {
            return Err(StoryError::BranchTaken {
                name: self.name().clone(),
                branch: name.clone(),
            });
        }
        if branches.len() >= BRANCHES_MAX {
            return Err(StoryError::TooManyBranches { limit: BRANCHES_MAX });
        }
        let sql = "INSERT INTO branches (name, turn) VALUES (?1, ?2)";
        self.change_branches(&[(sql, &[&name.as_str(), &turn.map(TurnId::get)])])
    }

    /// Renames a branch.
    pub fn rename_branch(&mut self, from: &BranchName, to: &BranchName) -> Result<(), StoryError> {
        let branch = self.find_branch(from)?;
        if self.branches()?.iter().any(|branch| branch.name == *to) {
            return Err(StoryError::BranchTaken { name: self.name().clone(), branch: to.clone() });
        }
        self.change_branches(&[
            ("UPDATE branches SET name = ?2 WHERE name = ?1", &[&from.as_str(), &to.as_str()]),
            (
                "UPDATE meta SET value = ?2 WHERE key = 'branch' AND value = ?1",
                &[&from.as_str(), &to.as_str()],
            ),
        ])?;
        if branch.is_current {
            self.set_branch(to.clone());
        }
        Ok(())
    }

    /// Removes the name of a turn. The turns stay in the tree.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::BranchPlayed`] for the current branch.
    pub fn delete_branch(&mut self, name: &BranchName) -> Result<(), StoryError> {
        if self.find_branch(name)?.is_current {
            return Err(StoryError::BranchPlayed { branch: name.clone() });
        }
        self.change_branches(&[("DELETE FROM branches WHERE name = ?1", &[&name.as_str()])])
    }
}
