//! The skill of a script that remembers and forgets, with its rights in the story's memory.

use narratoria_skills::{PackageOrigin, Skill};

/// The skill of an invocation, as the author of its memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryAuthor {
    pub skill: String,
    /// True for a part of the program, which manages the memory of the story for all skills.
    pub is_built_in: bool,
}

impl MemoryAuthor {
    pub fn of(skill: &Skill) -> MemoryAuthor {
        let is_built_in = skill.origin == PackageOrigin::BuiltIn;
        MemoryAuthor { skill: skill.name.clone(), is_built_in }
    }

    /// Returns the author for a skill that is not part of the program.
    pub fn other(skill: &str) -> MemoryAuthor {
        MemoryAuthor { skill: skill.to_owned(), is_built_in: false }
    }

    /// Returns true if it may change and forget memories of that skill.
    pub(crate) fn may_change(&self, author: &str) -> bool {
        self.is_built_in || self.skill == author
    }
}
